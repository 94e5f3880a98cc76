//! Compliant contacts against published motions.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod brick;
mod hertz;
mod rocking_block;
