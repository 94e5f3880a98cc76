//! Kinematics for the evaluations of a system that several threads share: [`PerThread`].

use std::{
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError, TryLockError,
        atomic::{AtomicUsize, Ordering},
    },
    thread_local,
};

use super::Kinematics;

/// Number of threads that do not wait for one another.
const PLACES: usize = 16;

/// Several [`Kinematics`] of one system, each created when a thread first needs it.
///
/// A thread returns to the same one, so that what it has computed at its last coordinates is still there. Results depend on
/// the coordinates alone, so which one a thread uses does not change their bits.
#[derive(Debug)]
pub(super) struct PerThread {
    /// At the neutral coordinates.
    neutral: Kinematics,
    places: Box<[OnceLock<Mutex<Kinematics>>]>,
}

impl PerThread {
    pub(super) fn new(neutral: Kinematics) -> Self {
        Self { neutral, places: (0..PLACES).map(|_| OnceLock::new()).collect() }
    }

    /// The kinematics at the neutral coordinates.
    pub(super) const fn neutral(&self) -> &Kinematics {
        &self.neutral
    }

    /// Kinematics that no other thread uses, at some coordinates: those of this thread if they are free.
    pub(super) fn lock(&self) -> MutexGuard<'_, Kinematics> {
        let own = thread_number();
        for next in 0..PLACES {
            match self.place(own + next).try_lock() {
                Ok(kinematics) => return kinematics,
                // Flags state which parts are valid, so that it can be used after a panic in another thread.
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        self.place(own).lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self, index: usize) -> &Mutex<Kinematics> {
        self.places[index % PLACES].get_or_init(|| Mutex::new(self.neutral.clone()))
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

    use nalgebra::Vector3;

    use super::*;
    use crate::{Articulated, Joint, Link, MassProperties};

    #[test]
    fn nobody_waits_for_kinematics_that_others_use_until_all_are_taken() {
        let bob = MassProperties::point(2.0).unwrap().translated(&Vector3::new(3.0, 0.0, 0.0));
        let arm = Link::new("arm", Joint::revolute(Vector3::z())).with_mass(bob);
        let pendulum = Articulated::new(vec![arm], Vector3::zeros()).unwrap();
        let per_thread = PerThread::new(pendulum.kinematics());

        let place = |kinematics: &Kinematics| std::ptr::from_ref(kinematics);
        let own = place(&per_thread.lock());
        assert_eq!(own, place(&per_thread.lock()), "a thread returns to the same one");
        let taken: Vec<_> = (0..PLACES).map(|_| per_thread.lock()).collect();
        let places: BTreeSet<*const Kinematics> = taken.iter().map(|one| place(one)).collect();
        assert_eq!(places.len(), PLACES);
    }
}
