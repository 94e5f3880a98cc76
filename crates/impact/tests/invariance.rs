//! Outcomes do not depend on the order of contacts or bodies, the frames, or the units.

mod support;

use nalgebra::{DMatrix, DVector};
use percussion_impact::{
    Contact, Law, Mass, Problem, Status, anitescu_potra::AnitescuPotra, newton::Newton,
    poisson::Poisson, routh::Routh, step_lcp,
};
use proptest::prelude::*;
use support::Data;

/// As in the certificates: quantities below 1e2, solved to 1e-10.
const TOLERANCE: f64 = 1e-8;

/// Permutes the generalized velocities by `order`: the bodies in another order.
fn reorder(data: &Data, order: &[usize]) -> Data {
    let row = |row: &DVector<f64>| DVector::from_fn(row.len(), |i, _| row[order[i]]);
    let columns = |matrix: &DMatrix<f64>| matrix.select_columns(order);
    Data {
        mass: columns(&data.mass).select_rows(order),
        velocity: row(&data.velocity),
        contacts: data
            .contacts
            .iter()
            .map(|contact| Contact {
                normal: row(&contact.normal),
                tangents: contact.tangents.iter().map(row).collect(),
                ..contact.clone()
            })
            .collect(),
        joints: columns(&data.joints),
    }
}

/// The same in units that make masses and speeds the numbers `mass` and `speed` times as large.
fn scale(data: &Data, mass: f64, speed: f64) -> Data {
    Data { mass: &data.mass * mass, velocity: &data.velocity * speed, ..data.clone() }
}

fn agree(a: &DVector<f64>, b: &DVector<f64>) -> bool {
    (a - b).amax() <= TOLERANCE * (1.0 + a.amax())
}

/// Two discs in space on a floor, the velocities of their centers, with an answer that is unique.
fn discs(turn: f64) -> Problem {
    let row = |k: usize| DVector::from_fn(6, |i, _| f64::from(u8::from(i == k)));
    let (sin, cos) = turn.sin_cos();
    let contacts = [0, 3].map(|first| {
        let (x, y) = (row(first), row(first + 1));
        let tangents = vec![&x * cos + &y * sin, &y * cos - &x * sin];
        Contact::new(row(first + 2)).with_friction(0.4, tangents).with_restitution(0.5)
    });
    let mass = Mass::Matrix(DMatrix::from_diagonal(&DVector::from_fn(6, |i, _| 1.0 + i as f64)));
    let velocity = DVector::from_vec(vec![0.7, -0.2, -1.0, 0.1, 0.9, -2.0]);
    Problem::new(mass, velocity, contacts.to_vec()).expect("the test states a problem")
}

/// Turning the frame by the angle between two directions permutes them.
#[test]
fn a_frame_turned_from_direction_to_direction_changes_nothing() {
    let settings = step_lcp::Settings { directions: 12, ..Default::default() };
    let law = Poisson { settings, ..Poisson::default() };
    let straight = law.resolve(&discs(0.0)).unwrap();
    for k in 1..12 {
        let turn = f64::from(k) * std::f64::consts::TAU / 12.0;
        let turned = law.resolve(&discs(turn)).unwrap();
        assert!(agree(&straight.velocity, &turned.velocity), "{k}");
    }
}

/// The disk of Coulomb has no corners: any turn will do.
#[test]
fn a_followed_contact_does_not_depend_on_its_frame() {
    let law = Routh::default();
    let straight = law.resolve(&discs(0.0).contact_problem(1).unwrap()).unwrap();
    for turn in [0.1, 1.0, 2.0, 4.0] {
        let turned = law.resolve(&discs(turn).contact_problem(1).unwrap()).unwrap();
        assert!(agree(&straight.velocity, &turned.velocity), "{turn}");
    }
}

proptest! {
    #![proptest_config(support::config())]

    #[test]
    fn the_order_of_bodies_does_not_matter(
        data in support::data(1),
        order in Just(vec![0, 1, 2, 3, 4]).prop_shuffle(),
    ) {
        let law = Routh::default();
        let straight = law.resolve(&data.problem()).unwrap().velocity;
        let other = law.resolve(&reorder(&data, &order).problem()).unwrap().velocity;
        let expected = DVector::from_fn(5, |i, _| straight[order[i]]);
        prop_assert!(agree(&expected, &other), "{} is not {}", other, expected);
    }

    /// Without friction the velocity after an inelastic impact is unique.
    #[test]
    fn the_order_of_contacts_does_not_matter(data in support::data(4), shift in 1_usize..4) {
        let mut data = data;
        data.contacts.iter_mut().for_each(|contact| contact.friction = 0.0);
        let straight = AnitescuPotra::default().resolve(&data.problem()).unwrap();
        let count = data.contacts.len();
        data.contacts.rotate_left(shift % count);
        let turned = AnitescuPotra::default().resolve(&data.problem()).unwrap();
        prop_assert!(agree(&straight.velocity, &turned.velocity));
    }

    /// The sign of a tangent in the plane is a convention.
    #[test]
    fn the_sign_of_a_planar_tangent_does_not_matter(data in support::data(1)) {
        let mut data = data;
        data.contacts[0].tangents.truncate(1);
        let straight = Routh::default().resolve(&data.problem()).unwrap();
        data.contacts[0].tangents.iter_mut().for_each(|tangent| *tangent *= -1.0);
        let mirrored = Routh::default().resolve(&data.problem()).unwrap();
        prop_assert!(agree(&straight.velocity, &mirrored.velocity));
    }

    /// Other units of mass and speed scale the velocities and nothing else.
    #[test]
    fn units_do_not_matter(data in support::data(1), mass in -6_i32..7, speed in -6_i32..7) {
        let scaled = scale(&data, 10_f64.powi(mass), 10_f64.powi(speed));
        let straight = Routh::default().resolve(&data.problem()).unwrap().velocity;
        let other = Routh::default().resolve(&scaled.problem()).unwrap().velocity;
        let other = other / 10_f64.powi(speed);
        prop_assert!(agree(&straight, &other), "{} is not {}", other, straight);
    }

    /// With friction the answers of an LCP need not be unique; powers of four scale without rounding,
    /// so that even then the same one is found.
    #[test]
    fn units_do_not_choose_among_answers(data in support::data(4), mass in -9..9, speed in -9..9) {
        let scaled = scale(&data, 4_f64.powi(mass), 4_f64.powi(speed));
        let laws: [&dyn Law; 3] =
            [&AnitescuPotra::default(), &Poisson::default(), &Newton::default()];
        for law in laws {
            let straight = law.resolve(&data.problem()).unwrap();
            let other = law.resolve(&scaled.problem()).unwrap();
            let velocity = other.velocity / 4_f64.powi(speed);
            prop_assert_eq!(straight.trace.status, other.trace.status);
            let agrees = agree(&straight.velocity, &velocity);
            // What is left of a problem without an answer is anything.
            prop_assert!(agrees || straight.trace.status == Status::Unsolved, "{}", law.name());
        }
    }
}
