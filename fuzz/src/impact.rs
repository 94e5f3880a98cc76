//! Impacts, for every law, each judged by its own definition.

use nalgebra::{DMatrix, DVector};
use percussion_impact as laws;
use percussion_impact::{
    Law, Mass,
    anitescu_potra::AnitescuPotra,
    energy::Energy,
    maximum_dissipation::MaximumDissipation,
    newton::Newton,
    plus::Plus,
    poisson::Poisson,
    propagative::Propagative,
    routh::{self, Routh},
    sequential::Sequential,
    set_valued::{self, SetValuedRouth, Termination},
};
use percussion_verify::{
    Verdict, friction,
    impact::{self as judge, Impact as Judge, Restitution},
};
use serde::{Deserialize, Serialize};

use crate::{
    Case, Source, Style, Tally, fuzz, lcp,
    matrices::{self, Rows, flat},
};

/// Default tolerance of Lemke's method and of sequences; that of round cones is smaller.
const TOLERANCE: f64 = 1e-9;
/// Directions of friction, by default.
const DIRECTIONS: usize = 8;
/// Rounding of the data above which an outcome cannot be judged.
const BLIND: f64 = 1e-6;

/// An impact by plain numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Impact {
    /// `M` by rows.
    pub mass_matrix: Rows,
    /// `v⁻`.
    pub velocity: Vec<f64>,
    /// The contacts.
    pub contacts: Vec<Contact>,
    /// The rows of the joints.
    pub bilateral: Rows,
}

/// One contact.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contact {
    /// Row of the normal velocity.
    pub normal: Vec<f64>,
    /// Rows of the tangential velocities, 0 to 2.
    pub tangents: Rows,
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
}

/// The target for libFuzzer.
pub fn target(data: &[u8]) {
    fuzz::<Impact>(data);
}

impl Case for Impact {
    const NAME: &'static str = "impact";

    fn generate(source: &mut Source<'_>) -> Self {
        let n = 1 + source.below(7);
        let mut mass_matrix = mass(source, n);
        let contacts = source.pick(&[1, 1, 1, 2, 2, 3, 4]);
        let tangents: Vec<usize> = (0..contacts).map(|_| source.below(3)).collect();
        let frictionless = source.chance(0.2);
        let rows = 3 * contacts;
        let mut jacobian = matrices::jacobian(source, rows, n);
        // Lever arms; all contact velocities have the same unit, because laws compare contacts.
        let decades = source.pick(&[0.0, 0.0, 0.0, 1.0, 2.0]);
        let restitution = source.pick(&[None, None, Some(0.0), Some(1.0)]);
        let mut list: Vec<Contact> = Vec::with_capacity(contacts);
        for (k, &tangents) in tangents.iter().enumerate() {
            let unit = matrices::unit(source, decades);
            jacobian[3 * k..3 * k + 3].iter_mut().flatten().for_each(|x| *x *= unit);
            if k > 0 && source.chance(0.1) {
                let same = list[source.below(k)].clone();
                list.push(same); // At the same place.
                continue;
            }
            list.push(Contact {
                normal: jacobian[3 * k].clone(),
                tangents: jacobian[3 * k + 1..=3 * k + tangents].to_vec(),
                friction: if frictionless { 0.0 } else { lcp::friction(source) },
                restitution: restitution
                    .unwrap_or_else(|| source.pick(&[0.0, 1.0, 0.5, 0.3, 0.999])),
            });
        }
        let joints = source.pick(&[0, 0, 0, 1, 2, 3]).min(n);
        let mut bilateral = matrices::jacobian(source, joints, n);
        if joints > 0 && source.chance(0.3) {
            // A row with a factor, whose redundancy is lost in rounding.
            let factor = source.normal();
            let row = bilateral[0].iter().map(|x| x * factor).collect();
            bilateral.push(row);
        }
        let style = source.style();
        let decades = source.pick(&[0.0, 0.0, 0.0, 6.0, 100.0]);
        let speed = matrices::unit(source, decades);
        let velocity = (0..n).map(|_| source.number(style) * speed).collect();
        let decades = source.pick(&[0.0, 0.0, 12.0, 150.0]);
        let unit = matrices::unit(source, decades);
        mass_matrix.iter_mut().flatten().for_each(|m| *m *= unit);
        Self { mass_matrix, velocity, contacts: list, bilateral }
    }

    fn check(&self, tally: &mut Tally) {
        let Some(problem) = self.problem() else {
            tally.count("problem", "Refused");
            return;
        };
        let Some(judge) = self.judge().filter(|judge| judge.rounding() <= BLIND) else {
            tally.count("problem", "BeyondTheJudge");
            return;
        };
        Check { problem: &problem, judge: &judge, tally }.all(self);
    }

    fn smaller(&self) -> Vec<Self> {
        let mut list = Vec::new();
        if self.contacts.len() > 1 {
            list.extend((0..self.contacts.len()).map(|k| {
                let mut smaller = self.clone();
                smaller.contacts.remove(k);
                smaller
            }));
        }
        list.extend((0..self.bilateral.len()).map(|k| {
            let mut smaller = self.clone();
            smaller.bilateral.remove(k);
            smaller
        }));
        for (k, contact) in self.contacts.iter().enumerate() {
            list.extend((0..contact.tangents.len()).map(|t| {
                let mut smaller = self.clone();
                smaller.contacts[k].tangents.remove(t);
                smaller
            }));
        }
        let n = self.velocity.len();
        if n > 1 {
            list.extend((0..n).map(|i| self.without_coordinate(i)));
        }
        list
    }
}

fn mass(source: &mut Source<'_>, n: usize) -> Rows {
    let decades = source.pick(&[0.0, 0.3, 0.3, 2.0, 6.0]);
    let mut mass: Rows = vec![vec![0.0; n]; n];
    for (i, row) in mass.iter_mut().enumerate() {
        row[i] = source.power(decades);
    }
    if source.chance(0.4) {
        // Coupled coordinates, as of chains.
        let a = matrices::numbers(source, n, n, Style::Normal);
        let square = matrices::product(&a, &a);
        let root: Vec<f64> = (0..n).map(|i| mass[i][i].sqrt()).collect();
        let weight = source.pick(&[1.0, 0.1, 1e-4]);
        for (i, row) in mass.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                let (low, high) = (i.min(j), i.max(j));
                let own = if i == j { weight } else { 0.0 };
                *entry = root[low] * root[high] * (square[low][high] + own);
            }
        }
    }
    mass
}

impl Impact {
    fn without_coordinate(&self, i: usize) -> Self {
        let mut smaller = self.clone();
        smaller.velocity.remove(i);
        smaller.mass_matrix.remove(i);
        smaller
            .mass_matrix
            .iter_mut()
            .chain(&mut smaller.bilateral)
            .for_each(|row| _ = row.remove(i));
        for contact in &mut smaller.contacts {
            contact.normal.remove(i);
            contact.tangents.iter_mut().for_each(|row| _ = row.remove(i));
        }
        smaller
    }

    fn problem(&self) -> Option<laws::Problem> {
        let n = self.velocity.len();
        let row = |row: &Vec<f64>| DVector::from_column_slice(row);
        let contacts = self
            .contacts
            .iter()
            .map(|contact| {
                laws::Contact::new(row(&contact.normal))
                    .with_friction(contact.friction, contact.tangents.iter().map(row).collect())
                    .with_restitution(contact.restitution)
            })
            .collect();
        let mass = Mass::Matrix(DMatrix::from_row_slice(n, n, &flat(&self.mass_matrix)));
        let joints = DMatrix::from_row_slice(self.bilateral.len(), n, &flat(&self.bilateral));
        laws::Problem::with_joints(mass, row(&self.velocity), contacts, joints).ok()
    }

    fn judge(&self) -> Option<Judge> {
        let contacts = self
            .contacts
            .iter()
            .map(|contact| judge::Contact {
                normal: contact.normal.clone(),
                tangents: contact.tangents.clone(),
                friction: if contact.tangents.is_empty() { 0.0 } else { contact.friction },
                restitution: contact.restitution,
            })
            .collect();
        Judge::new(flat(&self.mass_matrix), self.velocity.clone(), contacts, self.bilateral.clone())
    }
}

/// A problem, its judge and the tally of results.
struct Check<'a> {
    problem: &'a laws::Problem,
    judge: &'a Judge,
    tally: &'a mut Tally,
}

fn plain(outcome: &laws::Outcome) -> judge::Outcome {
    judge::Outcome {
        velocity: outcome.velocity.as_slice().to_vec(),
        impulses: outcome
            .impulses
            .iter()
            .map(|impulse| {
                [impulse.normal].into_iter().chain(impulse.tangent.iter().copied()).collect()
            })
            .collect(),
        joint_impulses: outcome.bilateral_impulses.as_slice().to_vec(),
    }
}

impl Check<'_> {
    /// Runs a law; an outcome with the status resolved is judged by the common conditions and by `own`.
    fn law(
        &mut self,
        label: &str,
        law: &dyn Law,
        own: impl FnOnce(&Judge, &laws::Outcome, &judge::Outcome) -> Verdict,
    ) -> Option<laws::Outcome> {
        let Ok(outcome) = law.resolve(self.problem) else {
            self.tally.count(label, "Refused");
            return None;
        };
        let status = format!("{:?}", outcome.trace.status);
        self.tally.count(label, outcome.trace.status);
        let energy = match status.as_str() {
            "Resolved" => judge::Energy::Falls,
            "EnergyGained" => judge::Energy::MayGrow,
            "Infeasible" => {
                let weights = outcome.trace.infeasibility.as_ref();
                let weights = weights.map_or(&[][..], |weights| weights.as_slice());
                let verdict = self.judge.infeasible(weights, &self.asked());
                self.tally.judge(label, &verdict);
                return None;
            }
            _ => return None,
        };
        let answer = plain(&outcome);
        let mut verdict = self.judge.common(&answer, energy, TOLERANCE);
        if verdict.figure("size").is_none() {
            verdict.merge(&own(self.judge, &outcome, &answer));
        }
        self.tally.judge(label, &verdict);
        Some(outcome)
    }

    /// The speeds of separation of Newton's restitution.
    fn asked(&self) -> Vec<f64> {
        let free = self.problem.free_contact_velocity();
        let contacts = self.problem.contacts().iter().enumerate();
        contacts
            .map(|(k, contact)| contact.restitution * (-free[self.problem.rows(k).start]).max(0.0))
            .collect()
    }

    fn all(&mut self, case: &Impact) {
        let simultaneous =
            self.law("anitescu-potra", &AnitescuPotra::default(), |judge, _, answer| {
                judge.newton(answer, Some(0.0), DIRECTIONS, TOLERANCE)
            });
        self.law("newton", &Newton::default(), |judge, _, answer| {
            judge.newton(answer, None, DIRECTIONS, TOLERANCE)
        });
        self.law("poisson", &Poisson::default(), |judge, outcome, answer| {
            // The compression is the inelastic impact, whose impulses its own law has computed.
            let middle = outcome.trace.stages.first().map(|stage| &stage.velocity);
            match simultaneous.as_ref().filter(|inelastic| Some(&inelastic.velocity) == middle) {
                Some(inelastic) => judge.poisson(answer, &plain(inelastic).impulses, TOLERANCE),
                None => Verdict::default(),
            }
        });
        // With restitution as given; where it is reduced, what is left to judge is that the energy does not grow.
        let energy = Energy::AsGiven;
        let law = MaximumDissipation { energy, ..MaximumDissipation::default() };
        self.law("maximum-dissipation", &law, |judge, _, answer| {
            judge.round_cones(answer, friction::Law::MaximumDissipation, TOLERANCE)
        });
        let law = MaximumDissipation { energy, ..MaximumDissipation::coulomb() };
        self.law("coulomb", &law, |judge, _, answer| {
            judge.round_cones(answer, friction::Law::Coulomb, TOLERANCE)
        });
        let law = MaximumDissipation::default();
        self.law("maximum-dissipation-reduced", &law, |_, _, _| Verdict::default());
        self.plus();
        self.sequential();
        self.propagative(case);
        self.routh(case);
        self.set_valued(case);
    }

    /// The law states that contacts may still approach by rounding errors of the speeds within the impact.
    fn plus(&mut self) {
        let law = Plus::default();
        let judge = self.judge.leaving(4.0 * law.rank_tolerance * self.judge.reach());
        let (problem, tally) = (self.problem, &mut *self.tally);
        Check { problem, judge: &judge, tally }.law("plus", &law, |_, _, _| Verdict::default());
    }

    fn sequential(&mut self) {
        let law = Sequential::new(Newton::default());
        // It ends when no contact approaches faster than this fraction of the fastest.
        let judge = self.judge.leaving(law.tolerance * self.judge.fastest());
        let (problem, tally) = (self.problem, &mut *self.tally);
        Check { problem, judge: &judge, tally }.law("sequential", &law, |judge, outcome, _| {
            let mut verdict = Verdict::default();
            let stages: Vec<_> = outcome
                .trace
                .stages
                .iter()
                .filter_map(|stage| Some((stage.contact?, stage.velocity.as_slice().to_vec())))
                .collect();
            for stage in judge.sequence(&stages).into_iter().flatten() {
                verdict.merge(&stage.problem.newton(&stage.outcome, None, DIRECTIONS, TOLERANCE));
            }
            verdict
        });
    }

    fn propagative(&mut self, case: &Impact) {
        if case
            .contacts
            .iter()
            .any(|contact| contact.friction > 0.0 && !contact.tangents.is_empty())
        {
            return;
        }
        for restitution in [1.0, 0.5] {
            let law = Propagative { restitution, ..Propagative::default() };
            let label = if restitution < 1.0 { "propagative-inelastic" } else { "propagative" };
            self.law(label, &law, |judge, _, answer| {
                judge.propagative(answer, restitution, TOLERANCE)
            });
        }
    }

    fn routh(&mut self, case: &Impact) {
        if case.contacts.len() > 1 {
            return;
        }
        for (label, restitution, judged) in [
            ("routh-kinematic", routh::Restitution::Kinematic, Restitution::Kinematic),
            ("routh-kinetic", routh::Restitution::Kinetic, Restitution::Kinetic),
            ("routh-energetic", routh::Restitution::Energetic, Restitution::Energetic),
        ] {
            let law = Routh { restitution, ..Routh::default() };
            self.law(label, &law, |judge, _, answer| judge.routh(answer, judged, TOLERANCE));
        }
    }

    fn set_valued(&mut self, case: &Impact) {
        // A third of the largest impulse that a single contact needs, or 1 if none is struck.
        let percussion = (0..case.contacts.len())
            .map(|k| {
                let row = self.problem.rows(k).start;
                -self.problem.free_contact_velocity()[row] / self.problem.delassus()[(row, row)]
            })
            .filter(|percussion| percussion.is_finite())
            .fold(0.0_f64, f64::max);
        let step = if percussion > 0.0 { percussion / 3.0 } else { 1.0 };
        let settings = set_valued::Settings { step, samples: 1, ..set_valued::Settings::default() };
        if case.contacts.iter().any(|contact| contact.restitution > 0.0) {
            // Its steps are no implicit ones.
            let fastest = self.problem.free_contact_velocity().amax();
            let law = SetValuedRouth::new(settings);
            let judge = self.judge.leaving(settings.tolerance * fastest);
            let (problem, tally) = (self.problem, &mut *self.tally);
            let mut check = Check { problem, judge: &judge, tally };
            check.law("set-valued-restitution", &law, |_, _, _| Verdict::default());
            return;
        }
        let Ok(path) = SetValuedRouth::new(settings).sample(self.problem, 0) else {
            self.tally.count("set-valued", "Refused");
            return;
        };
        self.tally.count("set-valued", path.termination);
        if !matches!(path.termination, Termination::Separated | Termination::Closed) {
            return;
        }
        let steps: Vec<_> = path
            .steps
            .iter()
            .map(|step| judge::Step {
                increments: step.increments.clone(),
                velocity: step.velocity.as_slice().to_vec(),
                impulses: (0..case.contacts.len())
                    .map(|k| step.impulse.as_slice()[self.problem.rows(k)].to_vec())
                    .collect(),
            })
            .collect();
        let verdict = self.judge.path(&steps, DIRECTIONS, TOLERANCE);
        self.tally.judge("set-valued", &verdict);
    }
}
