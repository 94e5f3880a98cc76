//! Contacts of every pair of shapes: gradients, symmetries, manifolds, refused input, and comparison with parry.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod biases;
mod common;
mod extremes;
mod gradients;
mod hostile;
mod kept;
mod manifolds;
mod parry;
mod reaches;
mod refusals;
mod symmetry;
