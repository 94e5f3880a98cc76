//! Thousands of grains in a compact form.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    Shapes,
    base64::{self, words},
};

/// The number for a grain that is not present.
const ABSENT: u16 = u16::MAX;

/// Balls in space that may appear and disappear: a few bytes each, without rotation.
///
/// Positions are integers from 0 to 65 534 between two corners of a box: `x`, `y`, `z` for each time and each ball.
/// 65 535 marks a ball that is not present. In JSON the lists are base64 of little-endian numbers: `radii` of 32-bit
/// floats, `places` of unsigned 16-bit integers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grains {
    /// Lower and upper corner of the box (m).
    pub corners: [[f64; 3]; 2],
    /// Radius of each ball (m).
    #[serde(serialize_with = "write_radii", deserialize_with = "read_radii")]
    pub radii: Vec<f32>,
    /// The positions.
    #[serde(serialize_with = "write_places", deserialize_with = "read_places")]
    pub places: Vec<u16>,
    /// Shapes, where the grains are no balls; the radii are then those of balls of equal volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shapes: Option<Shapes>,
}

impl Grains {
    /// Creates balls with these radii (m) whose centers (m) at each time are those of `frames`; `None` for a ball
    /// that is not present.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_record::view::Grains;
    ///
    /// let frames = [[Some([0.0, 0.0, 1.0]), None], [Some([0.0, 0.0, 0.5]), Some([2.0, 0.0, 1.0])]];
    /// let grains = Grains::new(vec![0.1, 0.1], frames.iter().map(|frame| frame.iter().copied()));
    /// assert_eq!(grains.center(0, 1), None);
    /// assert_eq!(grains.center(1, 1), Some([2.0, 0.0, 1.0]));
    /// ```
    pub fn new<F>(radii: Vec<f32>, frames: impl Iterator<Item = F> + Clone) -> Self
    where
        F: Iterator<Item = Option<[f64; 3]>>,
    {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for center in frames.clone().flatten().flatten() {
            for (axis, value) in center.into_iter().enumerate() {
                low[axis] = low[axis].min(value);
                high[axis] = high[axis].max(value);
            }
        }
        if low[0] > high[0] {
            (low, high) = ([0.0; 3], [0.0; 3]);
        }
        let place = |axis: usize, value: f64| {
            let share = (value - low[axis]) / (high[axis] - low[axis]).max(f64::MIN_POSITIVE);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it fits")]
            let place = (share.clamp(0.0, 1.0) * f64::from(ABSENT - 1)).round() as u16;
            place
        };
        let places = frames.flatten().flat_map(|center| match center {
            Some(center) => [0, 1, 2].map(|axis| place(axis, center[axis])),
            None => [ABSENT; 3],
        });
        let places = places.collect();
        Self { corners: [low, high], radii, places, shapes: None }
    }

    /// The center of a ball at a time (m), if the ball is present.
    #[must_use]
    pub fn center(&self, time: usize, ball: usize) -> Option<[f64; 3]> {
        let first = 3 * (time * self.radii.len() + ball);
        let places = self.places.get(first..first + 3)?;
        let [low, high] = self.corners;
        let center = |axis: usize| {
            let share = f64::from(places[axis]) / f64::from(ABSENT - 1);
            low[axis] + share * (high[axis] - low[axis])
        };
        (places[0] != ABSENT).then(|| [0, 1, 2].map(center))
    }
}

fn write_radii<S: Serializer>(radii: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
    let bytes: Vec<u8> = radii.iter().flat_map(|radius| radius.to_le_bytes()).collect();
    serializer.serialize_str(&base64::encode(&bytes))
}

fn write_places<S: Serializer>(places: &[u16], serializer: S) -> Result<S::Ok, S::Error> {
    let bytes: Vec<u8> = places.iter().flat_map(|place| place.to_le_bytes()).collect();
    serializer.serialize_str(&base64::encode(&bytes))
}

fn read_radii<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
    Ok(words(deserializer)?.into_iter().map(f32::from_le_bytes).collect())
}

fn read_places<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u16>, D::Error> {
    Ok(words(deserializer)?.into_iter().map(u16::from_le_bytes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_right_to_a_share_of_the_box_and_survive_json() {
        let center = |k: usize| [0.1 * k as f64, -3.0, (k as f64).sin()];
        let frame =
            |time: usize| (0..5).map(move |ball| (ball != time).then(|| center(ball + time)));
        let grains = Grains::new(vec![0.25; 5], (0..4).map(frame));
        let text = serde_json::to_string(&grains).unwrap();
        let read: Grains = serde_json::from_str(&text).unwrap();
        assert_eq!(read, grains);
        for (time, ball) in (0..4).flat_map(|time| (0..5).map(move |ball| (time, ball))) {
            let Some(found) = read.center(time, ball) else {
                assert_eq!(time, ball);
                continue;
            };
            for (found, expected) in found.into_iter().zip(center(ball + time)) {
                // Half of the resolution of a box that is at most 2 m long.
                assert!((found - expected).abs() <= 1.01 / 65534.0, "{found} for {expected}");
            }
        }
        // A quarter, which is eight characters of five radii.
        let short = text.replace("\"radii\":\"AACAPgAA", "\"radii\":\"AACAPg");
        let error = serde_json::from_str::<Grains>(&short).unwrap_err();
        assert!(short != text, "{text}: {error}");
    }
}
