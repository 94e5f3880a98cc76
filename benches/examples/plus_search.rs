//! Frequency and effect of differences between the heuristic of PLUS and its exhaustive search.
//!
//! The random impacts have one to four contacts, frictionless, planar and spatial ones mixed. Their rows do
//! not belong to any body, which makes them far harder than real contacts. The table is the one in the
//! documentation of `percussion_impact::plus`.
//!
//! ```console
//! $ cargo run --release -p percussion-benches --example plus_search
//! ```

#![expect(clippy::print_stdout, reason = "it is what the example is for")]

use nalgebra::{DMatrix, DVector};
use percussion_impact::{
    Contact, Law, Mass, Problem,
    certificate::Certificate,
    plus::{ActiveSet, Plus, Status},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const COUNT: usize = 10_000;

/// A family of random impacts.
struct Family {
    velocities: usize,
    restitution: Option<f64>,
    friction: f64,
}

impl Family {
    fn draw(&self, rng: &mut ChaCha8Rng) -> Problem {
        let n = self.velocities;
        let row = |rng: &mut ChaCha8Rng| DVector::from_fn(n, |_, _| rng.random_range(-1.0..1.0));
        let velocity = row(rng);
        let factor = DMatrix::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0));
        let mass = &factor * factor.transpose() + DMatrix::identity(n, n) * 0.25;
        let count = rng.random_range(1..=4);
        let contacts = (0..count).map(|_| {
            let normal = row(rng);
            let tangents = (0..rng.random_range(0..3)).map(|_| row(rng)).collect();
            let friction = rng.random_range(0.0..self.friction);
            let restitution = self.restitution.unwrap_or_else(|| rng.random_range(0.0..1.0));
            Contact::new(normal).with_friction(friction, tangents).with_restitution(restitution)
        });
        let contacts = contacts.collect();
        Problem::new(Mass::Matrix(mass), velocity, contacts).expect("what is drawn is a problem")
    }
}

/// The results of one kind of search.
#[derive(Default)]
struct Tally {
    unsolved: usize,
    limits: usize,
    gathered: usize,
    left: usize,
    violation: f64,
    /// Largest of momentum residual, adhesion and cone violation, and approach of resolved impacts.
    residual: f64,
    approach: f64,
    /// Resolved impacts without restitution that gain energy.
    gaining: usize,
    /// Largest gain of energy of a resolved impact without restitution, as a fraction of the initial energy.
    gain: f64,
}

impl Tally {
    fn add(&mut self, law: &Plus, problem: &Problem) -> (DVector<f64>, f64, f64) {
        let report = law.trace(problem).expect("the settings are in range").report;
        let outcome = law.resolve(problem).expect("the settings are in range");
        let certificate = Certificate::check(problem, &outcome).expect("it answers the problem");
        match report.status {
            Status::Resolved => self.approach = self.approach.max(certificate.approach),
            Status::Unsolved => self.unsolved += 1,
            _ => self.limits += 1,
        }
        self.gathered += usize::from(report.gathered > 0);
        self.left += usize::from(report.violation > 1e-8);
        self.violation = self.violation.max(report.violation);
        let percussion = outcome.impulses.iter().fold(1.0_f64, |most, p| most.max(p.normal));
        let residual =
            certificate.momentum_residual.max(certificate.adhesion).max(certificate.cone_violation);
        self.residual = self.residual.max(residual / percussion);
        if problem.contacts().iter().all(|contact| contact.restitution == 0.0) {
            self.add_inelastic(&Plus { v_capture: 0.0, v_plastic: 0.0, ..*law }, problem);
        }
        (outcome.velocity, certificate.energy_after / certificate.energy_before, report.violation)
    }

    /// Adds the gain of an impact without restitution at any speed, if it is resolved. Slow contacts have some by default.
    fn add_inelastic(&mut self, law: &Plus, problem: &Problem) {
        let outcome = law.resolve(problem).expect("the settings are in range");
        if law.trace(problem).expect("the settings are in range").report.status == Status::Resolved
        {
            let certificate =
                Certificate::check(problem, &outcome).expect("it answers the problem");
            let gain = certificate.energy_change / certificate.energy_before;
            self.gaining += usize::from(gain > 1e-9);
            self.gain = self.gain.max(gain);
        }
    }
}

fn main() {
    println!("heuristic / exhaustive, of {COUNT} impacts each");
    for family in [
        Family { velocities: 12, restitution: Some(0.0), friction: 0.8 },
        Family { velocities: 12, restitution: None, friction: 0.8 },
        Family { velocities: 6, restitution: None, friction: 0.6 },
        Family { velocities: 6, restitution: Some(1.0), friction: 1.0 },
        Family { velocities: 6, restitution: Some(0.0), friction: 1.5 },
    ] {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut heuristic, mut exhaustive) = (Tally::default(), Tally::default());
        let (mut differ, mut energy, mut residual) = (0_u32, 0.0_f64, 0.0_f64);
        for _ in 0..COUNT {
            let problem = family.draw(&mut rng);
            let law = Plus { theta_max: 0.25, ..Plus::default() };
            let (a, energy_a, left_a) = heuristic.add(&law, &problem);
            let law = Plus { active_set: ActiveSet::Exhaustive, ..law };
            let (b, energy_b, left_b) = exhaustive.add(&law, &problem);
            differ += u32::from((a - b).amax() > 1e-8);
            energy = energy.max((energy_a - energy_b).abs());
            residual = residual.max((left_a - left_b).abs());
        }
        let Family { velocities, restitution, friction } = family;
        let (h, x) = (heuristic, exhaustive);
        println!(
            "{velocities} velocities, e {restitution:?}, μ < {friction}: differ {:.2} %, energy by {:.0} %, \
             approach left by {residual:.2} m/s; unsolved {} / {}, at a limit {} / {}, gathered {} / {}, approach \
             left in {} / {}, at most {:.2} / {:.2} m/s; residual {:.1e} / {:.1e}, approach at the end {:.1e} / \
             {:.1e}, gains of energy {} / {}, at most {:.1e} / {:.1e}",
            100.0 * f64::from(differ) / COUNT as f64,
            100.0 * energy,
            h.unsolved,
            x.unsolved,
            h.limits,
            x.limits,
            h.gathered,
            x.gathered,
            h.left,
            x.left,
            h.violation,
            x.violation,
            h.residual,
            x.residual,
            h.approach,
            x.approach,
            h.gaining,
            x.gaining,
            h.gain,
            x.gain,
        );
    }
}
