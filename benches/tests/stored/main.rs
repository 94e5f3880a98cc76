//! Stored snapshots of every solver on the seeded families.
//!
//! `cargo xtask snapshot` shows differences as a table and takes them with `--accept`.

mod friction;
mod lcp;
mod single;
