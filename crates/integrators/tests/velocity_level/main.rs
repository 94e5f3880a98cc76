//! The schemes on the level of velocities: closed forms, what holds for every motion, and what is refused.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod closed_forms;
#[path = "../common/mod.rs"]
mod common;
mod cones;
mod derivative;
mod derivative_moreau_jean;
mod four_bar;
mod joints;
mod passes;
mod properties;
mod refusals;
mod resting;
mod scenes;
