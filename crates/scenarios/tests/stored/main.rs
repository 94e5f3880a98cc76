//! Stored snapshots of everything built in: impacts by every law, scenarios by every scheme, experiments.
//!
//! `cargo xtask snapshot` shows differences as a table and accepts them with `--accept`.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod experiments;
mod impacts;
mod scenarios;
mod sets;
