//! Sets with restitution: the block, the bound of the impulse, and what no longer holds without a proof.

use percussion_impact::{
    Law, RestitutionUse, Status,
    friction_cone::{self, FrictionCone},
    laws::{Answer, Choice, Name},
    set_valued::{Sampler, SetValuedRouth, Termination},
};

use crate::{bouncing_ball, bouncing_block, rocking_block, settings, velocities};
use nalgebra::dvector;

/// A flat fall has the bounce of both corners together among its outcomes, which takes `1 + e` times the momentum.
#[test]
fn the_block_bounces_flat_where_both_corners_push_alike() {
    for e in [0.5, 1.0] {
        let problem = bouncing_block(e);
        let settings = settings(0.3, 10, 1);
        let mut sampler = Sampler::new(&problem, &settings).expect("settings are right");
        sampler.step(&[10.0, 10.0]).expect("the increments are right");
        assert_eq!(sampler.termination(), Termination::Separated);
        let down = problem.velocity()[1];
        assert!((sampler.velocity() - dvector![0.0, -e * down, 0.0]).amax() < 1e-14);
        assert!((sampler.impulse()[0] + 0.5 * (1.0 + e) * down).abs() < 1e-14);
    }
}

/// `2 √(2 T⁻)/c` with the constant `c` of the pointed cone, for every `e`.
#[test]
fn the_impulse_is_bounded_by_the_energy_and_the_pointed_cone() {
    for e in [0.0, 0.5, 1.0] {
        let problem = bouncing_block(e);
        let cone = friction_cone::analyze(&problem, &friction_cone::Settings::default());
        let Ok(FrictionCone::Pointed(pointed)) = cone else { panic!("both corners push up") };
        let energy = problem.kinetic_energy(problem.velocity());
        let bound = 2.0 * (2.0 * energy).sqrt() / pointed.constant;
        let mut largest: f64 = 0.0;
        let settings = settings(0.3, 100, 1);
        let mut sampler = Sampler::new(&problem, &settings).expect("settings are right");
        for index in 0..2000 {
            sampler.run(index);
            assert_eq!(sampler.termination(), Termination::Separated);
            largest = largest.max(sampler.impulse()[0] + sampler.impulse()[2]);
        }
        assert!(largest <= bound && largest > 0.1 * bound, "{e}: {largest} of {bound}");
    }
}

#[test]
fn a_set_with_restitution_is_resolved_and_says_that_it_used_it() {
    for e in [0.5, 1.0] {
        let problem = bouncing_block(e);
        let law = SetValuedRouth::new(settings(0.3, 10, 1 << 12));
        let set = velocities(&problem, law.settings);
        assert_eq!(law.status(&problem, &set.statistics), Status::Resolved);
        assert_eq!(set.statistics.terminated, 1 << 12);
        assert!(set.statistics.pieces > 1 << 12 && set.statistics.cut_steps == 0);
        let before = problem.kinetic_energy(problem.velocity());
        let most = set.summary.0.iter().map(|(_, v)| problem.kinetic_energy(v)).fold(0.0, f64::max);
        assert!(most <= before * (1.0 + 1e-12), "{e}: {most} of {before}");
        let outcome = law.resolve(&problem).expect("settings are right");
        assert_eq!(outcome.trace.status, Status::Resolved);
        assert_eq!(outcome.trace.restitution, RestitutionUse::Used);
    }
    let statistics = velocities(&rocking_block(), settings(0.3, 10, 100)).statistics;
    assert_eq!((statistics.pieces, statistics.cut_steps), (0, 0));
}

#[test]
fn guarantees_that_are_proven_of_implicit_steps_are_not_given() {
    let ball = bouncing_ball(dvector![0.0, 0.0, -1.0, 0.0, 0.0, 0.0]);
    let given = [("step", "0.5"), ("samples", "64")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    let law = Choice::new(Name::SetValuedRouth, given.to_vec(), None).expect("settings are right");
    let answer = law.answer(&ball, &|_| ()).expect("it starts");
    let Answer::Set(set) = answer else { panic!("it samples") };
    assert!(set.guarantee.outside.is_some());
    assert_eq!(set.guarantee.mean_lcps, None);
    assert_eq!(set.guarantee.more_lcps, None);
    assert_eq!(set.guarantee.radius_of_outcomes, None);
}
