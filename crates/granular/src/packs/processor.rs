//! Selects the vectors of the processor when the program runs: [`run`].

use super::lanes::{Single, Work};

/// Runs `work` with the vectors of the processor.
pub(crate) fn run<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = simd() {
        return simd.vectorize(
            #[inline(always)]
            || work.run::<super::x86::Vector>(simd),
        );
    }
    work.run::<Single>(())
}

#[cfg(target_arch = "x86_64")]
fn simd() -> Option<pulp::x86::V3> {
    #[cfg(test)]
    if SINGLY.get() {
        return None;
    }
    pulp::x86::V3::try_new()
}

#[cfg(test)]
thread_local! {
    /// Whether [`run`] does without the vectors of the processor.
    pub(crate) static SINGLY: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}
