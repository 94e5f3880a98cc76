//! Selects the vectors of the processor when the program runs: [`run`].

use super::lanes::{Single, Work};

/// Runs `work` with the vectors of the processor.
pub(crate) fn run<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = avx512() {
        return simd.vectorize(
            #[inline(always)]
            || work.run::<super::avx512::Vector>(simd),
        );
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = avx2() {
        return simd.vectorize(
            #[inline(always)]
            || work.run::<super::avx2::Halves>(simd),
        );
    }
    work.run::<Single>(())
}

#[cfg(target_arch = "x86_64")]
fn avx512() -> Option<pulp::x86::V4> {
    #[cfg(test)]
    if MOST.get() < Vectors::Eight {
        return None;
    }
    pulp::x86::V4::try_new()
}

#[cfg(target_arch = "x86_64")]
fn avx2() -> Option<pulp::x86::V3> {
    #[cfg(test)]
    if MOST.get() < Vectors::Four {
        return None;
    }
    pulp::x86::V3::try_new()
}

/// Numbers on which an instruction acts.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Vectors {
    One,
    Four,
    Eight,
}

#[cfg(test)]
thread_local! {
    /// The widest vectors that [`run`] uses.
    static MOST: std::cell::Cell<Vectors> = const { std::cell::Cell::new(Vectors::Eight) };
}

/// Runs `test` with all vectors of the processor, and without.
#[cfg(test)]
pub(crate) fn with_each(test: impl Fn()) {
    for most in [Vectors::One, Vectors::Four, Vectors::Eight] {
        MOST.set(most);
        test();
    }
}
