//! The figures of a certificate and their tolerances for random outcomes, by plain sums from the tables of the module.

use nalgebra::{DMatrix, DVector};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::super::{
    Certificate, Claims, Complementarity, Friction, Scales, Verdict, judgement::Judgement,
};
use crate::{
    Contact, Mass, Outcome, Problem,
    outcome::{RestitutionUse, Status, Trace},
};

type Rows = Vec<Vec<f64>>;

/// A problem and an outcome by plain numbers.
struct Plain {
    mass: Rows,
    /// `|L| |Lᵀ|`.
    sizes: Rows,
    inverse: Rows,
    before: Vec<f64>,
    after: Vec<f64>,
    /// Rows of all contacts: normal, tangents.
    contacts: Rows,
    percussions: Vec<f64>,
    joints: Rows,
    multipliers: Vec<f64>,
    /// `ε` and `κ`, which are tested by the problem.
    rounding: f64,
    condition: f64,
    /// `J` times the velocity that the joints permit.
    free: Vec<f64>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn times(matrix: &Rows, vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

fn absolute(vector: &[f64]) -> Vec<f64> {
    vector.iter().map(|x| x.abs()).collect()
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn rows_of(matrix: &DMatrix<f64>) -> Rows {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}

/// `|L| |Lᵀ|` of the factor by Cholesky's recurrence.
fn sizes_of(mass: &Rows) -> Rows {
    let n = mass.len();
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let rest = mass[i][j] - dot(&l[i][..j], &l[j][..j]);
            l[i][j] = if i == j { f64::sqrt(rest) } else { rest / l[j][j] };
        }
    }
    let l: Rows = l.iter().map(|row| absolute(row)).collect();
    l.iter().map(|row| l.iter().map(|other| dot(row, other)).collect()).collect()
}

impl Plain {
    fn of(problem: &Problem, mass: &DMatrix<f64>, outcome: &Outcome) -> Self {
        let percussions = outcome.impulses.iter();
        Self {
            mass: rows_of(mass),
            sizes: sizes_of(&rows_of(mass)),
            inverse: rows_of(&mass.clone().try_inverse().unwrap()),
            before: problem.velocity().as_slice().to_vec(),
            after: outcome.velocity.as_slice().to_vec(),
            contacts: rows_of(problem.contact_jacobian()),
            percussions: percussions
                .flat_map(|impulse| [&[impulse.normal][..], &impulse.tangent].concat())
                .collect(),
            joints: rows_of(problem.bilateral_jacobian()),
            multipliers: outcome.bilateral_impulses.as_slice().to_vec(),
            rounding: problem.rounding(),
            condition: problem.condition(),
            free: problem.free_contact_velocity().as_slice().to_vec(),
        }
    }

    /// `√(vᵀ M v)`.
    fn root(&self, v: &[f64]) -> f64 {
        dot(v, &times(&self.mass, v)).sqrt()
    }

    /// `√(a M⁻¹ aᵀ)`.
    fn row_size(&self, row: &[f64]) -> f64 {
        dot(row, &times(&self.inverse, row)).sqrt()
    }

    /// `|v⁻| + c |v⁺|`.
    fn velocity(&self) -> Vec<f64> {
        let c = (self.root(&self.before) / self.root(&self.after)).min(1.0);
        sum(
            &absolute(&self.before),
            &absolute(&self.after).iter().map(|x| c * x).collect::<Vec<_>>(),
        )
    }

    /// `|M⁻¹ Jᵀ| |Λ|` of contacts and joints.
    fn moved(&self) -> Vec<f64> {
        let mut moved = vec![0.0; self.before.len()];
        let rows = self.contacts.iter().zip(&self.percussions);
        for (row, p) in rows.chain(self.joints.iter().zip(&self.multipliers)) {
            let response = absolute(&times(&self.inverse, row));
            moved = sum(&moved, &response.iter().map(|x| x * p.abs()).collect::<Vec<_>>());
        }
        moved
    }

    fn count(&self) -> f64 {
        (self.before.len() + self.contacts.len() + self.joints.len()) as f64
    }

    /// `U`.
    fn strike(&self) -> f64 {
        let rows = self.contacts.iter().zip(&self.free);
        rows.map(|(row, u)| u.abs() / self.row_size(row)).fold(0.0, f64::max)
    }

    /// The tolerance of a figure of the size `terms + min(percussions, bound)`.
    fn tolerance(&self, terms: f64, percussions: f64, bound: f64, part: f64, ceiling: f64) -> f64 {
        let size = terms + percussions.min(bound);
        let unit = self.count() * f64::EPSILON;
        let rounding = (unit * percussions).min(unit / f64::EPSILON.sqrt() * size);
        (part.max(2.0 * f64::EPSILON.sqrt()) * size + rounding).min(ceiling)
    }

    fn velocity_tolerance(&self, row: &[f64], part: f64, ceiling: f64) -> f64 {
        let (row_size, row) = (self.row_size(row), absolute(row));
        let bound = 4.0 * row_size * self.root(&self.before);
        self.tolerance(dot(&row, &self.velocity()), dot(&row, &self.moved()), bound, part, ceiling)
    }

    fn contact(&self, k: usize, part: f64) -> f64 {
        let row = &self.contacts[k];
        let speed = 4.0 * part.max(1e-9) * self.strike() + self.rounding * self.root(&self.before);
        self.velocity_tolerance(row, part, self.row_size(row) * speed)
    }

    fn joint(&self, k: usize, part: f64) -> f64 {
        let row = &self.joints[k];
        let ceiling = self.row_size(row) * self.rounding * self.root(&self.before);
        self.velocity_tolerance(row, part, ceiling)
    }

    fn momentum(&self, i: usize, part: f64) -> f64 {
        let pushes = || {
            let contacts = self.contacts.iter().zip(&self.percussions);
            contacts.chain(self.joints.iter().zip(&self.multipliers))
        };
        let push = pushes().map(|(row, p)| row[i].abs() * p.abs()).sum::<f64>()
            + dot(&self.sizes[i], &self.moved());
        let root = |j: usize| self.mass[j][j].sqrt();
        let moved = sum(&absolute(&self.before), &absolute(&self.after));
        let terms = (0..moved.len()).map(|j| root(j) * moved[j]).sum::<f64>()
            + pushes().map(|(row, p)| self.row_size(row) * p.abs()).sum::<f64>();
        let ceiling = self.rounding / self.condition.sqrt() * root(i) * terms;
        let bound = 4.0 * root(i) * self.root(&self.before);
        let carried = dot(&self.sizes[i], &self.velocity());
        self.tolerance(carried, push, bound, part, ceiling)
    }

    /// In J: the change, and its tolerance.
    fn energy(&self, part: f64) -> [f64; 2] {
        let change: Vec<f64> = self.after.iter().zip(&self.before).map(|(a, b)| a - b).collect();
        let both = sum(&absolute(&self.before), &absolute(&self.after));
        let terms = 0.5 * dot(&absolute(&change), &times(&self.sizes, &both));
        let square = self.root(&self.before).powi(2);
        let unit = self.count() * f64::EPSILON;
        let own = unit / (2.0 * f64::EPSILON.sqrt())
            * dot(&absolute(&self.before), &times(&self.sizes, &absolute(&self.before)));
        let size = own + terms.min(2.0 * square);
        let work: f64 = (0..self.contacts.len())
            .map(|k| {
                let (row_size, row) =
                    (self.row_size(&self.contacts[k]), absolute(&self.contacts[k]));
                let bound = 4.0 * row_size * self.root(&self.before);
                let size = dot(&row, &self.velocity()) + dot(&row, &self.moved()).min(bound);
                size * self.percussions[k].abs()
            })
            .sum();
        let rounding = (unit * work).min(unit / f64::EPSILON.sqrt() * size);
        let ceiling =
            8.0 * part.max(1e-9) * (self.contacts.len() + 1) as f64 * self.strike().powi(2)
                + 4.0 * self.rounding * square;
        let gain = 0.5 * dot(&change, &times(&self.mass, &sum(&self.before, &self.after)));
        [gain, (part.max(2.0 * f64::EPSILON.sqrt()) * size + rounding).min(ceiling)]
    }
}

/// Between −1 and 1.
fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 * f64::exp2(-52.0) - 1.0
}

/// Bodies of any mass with coupled velocities, three contacts, a joint, and impulses of any size.
fn random(random: &mut ChaCha8Rng) -> (Problem, DMatrix<f64>, Outcome) {
    let n = 3 + (random.next_u64() % 3) as usize;
    let factor = DMatrix::from_fn(n, n, |_, _| uniform(random));
    let scale = DVector::from_fn(n, |_, _| 10_f64.powf(2.0 * uniform(random)));
    let scale = DMatrix::from_diagonal(&scale);
    let mass = &scale * (&factor * factor.transpose() + DMatrix::identity(n, n)) * &scale;
    let mass = (&mass + mass.transpose()) * 0.5;
    let mut row = || DVector::from_fn(n, |_, _| uniform(random));
    let contacts: Vec<Contact> = (0..3)
        .map(|tangents| {
            Contact::new(row()).with_friction(0.5, (0..tangents).map(|_| row()).collect())
        })
        .collect();
    let joints = DMatrix::from_rows(&[row().transpose()]);
    let velocity = row() * 3.0;
    let problem =
        Problem::with_joints(Mass::Matrix(mass.clone()), velocity, contacts, joints).unwrap();
    let size = 10_f64.powf(6.0 * uniform(random));
    let impulse = DVector::from_fn(6, |_, _| size * uniform(random));
    let mut outcome = problem.outcome(&impulse, Trace::resolved(vec![]));
    for entry in outcome.velocity.iter_mut() {
        *entry *= 1.0 + 0.5 * uniform(random);
    }
    (problem, mass, outcome)
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs() + f64::MIN_POSITIVE
}

#[test]
fn tolerances_are_those_of_the_tables() {
    let mut generator = ChaCha8Rng::seed_from_u64(101);
    for _ in 0..200 {
        let (problem, mass, outcome) = random(&mut generator);
        let plain = Plain::of(&problem, &mass, &outcome);
        let mut scales = Scales::of(&problem, &outcome);
        let reach = |k: usize| plain.row_size(&plain.contacts[k]) * plain.root(&plain.before);
        for part in [0.0, 1e-12, 1e-9, 1e-7, 1e-3] {
            for k in 0..6 {
                assert!(
                    near(scales.contact.tolerance(k, part), plain.contact(k, part)),
                    "{k} {part}"
                );
                assert!(near(scales.reach[k], reach(k)), "{k}");
                for of_energy in [0.0, 1e-10, 1e-6] {
                    let strike = 4.0 * part.max(of_energy).max(1e-9) * plain.strike();
                    let ceiling = plain.row_size(&plain.contacts[k])
                        * (strike + plain.rounding * plain.root(&plain.before));
                    let expected = (plain.contact(k, part) + of_energy * reach(k)).min(ceiling);
                    let found = scales.contact.left(k, part, of_energy, scales.reach[k]);
                    assert!(near(found, expected), "{k} {part} {of_energy}: {found} {expected}");
                }
            }
            assert!(near(scales.joint.tolerance(0, part), plain.joint(0, part)), "{part}");
            for i in 0..plain.before.len() {
                let (found, expected) =
                    (scales.momentum.tolerance(i, part), plain.momentum(i, part));
                assert!(near(found, expected), "{i} {part}: {found} {expected}");
            }
            let [gain, tolerance] = plain.energy(part);
            let square = problem.velocity().amax().powi(2);
            assert!(near(scales.energy.0 * square, gain), "{gain}");
            let found = scales.energy.1.tolerance(0, part) * square;
            assert!(near(found, tolerance), "{part}: {found} {tolerance}");
            assert!(near(scales.energy_before * square, 0.5 * plain.root(&plain.before).powi(2)));
        }
        // Without ceilings, for impacts that take time.
        scales.open();
        let velocity = |row: &[f64]| plain.velocity_tolerance(row, 1e-3, f64::INFINITY);
        assert!(
            (0..6).all(|k| near(scales.contact.tolerance(k, 1e-3), velocity(&plain.contacts[k])))
        );
        assert!(near(scales.joint.tolerance(0, 1e-3), velocity(&plain.joints[0])));
    }
}

#[test]
fn figures_are_those_of_their_definitions() {
    let mut generator = ChaCha8Rng::seed_from_u64(102);
    for _ in 0..100 {
        let (problem, mass, outcome) = random(&mut generator);
        let plain = Plain::of(&problem, &mass, &outcome);
        let certificate = Certificate::check(&problem, &outcome).unwrap();
        let after = times(&plain.contacts, &plain.after);
        let normals = [0, 1, 3];
        let highest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let p = &plain.percussions;
        let cones = [p[2].abs() - 0.5 * p[1], p[4].hypot(p[5]) - 0.5 * p[3]];
        assert!(near(certificate.approach, highest(&mut normals.iter().map(|&k| -after[k]))));
        assert!(near(certificate.adhesion, highest(&mut normals.iter().map(|&k| -p[k]))));
        assert!(near(certificate.cone_violation, highest(&mut cones.into_iter())));
        let works = &mut normals.iter().map(|&k| p[k].abs() * after[k].max(0.0));
        assert!(near(certificate.complementarity, highest(works)));
        assert!(near(certificate.bilateral_residual, dot(&plain.joints[0], &plain.after).abs()));
        let energy = |v: &[f64]| 0.5 * plain.root(v).powi(2);
        assert!(near(certificate.energy_before, energy(&plain.before)));
        assert!(near(certificate.energy_after, energy(&plain.after)));
        let [gain, _] = plain.energy(0.0);
        assert!(
            (certificate.energy_change - gain).abs()
                <= 1e-12 * certificate.energy_after.max(certificate.energy_before)
        );
        let momenta = (0..plain.before.len()).map(|i| {
            let moved: f64 = (0..plain.before.len())
                .map(|j| plain.mass[i][j] * (plain.after[j] - plain.before[j]))
                .sum();
            let pushes =
                plain.contacts.iter().zip(p).chain(plain.joints.iter().zip(&plain.multipliers));
            let given: f64 = pushes.map(|(row, p)| row[i] * p).sum();
            // The size is the tolerance without rounding and ceiling.
            let bound = 4.0 * plain.mass[i][i].sqrt() * plain.root(&plain.before);
            let pushes =
                plain.contacts.iter().zip(p).chain(plain.joints.iter().zip(&plain.multipliers));
            let push = pushes.map(|(row, p)| (row[i] * p).abs()).sum::<f64>()
                + dot(&plain.sizes[i], &plain.moved());
            let size = dot(&plain.sizes[i], &plain.velocity()) + push.min(bound);
            (moved - given).abs() / size
        });
        let momentum = highest(&mut momenta.into_iter());
        assert!((certificate.momentum_residual - momentum).abs() <= 1e-9 * momentum.max(1e-3));
        let names = certificate.figures().map(|figure| figure.name);
        assert_eq!(names[0], "momentum_residual");
        assert!(near(certificate.figures()[4].value, certificate.complementarity));
    }
}

/// A particle of 2 kg that hits the ground at 3 m/s, sliding at 1 m/s across two tangents.
fn particle(friction: f64, restitution: f64) -> Problem {
    let row = |k: usize| DVector::from_fn(3, |i, _| f64::from(u8::from(i == k)));
    let ground = Contact::new(row(2))
        .with_friction(friction, vec![row(0), row(1)])
        .with_restitution(restitution);
    let mass = Mass::Matrix(DMatrix::identity(3, 3) * 2.0);
    let velocity = DVector::from_vec(vec![0.8, 0.6, -3.0]);
    Problem::new(mass, velocity, vec![ground]).unwrap()
}

fn judged(problem: &Problem, impulse: [f64; 3], claims: &Claims) -> Judgement {
    let outcome = problem.outcome(&DVector::from_vec(impulse.to_vec()), Trace::resolved(vec![]));
    Certificate::judge(problem, &outcome, claims).unwrap()
}

/// Every limit from both sides: with `‖a‖ = 1/√2`, `U = 3 √2` and `τ ≥ 10⁻⁹` a velocity is known to `12 τ` m/s, and where the
/// law leaves a part of the energy, by that part of `‖a‖ √20` more. An impulse is known to twice that, over `W = ½`.
#[test]
fn each_figure_is_judged_at_its_limit() {
    let problem = particle(0.5, 0.5);
    let any = Claims::new(RestitutionUse::Used);
    let newton = any.with_complementarity(Complementarity::Newton);
    let inelastic = any.with_complementarity(Complementarity::Inelastic);
    let cases = [(0.0, 0.0, 0.0), (2e-9, 0.0, 0.0), (0.0, 1e-6, 0.0), (0.0, 0.0, 1e-5)];
    for (part, approach, kinetic) in cases {
        let with = |claims: Claims| claims.within(part).leaving(approach).leaving_part(kinetic);
        let still = 12.0 * f64::max(part, 1e-9) + kinetic * 10.0_f64.sqrt();
        let (left, light) = (still + approach, 2.0 * still);
        for (share, holds) in [(0.999, true), (1.001, false)] {
            let violated = |claims: &Claims, impulse: [f64; 3], name: &str| {
                judged(&problem, impulse, claims).violations().contains(&name)
            };
            // Too weak by twice the mass times the approach.
            let weak = 6.0 - 2.0 * share * left;
            assert_eq!(!violated(&with(any), [weak, 0.0, 0.0], "approach"), holds, "{part}");
            let free = problem.with_velocity(DVector::from_vec(vec![0.8, 0.6, 3.0])).unwrap();
            let pulled = judged(&free, [-share * light, 0.0, 0.0], &with(any));
            assert_eq!(!pulled.violations().contains(&"adhesion"), holds, "{part} {kinetic}");
            for side in [1.0, -1.0] {
                // Newton's 1.5 m/s take 9 N·s.
                let beyond = 9.0 + side * 2.0 * share * left;
                assert_eq!(!violated(&with(newton), [beyond, 0.0, 0.0], "complementarity"), holds);
            }
            let beyond = [6.0 + 2.0 * share * left, 0.0, 0.0];
            assert_eq!(!violated(&with(inelastic), beyond, "complementarity"), holds, "{part}");
            assert_eq!(!judged(&problem, beyond, &with(inelastic)).separates, holds);
            // The cone is known to the tolerance of the tangents and of μ times that of the normal.
            let relative = (0.5 * light).min(0.5 * 6.0 * 2.0 * f64::EPSILON.sqrt());
            let outside = 3.0 + share * (light + relative);
            for (x, y) in [(1.0, 0.0), (0.0, -1.0), (0.6, -0.8)] {
                let impulse = [6.0, x * outside, y * outside];
                assert_eq!(
                    !violated(&with(any), impulse, "cone_violation"),
                    holds,
                    "{part} {kinetic}"
                );
            }
        }
    }
}

/// The power of friction against its limit, for polygons and in the plane: what is missing counts up to the slacks.
#[test]
fn friction_is_judged_by_its_power() {
    let problem = particle(0.1, 0.0);
    let claims = |count: usize| {
        Claims::new(RestitutionUse::Used)
            .with_complementarity(Complementarity::Inelastic)
            .with_friction(Friction::Polygon(count))
    };
    // Slip of 1 m/s along (0.8, 0.6) and 6 N·s. With four directions two of them share the friction of 0.6 N·s and leave
    // equal slips of 0.55 m/s; of eight one is the nearest.
    let root = 0.5_f64.sqrt();
    for (count, friction) in [(4, [-0.5, -0.1]), (8, [-0.6 * root, -0.6 * root])] {
        for (share, holds) in [(1.0, true), (0.99, false), (0.0, false), (-1.0, false)] {
            let impulse = [6.0, share * friction[0], share * friction[1]];
            let judgement = judged(&problem, impulse, &claims(count));
            assert_eq!(
                judgement.status == Status::Resolved,
                holds,
                "{count} {share} {judgement:?}"
            );
        }
        // Another direction of the same size dissipates less.
        let judgement = judged(&problem, [6.0, -0.6 * 0.6, 0.6 * 0.8], &claims(count));
        assert_eq!(judgement.violations(), ["complementarity"]);
    }
    // An impulse of (−0.5 + δ, −0.1) misses a power of 0.6 δ. Up to 2 (2 μ p_n · 12e-9 + |u| (2.4e-8 + μ 2.4e-8)) may be
    // missing.
    let allowed = 2.0 * (2.0 * 0.6 * 12e-9 + 0.55 / root * 2.4e-8 * 1.1);
    for (share, holds) in [(0.98, true), (1.02, false)] {
        let judgement = judged(&problem, [6.0, -0.5 + share * allowed / 0.6, -0.1], &claims(4));
        assert_eq!(judgement.status == Status::Resolved, holds, "{share} {judgement:?}");
    }
    // Sticking needs no limit.
    let rough = particle(10.0, 0.0);
    assert_eq!(judged(&rough, [6.0, -1.6, -1.2], &claims(8)).status, Status::Resolved);
    // Without a claim any friction in the cone will do.
    let any = Claims::new(RestitutionUse::Used);
    let judgement = judged(&problem, [6.0, 0.3, 0.0], &any);
    assert!(!judgement.violations().contains(&"complementarity"), "{judgement:?}");
    let verdict = |judgement: &Judgement| judgement.figures[4].verdict;
    assert_eq!(verdict(&judgement), Verdict::Information);
}
