//! An impact was resolved although the rounding of impulses that cancel left slip: found by fuzzing (`impact`, seed 15,
//! case 736672).

use nalgebra::{dmatrix, dvector};
use percussion_impact::{
    Contact, Law, Mass, Problem, Status, maximum_dissipation::MaximumDissipation,
};

/// One coordinate is free, along which normal and tangents of the second contact are multiples of each other. Impulses of
/// `7.7e7 N·s` and their joint's of `3e10 N·s` end the motion on paper; their rounding is `1.2e-7` of velocity, and with
/// tangents of the length 210 a slip of `2.5e-5 m/s`, where `3e-8 m/s` are claimed.
#[test]
fn impulses_that_cancel_do_not_hide_slip() {
    let mass =
        dmatrix![2.437021642827001, -0.17979239825052218; -0.17979239825052218, 2.8985511651218143];
    let contacts = vec![
        Contact::new(dvector![-575.9842282488308, -0.028957235878471797]).with_restitution(0.5),
        Contact::new(dvector![-276.356873798962, 0.0012655116606604185]).with_friction(
            22.16233551192767,
            vec![
                dvector![286.21798961173573, -0.25833937263802415],
                dvector![0.00010575680266812003, 209.71753083146257],
            ],
        ),
    ];
    let joints = dmatrix![0.0, 0.0; -0.7160701839618486, 0.0];
    let velocity = dvector![1.3110590361342975, -1.5432056932716822];
    let problem = Problem::with_joints(Mass::Matrix(mass), velocity, contacts, joints).unwrap();
    let outcome = MaximumDissipation::coulomb().resolve(&problem).unwrap();
    let slip = (problem.contact_velocity(&outcome.velocity)).rows(2, 2).amax();
    let resolved = outcome.trace.status == Status::Resolved;
    assert!(!resolved || slip < 1e-9 * 323.0, "{:?}, {slip:e}", outcome.trace.status);
}
