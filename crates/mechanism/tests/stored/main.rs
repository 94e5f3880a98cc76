//! Stored snapshots of files of earlier formats.
//!
//! `cargo xtask snapshot` shows differences as a table and accepts them with `--accept`.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod compat;
