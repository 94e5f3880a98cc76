//! The compass gait walker that takes a wide step.

pub(in crate::experiments) use super::walkers::run;
