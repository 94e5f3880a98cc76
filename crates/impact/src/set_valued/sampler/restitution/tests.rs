//! Steps with restitution beside closed forms, Routh's method for one contact, and sequences of single impacts.

use nalgebra::{DMatrix, DVector, dvector};

use super::*;
use crate::{
    Contact, Law, Mass,
    propagative::Propagative,
    routh::{Restitution, Routh},
    sequential::{Order, Sequential},
    set_valued::{Draws, Settings, Termination, draws::Source},
};

fn settings(step: f64, steps: usize) -> Settings {
    Settings { step, steps, ..Settings::default() }
}

fn energetic() -> Routh {
    Routh { restitution: Restitution::Energetic, ..Routh::default() }
}

/// Contacts with friction on `n` velocities: in the plane, in space, or without friction.
fn random_problem(
    (n, contacts, tangents): (usize, usize, usize),
    (friction, restitution): (f64, f64),
    random: &mut Source,
) -> Problem {
    let mut symmetric = || 2.0 * random.next() - 1.0;
    let factor = DMatrix::from_fn(n, n, |_, _| symmetric());
    let mass = &factor * factor.transpose() + DMatrix::identity(n, n) * 0.25;
    let mut row = || DVector::from_fn(n, |_, _| symmetric());
    let contacts = (0..contacts)
        .map(|_| {
            let tangents = (0..tangents).map(|_| row()).collect();
            Contact::new(row()).with_friction(friction, tangents).with_restitution(restitution)
        })
        .collect();
    let velocity = row();
    Problem::new(Mass::Matrix(mass), velocity, contacts).unwrap()
}

fn random() -> Source {
    Source::new(Draws::Random, 24, 0).unwrap()
}

/// Three equal balls, the first at 1 m/s, elastic.
fn cradle() -> Problem {
    let contacts = [dvector![-1.0, 1.0, 0.0], dvector![0.0, -1.0, 1.0]]
        .map(|normal| Contact::new(normal).with_restitution(1.0));
    let mass = Mass::Matrix(DMatrix::identity(3, 3));
    Problem::new(mass, dvector![1.0, 0.0, 0.0], contacts.to_vec()).unwrap()
}

/// With the first contact three times as fast, in units with `λ̄ = (3, 1)`: `u₁` = −1 + 5τ and `u₂` = −τ until
/// τ = 1/5, with `E₁` = 3/10 and `E₂` = 1/50. Then `E₁` = 3/10 − 3·5 t²/2 and t = 1/5: `u₁` = 1, `u₂` = −2/5 and `E₂` = 2/25.
/// Contact 2 alone: `u₂` = −2/5 + 2t and `u₁` = 1 − t; after t = 1/5 `E₂` = 3/25, which it gives back in √(3/25).
#[test]
fn the_outcomes_of_a_cradle_lie_on_the_arc_of_its_momentum_and_energy() {
    let problem = cradle();
    let expected = [
        ([1.0, 0.0], [0.0, 0.0, 1.0]),
        ([3.0, 1.0], [-0.2, 0.6 - 0.12_f64.sqrt(), 0.6 + 0.12_f64.sqrt()]),
        ([1.0, 1.0], [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
        ([1.999, 1.0], [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
        ([1.0, 1e9], [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
    ];
    for (rates, velocity) in expected {
        let mut sampler = Sampler::new(&problem, &settings(1.0, 1)).unwrap();
        let increments = rates.map(|rate| 10.0 * rate);
        sampler.step(&increments).unwrap();
        if rates[1] == 0.0 {
            // Contact 1 alone, then contact 2 alone.
            sampler.step(&[0.0, 10.0]).unwrap();
        }
        assert_eq!(sampler.termination(), Termination::Separated, "{rates:?}");
        let found = sampler.velocity();
        let difference = (found - DVector::from_row_slice(&velocity)).amax();
        assert!(difference < 1e-12, "{rates:?}: {found}");
        assert!((found.sum() - 1.0).abs() < 1e-14 && (found.norm_squared() - 1.0).abs() < 1e-12);
    }
    // Arbitrary rates: on the arc of 60 degrees between the first and the third.
    let mut sampler = Sampler::new(&problem, &settings(0.1, 200)).unwrap();
    for index in 0..2000 {
        sampler.run(index);
        assert_eq!(sampler.termination(), Termination::Separated, "{index}");
        let v = sampler.velocity();
        assert!((v.sum() - 1.0).abs() < 1e-12 && (v.norm_squared() - 1.0).abs() < 1e-12, "{v}");
        assert!(v[0] < v[1] + 1e-9 && v[1] < v[2] + 1e-9 && v[0] > -1.0 / 3.0 - 1e-9, "{v}");
    }
}

/// A rod end in the plane with `W = [1, b; b, 1]`, `u = (−1, −1)`, `μ = 1/2`, `b = 1/4`, `e = 1/2`. It slides with
/// `du_n = 1 + b/2 = 9/8` and `du_t = b + 1/2 = 3/4`, up to compression at `Λ = 8/9`, where `u_t = −1/3` and
/// `E = e² · 4/9 = 1/9`. The slip ends at 4/3, with `u_n = 1/2`, and has taken back
/// `½ · 1/2 · 4/9 = 1/9`: all of it, in the moment in which it would stick.
#[test]
fn a_rod_end_gives_back_its_energy_as_by_hand() {
    let (b, mu) = (0.25, 0.5);
    let delassus = DMatrix::from_row_slice(2, 2, &[1.0, b, b, 1.0]);
    let mass = Mass::Matrix(delassus.try_inverse().unwrap());
    let end = Contact::new(dvector![1.0, 0.0])
        .with_friction(mu, vec![dvector![0.0, 1.0]])
        .with_restitution(0.5);
    let problem = Problem::new(mass, dvector![-1.0, -1.0], vec![end]).unwrap();
    let mut sampler = Sampler::new(&problem, &settings(1.0, 1)).unwrap();
    sampler.step(&[100.0]).unwrap();
    assert!((sampler.impulse() - dvector![4.0 / 3.0, 2.0 / 3.0]).amax() < 1e-12);
    assert!((sampler.contact_velocity() - dvector![0.5, 0.0]).amax() < 1e-12);
}

/// Slip that stops, reverses, and jams, by another method, whose segments are those of the impulse.
#[test]
fn one_contact_is_stronges_law_in_the_plane() {
    let mut random = random();
    let (mut hit, mut stuck, mut jammed) = (0, 0, 0);
    for case in 0..4000 {
        random.seek(case);
        let e = [0.1, 0.3, 0.7, 1.0][usize::try_from(case % 4).unwrap()];
        let problem = random_problem((3, 1, 1), (3.0 * random.next(), e), &mut random);
        let before = problem.free_contact_velocity();
        if before[0] >= 0.0 {
            continue;
        }
        hit += 1;
        let mut sampler = Sampler::new(&problem, &settings(1.0, 1)).unwrap();
        sampler.step(&[1e4]).unwrap();
        assert_eq!(sampler.termination(), Termination::Separated, "{case}");
        let routh = energetic().resolve(&problem).unwrap();
        let size = 1.0 + routh.velocity.amax();
        let difference = (sampler.velocity() - &routh.velocity).amax();
        assert!(difference < 1e-9 * size, "{case}: {difference:e}");
        stuck += u64::from(sampler.contact_velocity()[1] == 0.0);
        let w = problem.delassus();
        let push = w[(0, 0)] - problem.contacts()[0].friction * before[1].signum() * w[(0, 1)];
        jammed += u64::from(push < 0.0);
    }
    assert!(hit > 1500 && stuck > 100 && jammed > 50, "{hit} {stuck} {jammed}");
}

/// The polygon of friction tends to the disk: with four times as many directions the mean distance more than halves.
#[test]
fn one_contact_tends_to_stronges_law_in_space() {
    let mut mean = Vec::new();
    for directions in [4, 16, 64] {
        let mut random = random();
        let (mut sum, mut count) = (0.0, 0);
        for case in 0..300 {
            random.seek(case);
            let problem = random_problem((4, 1, 2), (1.0, 0.5), &mut random);
            if problem.free_contact_velocity()[0] >= 0.0 {
                continue;
            }
            let settings = Settings { directions, ..settings(1.0, 1) };
            let mut sampler = Sampler::new(&problem, &settings).unwrap();
            sampler.step(&[1e3]).unwrap();
            assert_eq!(sampler.termination(), Termination::Separated, "{case}");
            let routh = energetic().resolve(&problem).unwrap();
            sum += (sampler.velocity() - &routh.velocity).amax() / (1.0 + routh.velocity.amax());
            count += 1;
        }
        mean.push(sum / f64::from(count));
    }
    assert!(mean.windows(2).all(|pair| pair[1] < 0.5 * pair[0]) && mean[2] < 5e-3, "{mean:?}");
}

#[test]
fn one_contact_at_a_time_is_the_sequence_of_single_impacts() {
    let mut random = random();
    let mut compared = 0;
    for case in 0..1000 {
        random.seek(case);
        let e = [1e-9, 0.5, 1.0][usize::try_from(case % 3).unwrap()];
        let problem = random_problem((5, 2, 1), (0.8, e), &mut random);
        let law = Sequential {
            order: Order::Cycle(vec![0, 1]),
            limit: 50,
            ..Sequential::new(energetic())
        };
        let single = law.resolve(&problem).unwrap();
        if !single.trace.status.came_to_its_end() {
            continue;
        }
        let mut sampler = Sampler::new(&problem, &settings(1.0, 1)).unwrap();
        for step in 0..50 {
            if sampler.termination() == Termination::Separated {
                break;
            }
            let increments = if step % 2 == 0 { [1e4, 0.0] } else { [0.0, 1e4] };
            sampler.step(&increments).unwrap();
        }
        assert_eq!(sampler.termination(), Termination::Separated, "{case}");
        let difference = (sampler.velocity() - &single.velocity).amax();
        assert!(difference < 1e-7 * (1.0 + single.velocity.amax()), "{case}: {difference:e}");
        compared += 1;
    }
    assert!(compared > 700, "{compared}");
}

/// Every minimal sequence of reflections is followed where one contact after the other pushes alone, so that all outcomes of
/// the propagative law are among those at arbitrary rates.
#[test]
fn elastic_impacts_without_friction_contain_the_propagative_outcomes() {
    let mut random = random();
    let (mut sequences, mut branching, mut longest) = (0, 0, 0);
    for case in 0..600 {
        random.seek(case);
        let contacts = 2 + usize::try_from(case % 3).unwrap();
        let problem = random_problem((4, contacts, 0), (0.0, 1.0), &mut random);
        let law = Propagative { listed: 10, ..Propagative::default() };
        let all = law.outcomes(&problem).unwrap();
        branching += usize::from(all.branches.len() > 1);
        for branch in &all.branches {
            for sequence in &branch.sequences {
                let mut sampler = Sampler::new(&problem, &settings(1.0, 1)).unwrap();
                for &contact in sequence {
                    let mut increments = vec![0.0; contacts];
                    increments[contact] = 1e4;
                    sampler.step(&increments).unwrap();
                }
                let found = (sampler.velocity() - &branch.outcome.velocity).amax();
                let size = 1.0 + branch.outcome.velocity.amax();
                assert!(found < 1e-9 * size, "{case} {sequence:?}: {found:e}");
                assert_eq!(sampler.termination(), Termination::Separated, "{case} {sequence:?}");
                sequences += 1;
                longest = longest.max(sequence.len());
            }
        }
    }
    assert!(sequences > 600 && branching > 100 && longest > 4, "{sequences} {branching} {longest}");
}

#[test]
fn elastic_impacts_without_friction_conserve_the_energy() {
    let mut random = random();
    let mut ended = 0;
    for case in 0..2000 {
        random.seek(case);
        let contacts = 1 + usize::try_from(case % 4).unwrap();
        let problem = random_problem((5, contacts, 0), (0.0, 1.0), &mut random);
        let mut sampler = Sampler::new(&problem, &settings(0.3, 1000)).unwrap();
        sampler.run(case);
        if sampler.termination() != Termination::Separated {
            continue;
        }
        ended += 1;
        let before = problem.kinetic_energy(problem.velocity());
        let after = problem.kinetic_energy(sampler.velocity());
        assert!((after / before - 1.0).abs() < 1e-12, "{case}: {before} {after}");
    }
    assert!(ended > 1950, "{ended}");
}

#[test]
fn kinetic_and_stored_energy_together_never_grow() {
    let cases = std::env::var("PERCUSSION_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    let mut random = random();
    let mut ended = 0;
    for case in 0..cases {
        random.seek(case);
        let pick = |count: u64, by: u64| usize::try_from(case / by % count).unwrap();
        let tangents = pick(3, 1);
        let contacts = 1 + pick(4, 3);
        let e = [0.2, 0.6, 1.0][pick(3, 12)];
        let friction = 1.5 * random.next();
        let problem = random_problem((6, contacts, tangents), (friction, e), &mut random);
        let mut sampler = Sampler::new(&problem, &settings(0.5, 200)).unwrap();
        let mut total = problem.kinetic_energy(problem.velocity());
        let start = total;
        for step in 0..200 {
            if sampler.termination() != Termination::Limit {
                break;
            }
            let increments: Vec<_> = (0..contacts).map(|_| 0.5 * random.next()).collect();
            sampler.step(&increments).unwrap();
            let stored: f64 = sampler.stored_energies().unwrap().iter().sum();
            let now = problem.kinetic_energy(sampler.velocity()) + stored;
            // Slip of this part of the speeds before the impact counts as none, and percussions that jam do work on it.
            let part = if tangents == 2 { SPIRAL * ROUNDING } else { ROUNDING };
            let work = sampler.speed * sampler.step_impulse.lp_norm(1);
            assert!(now <= total + part * (start + work), "{case} {step}: {total} {now}");
            assert!(sampler.stored_energies().unwrap().iter().all(|energy| *energy >= 0.0));
            total = now;
        }
        assert_ne!(sampler.termination(), Termination::Unsolved, "{case}");
        ended += u64::from(sampler.termination() == Termination::Separated);
    }
    assert!(ended > cases * 95 / 100, "{ended} of {cases}");
}

/// With the same draws, the path without restitution tends to the one in implicit steps as the increments become
/// small; they differ where slip reverses within a step.
#[test]
fn without_restitution_the_path_tends_to_that_of_implicit_steps() {
    let mut means = Vec::new();
    for step in [0.3, 0.03, 0.003] {
        let mut random = random();
        let (mut sum, mut count) = (0.0, 0);
        for case in 0..200 {
            random.seek(case);
            let problem = random_problem((5, 2, 1), (0.6, 0.0), &mut random);
            let settings = settings(step, 60_000);
            let mut implicit = Sampler::new(&problem, &settings).unwrap();
            implicit.run(case);
            let mut followed = Sampler::new(&problem, &settings).unwrap();
            followed.stores = Some(Box::new(Stores::empty(&problem)));
            followed.run(case);
            for sampler in [&implicit, &followed] {
                assert_eq!(sampler.termination(), Termination::Separated, "{case}");
            }
            sum += (implicit.velocity() - followed.velocity()).amax();
            count += 1;
        }
        means.push(sum / f64::from(count));
    }
    assert!(means[1] < 0.3 * means[0] && means[2] < 0.3 * means[1], "{means:?}");
}
