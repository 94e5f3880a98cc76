//! Grains by the thousand: [`Grains`], their compact form, and [`GrainFilm`], which records a run.

use std::collections::BTreeMap;

use data_encoding::BASE64;
use nalgebra::{UnitQuaternion, Vector3};
use percussion_granular::{Report, Shape, Wall, World};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::{BodyView, Curve, FORMAT, Motion, PlaneView, Solid, View, single, singles};
use crate::scenario::Space;

/// Most times that a [`GrainFilm`] keeps.
pub const GRAIN_FRAME_LIMIT: usize = 120;

/// Most grains that a [`GrainFilm`] keeps over all times; of more every second, fourth, … is shown.
///
/// With all times that is a page of less than 5 MB.
pub const GRAIN_LIMIT: usize = 4000;

/// The number of a place where a grain is not.
const ABSENT: u16 = u16::MAX;

/// Balls that come and go, in space: a few bytes each and no turning.
///
/// Places are whole numbers from 0 to 65 534 between two corners of a box, for each time and each ball `x`, `y`, `z`.
/// 65 535 stands for a ball that is not there. In JSON the lists are base64 of little-endian numbers: `radii` of
/// 32-bit floats, `places` of unsigned 16-bit integers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grains {
    /// Lower and upper corner of the box (m).
    pub corners: [[f64; 3]; 2],
    /// Radius of each ball (m).
    #[serde(serialize_with = "write_radii", deserialize_with = "read_radii")]
    pub radii: Vec<f32>,
    /// Places.
    #[serde(serialize_with = "write_places", deserialize_with = "read_places")]
    pub places: Vec<u16>,
}

impl Grains {
    /// Balls of these radii (m) whose centers (m) are, at each time in turn, those of `frames`; none for a ball that is
    /// not there.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_scenarios::view::Grains;
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
        Self { corners: [low, high], radii, places }
    }

    /// Where a ball is at a time (m), if it is there.
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
    serializer.serialize_str(&BASE64.encode(&bytes))
}

fn write_places<S: Serializer>(places: &[u16], serializer: S) -> Result<S::Ok, S::Error> {
    let bytes: Vec<u8> = places.iter().flat_map(|place| place.to_le_bytes()).collect();
    serializer.serialize_str(&BASE64.encode(&bytes))
}

fn read_radii<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
    Ok(words(deserializer)?.into_iter().map(f32::from_le_bytes).collect())
}

fn read_places<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u16>, D::Error> {
    Ok(words(deserializer)?.into_iter().map(u16::from_le_bytes).collect())
}

/// Numbers of `N` bytes in base64.
fn words<'de, D: Deserializer<'de>, const N: usize>(
    deserializer: D,
) -> Result<Vec<[u8; N]>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let bytes = BASE64.decode(text.as_bytes()).map_err(D::Error::custom)?;
    let (words, rest) = bytes.as_chunks::<N>();
    if rest.is_empty() {
        return Ok(words.to_vec());
    }
    Err(D::Error::custom(format!("{} bytes, expected a multiple of {N}", bytes.len())))
}

/// A run of grains on its way to a [`View`]: at most [`GRAIN_FRAME_LIMIT`] times, at most [`GRAIN_LIMIT`] grains.
///
/// # Example
///
/// ```
/// use percussion_granular::scenes;
/// use percussion_scenarios::view::GrainFilm;
///
/// let mut world = scenes::column(0.01, 3, 4)?;
/// let mut film = GrainFilm::new(&world, 200);
/// for _ in 0..200 {
///     let report = world.step()?;
///     film.look(&world, &report);
/// }
/// let view = film.view("A column settles", "36 grains of 1 cm.");
/// let grains = view.motions[0].grains.as_ref().expect("there are some");
/// assert_eq!(grains.radii.len(), 36);
/// # Ok::<(), percussion_granular::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GrainFilm {
    /// Steps from one frame to the next.
    stride: u64,
    /// One grain in so many is shown, a power of two.
    share: u64,
    /// The radii of all grains that were ever shown, by identity.
    radii: BTreeMap<u64, f64>,
    frames: Vec<Frame>,
    /// Deepest overlap since the last frame (m), and the contacts of the last step.
    overlap: f64,
    contacts: usize,
}

/// One moment of a film.
#[derive(Clone, Debug)]
struct Frame {
    time: f64,
    centers: BTreeMap<u64, Vector3<f64>>,
    walls: Vec<Wall>,
    kinetic_energy: f64,
    overlap: f64,
    contacts: usize,
    grains: usize,
}

impl GrainFilm {
    /// A film of a world that will do about so many `steps`, beginning with what is there now.
    #[must_use]
    pub fn new(world: &World, steps: u64) -> Self {
        let stride = steps.div_ceil(GRAIN_FRAME_LIMIT as u64 - 1).max(1);
        let (radii, frames) = (BTreeMap::new(), Vec::new());
        let mut film = Self { stride, share: 1, radii, frames, overlap: 0.0, contacts: 0 };
        film.keep(world);
        film
    }

    /// Looks at the world after a step.
    pub fn look(&mut self, world: &World, report: &Report) {
        self.overlap = self.overlap.max(report.overlap);
        self.contacts = report.contacts;
        if world.steps().is_multiple_of(self.stride) && self.frames.len() < GRAIN_FRAME_LIMIT {
            self.keep(world);
        }
    }

    fn keep(&mut self, world: &World) {
        let grains = world.grains();
        let mut centers = BTreeMap::new();
        let all = grains.identities().iter().zip(grains.positions()).zip(grains.radii());
        for ((&identity, center), &radius) in all {
            if is_shown(identity, self.share) {
                centers.insert(identity, *center);
                self.radii.insert(identity, radius);
            }
        }
        self.frames.push(Frame {
            time: world.time(),
            centers,
            walls: world.walls().to_vec(),
            kinetic_energy: grains.kinetic_energy(),
            overlap: self.overlap,
            contacts: self.contacts,
            grains: grains.len(),
        });
        self.overlap = 0.0;
        while self.radii.len() > GRAIN_LIMIT {
            self.share *= 2;
            self.radii.retain(|identity, _| is_shown(*identity, self.share));
            for frame in &mut self.frames {
                frame.centers.retain(|identity, _| is_shown(*identity, self.share));
            }
        }
    }

    /// What was filmed; `caption` ends with a full stop.
    #[must_use]
    pub fn view(&self, title: &str, caption: &str) -> View {
        let Self { share, radii, frames, .. } = self;
        let centers = frames.iter().map(|frame| {
            let center = |identity| frame.centers.get(identity).map(|&center| center.into());
            radii.keys().map(center)
        });
        let grains = Grains::new(radii.values().map(|radius| single(*radius)).collect(), centers);
        // The first frame is there from the beginning.
        let walls = frames.first().map_or(&[][..], |frame| &frame.walls);
        let round = walls.iter().enumerate().filter_map(|(index, wall)| {
            let solids = vec![solid(wall, &grains.corners)?];
            Some((index, BodyView { name: format!("wall {index}"), solids }))
        });
        let (shown, bodies): (Vec<usize>, Vec<BodyView>) = round.unzip();
        let poses = |frame: &Frame| {
            let walls = shown.iter().filter_map(|&index| frame.walls.get(index));
            walls.flat_map(|wall| wall_pose(wall, frame.time)).collect()
        };
        let motion = Motion {
            name: title.to_owned(),
            times: frames.iter().map(|frame| frame.time).collect(),
            poses: frames.iter().map(poses).collect(),
            touches: vec![Vec::new(); frames.len()],
            curves: curves(frames),
            grains: Some(grains),
            ..Motion::default()
        };
        let thinned = match share {
            1 => String::new(),
            _ => format!(" One grain in {share} is shown."),
        };
        View {
            format: FORMAT.to_owned(),
            title: title.to_owned(),
            caption: format!("{caption}{thinned}"),
            dimension: Space::Space,
            bodies,
            planes: walls.iter().enumerate().filter_map(plane).collect(),
            contacts: Vec::new(),
            motions: vec![motion],
            sets: Vec::new(),
        }
    }
}

/// Whether a grain is among one in `share`, a power of two.
///
/// The grains of a lattice have the numbers of its nodes; bits are mixed as `SplitMix64` does, so that those shown are
/// spread over it.
fn is_shown(identity: u64, share: u64) -> bool {
    let mixed = (identity ^ (identity >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 31) & (share - 1) == 0
}

fn curves(frames: &[Frame]) -> Vec<Curve> {
    let curve = |chart: &str, unit: &str, value: fn(&Frame) -> f64| Curve {
        chart: chart.to_owned(),
        label: chart.to_owned(),
        unit: unit.to_owned(),
        values: frames.iter().map(value).collect(),
    };
    vec![
        curve("kinetic energy", "J", |frame| frame.kinetic_energy),
        curve("deepest overlap", "m", |frame| frame.overlap),
        curve("contacts", "", |frame| frame.contacts as f64),
        curve("grains", "", |frame| frame.grains as f64),
    ]
}

fn plane((index, wall): (usize, &Wall)) -> Option<PlaneView> {
    let Shape::Plane { point, normal } = wall.shape else { return None };
    let (point, normal) = (point.into(), normal.into_inner().into());
    Some(PlaneView { name: format!("wall {index}"), point, normal })
}

/// A wall that is not a plane, in its own frame; endless ones as far as there are grains.
fn solid(wall: &Wall, corners: &[[f64; 3]; 2]) -> Option<Solid> {
    let ends = |axis: &Vector3<f64>, point: &Vector3<f64>| {
        let along = (0..8_usize).map(|corner| {
            let corner = Vector3::from_fn(|k, _| corners[(corner >> k) & 1][k]);
            axis.dot(&(corner - point))
        });
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| {
            (low.min(at), high.max(at))
        });
        [low, high].map(|at| (at * axis).into())
    };
    match wall.shape {
        Shape::Box { half_extents, .. } => {
            Some(Solid::Box { half_edges: half_extents.into(), center: [0.0; 3] })
        }
        Shape::Cylinder { point, axis, radius } => {
            Some(Solid::Cylinder { ends: ends(&axis, &point), radius })
        }
        Shape::Tube { point, axis, radius } => {
            Some(Solid::Tube { ends: ends(&axis, &point), radius })
        }
        _ => None,
    }
}

/// The pose of a wall that is not a plane: its shape is only translated, but the surface of a round one may turn.
fn wall_pose(wall: &Wall, time: f64) -> [f32; 7] {
    let (place, turn) = match wall.shape {
        Shape::Box { pose, .. } => (pose.translation.vector, pose.rotation),
        Shape::Cylinder { point, .. } | Shape::Tube { point, .. } => {
            (point, UnitQuaternion::from_scaled_axis(time * wall.angular_velocity))
        }
        _ => (Vector3::zeros(), UnitQuaternion::identity()),
    };
    let [x, y, z] = singles(&place);
    let [i, j, k, w] = turn.coords.into();
    [x, y, z, single(w), single(i), single(j), single(k)]
}

#[cfg(test)]
mod tests {
    use percussion_granular::{Grain, Settings, scenes};

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
                // Half of a step of a box that is at most 2 m long.
                assert!((found - expected).abs() <= 1.01 / 65534.0, "{found} for {expected}");
            }
        }
        // A quarter, which is eight characters of five radii.
        let short = text.replace("\"radii\":\"AACAPgAA", "\"radii\":\"AACAPg");
        let error = serde_json::from_str::<Grains>(&short).unwrap_err();
        assert!(short != text, "{text}: {error}");
    }

    #[test]
    fn a_film_of_any_length_stays_short() {
        let mut world = scenes::six_by_six_by_six().unwrap();
        for (steps, expected) in [(50, 51), (119, 120), (120, 61)] {
            let mut film = GrainFilm::new(&world, steps);
            for _ in 0..steps {
                let report = world.step().unwrap();
                film.look(&world, &report);
            }
            let frames = film.view("Balls", "").motions[0].times.len();
            // The run begins anywhere between two frames.
            assert!(frames.abs_diff(expected) <= 1, "{frames} times of {steps} steps");
        }
        // More steps than were announced.
        let mut film = GrainFilm::new(&world, 5);
        for _ in 0..150 {
            let report = world.step().unwrap();
            film.look(&world, &report);
        }
        assert_eq!(film.view("Balls", "").motions[0].times.len(), GRAIN_FRAME_LIMIT);
    }

    #[test]
    fn of_many_grains_some_are_shown() {
        let mut world = scenes::dam_break(0.01, [20, 5, 60]).unwrap();
        let mut film = GrainFilm::new(&world, 1);
        let report = world.step().unwrap();
        film.look(&world, &report);
        let view = film.view("Dam", "6000 grains.");
        let motion = &view.motions[0];
        let grains = motion.grains.as_ref().unwrap();
        // About half of them; a binomial count is within six deviations.
        assert!((2760..=3240).contains(&grains.radii.len()), "{} are shown", grains.radii.len());
        assert_eq!(grains.places.len(), 3 * motion.times.len() * grains.radii.len());
        assert_eq!(view.planes.len(), 4);
        assert!(view.caption.ends_with("One grain in 2 is shown."), "{}", view.caption);
    }

    #[test]
    fn grains_keep_their_tracks_when_the_world_sorts_them() {
        let settings = Settings { gravity: Vector3::zeros(), ..Settings::default() };
        let mut world = World::new(settings, vec![]).unwrap();
        for k in (0..40).rev() {
            let mut grain = Grain::at(Vector3::new(0.0, 0.0, f64::from(k)), 0.1, 1.0);
            grain.velocity.x = f64::from(k);
            world.add(&grain).unwrap();
        }
        let mut film = GrainFilm::new(&world, 100);
        for _ in 0..100 {
            let report = world.step().unwrap();
            film.look(&world, &report);
        }
        let view = film.view("Race", "");
        let (motion, time) = (&view.motions[0], world.time());
        assert_eq!(motion.times.len(), 101);
        for (ball, height) in (0..40).map(f64::from).rev().enumerate() {
            let [x, _, z] = motion.grains.as_ref().unwrap().center(100, ball).unwrap();
            // Half of a step of a box that is 39 m high.
            assert!((z - height).abs() < 39.0 / 65534.0, "the order is that of identities");
            assert!((x - time * height).abs() < 1e-3, "{x} at the height {height}");
        }
    }
}
