//! All data that determine the future of bodies, as plain numbers: [`BodyState`].

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use percussion_collision::Feature;

use super::{
    Bodies, Body,
    contact::{Local, With},
    memory::{Memory, Name},
    slab::Slab,
};
use crate::{grains::narrow, range, settings::Error};

/// What a [`State`](crate::State) has of the bodies of a [`Collection`](crate::Collection). The lists of the first group have one entry per
/// body, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyState {
    /// Number of the mold.
    pub molds: Vec<u32>,
    /// Factor on the size of the mold, and mass (kg).
    pub sizes: Vec<[f64; 2]>,
    /// Numbers of their materials.
    pub materials: Vec<u8>,
    /// Centers of mass (m).
    pub positions: Vec<[f64; 3]>,
    /// Unit quaternions `w, x, y, z`.
    pub orientations: Vec<[f64; 4]>,
    /// Velocities (m/s).
    pub velocities: Vec<[f64; 3]>,
    /// Angular velocities (rad/s).
    pub spins: Vec<[f64; 3]>,
    /// Identities.
    pub identities: Vec<u64>,
    /// Upper bounds of the way of each body and its surface since the last search (m).
    pub travel: Vec<f64>,
    /// Numbers of bodies, of pairs with walls and of pairs of each slab at the last search.
    pub slabs: Vec<[u32; 3]>,
    /// Body and piece of a wall, slab by slab.
    pub wall_pairs: Vec<[u32; 2]>,
    /// Pairs of bodies, slab by slab.
    pub pairs: Vec<[u32; 2]>,
    /// The names of contacts of the last step: identity of the body, 0 or 1 for a second body or a piece of a wall, its identity
    /// or number, the two parts, and of both features the kind and number.
    pub names: Vec<[u64; 9]>,
    /// Their impulses (N·s).
    pub impulses: Vec<[f64; 3]>,
    /// Largest gap of the listed pairs, the approach since then, and that by walls (m).
    pub skin: [f64; 3],
    /// Whether the lists are valid for the current bodies.
    pub current: bool,
}

impl Bodies {
    /// The data of the bodies.
    pub(crate) fn state(&self) -> BodyState {
        let bodies = &self.bodies;
        let list = |of: fn(&Body) -> Vector3<f64>| bodies.iter().map(|b| of(b).into()).collect();
        let quaternion = |body: &Body| {
            let q = body.orientation;
            [q.w, q.i, q.j, q.k]
        };
        let (names, impulses) = self.remembered().into_iter().unzip();
        let slabs = if self.current { &*self.slabs } else { &[] };
        let count =
            |slab: &Slab| [slab.len, narrow(slab.boundary_pairs.len()), narrow(slab.pairs.len())];
        BodyState {
            molds: bodies.iter().map(|body| narrow(body.form.origin.0)).collect(),
            sizes: bodies.iter().map(|body| [body.form.origin.1, body.form.mass()]).collect(),
            materials: bodies.iter().map(|body| body.form.material).collect(),
            positions: list(|body| body.position),
            orientations: bodies.iter().map(quaternion).collect(),
            velocities: list(|body| body.velocity),
            spins: list(|body| body.angular_velocity),
            identities: self.identities.clone(),
            travel: if self.current { self.travel.clone() } else { Vec::new() },
            slabs: slabs.iter().map(count).collect(),
            wall_pairs: slabs.iter().flat_map(|slab| slab.boundary_pairs.clone()).collect(),
            pairs: slabs.iter().flat_map(|slab| slab.pairs.clone()).collect(),
            names,
            impulses,
            skin: [self.skin, self.moved, self.boundaries_moved],
            current: self.current,
        }
    }

    /// Names and impulses of the last step, sorted.
    fn remembered(&self) -> Vec<([u64; 9], [f64; 3])> {
        let numbers = |(name, impulse): (Name, Vector3<f64>)| (numbers(&name), impulse.into());
        self.recalled(&self.memory, false).into_iter().map(numbers).collect()
    }

    fn recalled(&self, memory: &Memory, moments: bool) -> Vec<(Name, Vector3<f64>)> {
        let mut all: Vec<(Name, Vector3<f64>)> = if self.memory.is_current {
            memory.iter().copied().collect()
        } else {
            self.slabs.iter().flat_map(|slab| slab.kept(&self.identities, moments)).collect()
        };
        all.sort_unstable_by_key(|(name, _)| *name);
        all
    }

    /// Of each impulse of the [state](Self::state) the moment (N·m·s), or none where nothing resists rolling.
    pub(crate) fn moments(&self) -> Vec<[f64; 3]> {
        if !self.materials.roll() {
            return Vec::new();
        }
        let moments = self.recalled(&self.moments, true);
        let moment = |(name, _): &(Name, Vector3<f64>)| {
            let place = moments.binary_search_by_key(name, |(name, _)| *name);
            place.map_or([0.0; 3], |place| moments[place].1.into())
        };
        self.recalled(&self.memory, false).iter().map(moment).collect()
    }

    /// Continues from these data, with the bodies that they name.
    pub(crate) fn restore(
        &mut self,
        state: &BodyState,
        bodies: Vec<Body>,
        moments: &[[f64; 3]],
        (next_identity, steps, time): (u64, u64, f64),
    ) -> Result<(), Error> {
        state.check(bodies.len())?;
        let (found, expected) = (moments.len(), state.names.len());
        if found != expected && found != 0 {
            return Err(Error::Length { name: "moments", found, expected });
        }
        if let Some(value) = range::unbounded(moments.as_flattened()) {
            return Err(Error::Entry { name: "moments", value, expected: range::BOUNDED });
        }
        self.bodies = bodies;
        self.identities.clone_from(&state.identities);
        let named = state.names.iter().map(name).collect::<Option<Vec<_>>>();
        let expected = "numbers of features that exist";
        let named = named.ok_or(Error::Entry { name: "names", value: f64::NAN, expected })?;
        let impulses = state.impulses.iter().copied().map(Vector3::from);
        let turning = named.iter().copied().zip(moments.iter().copied().map(Vector3::from));
        self.moments.fill(turning.filter(|(_, moment)| *moment != Vector3::zeros()));
        self.memory.fill(named.into_iter().zip(impulses));
        self.slabs.clear();
        let (mut start, mut walls, mut pairs) = (0, &*state.wall_pairs, &*state.pairs);
        for (index, &[len, of_walls, of_pairs]) in state.slabs.iter().enumerate() {
            let (own_walls, other_walls) = walls.split_at(of_walls as usize);
            let (own, other) = pairs.split_at(of_pairs as usize);
            (walls, pairs) = (other_walls, other);
            let lists = (own_walls.to_vec(), own.to_vec());
            self.slabs.push(Slab::listed(index, [start, len], lists.0, lists.1));
            start += len;
        }
        let pieces = self.walls.count();
        let is_known =
            |[body, piece]: &[u32; 2]| (*body as usize) < self.bodies.len() && *piece < pieces;
        if !state.wall_pairs.iter().all(is_known) {
            let expected = "bodies and pieces of walls that exist";
            return Err(Error::Entry { name: "wall_pairs", value: f64::NAN, expected });
        }
        self.travel.clone_from(&state.travel);
        [self.skin, self.moved, self.boundaries_moved] = state.skin;
        self.current = state.current;
        (self.next_identity, self.steps, self.time) = (next_identity, steps, time);
        Ok(())
    }
}

impl BodyState {
    /// The motion and place of body `index`.
    pub(crate) fn placed(&self, index: usize, body: Body) -> Body {
        let [w, x, y, z] = self.orientations[index];
        Body {
            position: self.positions[index].into(),
            // Normalizing again could change the last bit.
            orientation: UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)),
            velocity: self.velocities[index].into(),
            angular_velocity: self.spins[index].into(),
            ..body
        }
    }

    /// Checks that the lists fit each other and `count` bodies.
    pub(crate) fn check(&self, count: usize) -> Result<(), Error> {
        let travel = if self.current { count } else { 0 };
        let lists = [
            ("molds", self.molds.len(), count),
            ("sizes", self.sizes.len(), count),
            ("materials", self.materials.len(), count),
            ("positions", self.positions.len(), count),
            ("orientations", self.orientations.len(), count),
            ("velocities", self.velocities.len(), count),
            ("spins", self.spins.len(), count),
            ("identities", self.identities.len(), count),
            ("travel", self.travel.len(), travel),
            ("impulses", self.impulses.len(), self.names.len()),
        ];
        for (name, found, expected) in lists {
            if found != expected {
                return Err(Error::Length { name, found, expected });
            }
        }
        let sum = |k: usize| self.slabs.iter().map(|slab| slab[k] as usize).sum::<usize>();
        for (name, found, expected) in [
            ("slabs", sum(0), travel),
            ("wall_pairs", self.wall_pairs.len(), sum(1)),
            ("pairs", self.pairs.len(), sum(2)),
        ] {
            if found != expected {
                return Err(Error::Length { name, found, expected });
            }
        }
        let mut start = 0;
        let (mut walls, mut pairs) = (self.wall_pairs.iter(), self.pairs.iter());
        for &[len, of_walls, of_pairs] in &self.slabs {
            // The first body of a pair is in its slab, the other one there or in the next.
            let is_own = |place: u32| (start..start + len).contains(&place);
            let strange = walls.by_ref().take(of_walls as usize).find(|pair| !is_own(pair[0]));
            let next =
                |pair: &&[u32; 2]| !is_own(pair[0]) || pair[1] < start || pair[1] as usize >= count;
            let strange = strange.or_else(|| pairs.by_ref().take(of_pairs as usize).find(next));
            if let Some(&[found, _]) = strange {
                return Err(Error::Place { name: "pairs", found, limit: count });
            }
            start += len;
        }
        let numbers = self.skin.iter().chain(&self.travel).chain(self.impulses.as_flattened());
        let bad = numbers.copied().find(|number| !range::is_bounded(*number));
        let expected = range::BOUNDED;
        bad.map_or(Ok(()), |value| Err(Error::Entry { name: "bodies", value, expected }))
    }
}

fn numbers(Name { body, with, local }: &Name) -> [u64; 9] {
    let (kind, other) = match with {
        With::Body(identity) => (0, *identity),
        With::Boundary(number) => (1, u64::from(*number)),
    };
    let feature = |feature: Feature| match feature {
        Feature::Vertex(k) => [0, k as u64],
        Feature::Rim(k) => [1, k as u64],
        Feature::Edge(k) => [2, k as u64],
        Feature::Face(k) => [3, k as u64],
        _ => [4, 0],
    };
    let [[a, b], [c, d]] = local.features.map(feature);
    let [p, q] = local.parts.map(u64::from);
    [*body, kind, other, p, q, a, b, c, d]
}

fn name(&[body, kind, other, p, q, a, b, c, d]: &[u64; 9]) -> Option<Name> {
    let with = match kind {
        0 => With::Body(other),
        1 => With::Boundary(u32::try_from(other).ok()?),
        _ => return None,
    };
    let feature = |[kind, number]: [u64; 2]| {
        let number = usize::try_from(number).ok()?;
        Some(match kind {
            0 => Feature::Vertex(number),
            1 => Feature::Rim(number),
            2 => Feature::Edge(number),
            3 => Feature::Face(number),
            4 => Feature::Whole,
            _ => return None,
        })
    };
    let parts = [u32::try_from(p).ok()?, u32::try_from(q).ok()?];
    let features = [feature([a, b])?, feature([c, d])?];
    Some(Name { body, with, local: Local { parts, features } })
}
