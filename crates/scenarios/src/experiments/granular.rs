//! The experiments with grains by the thousand.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
//! inelastic impacts", *Computational Mechanics* 62 (2018) 81–96, section 4.3.

mod channel;
mod pile;

use nalgebra::{Matrix3, Vector3};

/// The experiments of the family, in the order of lists.
pub(super) const ALL: &[super::Experiment] = &[
    experiment!(
        "granular/channel",
        granular::channel,
        "Grains stream through a channel past an obstacle"
    ),
    experiment!(
        "granular/pile",
        granular::pile,
        "A column of clumps collapses by two laws of friction"
    ),
];

/// Rows normal and two tangents.
fn frame(normal: &Vector3<f64>) -> Matrix3<f64> {
    let mut aside = Vector3::zeros();
    aside[normal.iamin()] = 1.0;
    let tangent = normal.cross(&aside).normalize();
    Matrix3::from_rows(&[
        normal.transpose(),
        tangent.transpose(),
        normal.cross(&tangent).transpose(),
    ])
}
