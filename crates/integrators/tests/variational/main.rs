//! The variational integrator against closed forms, conservation laws and invariances.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod bad_input;
mod contact;
#[path = "../common/dry.rs"]
mod dry;
mod energy;
mod free_bodies;
mod joints;
mod smooth;
mod support;
