//! Event-driven motion against closed forms, invariances and balances.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod bad_input;
mod ball;
mod block;
mod derivative;
mod derivative_closed;
#[path = "../common/dry.rs"]
mod dry;
mod joints;
mod pendulum;
mod stretch;
mod support;
mod units;
