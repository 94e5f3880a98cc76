//! What a scheme and the actuators add to the masses of a step, together: [`Sum`].

use std::sync::PoisonError;

use percussion_dynamics::AddedMass;

use super::{Driven, Step};

/// The last sum, with the numbers of both parts. A scheme adds the same in each step, and the actuators do mostly.
#[derive(Debug)]
pub(super) struct Sum {
    of: [u64; 2],
    sum: AddedMass,
}

impl Driven {
    /// Calls `use_it` with what a scheme has `added`, and with what the actuators add in the current step.
    pub(super) fn with_sum<T>(
        &self,
        step: &Step,
        added: &AddedMass,
        use_it: impl FnOnce(&AddedMass) -> T,
    ) -> T {
        let Some(own) = step.implicit() else { return use_it(added) };
        let mut last = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        let of = [added, own].map(AddedMass::number);
        let known = last.take().filter(|known| known.of == of);
        let sum = || AddedMass::new(added.matrix() + own.matrix());
        let known = known.unwrap_or_else(|| Sum { of, sum: sum() });
        use_it(&last.insert(known).sum)
    }
}
