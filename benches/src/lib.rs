//! Problem families shared by the benches, the comparison with other libraries and the dependability tests, and the interface to
//! drivers of peers.

pub mod bricks;
pub mod driver;
pub mod families;
pub mod frictional;
pub mod mixed;
pub mod piles;
pub mod rapier;
pub mod residuals;
pub mod row;
pub mod selection;
pub mod small;
pub mod spheres;
pub mod structures;

/// The examples of the front page, compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
#[derive(Debug)]
pub struct FrontPage;
