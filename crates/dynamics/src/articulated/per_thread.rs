//! Kinematics for the evaluations of a system that several threads share: [`PerThread`].

use std::{
    array,
    ops::{Deref, DerefMut},
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError, TryLockError,
        atomic::{AtomicUsize, Ordering},
    },
    thread_local,
};

use super::Kinematics;

/// Number of threads that do not wait for one another.
const PLACES: usize = 16;

/// Number of coordinates that a thread comes back to: those of the start of a step, of its forces, of its contacts and of its end, which
/// is the start of the next one, and of the two last ones with the trees that rest where they were some steps before.
const POSITIONS: usize = 6;

/// Several [`Positions`] of one system, each created when a thread first needs it.
///
/// A thread returns to the same ones, so that what it has computed at its last coordinates is still there. Results depend on
/// the coordinates alone, so which one a thread uses does not change their bits.
#[derive(Debug)]
pub(super) struct PerThread {
    /// At the neutral coordinates.
    neutral: Kinematics,
    places: Box<[OnceLock<Mutex<Positions>>]>,
}

/// The kinematics at the last coordinates that a thread asked for.
#[derive(Debug)]
struct Positions {
    kinematics: [Kinematics; POSITIONS],
    /// Their indices, the last one used first.
    order: [usize; POSITIONS],
}

/// The [`Kinematics`] at some coordinates, which no other thread uses.
#[derive(Debug)]
pub(super) struct At<'a> {
    positions: MutexGuard<'a, Positions>,
}

impl PerThread {
    pub(super) fn new(neutral: Kinematics) -> Self {
        Self { neutral, places: (0..PLACES).map(|_| OnceLock::new()).collect() }
    }

    /// The kinematics at the neutral coordinates.
    pub(super) const fn neutral(&self) -> &Kinematics {
        &self.neutral
    }

    /// The kinematics at these coordinates, of this thread if they are free.
    pub(super) fn at(&self, coordinates: &[f64]) -> At<'_> {
        let mut positions = self.lock();
        positions.choose(coordinates);
        At { positions }
    }

    /// Positions that no other thread uses: those of this thread if they are free.
    fn lock(&self) -> MutexGuard<'_, Positions> {
        let own = thread_number();
        for next in 0..PLACES {
            match self.place(own + next).try_lock() {
                Ok(positions) => return positions,
                // Flags state which parts are valid, so that it can be used after a panic in another thread.
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        self.place(own).lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self, index: usize) -> &Mutex<Positions> {
        let new = || Positions {
            kinematics: array::from_fn(|_| self.neutral.clone()),
            order: array::from_fn(|k| k),
        };
        self.places[index % PLACES].get_or_init(|| Mutex::new(new()))
    }
}

impl Positions {
    /// Puts the kinematics at these coordinates first; if there are none, those of which most can stay are moved there, and of these
    /// the ones that have not been used for longest.
    fn choose(&mut self, coordinates: &[f64]) {
        let is_there = |&index: &usize| self.kinematics[index].is_at(coordinates);
        let found = self.order.iter().position(is_there).unwrap_or_else(|| {
            let kept = |&place: &usize| self.kinematics[self.order[place]].kept(coordinates);
            (0..POSITIONS).max_by_key(kept).unwrap_or_default()
        });
        self.order[..=found].rotate_right(1);
        self.kinematics[self.order[0]].place(coordinates);
    }
}

impl Deref for At<'_> {
    type Target = Kinematics;

    fn deref(&self) -> &Kinematics {
        &self.positions.kinematics[self.positions.order[0]]
    }
}

impl DerefMut for At<'_> {
    fn deref_mut(&mut self) -> &mut Kinematics {
        let first = self.positions.order[0];
        &mut self.positions.kinematics[first]
    }
}

impl Clone for PerThread {
    fn clone(&self) -> Self {
        Self::new(self.neutral.clone())
    }
}

/// A number of the calling thread, which no other thread has.
fn thread_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.with(|number| *number)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nalgebra::{DMatrix, Vector3};

    use super::*;
    use crate::{
        AddedMass, Articulated, Joint, Link, MassProperties, System, pose_coordinates, same_bits,
    };

    #[test]
    fn nobody_waits_for_kinematics_that_others_use_until_all_are_taken() {
        let bob = MassProperties::point(2.0).unwrap().translated(&Vector3::new(3.0, 0.0, 0.0));
        let arm = Link::new("arm", Joint::revolute(Vector3::z())).with_mass(bob);
        let pendulum = Articulated::new(vec![arm], Vector3::zeros()).unwrap();
        let per_thread = PerThread::new(pendulum.kinematics());

        let place = |kinematics: &Kinematics| std::ptr::from_ref(kinematics);
        let own = place(&per_thread.at(&[0.5]));
        assert_eq!(own, place(&per_thread.at(&[0.5])), "a thread returns to the same one");
        let taken: Vec<_> = (0..PLACES).map(|_| per_thread.at(&[0.5])).collect();
        let places: BTreeSet<*const Kinematics> = taken.iter().map(|one| place(one)).collect();
        assert_eq!(places.len(), PLACES);
    }

    #[test]
    fn a_thread_finds_the_last_positions_again() {
        let bob = MassProperties::point(2.0).unwrap().translated(&Vector3::new(3.0, 0.0, 0.0));
        let arm = Link::new("arm", Joint::revolute(Vector3::z())).with_mass(bob);
        let pendulum = Articulated::new(vec![arm], Vector3::zeros()).unwrap();
        let per_thread = PerThread::new(pendulum.kinematics());
        let place = |angle: f64| {
            let at = per_thread.at(&[angle]);
            let turn = at.pose(0).rotation.angle();
            assert!((turn - angle).abs() < 1e-15, "{turn} in place of {angle}");
            std::ptr::from_ref::<Kinematics>(&at)
        };

        let all: [f64; POSITIONS] = array::from_fn(|k| 0.1 + 0.05 * k as f64);
        let places = all.map(place);
        let (mut again, mut same) = (all, places);
        again.swap(0, 1);
        same.swap(0, 1);
        assert_eq!(again.map(place), same);
        // The first that was not used since is given up.
        assert_eq!(place(0.8), places[1]);
        assert_eq!(again[1..].iter().copied().map(place).collect::<Vec<_>>(), same[1..]);
    }

    /// The bits of what depends on the position: of the inverse of a sum, masses, forces at a velocity and of one at which trees may rest,
    /// with accelerations, energies and poses.
    fn evaluate(
        system: &Articulated,
        added: &AddedMass,
        (coordinates, [velocity, resting, rates]): (&[f64], [&[f64]; 3]),
    ) -> Vec<u64> {
        let n = velocity.len();
        let mut columns = DMatrix::identity(n, n);
        system.apply_inverse_sum(coordinates, added, &mut columns);
        let mut masses = DMatrix::zeros(n, n);
        system.mass_matrix(coordinates, &mut masses);
        let (mut forces, mut held) = (vec![0.0; n], vec![0.0; n]);
        system.smooth_forces(coordinates, velocity, 0.0, &mut forces);
        system.inverse_dynamics(coordinates, resting, rates, 0.0, &mut held);
        let energies =
            [system.kinetic_energy(coordinates, velocity), system.potential_energy(coordinates)];
        let mut poses = Vec::new();
        system.poses(coordinates, &mut poses);
        let numbers = columns.iter().chain(&masses).chain(&forces).chain(&held).chain(&energies);
        let numbers = numbers.copied().chain(poses.iter().flat_map(pose_coordinates));
        numbers.map(f64::to_bits).collect()
    }

    /// Three trees that stay, move and return in turns, with masses with and without a sum: everything has the bits that it has in
    /// kinematics that were nowhere before.
    #[test]
    fn what_stays_is_what_would_be_computed_anew() {
        let rod = MassProperties::solid_box(2.0, &Vector3::new(0.3, 0.2, 0.1)).unwrap();
        let rod = rod.translated(&Vector3::new(0.2, 0.1, 0.0));
        let link = |name: &str, joint, parent: Option<&str>| {
            let link = Link::new(name, joint).with_mass(rod);
            parent.map_or(link.clone(), |parent| link.on(parent))
        };
        let turn = || Joint::revolute(Vector3::new(0.0, 0.6, 0.8));
        let links = vec![
            link("a", Joint::free(), None),
            link("b", turn(), Some("a")),
            link("c", turn(), None),
            link("d", Joint::spherical(), None),
            link("e", turn(), Some("d")),
        ];
        let gravity = Vector3::new(0.0, 0.0, -9.81);
        let system = Articulated::new(links.clone(), gravity).unwrap();
        let mut random = 7_u64;
        let mut below = move |count: u32| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as u32 % count
        };
        let mut turned = |count: usize| {
            let mut entries: Vec<f64> =
                (0..count).map(|_| 1e-3 * f64::from(below(2000)) - 0.9).collect();
            let norm = entries.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
            entries.iter_mut().for_each(|entry| *entry /= norm);
            entries
        };
        let of_trees: [[Vec<f64>; 3]; 3] = [
            array::from_fn(|_| [turned(3), turned(4), turned(2)[..1].to_vec()].concat()),
            array::from_fn(|_| turned(2)[..1].to_vec()),
            array::from_fn(|_| [turned(4), turned(2)[..1].to_vec()].concat()),
        ];
        let velocity = turned(system.velocity_count());
        let n = system.velocity_count();
        let mut shared = 0;
        for _ in 0..300 {
            let choice: [usize; 3] = array::from_fn(|_| below(3) as usize);
            let coordinates: Vec<f64> =
                choice.iter().zip(&of_trees).flat_map(|(at, tree)| tree[*at].clone()).collect();
            let added = DMatrix::from_diagonal_element(n, n, f64::from(below(2)));
            let added = AddedMass::new(added);
            let moves: [bool; 3] = array::from_fn(|_| below(3) == 0);
            let velocities = [0..7, 7..8, 8..12].into_iter().zip(moves);
            let (mut resting, mut rates) = (velocity.clone(), velocity.clone());
            for (own, _) in velocities.filter(|(_, moves)| !moves) {
                resting[own.clone()].fill(0.0);
                rates[own].fill(0.0);
            }
            // Accelerations alone move what rests.
            if below(4) == 0 {
                rates[8] = 0.5;
            }
            let kept = |kinematics: &Kinematics| kinematics.kept(&coordinates);
            shared += usize::from(
                system
                    .per_thread
                    .lock()
                    .kinematics
                    .iter()
                    .any(|one| (1..coordinates.len()).contains(&kept(one))),
            );
            let fresh = Articulated::new(links.clone(), gravity).unwrap();
            let mut alone = vec![0.0; n];
            let unused = Articulated::new(links.clone(), gravity).unwrap();
            unused.inverse_dynamics(&coordinates, &resting, &rates, 0.0, &mut alone);
            let mut held = vec![0.0; n];
            system.inverse_dynamics(&coordinates, &resting, &rates, 0.0, &mut held);
            assert!(same_bits(&alone, &held), "{choice:?}: {alone:?} {held:?}");
            let at = (&coordinates[..], [&velocity[..], &resting, &rates]);
            assert_eq!(evaluate(&system, &added, at), evaluate(&fresh, &added, at), "{choice:?}");
        }
        assert!(shared > 200, "{shared}");
    }
}
