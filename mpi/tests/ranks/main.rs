//! `percussion-grains-mpi` as users run it, with 1, 2, 3 and 4 processes on however many cores there are.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic like the tests themselves")]

mod agreement;
mod common;
mod endings;
