//! Results that round-off changes visibly, in one list.
//!
//! A result is listed if it differs in the 8 digits stored when the inputs are changed by `1e-12` of themselves, which
//! was tried on every number of the fixtures and on the entries of the seeded problems. Figures of listed results are
//! stored with 3 digits and their counters are left out.

/// Significant digits of a listed figure.
pub const DIGITS: usize = 3;

/// Snapshot, beginning of the path of the quantities, and why they are chaotic.
const LIST: [(&str, &str, &str); 0] = [];

/// Why the quantity `path` of the snapshot `name` is chaotic, if it is.
#[must_use]
pub fn reason(name: &str, path: &str) -> Option<&'static str> {
    LIST.iter()
        .find(|(listed, start, _)| *listed == name && path.starts_with(start))
        .map(|(_, _, reason)| *reason)
}
