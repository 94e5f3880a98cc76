//! Stored snapshots of what is built in: impacts by every law, scenarios by every scheme, experiments.
//!
//! `cargo xtask snapshot` shows differences as a table and takes them with `--accept`.

mod experiments;
mod impacts;
mod scenarios;
mod sets;
