//! [`GrainFilm`], which records a run of grains.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use percussion_collision::Shape;
use percussion_granular::{Domain, Error, Frustum, Grain, Report, Surface, Wall, World};
use percussion_record::view::{
    BodyView, Curve, Dimension, FORMAT, Grains, Motion, PlaneView, Solid, View,
};

mod saved;
mod shapes;

use self::shapes::{SHAPE_LIMIT, Shaped};
use super::{single, singles, solids};

/// Maximum number of times that a [`GrainFilm`] keeps.
pub const GRAIN_FRAME_LIMIT: usize = 120;

/// Maximum number of grains that a [`GrainFilm`] keeps over all times; of more grains only every second, fourth, … is shown.
///
/// With the maximum number of times the page is smaller than 5 MB.
pub const GRAIN_LIMIT: usize = 4000;

/// Records a run of grains for a [`View`]: at most [`GRAIN_FRAME_LIMIT`] times, at most [`GRAIN_LIMIT`] grains.
///
/// # Example
///
/// ```
/// use percussion_granular::scenes;
/// use percussion_mechanism::view::GrainFilm;
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
    /// One grain in this number is shown; a power of two.
    share: u64,
    /// The radii of all grains that were shown, by identity.
    radii: BTreeMap<u64, f64>,
    shaped: Shaped,
    /// As they were at the beginning.
    walls: Vec<Wall>,
    frames: Vec<Frame>,
    /// Deepest overlap since the last frame (m), and the contacts of the last step.
    overlap: f64,
    contacts: usize,
}

/// A grain that is shown.
#[derive(Clone, Copy, Debug)]
struct Shown {
    identity: u64,
    /// m.
    center: Vector3<f64>,
    /// m.
    radius: f64,
    /// Number of its shape, and quaternion, `w` first.
    mold: u16,
    turn: [f64; 4],
}

/// One frame of a film.
#[derive(Clone, Debug)]
struct Frame {
    step: u64,
    time: f64,
    centers: BTreeMap<u64, Vector3<f64>>,
    /// Orientations of grains that have shapes.
    turns: BTreeMap<u64, [f64; 4]>,
    /// Of all walls.
    poses: Vec<[f32; 7]>,
    kinetic_energy: f64,
    overlap: f64,
    contacts: usize,
    grains: usize,
}

impl GrainFilm {
    /// A film of a world that will make about `steps` steps, beginning with its current state.
    #[must_use]
    pub fn new(world: &World, steps: u64) -> Self {
        let mut film = Self::empty(world, Shaped::default(), steps);
        film.keep(world);
        film
    }

    /// Forgets what was filmed and begins with what is there now.
    pub fn restart(&mut self, world: &World) {
        self.clear(world);
        self.keep(world);
    }

    fn empty(world: &World, shaped: Shaped, steps: u64) -> Self {
        let stride = steps.div_ceil(GRAIN_FRAME_LIMIT as u64 - 1).max(1);
        let (radii, walls, frames) = (BTreeMap::new(), world.walls().to_vec(), Vec::new());
        Self { stride, share: 1, radii, shaped, walls, frames, overlap: 0.0, contacts: 0 }
    }

    fn clear(&mut self, world: &World) {
        let (radii, walls, frames) = (BTreeMap::new(), world.walls().to_vec(), Vec::new());
        let shaped = self.shaped.cleared();
        *self = Self { radii, shaped, walls, frames, overlap: 0.0, contacts: 0, ..*self };
    }

    /// Maximum number of grains that the film keeps.
    fn limit(&self) -> usize {
        if self.shaped.is_empty() { GRAIN_LIMIT } else { SHAPE_LIMIT }
    }

    /// Records the world after a step.
    pub fn look(&mut self, world: &World, report: &Report) {
        if self.count(world, report) {
            self.keep(world);
        }
    }

    /// Records the grains of all ranks after a step on rank 0, with the contacts and the overlap of all ranks in `report`;
    /// the films of the other ranks stay without grains.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`].
    pub fn look_at_all(&mut self, domain: &mut impl Domain, report: &Report) -> Result<(), Error> {
        if self.count(domain.world(), report) { self.keep_all(domain) } else { Ok(()) }
    }

    /// A film of all ranks, see [`new`](Self::new) and [`look_at_all`](Self::look_at_all).
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`].
    pub fn of_all(domain: &mut impl Domain, steps: u64) -> Result<Self, Error> {
        let shaped = Shaped::new(domain.molds().iter().map(AsRef::as_ref));
        let mut film = Self::empty(domain.world(), shaped, steps);
        let mut count = [domain.own_count() as f64];
        domain.sum(&mut count)?;
        // So many that some are left out later, but not all of a large world at once on one rank.
        while domain.size() > 1 && count[0] / film.share as f64 > 4.0 * GRAIN_LIMIT as f64 {
            film.share *= 2;
        }
        film.keep_all(domain)?;
        Ok(film)
    }

    /// Forgets what was filmed and begins with what there is now on all ranks.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`].
    pub fn restart_all(&mut self, domain: &mut impl Domain) -> Result<(), Error> {
        self.clear(domain.world());
        self.keep_all(domain)
    }

    /// Takes over the values of a step; whether a frame is due.
    fn count(&mut self, world: &World, report: &Report) -> bool {
        self.overlap = self.overlap.max(report.overlap);
        self.contacts = report.contacts;
        world.steps().is_multiple_of(self.stride) && self.frames.len() < GRAIN_FRAME_LIMIT
    }

    fn keep(&mut self, world: &World) {
        let grains = world.grains();
        let shown = shown(world, self.share, |_| true, |_| 0);
        self.push(world, &shown, [grains.kinetic_energy(), grains.len() as f64]);
    }

    fn keep_all(&mut self, domain: &mut impl Domain) -> Result<(), Error> {
        let mut sums = [domain.own_kinetic_energy(), domain.own_count() as f64];
        domain.sum(&mut sums)?;
        let mold = |index| domain.mold_of(index);
        let own = shown(domain.world(), self.share, |identity| domain.is_own(identity), mold);
        let words = own.into_iter().flat_map(|grain| {
            let Shown { identity, center, radius, mold, turn: [w, i, j, k] } = grain;
            let numbers = [center.x, center.y, center.z, radius, w, i, j, k].map(f64::to_bits);
            let [x, y, z, radius, w, i, j, k] = numbers;
            [identity, x, y, z, radius, u64::from(mold), w, i, j, k]
        });
        let all = domain.gather(words.collect())?.concat();
        let shown: Vec<Shown> = all
            .chunks_exact(10)
            .map(|words| {
                let [x, y, z, radius] = [1, 2, 3, 4].map(|k| f64::from_bits(words[k]));
                let turn = [6, 7, 8, 9].map(|k| f64::from_bits(words[k]));
                let mold = u16::try_from(words[5]).unwrap_or(u16::MAX);
                let center = Vector3::new(x, y, z);
                Shown { identity: words[0], center, radius, mold, turn }
            })
            .collect();
        self.push(domain.world(), &shown, sums);
        Ok(())
    }

    fn push(&mut self, world: &World, shown: &[Shown], [kinetic_energy, grains]: [f64; 2]) {
        let mut centers = BTreeMap::new();
        for Shown { identity, center, radius, .. } in shown {
            if is_shown(*identity, self.share) {
                centers.insert(*identity, *center);
                self.radii.insert(*identity, *radius);
            }
        }
        let turns = self.shaped.keep(shown, self.share);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        let grains = grains as usize;
        self.frames.push(Frame {
            step: world.steps(),
            time: world.time(),
            centers,
            turns,
            poses: world.walls().iter().map(|wall| wall_pose(wall, world.time())).collect(),
            kinetic_energy,
            overlap: self.overlap,
            contacts: self.contacts,
            grains,
        });
        self.overlap = 0.0;
        while self.radii.len() > self.limit() {
            self.share *= 2;
            self.radii.retain(|identity, _| is_shown(*identity, self.share));
            self.shaped.kinds.retain(|identity, _| is_shown(*identity, self.share));
            for frame in &mut self.frames {
                frame.centers.retain(|identity, _| is_shown(*identity, self.share));
                frame.turns.retain(|identity, _| is_shown(*identity, self.share));
            }
        }
    }

    /// The recorded view; `caption` must end with a full stop.
    #[must_use]
    pub fn view(&self, title: &str, caption: &str) -> View {
        let Self { share, radii, walls, frames, .. } = self;
        let centers = frames.iter().map(|frame| {
            let center = |identity| frame.centers.get(identity).map(|&center| center.into());
            radii.keys().map(center)
        });
        let balls = Grains::new(radii.values().map(|radius| single(*radius)).collect(), centers);
        let grains = Grains { shapes: self.shaped.view(radii.keys(), frames), ..balls };
        let round = walls.iter().enumerate().filter_map(|(index, wall)| {
            let solids = vec![solid(wall, &grains.corners)?];
            Some((index, BodyView { name: format!("wall {index}"), solids }))
        });
        let (shown, bodies): (Vec<usize>, Vec<BodyView>) = round.unzip();
        let poses = |frame: &Frame| {
            shown.iter().filter_map(|&index| frame.poses.get(index)).flatten().copied().collect()
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
            dimension: Dimension::Space,
            bodies,
            planes: walls.iter().enumerate().filter_map(plane).collect(),
            contacts: Vec::new(),
            motions: vec![motion],
            sets: Vec::new(),
        }
    }
}

/// The grains here that count and that a film shows.
fn shown(
    world: &World,
    share: u64,
    counts: impl Fn(u64) -> bool,
    mold: impl Fn(usize) -> usize,
) -> Vec<Shown> {
    let grains = world.grains();
    let all = grains.identities().iter().enumerate();
    all.filter(|(_, identity)| is_shown(**identity, share) && counts(**identity))
        .map(|(index, &identity)| {
            let Grain { position: center, radius, orientation: q, .. } = grains.grain(index);
            let mold = u16::try_from(mold(index)).unwrap_or(u16::MAX);
            Shown { identity, center, radius, mold, turn: [q.w, q.i, q.j, q.k] }
        })
        .collect()
}

/// Whether a grain belongs to the shown one in `share`, a power of two.
///
/// The identities of the grains of a lattice follow its nodes. Their bits are mixed as in `SplitMix64`, so
/// that the shown grains are spread over the lattice.
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
    let (point, normal) = match &wall.surface {
        Surface::Plane { point, normal } => (*point, normal.into_inner()),
        Surface::Solid { shape: Shape::HalfSpace { normal }, pose } => {
            (pose.translation.vector, pose * normal.normalize())
        }
        _ => return None,
    };
    Some(PlaneView { name: format!("wall {index}"), point: point.into(), normal: normal.into() })
}

/// A wall that is not a plane, in its own frame; infinite walls extend as far as there are grains.
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
    match &wall.surface {
        Surface::Solid { shape, .. } => solids::solid(shape, &Isometry3::identity()),
        Surface::Cylinder { point, axis, radius } => {
            Some(Solid::Cylinder { ends: ends(axis, point), radius: *radius })
        }
        Surface::Tube { point, axis, radius } => {
            Some(Solid::Tube { ends: ends(axis, point), radius: *radius })
        }
        Surface::Frustum(frustum) => Some(shell(frustum)),
        Surface::Triangle(triangle) => {
            let corners = triangle.corners.map(|corner| (corner - triangle.corners[0]).into());
            let faces = vec![vec![0, 1, 2], vec![2, 1, 0]];
            Some(Solid::Polyhedron { corners: corners.to_vec(), faces })
        }
        _ => None,
    }
}

/// The inner side of a thin cone, as a polyhedron without ends whose faces look inward, so that what is within is seen.
fn shell(frustum: &Frustum) -> Solid {
    const SIDES: u32 = 48;
    let turn =
        UnitQuaternion::rotation_between(&Vector3::z(), &frustum.axis).unwrap_or_else(|| {
            UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
        });
    let ends = [(frustum.radii[0], 0.0), (frustum.radii[1], frustum.height)];
    let corners = (0..SIDES).flat_map(|side| {
        let (sine, cosine) = (std::f64::consts::TAU * f64::from(side) / f64::from(SIDES)).sin_cos();
        ends.map(|(radius, height)| {
            (turn * Vector3::new(radius * cosine, radius * sine, height)).into()
        })
    });
    let count = 2 * SIDES as usize;
    let face = |first: usize| vec![first, first + 1, (first + 3) % count, (first + 2) % count];
    Solid::Polyhedron {
        corners: corners.collect(),
        faces: (0..count).step_by(2).map(face).collect(),
    }
}

/// The pose of a wall that is not a plane: it is only translated, but the surface of a round one may turn.
fn wall_pose(wall: &Wall, time: f64) -> [f32; 7] {
    let (place, turn) = match &wall.surface {
        Surface::Solid { pose, .. } => (pose.translation.vector, pose.rotation),
        Surface::Cylinder { point, .. } | Surface::Tube { point, .. } => {
            (*point, UnitQuaternion::from_scaled_axis(time * wall.angular_velocity))
        }
        Surface::Frustum(frustum) => (frustum.base, UnitQuaternion::identity()),
        Surface::Triangle(triangle) => (triangle.corners[0], UnitQuaternion::identity()),
        _ => (Vector3::zeros(), UnitQuaternion::identity()),
    };
    let [x, y, z] = singles(&place);
    let [i, j, k, w] = turn.coords.into();
    [x, y, z, single(w), single(i), single(j), single(k)]
}

#[cfg(test)]
mod tests {
    use percussion_granular::{Settings, scenes};

    use super::*;

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
            // The run may begin anywhere between two frames.
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
