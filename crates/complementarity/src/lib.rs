//! Complementarity problems of contact mechanics, and solvers that certify their answers.
//!
//! The three names to know are [`lcp::Problem`], [`lcp::lemke`] and [`lcp::Report`].
//! The crate knows no bodies: a problem is a matrix and a vector.

pub mod lcp;
