//! The biped `RAMone` that sets down its leading foot.

pub(in crate::experiments) use super::walkers::run;
