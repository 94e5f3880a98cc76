//! What holds for every motion: energy, momentum, the laws of contact, invariance, the same bits.

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::friction::Law;
use percussion_dynamics::Dimension;
use percussion_integrators::impulse_velocity::Settings;
use percussion_integrators::moreau_jean;
use percussion_integrators::{
    Contact, Model, Residual, Simulation, State, StepReport, impulse_velocity::ImpulseVelocity,
    moreau_jean::MoreauJean,
};
use proptest::prelude::*;

use crate::common::{ConstantSystem, LinearGap};
use crate::scenes::{at, balls};

const VELOCITIES: usize = 5;
const STEP: f64 = 0.05;

/// A model with constant coefficients.
#[derive(Clone, Debug)]
struct Constant {
    mass_factor: Vec<f64>,
    force: Vec<f64>,
    rows: Vec<Vec<f64>>,
    gaps: Vec<f64>,
    friction: Vec<f64>,
    restitution: f64,
    velocity: Vec<f64>,
}

impl Constant {
    fn mass_matrix(&self) -> DMatrix<f64> {
        let factor = DMatrix::from_column_slice(VELOCITIES, VELOCITIES, &self.mass_factor);
        &factor * factor.transpose() + DMatrix::identity(VELOCITIES, VELOCITIES)
    }

    fn model(&self) -> Model {
        let system = ConstantSystem {
            mass_matrix: self.mass_matrix(),
            force: DVector::from_column_slice(&self.force),
            dimension: Dimension::Space,
        };
        let contact = |((rows, &offset), &friction): ((&Vec<f64>, &f64), &f64)| {
            let rows = rows.chunks(VELOCITIES).map(<[f64]>::to_vec).collect();
            Contact::new(LinearGap { rows, offset }, friction).with_restitution(self.restitution)
        };
        let contacts = self.rows.iter().zip(&self.gaps).zip(&self.friction).map(contact).collect();
        Model::new(Box::new(system), contacts).unwrap()
    }

    fn state(&self) -> State {
        State { time: 0.0, coordinates: vec![0.0; VELOCITIES], velocity: self.velocity.clone() }
    }

    fn momentum_error(&self, before: &[f64], after: &[f64], report: &StepReport) -> f64 {
        let change = DVector::from_column_slice(after) - DVector::from_column_slice(before);
        let mut impulse = STEP * DVector::from_column_slice(&self.force);
        for contact in &report.contacts {
            for (row, p) in
                self.rows[contact.contact].chunks(VELOCITIES).zip(contact.impulse.iter())
            {
                impulse.axpy(*p, &DVector::from_column_slice(row), 1.0);
            }
        }
        (self.mass_matrix() * change - &impulse).amax() / (1.0 + impulse.amax())
    }
}

fn numbers(count: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0, count)
}

prop_compose! {
    fn constant()(contacts in 1_usize..4)(
        mass_factor in numbers(VELOCITIES * VELOCITIES),
        force in numbers(VELOCITIES),
        rows in prop::collection::vec(numbers(3 * VELOCITIES), contacts),
        gaps in prop::collection::vec(prop_oneof![Just(0.0), -0.05..0.1], contacts),
        friction in prop::collection::vec(prop_oneof![Just(0.0), 0.0..0.6], contacts),
        velocity in numbers(VELOCITIES),
    ) -> Constant {
        Constant { mass_factor, force, rows, gaps, friction, restitution: 0.0, velocity }
    }
}

/// Problems need not have a solution; what is claimed holds for steps that were solved.
fn solved(integrator: &mut Simulation<ImpulseVelocity>) -> Option<StepReport> {
    integrator.step().ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn energy_grows_by_the_removal_of_penetration_at_most(
        case in constant(), law in prop_oneof![Just(Law::Coulomb), Just(Law::MaximumDissipation)],
    ) {
        let settings = Settings { step_size: STEP, law, ..Settings::default() };
        let mut integrator = Simulation::<ImpulseVelocity>::new(case.model(), settings, case.state()).unwrap();
        let mass_matrix = case.mass_matrix();
        for _ in 0..10 {
            let before = integrator.state().clone();
            let Some(report) = solved(&mut integrator) else { break };
            let after = integrator.state();
            let change = DVector::from_column_slice(&after.velocity) - DVector::from_column_slice(&before.velocity);
            let model = integrator.model();
            let work: f64 = report.contacts.iter().map(|contact| {
                let gap = model.contacts()[contact.contact].gap.gap(model.system(), &before.coordinates);
                settings.error_reduction / STEP * contact.impulse.x * (-gap).max(0.0)
            }).sum();
            let bound = report.energy_before - 0.5 * change.dot(&(&mass_matrix * &change)) + work;
            // Problems are solved to 1e-8 of velocities of some m/s.
            prop_assert!(report.energy_after <= bound + 1e-6, "{} > {bound}", report.energy_after);
            prop_assert!(case.momentum_error(&before.velocity, &after.velocity, &report) < 1e-12);
            for contact in &report.contacts {
                let p = contact.impulse;
                prop_assert!(p.x >= 0.0 && p.y.hypot(p.z) <= case.friction[contact.contact] * p.x * (1.0 + 1e-14) + 1e-15);
                let Residual::Velocity(residual) = contact.residual else { panic!("{contact:?}") };
                prop_assert!(residual <= 1e-6);
            }
        }
    }

    /// `E' = E + Σ p·(u + u')/2` for θ = 1/2: elastic contacts without friction, all of them approaching or apart, keep
    /// energy; nothing but a contact that pushes while it was separating adds any.
    #[test]
    fn restitution_without_friction_does_not_add_energy(mut case in constant(), e in 0.0..1.0_f64) {
        case.friction.fill(0.0);
        case.restitution = e;
        let settings = moreau_jean::Settings { step_size: STEP, ..Default::default() };
        let mut integrator = Simulation::<MoreauJean>::new(case.model(), settings, case.state()).unwrap();
        for _ in 0..10 {
            let before = integrator.state().clone();
            let report = integrator.step().unwrap();
            let after = &integrator.state().velocity;
            prop_assert!(case.momentum_error(&before.velocity, after, &report) < 1e-12);
            let pushed: f64 = report.contacts.iter().map(|contact| {
                let row = &case.rows[contact.contact][..VELOCITIES];
                let u: f64 = row.iter().zip(&before.velocity).map(|(j, v)| j * v).sum();
                contact.impulse.x * u.max(0.0)
            }).sum();
            prop_assert!(report.energy_after <= report.energy_before + 0.5 * pushed + 1e-6);
        }
    }
}

/// Six balls fall on one another; the numbering of their contacts changes nothing but rounding and the tolerance.
#[test]
fn the_order_of_contacts_does_not_matter() {
    let start = || {
        let mut positions = vec![[0.0, 0.0, 0.1], [0.21, 0.0, 0.1], [0.1, 0.18, 0.1]];
        positions.push([0.1, 0.06, 0.35]);
        at(&positions, [0.5, 0.1, 0.0])
    };
    let settings = Settings { step_size: 0.01, tolerance: 1e-12, ..Settings::default() };
    let run = |order: fn(&mut Vec<Contact>)| {
        let mut integrator =
            Simulation::<ImpulseVelocity>::new(balls(4, 0.3, 9.81, order), settings, start())
                .unwrap();
        integrator.run(0.5, |_, _| ()).unwrap();
        integrator.state().clone()
    };
    let (one, other) = (run(|_| ()), run(|contacts| contacts.reverse()));
    for (a, b) in one.coordinates.iter().zip(&other.coordinates) {
        // Fifty steps, each right to 1e-12 of a few m/s; rolling balls amplify a difference by less than a thousand.
        assert!((a - b).abs() < 1e-8, "{a} {b}");
    }
}

#[test]
fn a_motion_and_the_replay_of_its_problems_have_the_same_bits() {
    let start = || at(&[[0.0, 0.0, 0.1], [0.19, 0.0, 0.15], [0.1, 0.1, 0.3]], [0.5, 0.1, 0.0]);
    let settings =
        Settings { step_size: 0.01, law: Law::MaximumDissipation, ..Settings::default() };
    let new = || {
        Simulation::<ImpulseVelocity>::new(balls(3, 0.4, 9.81, |_| ()), settings, start()).unwrap()
    };
    let (mut one, mut other) = (new(), new());
    for _ in 0..40 {
        let report = one.step().unwrap();
        assert_eq!(report, other.step().unwrap());
        assert_eq!(one.state(), other.state());
        let Some(document) = one.document() else { continue };
        let again = document
            .to_string()
            .parse::<percussion_complementarity::friction::document::Document>()
            .unwrap();
        let impulses: Vec<_> = report.contacts.iter().map(|contact| contact.impulse).collect();
        assert_eq!(again.solve().unwrap().impulses, impulses);
    }
}
