//! Stored snapshots of every solver on the seeded families.
//!
//! `cargo xtask snapshot` shows differences as a table and accepts them with `--accept`.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod friction;
mod lcp;
mod mixed;
mod single;
