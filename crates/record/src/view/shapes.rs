//! Shapes of grains in a compact form.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Solid, base64::words};

/// The shapes of [`Grains`](super::Grains) that are no balls, and how they are turned.
///
/// In JSON `turns` is base64 of little-endian signed 16-bit integers, 32 767 times the components of quaternions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shapes {
    /// For each shape its solids, about the center of a grain of radius 1 m.
    pub solids: Vec<Vec<Solid>>,
    /// The shape of each grain.
    pub kinds: Vec<u16>,
    /// For each time and each grain a unit quaternion, `w` first; anything while the grain is not present.
    #[serde(serialize_with = "write", deserialize_with = "read")]
    pub turns: Vec<i16>,
}

impl Shapes {
    /// The shapes of grains that at each time have these orientations, `w` first; `None` for a grain that is not present.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_record::view::{Shapes, Solid};
    ///
    /// let cube = Solid::Box { half_edges: [0.8; 3], center: [0.0; 3] };
    /// let frames = [[Some([1.0, 0.0, 0.0, 0.0]), None]];
    /// let shapes = Shapes::new(vec![vec![cube]], vec![0, 0], frames.iter().flatten().copied());
    /// assert_eq!(shapes.turns, [32767, 0, 0, 0, 32767, 0, 0, 0]);
    /// ```
    #[must_use]
    pub fn new(
        solids: Vec<Vec<Solid>>,
        kinds: Vec<u16>,
        turns: impl Iterator<Item = Option<[f64; 4]>>,
    ) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "parts of a unit quaternion fit")]
        let short = |part: f64| (part.clamp(-1.0, 1.0) * f64::from(i16::MAX)).round() as i16;
        let turns = turns.flat_map(|turn| turn.unwrap_or([1.0, 0.0, 0.0, 0.0]).map(short));
        Self { solids, kinds, turns: turns.collect() }
    }
}

fn write<S: Serializer>(turns: &[i16], serializer: S) -> Result<S::Ok, S::Error> {
    let bytes: Vec<u8> = turns.iter().flat_map(|part| part.to_le_bytes()).collect();
    serializer.serialize_str(&super::base64::encode(&bytes))
}

fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i16>, D::Error> {
    Ok(words(deserializer)?.into_iter().map(i16::from_le_bytes).collect())
}
