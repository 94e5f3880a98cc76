//! Places of grains that come in: a lattice, at random, a stream.

use std::{collections::BTreeMap, f64::consts::TAU};

use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};
use percussion_granular::{Domain, Error as StepError, Grain, Periods, Surface, Wall};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{GrainKind, Insertion, Lattice, Region, Scene};
use crate::{Error, rules::refuse};

/// Trials for each grain of `random` and of `stream`.
const TRIALS: [usize; 2] = [1000, 100];

/// Part of its radius by which a shape may overlap a plane through rounding.
const ROUNDING: f64 = 1e-12;

/// The first stream of random numbers for the orientations of the grains of a `stream`.
const TURNS: u64 = 1 << 62;

/// Maximum number of places of a lattice.
const PLACE_LIMIT: f64 = 1e8;

/// The space that is taken: balls, sorted by cubes.
struct Room {
    walls: Vec<Wall>,
    edge: f64,
    /// Corners of what is looked at (m).
    ends: [Vector3<f64>; 2],
    /// Displacements of a ball and of its images (m): only zero where space does not repeat itself.
    shifts: Vec<Vector3<f64>>,
    /// Along which axes the region meets its own image.
    spanned: [bool; 3],
    cubes: BTreeMap<[i64; 3], Vec<(Vector3<f64>, f64)>>,
}

impl Room {
    /// The space that the grains of all ranks occupy in the box between two corners (m); `largest` is the largest diameter
    /// (m) of the grains to be placed.
    fn of(
        domain: &mut impl Domain,
        largest: f64,
        [low, high]: [Vector3<f64>; 2],
    ) -> Result<Self, StepError> {
        let radii = (0..domain.world().grains().len()).map(|index| domain.bounding_radius(index));
        let mut widest = [radii.fold(largest, |widest, radius| widest.max(2.0 * radius))];
        domain.largest(&mut widest)?;
        let [widest] = widest;
        let walls = domain.world().walls().to_vec();
        let ends = [low.add_scalar(-widest), high.add_scalar(widest)];
        let periods = domain.world().periods();
        let (shifts, spanned) = (shifts(periods), spanned([low, high], periods));
        let mut room = Self { walls, edge: widest, ends, shifts, spanned, cubes: BTreeMap::new() };
        let grains = domain.world().grains();
        let mut words = Vec::new();
        let all = grains.identities().iter().zip(grains.positions()).enumerate();
        for (index, (identity, place)) in all {
            if room.shifts.iter().any(|by| room.has(&(place + by))) && domain.is_own(*identity) {
                let radius = domain.bounding_radius(index);
                words.extend([place.x, place.y, place.z, radius].map(f64::to_bits));
            }
        }
        let mut words = domain.gather(words)?.concat();
        domain.broadcast(&mut words)?;
        for ball in words.chunks_exact(4) {
            let number = |k: usize| f64::from_bits(ball[k]);
            room.take(Vector3::new(number(0), number(1), number(2)), number(3));
        }
        Ok(room)
    }

    #[expect(clippy::cast_possible_truncation, reason = "casts saturate")]
    fn cube(&self, place: &Vector3<f64>) -> [i64; 3] {
        [0, 1, 2].map(|k| (place[k] / self.edge).floor() as i64)
    }

    fn has(&self, place: &Vector3<f64>) -> bool {
        let [low, high] = self.ends;
        (0..3).all(|k| place[k] >= low[k] && place[k] <= high[k])
    }

    fn take(&mut self, place: Vector3<f64>, radius: f64) {
        for index in 0..self.shifts.len() {
            let image = place + self.shifts[index];
            if self.has(&image) {
                self.cubes.entry(self.cube(&image)).or_default().push((image, radius));
            }
        }
    }

    fn is_free(&self, body: &Placed<'_>) -> bool {
        let Placed { place, radius, .. } = *body;
        let [i, j, k] = self.cube(&place);
        let mut near = (0..27_i64).filter_map(|n| {
            let cube = [i, j, k].into_iter().zip([n % 3, n / 3 % 3, n / 9]);
            let cube: Vec<i64> = cube.map(|(at, more)| at.saturating_add(more - 1)).collect();
            self.cubes.get(&[cube[0], cube[1], cube[2]])
        });
        let apart = |(other, size): &(Vector3<f64>, f64)| (place - other).norm() >= radius + size;
        near.all(|balls| balls.iter().all(apart)) && self.is_clear(body)
    }

    fn is_clear(&self, body: &Placed<'_>) -> bool {
        self.walls.iter().all(|wall| body.gap(wall) >= 0.0)
    }
}

/// A grain where it might be.
struct Placed<'a> {
    kind: &'a GrainKind,
    place: Vector3<f64>,
    /// Of a ball around it (m).
    radius: f64,
    turn: UnitQuaternion<f64>,
}

impl Placed<'_> {
    /// Gap to a wall (m): of balls and to planes as it is, otherwise that of the ball around a shape, up to rounding.
    fn gap(&self, wall: &Wall) -> f64 {
        let Self { kind, place, radius, turn } = self;
        match (&kind.mold, &wall.surface) {
            (Some(mold), Surface::Plane { point, normal }) if !wall.absent => {
                let reach = mold.reach(&(turn.inverse() * -normal.into_inner()));
                let scale = radius / mold.radius();
                normal.dot(&(place - point)) - scale * reach + ROUNDING * radius
            }
            _ => wall.gap(place, *radius).0,
        }
    }
}

/// Displacements of a ball and of its images next to the box (m).
fn shifts(periods: Option<Periods>) -> Vec<Vector3<f64>> {
    let mut shifts = vec![Vector3::zeros()];
    let edges = periods.map_or([None; 3], |periods| periods.edges);
    for (k, edge) in edges.into_iter().enumerate() {
        let Some(edge) = edge else { continue };
        let moved = |by: f64| {
            let along = by * Vector3::ith(k, edge);
            shifts.iter().map(move |shift| shift + along).collect::<Vec<_>>()
        };
        let images = [moved(-1.0), moved(1.0)].concat();
        shifts.extend(images);
    }
    shifts
}

/// Along which axes a region reaches from one face of a box that repeats itself to the other.
fn spanned([low, high]: [Vector3<f64>; 2], periods: Option<Periods>) -> [bool; 3] {
    [0, 1, 2].map(|k| {
        let Some((periods, edge)) = periods.and_then(|p| Some((p, p.edges[k]?))) else {
            return false;
        };
        let [begin, end] = [low[k] - periods.low[k], high[k] - periods.low[k] - edge];
        begin.abs().max(end.abs()) <= 1e-9 * edge
    })
}

impl GrainKind {
    /// The next diameter (m).
    fn draw(&self, random: &mut ChaCha8Rng) -> f64 {
        match &self.sizes {
            Some(sizes) => sizes.draw(random),
            None => self.range()[0],
        }
    }

    fn grain(&self, place: Vector3<f64>, diameter: f64, velocity: [f64; 3]) -> Grain {
        let grain = Grain::at(place, 0.5 * diameter, self.mass_of(diameter));
        Grain { velocity: velocity.into(), ..grain }
    }
}

/// A kind of grains with its number, which is also that of its shape, and its material.
#[derive(Clone, Copy)]
pub(super) struct Kind<'a> {
    pub(super) kind: &'a GrainKind,
    pub(super) number: usize,
    pub(super) material: u8,
}

/// Orientations of grains that come in.
struct Turns {
    fixed: Option<UnitQuaternion<f64>>,
    random: ChaCha8Rng,
}

impl Turns {
    /// Those of a kind, by a stream of random numbers; balls have none.
    fn new(kind: &GrainKind, insertion: &Insertion, stream: u64) -> Self {
        let turned = || {
            let axis = insertion.axis.map_or_else(Vector3::z_axis, unit);
            UnitQuaternion::from_axis_angle(&axis, insertion.angle.unwrap_or_default())
        };
        let given = insertion.axis.is_some() || insertion.angle.is_some();
        let ball = kind.shape.is_none().then(UnitQuaternion::identity);
        let fixed = ball.or_else(|| given.then(turned));
        Self { fixed, random: generator(insertion.seed, stream) }
    }

    /// The next orientation; at random all are equally likely.
    ///
    /// # Source
    ///
    /// K. Shoemake, "Uniform random rotations", in *Graphics Gems III*, Academic Press 1992, 124–132.
    fn next(&mut self) -> UnitQuaternion<f64> {
        if let Some(fixed) = self.fixed {
            return fixed;
        }
        let [share, one, other] = [(); 3].map(|()| self.random.random_range(0.0..1.0));
        let [(a, b), (c, d)] = [one, other].map(|turn: f64| (TAU * turn).sin_cos());
        let [low, high] = [f64::sqrt(1.0 - share), f64::sqrt(share)];
        UnitQuaternion::new_normalize(Quaternion::new(high * d, low * a, low * b, high * c))
    }
}

/// Adds grains on a lattice or at random positions.
pub(super) fn fill(
    domain: &mut impl Domain,
    Kind { kind, number, material }: Kind<'_>,
    insertion: &Insertion,
    path: &str,
) -> Result<(), Error> {
    let mut turns = Turns::new(kind, insertion, u64::MAX - 1);
    let (widest, spread) = (kind.widest(), kind.spread());
    let mut sizes = generator(insertion.seed, u64::MAX);
    let mut places = generator(insertion.seed, 0);
    let corners = corners(&insertion.region);
    let mut room = Room::of(domain, widest, corners)?;
    let mut grains = Vec::new();
    if let Some(lattice) = &insertion.lattice {
        let counts = counts(lattice, widest, corners);
        let nodes = nodes(counts, &format!("{path}.region"))?;
        // Where the region meets its own image the lattice does, too.
        let spanned = room.spanned;
        let even = (corners[1] - corners[0]).component_div(&(widest * counts));
        let pitch = Vector3::from_fn(|k, _| if spanned[k] { even[k] } else { lattice.pitch });
        let wanted = lattice.count.unwrap_or(usize::MAX);
        let [low, _] = corners;
        let mut found = 0;
        let alone = domain.world().next_identity() == 0;
        for node in nodes {
            let limits = -lattice.shake..lattice.shake;
            let still = lattice.shake == 0.0;
            let shake =
                Vector3::from_fn(
                    |_, _| if still { 0.0 } else { places.random_range(limits.clone()) },
                );
            let span = pitch.component_mul(&(node + Vector3::repeat(0.5))) + shake;
            let place = low + widest * span;
            let diameter = kind.draw(&mut sizes);
            let radius = 0.5 * diameter * spread;
            let inside = in_cylinder(&insertion.region, &place, radius, spanned);
            // Places of one lattice are apart.
            let turn = turns.next();
            let placed = Placed { kind, place, radius, turn };
            let free = if alone { room.is_clear(&placed) } else { room.is_free(&placed) };
            if inside && free && found < wanted {
                // Each rank keeps only its own grains.
                let grain = kind.grain(place, diameter, insertion.velocity);
                let grain = Grain { material, orientation: turn, ..grain };
                domain.add_shaped(&grain, number)?;
                found += 1;
            }
        }
        if found < lattice.count.unwrap_or_default() {
            let (path, wanted) = (format!("{path}.lattice.count"), wanted);
            return Err(Error::NoRoom { path, wanted, found });
        }
        if found == 0 && alone {
            let expected = "a diameter (m) of which a grain fits into the region";
            return refuse(path, &widest, expected);
        }
    }
    if let Some(random) = insertion.random {
        for found in 0..random.count {
            let diameter = kind.draw(&mut sizes);
            let (around, turn) = (diameter * spread, turns.next());
            let mut trial = || trial(&room, insertion, &mut places, (kind, around, turn));
            let Some(place) = (0..TRIALS[0]).find_map(|_| trial()) else {
                let (path, wanted) = (format!("{path}.random.count"), random.count);
                return Err(Error::NoRoom { path, wanted, found });
            };
            room.take(place, 0.5 * around);
            let grain = kind.grain(place, diameter, insertion.velocity);
            grains.push(Grain { material, orientation: turn, ..grain });
        }
    }
    for grain in grains {
        domain.add_shaped(&grain, number)?;
    }
    Ok(())
}

/// Adds up to `count` grains of a stream at step `step` and returns how many found no room.
pub(super) fn pour(
    domain: &mut impl Domain,
    Kind { kind, number, material }: Kind<'_>,
    insertion: &Insertion,
    (step, count): (u64, u64),
) -> Result<u64, StepError> {
    let mut random = generator(insertion.seed, 1 + step);
    let mut turns = Turns::new(kind, insertion, TURNS + step);
    let mut room = Room::of(domain, kind.widest(), corners(&insertion.region))?;
    let (mut grains, mut turned_away) = (Vec::new(), 0);
    for _ in 0..count {
        let diameter = kind.draw(&mut random);
        let (around, turn) = (diameter * kind.spread(), turns.next());
        let mut trial = || trial(&room, insertion, &mut random, (kind, around, turn));
        match (0..TRIALS[1]).find_map(|_| trial()) {
            Some(place) => {
                room.take(place, 0.5 * around);
                let grain = kind.grain(place, diameter, insertion.velocity);
                grains.push(Grain { material, orientation: turn, ..grain });
            }
            None => turned_away += 1,
        }
    }
    for grain in grains {
        domain.add_shaped(&grain, number)?;
    }
    Ok(turned_away)
}

/// Number of places of a lattice in the box around its region.
pub(super) fn places(scene: &Scene, insertion: &Insertion, lattice: &Lattice) -> f64 {
    let kind = scene.kind_of("insert", insertion).unwrap_or_default();
    counts(lattice, scene.grains[kind].widest(), corners(&insertion.region)).product()
}

/// Each stream of numbers is independent of the others.
fn generator(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(stream);
    random
}

/// A free place of a grain with this orientation, the ball around which has this diameter (m) and lies within the region, if
/// the next random one is.
fn trial(
    room: &Room,
    insertion: &Insertion,
    random: &mut ChaCha8Rng,
    (kind, diameter, turn): (&GrainKind, f64, UnitQuaternion<f64>),
) -> Option<Vector3<f64>> {
    let radius = 0.5 * diameter;
    let [low, high] = corners(&insertion.region);
    let mut place = Vector3::zeros();
    let spanned = room.spanned;
    for k in 0..3 {
        let margin = if spanned[k] { 0.0 } else { radius };
        let range = low[k] + margin..=high[k] - margin;
        if range.is_empty() {
            return None;
        }
        place[k] = random.random_range(range);
    }
    let inside = in_cylinder(&insertion.region, &place, radius, spanned);
    (inside && room.is_free(&Placed { kind, place, radius, turn })).then_some(place)
}

/// Corners of the box, or of a box around the cylinder (m).
pub(super) fn corners(region: &Region) -> [Vector3<f64>; 2] {
    if let Some(block) = region.block {
        return [block.low.into(), block.high.into()];
    }
    let Some(cylinder) = region.cylinder else { return [Vector3::zeros(); 2] };
    let ends = [cylinder.from, cylinder.to].map(Vector3::from);
    let along = (ends[1] - ends[0]).normalize();
    let half = along.map(|part| cylinder.radius * (1.0 - part * part).max(0.0).sqrt());
    [ends[0].inf(&ends[1]) - half, ends[0].sup(&ends[1]) + half]
}

/// Whether a ball lies within the cylinder of the region, if there is one; it may be halfway through ends that meet.
fn in_cylinder(region: &Region, place: &Vector3<f64>, radius: f64, spanned: [bool; 3]) -> bool {
    region.cylinder.is_none_or(|cylinder| {
        let [from, to] = [cylinder.from, cylinder.to].map(Vector3::from);
        let (length, from_end) = ((to - from).norm(), place - from);
        let axis = (to - from) / length;
        let along = from_end.dot(&axis);
        // Places of a lattice are at the ends of a cylinder up to rounding.
        let slack = 1e-9 * radius;
        let across = (from_end - along * axis).norm();
        let meet = (0..3).any(|k| spanned[k] && axis[k].abs() > 1.0 - 1e-12);
        let margin = if meet { 0.0 } else { radius };
        across + radius <= cylinder.radius + slack
            && along >= margin - slack
            && along <= length - margin + slack
    })
}

/// Number of layers of a lattice along each axis of a box.
fn counts(lattice: &Lattice, diameter: f64, [low, high]: [Vector3<f64>; 2]) -> Vector3<f64> {
    // An edge that is a whole number of distances has as many, however it was rounded.
    (high - low).map(|edge| (edge / (lattice.pitch * diameter) + 1e-9).floor())
}

/// The nodes of a lattice, layer by layer from below.
fn nodes(
    counts: Vector3<f64>,
    path: &str,
) -> Result<impl Iterator<Item = Vector3<f64>> + use<>, Error> {
    let total = counts.product();
    if total > PLACE_LIMIT || total.is_nan() {
        refuse(path, &total, "a region with at most 1e8 places of the lattice")?;
    }
    Ok(lattice(counts))
}

/// The same for whole numbers that fit into 32 bits.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and small")]
pub(super) fn lattice(counts: Vector3<f64>) -> impl Iterator<Item = Vector3<f64>> + use<> {
    let [long, wide, high] = [counts.x as u32, counts.y as u32, counts.z as u32];
    (0..high).flat_map(move |k| {
        (0..wide).flat_map(move |j| (0..long).map(move |i| Vector3::new(i, j, k).map(f64::from)))
    })
}

/// The direction of a vector that is not zero.
pub(super) fn unit(vector: [f64; 3]) -> Unit<Vector3<f64>> {
    let vector = Vector3::from(vector);
    let is_unit = (vector.norm_squared() - 1.0).abs() <= f64::EPSILON;
    // A second normalization could change the last bit, and a first one overflow.
    if is_unit { Unit::new_unchecked(vector) } else { Unit::new_normalize(vector / vector.amax()) }
}
