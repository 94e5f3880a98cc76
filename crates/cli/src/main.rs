//! The `percussion` command.
fn main() {}
