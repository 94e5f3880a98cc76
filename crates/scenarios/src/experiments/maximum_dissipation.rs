//! The experiments of Preclik, Eibl and Rüde: contacts whose percussion leaves the least kinetic energy.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
//! inelastic impacts", 2017, sections 3.2, 4.1 and 4.2.

mod convergence;
mod painleve_rod;
mod single_contact;
mod tangents;

pub(super) use {
    convergence::run as convergence, painleve_rod::run as painleve_rod,
    single_contact::run as single_contact,
};
