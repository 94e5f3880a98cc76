//! Published experiments of multibody impact with friction, with their reference figures.

pub mod figure;
pub mod outcome;

pub use figure::{Axis, Figure, Mark, Series};
pub use outcome::{Against, ExperimentOutcome, Row};
