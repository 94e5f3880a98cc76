//! The mean number of steps of the rocking block, and that the fast path is Lemke's.

use nalgebra::{DMatrix, DVector, dvector};

use super::{
    covering_path::CoveringPath,
    draws::Source,
    statement::{Statement, Units},
    *,
};
use crate::{Contact, Mass};

/// A block of 1 m × 2 m and 1 kg falls flat, from a height of 1 cm, on two corners with `μ = 1`.
fn rocking_block() -> Problem {
    let corner = |x: f64| {
        Contact::new(dvector![0.0, 1.0, x]).with_friction(1.0, vec![dvector![1.0, 0.0, 1.0]])
    };
    let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 5.0 / 12.0]));
    let speed = (2.0 * 9.81 * 0.01_f64).sqrt();
    Problem::new(mass, dvector![0.0, -speed, 0.0], vec![corner(-0.5), corner(0.5)]).unwrap()
}

fn block_settings() -> Settings {
    Settings { step: 0.3, steps: 10, ..Settings::default() }
}

/// An independent implementation gives 2.48 ± 0.01 for 4000 samples.
#[test]
fn a_block_takes_two_and_a_half_steps_on_average() {
    for draws in [Draws::Random, Draws::Sobol] {
        let settings = Settings { samples: 1 << 16, draws, ..block_settings() };
        let set =
            SetValuedRouth::new(settings).post_impact_set(&rocking_block(), (), |_| ()).unwrap();
        let mean = set.statistics.mean_lcps();
        assert!((mean / 2.48 - 1.0).abs() < 0.02, "{draws:?}: {mean}");
        assert_eq!(set.statistics.terminated, 1 << 16, "{:?}", set.statistics);
        assert_eq!(set.statistics.fallbacks, 0, "{draws:?}");
    }
}

/// With random covering vectors there are no ties that Lemke's method would have to break, so its path
/// is the same whether it is followed in the dictionary or on the contacts' laws, and ends in the same
/// solution, be there others or not.
#[test]
fn the_path_on_the_laws_of_the_contacts_is_lemkes() {
    let mut random = Source::new(Draws::Random, 3, 0).unwrap();
    let mut found = 0;
    for case in 0..2000_u64 {
        random.seek(case);
        let contacts = 1 + usize::try_from(case % 4).unwrap();
        let problem = random_problem(contacts, &mut random);
        let mut statement = Statement::new(&problem, 8).unwrap();
        statement.covering_mut().apply(|d| *d = 0.1 + random.next());
        let mut path = CoveringPath::new(&problem, &statement.frames).unwrap();
        statement.cover(&mut path);
        let u = problem.free_contact_velocity();
        let increments: Vec<_> = (0..contacts).map(|_| random.next()).collect();
        let mut lemke = DVector::zeros(u.len());
        let mut own = lemke.clone();
        if !crate::law::any_approach(&problem, &u) || !path.solve(&u, &increments, &mut own) {
            continue;
        }
        found += 1;
        let settings = lemke::Settings { restarts: 0, ..lemke::Settings::default() };
        assert!(statement.solve(&u, &increments, &settings, &mut lemke), "case {case}");
        let difference = problem.response() * (&own - &lemke);
        assert!(difference.amax() < 1e-8 * (1.0 + u.amax()), "case {case}: {own} {lemke}");
    }
    // Of one contact half approach, of more nearly all.
    assert!(found > 1500, "{found}");
}

/// Planar contacts with much friction on five velocities; every third has no tangent.
fn random_problem(contacts: usize, random: &mut Source) -> Problem {
    let mut symmetric = || 2.0 * random.next() - 1.0;
    let factor = DMatrix::from_fn(5, 5, |_, _| symmetric());
    let mass = &factor * factor.transpose() + DMatrix::identity(5, 5) * 0.25;
    let mut row = || DVector::from_fn(5, |_, _| symmetric());
    let contacts = (0..contacts).map(|i| {
        let contact = Contact::new(row());
        if i % 3 == 2 { contact } else { contact.with_friction(1.5, vec![row()]) }
    });
    let contacts = contacts.collect();
    Problem::new(Mass::Matrix(mass), row(), contacts).unwrap()
}

/// The residual of impulses that lead `problem` from its velocity in one step with increments of `step`.
fn residual(problem: &Problem, step: f64, impulse: &DVector<f64>) -> f64 {
    let statement = Statement::new(problem, 8).unwrap();
    let before = problem.free_contact_velocity();
    let after = &before + problem.delassus() * impulse;
    let units = Units::new(problem, &before, (before.amax(), step));
    let increments = vec![step; problem.contacts().len()];
    statement.judge(&increments, &before, &after, impulse, &units).residual
}

/// Beside a truck of 10 t a grain of 1 mg pushes and separates: 2e-6 N·s, 2e-10 of the truck's increment, turn it round. With the energy of the
/// truck it would have 1e5 m/s, and 1 m/s is 1e-5 of that.
#[test]
fn a_light_contact_is_judged_by_its_own_percussions() {
    let contacts = vec![Contact::new(dvector![1.0, 0.0]), Contact::new(dvector![0.0, 1.0])];
    let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1e4, 1e-6]));
    let problem = Problem::new(mass, dvector![-1.0, -1.0], contacts).unwrap();
    let wrong = residual(&problem, 1e4, &dvector![1e4, 2e-6]);
    assert!((wrong - 1e-5).abs() < 1e-14, "{wrong:e}");
    let right = residual(&problem, 1e4, &dvector![1e4, 1e-6]);
    assert!(right < 1e-9, "{right:e}");
}

/// A tangent in units in which 1 m/s is 1e-10: friction that does not oppose the slip along it is none the less wrong.
#[test]
fn a_short_tangent_is_judged_by_its_own_velocity() {
    let floor = Contact::new(dvector![1.0, 0.0]).with_friction(1.0, vec![dvector![0.0, 1e-10]]);
    let mass = Mass::Matrix(DMatrix::identity(2, 2));
    let problem = Problem::new(mass, dvector![-1.0, 1.0], vec![floor]).unwrap();
    let wrong = residual(&problem, 1.0, &dvector![1.0, 0.0]);
    assert!(wrong > 0.9, "{wrong:e}");
    let right = residual(&problem, 1.0, &dvector![1.0, -1.0]);
    assert!(right < 1e-9, "{right:e}");
}
