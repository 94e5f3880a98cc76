//! No law passes over a coefficient of restitution in silence: what each says it did with it is what it did.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use nalgebra::{DMatrix, DVector, dvector};
use percussion_impact::{
    Contact, Mass, Problem, RestitutionUse, Status,
    laws::{Answer, Choice, Name},
};

/// A ball that falls on a floor without friction.
fn ball(restitution: f64) -> Problem {
    let floor = Contact::new(dvector![0.0, 1.0]).with_restitution(restitution);
    let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![2.0, 2.0]));
    Problem::new(mass, dvector![1.0, -3.0], vec![floor]).unwrap()
}

/// The laws with the settings that a law needs, and all answers of those with several.
fn choices() -> Vec<(String, Choice)> {
    let of = |name: Name, given: &[(&str, &str)]| {
        let given = given.iter().map(|&(key, value)| (key.to_owned(), value.to_owned()));
        let given: Vec<_> = given.collect();
        (format!("{name} {given:?}"), Choice::new(name, given, None).unwrap())
    };
    let mut all = Vec::new();
    for name in Name::ALL {
        let needs: &[(&str, &str)] = match name {
            Name::SetValuedRouth => &[("step", "2"), ("samples", "16")],
            _ => &[],
        };
        all.push(of(name, needs));
        for (key, value) in [("solutions", "all"), ("outcomes", "all"), ("e_min", "0.25")] {
            let known = name.settings().into_iter().any(|setting| setting.key == key);
            if known && name != Name::SetValuedRouth {
                all.push(of(name, &[(key, value)]));
            }
        }
    }
    for inner in ["newton", "poisson", "anitescu-potra", "routh", "plus"] {
        all.push(of(Name::Sequential, &[("inner", inner)]));
    }
    all
}

/// The velocities of the answer, and the use that it states; that of a set is in its claims.
fn answer(choice: &Choice, problem: &Problem) -> (Vec<DVector<f64>>, RestitutionUse) {
    let claimed = choice.claims(problem).restitution_of(problem);
    let outcomes = match choice.answer(problem, &|_| ()).unwrap() {
        Answer::One(outcome) => vec![outcome],
        Answer::Several(several) => several.outcomes,
        Answer::Set(set) => {
            assert_eq!(set.status, Status::Resolved, "a ball comes to its end");
            let velocities = set.velocities.into_iter().map(DVector::from_vec).collect();
            return (velocities, claimed);
        }
    };
    for outcome in &outcomes {
        let said = (outcome.trace.status, outcome.trace.restitution);
        assert_eq!(said, (Status::Resolved, claimed), "the outcome says what the law claims");
    }
    (outcomes.into_iter().map(|outcome| outcome.velocity).collect(), claimed)
}

#[test]
fn every_law_says_what_it_did_with_restitution() {
    for (name, choice) in choices() {
        let (inelastic, none) = answer(&choice, &ball(0.0));
        assert_eq!(none, RestitutionUse::None, "{name}");
        let (bouncing, said) = answer(&choice, &ball(0.5));
        match said {
            RestitutionUse::Used => {
                assert_ne!(bouncing, inelastic, "{name}");
                assert_eq!(said.remark(), "", "{name}");
            }
            RestitutionUse::Replaced | RestitutionUse::Ignored => {
                assert_eq!(bouncing, inelastic, "{name}");
                assert!(said.remark().starts_with(", restitution"), "{name}");
            }
            other => panic!("{name} says {other:?}"),
        }
    }
}

/// What the head of the crate and the chapter on the choice of a law say.
#[test]
fn the_laws_without_restitution_of_the_contacts_are_those_that_say_so() {
    let without: Vec<_> = choices()
        .into_iter()
        .filter(|(_, choice)| answer(choice, &ball(0.5)).1 != RestitutionUse::Used)
        .map(|(name, choice)| (name, answer(&choice, &ball(0.5)).1))
        .collect();
    let names: Vec<_> = without.iter().map(|(name, said)| format!("{name} {said:?}")).collect();
    assert_eq!(
        names,
        [
            "anitescu-potra [] Ignored",
            "anitescu-potra [(\"solutions\", \"all\")] Ignored",
            "propagative [] Replaced",
            "propagative [(\"outcomes\", \"all\")] Replaced",
            "plus [(\"e_min\", \"0.25\")] Replaced",
            "sequential [(\"inner\", \"anitescu-potra\")] Ignored",
        ]
    );
}
