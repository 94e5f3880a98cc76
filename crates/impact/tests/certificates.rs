//! What each law guarantees, judged by the certificate on random problems.

mod support;

use percussion_impact::{
    Contact, Law, Outcome, Problem, Status,
    anitescu_potra::AnitescuPotra,
    certificate::Certificate,
    newton::Newton,
    poisson::Poisson,
    routh::{Restitution, Routh},
    sequential::Sequential,
};
use proptest::prelude::*;

/// The tolerance of Lemke's method is 1e-10 relative to velocities and impulses, which conditions
/// of `M` and `W` multiply by up to a hundred.
const TOLERANCE: f64 = 1e-8;

/// Largest impulse (N·s), or 1: rounding is relative to it, for impulses may almost cancel.
fn size(outcome: &Outcome) -> f64 {
    let impulses = outcome.impulses.iter();
    impulses
        .flat_map(|impulse| impulse.tangent.iter().chain([&impulse.normal]))
        .chain(&outcome.bilateral_impulses)
        .fold(1.0, |size, impulse| impulse.abs().max(size))
}

fn judge(problem: &Problem, outcome: &Outcome) -> Certificate {
    let certificate =
        Certificate::check(problem, outcome).expect("the outcome answers the problem");
    let size = size(outcome);
    assert!(certificate.momentum_residual <= 1e-12 * size, "{certificate:?}, {size} N·s");
    assert!(certificate.bilateral_residual <= 1e-12 * size, "{certificate:?}, {size} N·s");
    certificate
}

fn assert_admissible(certificate: &Certificate, outcome: &Outcome) {
    let tolerance = TOLERANCE * size(outcome);
    assert!(certificate.approach <= tolerance, "{certificate:?}");
    assert!(certificate.adhesion <= tolerance, "{certificate:?}");
    assert!(certificate.cone_violation <= tolerance, "{certificate:?}");
}

/// A scale for energies: of the motion before the impact, and of one at 1 m/s.
fn assert_no_gain(certificate: &Certificate) {
    let margin = TOLERANCE * (1.0 + certificate.energy_before);
    assert!(certificate.energy_change <= margin, "{certificate:?}");
}

proptest! {
    #![proptest_config(support::config())]

    #[test]
    fn inelastic_impacts_are_admissible_complementary_and_lose_energy(data in support::data(4)) {
        let problem = data.problem();
        let outcome = AnitescuPotra::default().resolve(&problem).unwrap();
        prop_assert_eq!(outcome.trace.status, Status::Resolved);
        let certificate = judge(&problem, &outcome);
        assert_admissible(&certificate, &outcome);
        assert_no_gain(&certificate);
        prop_assert!(certificate.complementarity <= TOLERANCE, "{:?}", certificate);
    }

    #[test]
    fn restitution_of_percussions_is_admissible(data in support::data(4)) {
        let problem = data.problem();
        let outcome = Poisson::default().resolve(&problem).unwrap();
        prop_assert_eq!(outcome.trace.status, Status::Resolved);
        assert_admissible(&judge(&problem, &outcome), &outcome);
    }

    /// Not every problem has an answer; the ones that have one are admissible.
    #[test]
    fn restitution_of_velocities_is_admissible_where_it_has_an_answer(data in support::data(4)) {
        let problem = data.problem();
        let outcome = Newton::default().resolve(&problem).unwrap();
        let certificate = judge(&problem, &outcome);
        if outcome.trace.status == Status::Resolved {
            assert_admissible(&certificate, &outcome);
        }
    }

    #[test]
    fn newton_without_restitution_is_the_inelastic_impact(mut data in support::data(3)) {
        data.contacts.iter_mut().for_each(|contact| contact.restitution = 0.0);
        let problem = data.problem();
        let newton = Newton::default().resolve(&problem).unwrap();
        let inelastic = AnitescuPotra::default().resolve(&problem).unwrap();
        prop_assert_eq!(newton.velocity, inelastic.velocity);
    }

    #[test]
    fn newton_without_friction_loses_energy_if_no_contact_separates(mut data in support::data(4)) {
        data.contacts.iter_mut().for_each(|contact| contact.friction = 0.0);
        let free = data.problem().free_contact_velocity();
        let rows: Vec<_> = (0..data.contacts.len()).map(|k| data.problem().rows(k).start).collect();
        for (contact, row) in data.contacts.iter_mut().zip(rows) {
            contact.normal *= -free[row].signum();
        }
        let problem = data.problem();
        let outcome = Newton::default().resolve(&problem).unwrap();
        // Opposite normals with different coefficients have no answer.
        if outcome.trace.status == Status::Resolved {
            assert_no_gain(&judge(&problem, &outcome));
        }
    }

    #[test]
    fn a_followed_contact_is_admissible_and_loses_energy(data in support::data(1)) {
        let problem = data.problem();
        let law = Routh { restitution: Restitution::Energetic, ..Routh::default() };
        let outcome = law.resolve(&problem).unwrap();
        prop_assert_eq!(outcome.trace.status, Status::Resolved);
        let certificate = judge(&problem, &outcome);
        assert_admissible(&certificate, &outcome);
        assert_no_gain(&certificate);
    }

    #[test]
    fn one_after_another_is_admissible_when_it_ends(data in support::data(3)) {
        let problem = data.problem();
        let law = Sequential::new(Routh {
            restitution: Restitution::Energetic,
            ..Routh::default()
        });
        let outcome = law.resolve(&problem).unwrap();
        let certificate = judge(&problem, &outcome);
        assert_no_gain(&certificate);
        if outcome.trace.status == Status::Resolved {
            assert_admissible(&certificate, &outcome);
        }
    }

    /// One contact without friction leaves no choice: all laws and rules agree.
    #[test]
    fn laws_agree_on_one_contact_without_friction(data in support::data(1), mu in 0.0..1.0) {
        let mut data = data;
        let restitution = data.contacts[0].restitution;
        data.contacts = vec![
            Contact::new(data.contacts[0].normal.clone())
                .with_friction(mu, vec![])
                .with_restitution(restitution),
        ];
        let problem = data.problem();
        let followed = |restitution| Box::new(Routh { restitution, ..Routh::default() });
        let laws: [Box<dyn Law>; 5] = [
            Box::new(Poisson::default()),
            followed(Restitution::Kinematic),
            followed(Restitution::Kinetic),
            followed(Restitution::Energetic),
            Box::new(Sequential::new(Newton::default())),
        ];
        let newton = Newton::default().resolve(&problem).unwrap();
        for law in laws {
            let outcome = law.resolve(&problem).unwrap();
            let difference = (outcome.velocity - &newton.velocity).amax();
            prop_assert!(difference <= TOLERANCE, "{} is off by {}", law.name(), difference);
        }
    }
}
