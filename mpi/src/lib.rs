//! Grains on many processes, connected by MPI.
//!
//! [`Mpi`] is the [`Exchange`](percussion_granular::decomposition::Exchange) over MPI, and [`Ranks`] the
//! [`Machine`](percussion_cli::grains::Machine) on which `percussion-grains-mpi` runs the same code as `percussion grains`.
//!
//! All calls of MPI are made by one thread of each process, through rsmpi's safe interface.

mod exchange;
mod machine;

pub use exchange::Mpi;
pub use machine::{Ranks, Shape};
