//! Laws with restitution whose energy never grows: random impacts, and what they report of the reduction.

use nalgebra::{DMatrix, DVector, dvector};
use percussion_impact::{
    Contact, Law, Mass, Outcome, Problem, RestitutionUse, Status, energy::Energy,
    maximum_dissipation::MaximumDissipation, newton::Newton, plus::Plus, poisson::Poisson,
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

struct Numbers(ChaCha8Rng);

impl Numbers {
    /// Uniform in `[-1, 1)`.
    fn symmetric(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn unit(&mut self) -> f64 {
        0.5 * (self.symmetric() + 1.0)
    }
}

/// Mass, velocity and contacts, for problems that differ in restitution alone.
fn draw(
    random: &mut Numbers,
    most: u64,
    tangents: usize,
) -> (DMatrix<f64>, DVector<f64>, Vec<Contact>) {
    let n = 5;
    let factor = DMatrix::from_fn(n, n, |_, _| random.symmetric());
    let mass = &factor * factor.transpose() + DMatrix::identity(n, n) * 0.2;
    let count = 1 + random.0.next_u64() % most;
    let contacts = (0..count).map(|_| {
        let friction = 1.5 * random.unit();
        let e = random.unit();
        let mut row = || DVector::from_fn(n, |_, _| random.symmetric());
        Contact::new(row())
            .with_friction(friction, (0..tangents).map(|_| row()).collect())
            .with_restitution(e)
    });
    let contacts = contacts.collect();
    (mass, DVector::from_fn(n, |_, _| random.symmetric()), contacts)
}

fn change(mass: &DMatrix<f64>, before: &DVector<f64>, outcome: &Outcome) -> f64 {
    let energy = |v: &DVector<f64>| 0.5 * v.dot(&(mass * v));
    (energy(&outcome.velocity) - energy(before)) / energy(before)
}

/// PLUS with coefficients that do not depend on the speed.
fn plus(energy: Energy) -> Plus {
    Plus { v_capture: 0.0, v_plastic: 0.0, energy, ..Plus::default() }
}

fn laws(energy: Energy) -> [Box<dyn Law>; 5] {
    [
        Box::new(MaximumDissipation { energy, ..MaximumDissipation::default() }),
        Box::new(MaximumDissipation { energy, ..MaximumDissipation::coulomb() }),
        Box::new(Newton { energy, ..Newton::default() }),
        Box::new(Poisson { energy, ..Poisson::default() }),
        Box::new(plus(energy)),
    ]
}

/// The factor that is reported is confirmed by impacts with the coefficients as given: with it the energy does not
/// grow, with the next one that failed it does or there is no outcome.
#[test]
fn the_energy_never_grows_and_the_factor_is_as_reported() {
    let cases = std::env::var("PERCUSSION_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(500);
    let seed = std::env::var("PERCUSSION_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(24);
    let mut random = Numbers(ChaCha8Rng::seed_from_u64(seed));
    let (mut resolved, mut reduced, mut gained) = ([0; 5], [0; 5], [0; 5]);
    for case in 0..cases {
        let (mass, velocity, contacts) = draw(&mut random, 4, case % 3);
        let with = |factor: f64| {
            let contacts = contacts.iter().map(|contact| {
                let e = factor * contact.restitution;
                contact.clone().with_restitution(e)
            });
            Problem::new(Mass::Matrix(mass.clone()), velocity.clone(), contacts.collect()).unwrap()
        };
        let pairs = laws(Energy::NeverGrows).into_iter().zip(laws(Energy::AsGiven));
        for (which, (law, given)) in pairs.enumerate() {
            let outcome = law.resolve(&with(1.0)).unwrap();
            let status = outcome.trace.status;
            assert_ne!(status, Status::EnergyGained, "{case} {}", law.name());
            let as_given = given.resolve(&with(1.0)).unwrap();
            gained[which] += usize::from(as_given.trace.status == Status::EnergyGained);
            if status != Status::Resolved {
                continue;
            }
            resolved[which] += 1;
            let gain = change(&mass, &velocity, &outcome);
            assert!(gain <= 1e-8, "{case} {}: {gain:e}", law.name());
            let Some(reduction) = outcome.trace.reduction else {
                assert_eq!(outcome.velocity, as_given.velocity, "{case} {}", law.name());
                continue;
            };
            reduced[which] += 1;
            assert_eq!(outcome.trace.restitution, RestitutionUse::Reduced);
            assert!(reduction.failing - reduction.factor <= 1e-6, "{reduction:?}");
            let at = given.resolve(&with(reduction.factor)).unwrap();
            assert!((&at.velocity - &outcome.velocity).amax() < 1e-12 * (1.0 + at.velocity.amax()));
            let next = given.resolve(&with(reduction.failing)).unwrap();
            let fails =
                change(&mass, &velocity, &next) > 0.0 || !next.trace.status.came_to_its_end();
            assert!(fails, "{case} {}: {reduction:?}", law.name());
        }
    }
    eprintln!("resolved {resolved:?}, reduced {reduced:?}, gained as given {gained:?}");
    for which in 0..5 {
        assert!(resolved[which] > cases * 4 / 5, "{resolved:?}");
    }
    // Newton's law gains most often, Poisson's rarely.
    assert!(reduced[0] > cases / 100 && reduced[1] > cases / 100 && reduced[2] > cases / 100);
}

/// Impacts that [`a_million_impacts_gain_nothing`] draws from one seed.
const CHUNK: usize = 1000;

/// A million impacts by each law, judged by the kinetic energies alone, with sums of this file.
///
/// The impacts come in chunks of a thousand with the seeds `PERCUSSION_SEED` (default 0), +1, …; `PERCUSSION_CASES` is their number.
/// Each chunk prints a line with what it found. Without `PERCUSSION_SLOW=1` it is one chunk; all take an hour in release.
#[test]
fn a_million_impacts_gain_nothing() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<usize>().ok());
    let all = if std::env::var_os("PERCUSSION_SLOW").is_some() { 1_000_000 } else { CHUNK };
    let cases = number("PERCUSSION_CASES").unwrap_or(all).max(CHUNK);
    let first = number("PERCUSSION_SEED").unwrap_or(0);
    let (mut resolved, mut reduced, mut worst) = ([0; 5], [0; 5], [f64::NEG_INFINITY; 5]);
    for chunk in 0..cases.div_ceil(CHUNK) {
        let mut random = Numbers(ChaCha8Rng::seed_from_u64((first + chunk) as u64));
        for case in 0..CHUNK {
            let (mass, velocity, contacts) = draw(&mut random, 4, case % 3);
            let problem =
                Problem::new(Mass::Matrix(mass.clone()), velocity.clone(), contacts).unwrap();
            for (which, law) in laws(Energy::NeverGrows).into_iter().enumerate() {
                let outcome = law.resolve(&problem).unwrap();
                if outcome.trace.status != Status::Resolved {
                    assert_ne!(outcome.trace.status, Status::EnergyGained, "{chunk} {case}");
                    continue;
                }
                let gain = change(&mass, &velocity, &outcome);
                assert!(gain <= 1e-8, "chunk {chunk}, case {case}, {}: {gain:e}", law.name());
                resolved[which] += 1;
                reduced[which] += usize::from(outcome.trace.reduction.is_some());
                worst[which] = worst[which].max(gain);
            }
        }
        let done = (chunk + 1) * CHUNK;
        eprintln!("{done} impacts: resolved {resolved:?}, reduced {reduced:?}, worst {worst:?}");
    }
    for resolved in resolved {
        assert!(resolved > cases * 4 / 5, "{resolved}");
    }
}

/// One contact without friction keeps Newton's speed.
#[test]
fn nothing_is_reduced_where_no_energy_grows() {
    let floor = Contact::new(dvector![0.0, 1.0]).with_restitution(1.0);
    let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![3.0, 3.0]));
    let problem = Problem::new(mass, dvector![1.0, -2.0], vec![floor]).unwrap();
    for law in laws(Energy::NeverGrows) {
        let outcome = law.resolve(&problem).unwrap();
        assert_eq!(outcome.trace.reduction, None);
        assert_eq!(outcome.trace.restitution, RestitutionUse::Used);
        assert!((outcome.velocity - dvector![1.0, 2.0]).amax() < 1e-12);
    }
}

/// Symptom: three of 60 000 impacts by `Plus` without restitution gained energy. Cause: after a hundred
/// rounds of ever smaller impulses between two contacts a third one took part, too, although it separated at 0.3 to
/// 1.1 m/s, and friction pressed it against its motion. Expected: it does not take part. Cases of the seed 7.
#[test]
fn plus_gains_nothing_without_restitution() {
    let cases = std::env::var("PERCUSSION_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let mut random = Numbers(ChaCha8Rng::seed_from_u64(7));
    for case in 0..cases.max(57_329) {
        let (mass, velocity, contacts) = draw(&mut random, 4, 1 + case % 2);
        if case >= cases && ![27_664, 42_284, 57_328].contains(&case) {
            continue;
        }
        let contacts = contacts.into_iter().map(|contact| contact.with_restitution(0.0)).collect();
        let problem = Problem::new(Mass::Matrix(mass.clone()), velocity.clone(), contacts).unwrap();
        let outcome = plus(Energy::AsGiven).resolve(&problem).unwrap();
        assert_ne!(outcome.trace.status, Status::EnergyGained, "{case}");
        if outcome.trace.status == Status::Resolved {
            let gain = change(&mass, &velocity, &outcome);
            assert!(gain <= 1e-8, "{case}: {gain:e}");
        }
    }
}
