//! Problem families shared by the benches and by the dependability tests.

pub mod families;
pub mod residuals;
