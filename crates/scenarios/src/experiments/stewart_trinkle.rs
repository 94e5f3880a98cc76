//! The experiments of Stewart and Trinkle: time stepping at position level.
//!
//! # Source
//!
//! D. E. Stewart, J. C. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with inelastic
//! collisions and Coulomb friction", *International Journal for Numerical Methods in Engineering* 39 (1996)
//! 2673–2691, sections 3.5 and 4.

mod bounded_friction;
mod four_balls;
mod impulses;
mod rod_on_table;
mod thrown;
mod two_balls_bounce;
mod two_balls_direct;

/// The experiments of the family, in the order of lists.
pub(super) const ALL: &[super::Experiment] = &[
    scenario!(
        "stewart-trinkle/rod-on-table",
        stewart_trinkle::rod_on_table,
        "A spinning rod falls on a table"
    ),
    scenario!(
        "stewart-trinkle/two-balls-direct",
        stewart_trinkle::two_balls_direct,
        "A ball thrown directly at another"
    ),
    scenario!(
        "stewart-trinkle/two-balls-bounce",
        stewart_trinkle::two_balls_bounce,
        "A ball that lands and rolls before it hits another"
    ),
    scenario!(
        "stewart-trinkle/four-balls",
        stewart_trinkle::four_balls,
        "A thrown ball hits a row of three"
    ),
    scenario!(
        "stewart-trinkle/bounded-friction",
        stewart_trinkle::bounded_friction,
        "A bearing brakes a disc on a slope and one in the air"
    ),
];
