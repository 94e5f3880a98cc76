//! Problem families shared by the benches and by the dependability tests, and the interface to drivers of peers.

pub mod driver;
pub mod families;
pub mod frictional;
pub mod mixed;
pub mod piles;
pub mod residuals;
pub mod selection;

/// The examples of the front page, compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
#[derive(Debug)]
pub struct FrontPage;
