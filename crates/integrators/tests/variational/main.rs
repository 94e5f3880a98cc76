//! The variational integrator against closed forms, conservation laws and invariances.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod bad_input;
mod contact;
mod energy;
mod free_bodies;
mod joints;
mod smooth;
mod support;
