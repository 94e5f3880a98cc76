//! Inner loops with the vectors of the processor.

/// Runs `work` with the widest vectors of the processor, as far as what it calls is inlined, with the same bits as with any others.
#[inline(always)]
pub(crate) fn vectorized<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(feature = "simd")]
    return percussion_complementarity::vectorized(work);
    #[cfg(not(feature = "simd"))]
    work()
}
