//! A solution in scaled units, its contacts, and the directions and weights in the same units: [`Point`].
//!
//! Impulses are multiplied by `√w` of their contact and velocities divided by it, which makes all blocks of the
//! diagonal of `W` about one, whatever the masses are.

use nalgebra::{DMatrix, DVector, Matrix3, Vector2, Vector3};

use super::{
    Change, Direction, Edge, Error, Mode, Place, Reach, Settings,
    error::{check_entries, check_vectors},
    modes::{Chosen, Judged, Local},
};
use crate::friction::{Delassus, Law, Problem};

/// A solution; vectors have three components a contact.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) friction: Vec<f64>,
    /// `√w_i`.
    pub(super) roots: Vec<f64>,
    pub(super) delassus: DMatrix<f64>,
    pub(super) impulse: DVector<f64>,
    pub(super) velocity: DVector<f64>,
    pub(super) locals: Vec<Local>,
    /// `W_nn` and `a` of each contact for maximum dissipation, scaled.
    couplings: Option<Vec<(f64, Vector2<f64>)>>,
    free_velocity: DVector<f64>,
    /// Margin of a mode (m/s).
    margin: f64,
}

/// A direction: the change `dW p + db`, `dμ` and `dk`.
pub(super) struct Load {
    pub(super) drive: DVector<f64>,
    pub(super) friction: Vec<f64>,
    pub(super) tilt: Vec<Vector2<f64>>,
    /// Whether `W` or a coefficient changes.
    pub(super) changes_law: bool,
}

/// Weights of velocities and impulses.
pub(super) struct Weights {
    pub(super) velocity: DVector<f64>,
    pub(super) impulse: DVector<f64>,
}

/// The components of `contact`.
pub(super) fn part(vector: &DVector<f64>, contact: usize) -> Vector3<f64> {
    vector.fixed_rows::<3>(3 * contact).into_owned()
}

impl Point {
    /// The largest amount of velocities and impulses.
    pub(super) fn size(&self) -> f64 {
        self.free_velocity.amax().max(self.velocity.amax()).max(self.impulse.amax())
    }

    pub(super) fn new<D: Delassus>(
        problem: &Problem<D>,
        impulses: &[Vector3<f64>],
        settings: &Settings,
    ) -> Self {
        let n = problem.contact_count();
        let roots: Vec<f64> = problem.inverse_masses().iter().map(|mass| mass.sqrt()).collect();
        let mut delassus = problem.dense();
        for row in 0..3 * n {
            for column in 0..3 * n {
                delassus[(row, column)] /= roots[row / 3] * roots[column / 3];
            }
        }
        let couplings = (problem.law() == Law::MaximumDissipation).then(|| {
            let blocks = problem.contacts().iter().zip(problem.inverse_masses());
            let of = |(contact, mass): (&crate::friction::single::Contact, &f64)| {
                let block = contact.block() / *mass;
                (block[(0, 0)], Vector2::new(block[(0, 1)], block[(0, 2)]))
            };
            blocks.map(of).collect()
        });
        let scaled = |vectors: &[Vector3<f64>], power: i32| {
            let components = vectors.iter().zip(&roots).flat_map(|(vector, root)| {
                (vector * root.powi(power)).iter().copied().collect::<Vec<_>>()
            });
            DVector::from_iterator(3 * n, components)
        };
        let free_velocity = scaled(problem.free_velocity(), -1);
        let mut point = Self {
            friction: problem.contacts().iter().map(|contact| contact.friction()).collect(),
            impulse: scaled(impulses, 1),
            velocity: DVector::zeros(3 * n),
            locals: Vec::new(),
            margin: settings.edge * problem.velocity_scale(),
            roots,
            delassus,
            couplings,
            free_velocity,
        };
        point.judge();
        point
    }

    pub(super) fn count(&self) -> usize {
        self.roots.len()
    }

    /// Margin of a mode, scaled.
    pub(super) fn margin(&self, contact: usize) -> f64 {
        self.margin / self.roots[contact]
    }

    /// `k` of maximum dissipation.
    pub(super) fn tilt(&self, contact: usize) -> Vector2<f64> {
        match &self.couplings {
            Some(couplings) => {
                let (normal, coupling) = couplings[contact];
                coupling * (self.friction[contact] / normal)
            }
            None => Vector2::zeros(),
        }
    }

    /// `a/W_nn` of maximum dissipation: the derivative of `k` with respect to `μ`.
    pub(super) fn tilt_by_friction(&self, contact: usize) -> Vector2<f64> {
        self.couplings.as_ref().map_or_else(Vector2::zeros, |couplings| {
            let (normal, coupling) = couplings[contact];
            coupling / normal
        })
    }

    /// `W_nn` of maximum dissipation in its own units.
    pub(super) fn compliance(&self, contact: usize) -> Option<f64> {
        let (normal, _) = self.couplings.as_ref()?[contact];
        Some(normal * self.roots[contact] * self.roots[contact])
    }

    pub(super) fn is_dissipative(&self) -> bool {
        self.couplings.is_some()
    }

    fn block(&self, contact: usize) -> Matrix3<f64> {
        self.delassus.fixed_view::<3, 3>(3 * contact, 3 * contact).into_owned()
    }

    /// The part of the approach that a contact stops itself, `(W_ii p − u)_n`.
    pub(super) fn approach(&self, contact: usize) -> f64 {
        let own = self.block(contact) * part(&self.impulse, contact);
        own.x - self.velocity[3 * contact]
    }

    /// Computes velocities and modes from the impulses.
    pub(super) fn judge(&mut self) {
        self.velocity = &self.delassus * &self.impulse + &self.free_velocity;
        let judged = (0..self.count()).map(|contact| {
            let judged = Judged {
                impulse: part(&self.impulse, contact),
                velocity: part(&self.velocity, contact),
                friction: self.friction[contact],
                tilt: self.tilt(contact),
                approach: if self.is_dissipative() {
                    self.approach(contact)
                } else {
                    f64::INFINITY
                },
                margin: self.margin(contact),
            };
            judged.local()
        });
        self.locals = judged.collect();
    }

    /// The mode of each contact, or at an edge the one without slip.
    pub(super) fn base(&self) -> Vec<Chosen> {
        let mode = |local: &Local| match local.place {
            Place::Inside(mode) => mode,
            Place::At(Edge::Opening | Edge::OpeningFrictionless | Edge::Tip) => Mode::Open,
            Place::At(Edge::Slipping | Edge::Narrow) => Mode::Sticking,
            Place::At(Edge::Jamming) if local.slip > 0.0 => Mode::Sliding,
            Place::At(Edge::Jamming) => Mode::Sticking,
        };
        let chosen = |local: &Local| Chosen { mode: mode(local), direction: local.direction };
        self.locals.iter().map(chosen).collect()
    }

    /// A direction in scaled units.
    pub(super) fn load(&self, direction: &Direction) -> Result<Load, Error> {
        let n = self.count();
        check_vectors("free_velocity", &direction.free_velocity, n)?;
        if direction.friction.len() != n {
            let (found, expected) = (direction.friction.len(), n);
            return Err(Error::Length { name: "friction", found, expected });
        }
        check_entries("friction", direction.friction.iter())?;
        let mut drive =
            DVector::from_iterator(3 * n, direction.free_velocity.iter().flatten().copied());
        let mut changes_law = direction.friction.iter().any(|change| *change != 0.0);
        let mut tilt: Vec<_> = (0..n)
            .map(|contact| self.tilt_by_friction(contact) * direction.friction[contact])
            .collect();
        if let Some(delassus) = &direction.delassus {
            for (name, found) in
                [("delassus rows", delassus.nrows()), ("delassus columns", delassus.ncols())]
            {
                if found != 3 * n {
                    return Err(Error::Length { name, found, expected: 3 * n });
                }
            }
            check_entries("delassus", delassus.iter())?;
            changes_law = true;
            let impulses = self.impulses(&self.impulse);
            let impulse = DVector::from_iterator(3 * n, impulses.iter().flatten().copied());
            drive += delassus * impulse;
            for (contact, tilt) in tilt.iter_mut().enumerate() {
                *tilt += self.tilt_by_block(contact, delassus);
            }
        }
        (0..3 * n).for_each(|row| drive[row] /= self.roots[row / 3]);
        Ok(Load { drive, friction: direction.friction.clone(), tilt, changes_law })
    }

    /// The change of `k` by that of the symmetric part of the block of `contact`.
    fn tilt_by_block(&self, contact: usize, change: &DMatrix<f64>) -> Vector2<f64> {
        let Some(compliance) = self.compliance(contact) else { return Vector2::zeros() };
        let block = change.fixed_view::<3, 3>(3 * contact, 3 * contact);
        let coupling = Vector2::new(block[(0, 1)] + block[(1, 0)], block[(0, 2)] + block[(2, 0)]);
        let friction = self.friction[contact];
        (0.5 * friction * coupling - block[(0, 0)] * self.tilt(contact)) / compliance
    }

    /// Weights in scaled units.
    pub(super) fn weights(
        &self,
        velocities: &[Vector3<f64>],
        impulses: &[Vector3<f64>],
    ) -> Result<Weights, Error> {
        let n = self.count();
        check_vectors("velocities", velocities, n)?;
        check_vectors("impulses", impulses, n)?;
        let row = |vectors: &[Vector3<f64>], row: usize| vectors[row / 3][row % 3];
        Ok(Weights {
            velocity: DVector::from_fn(3 * n, |i, _| row(velocities, i) * self.roots[i / 3]),
            impulse: DVector::from_fn(3 * n, |i, _| row(impulses, i) / self.roots[i / 3]),
        })
    }

    /// Scaled impulses in N·s.
    pub(super) fn impulses(&self, scaled: &DVector<f64>) -> Vec<Vector3<f64>> {
        (0..self.count()).map(|contact| part(scaled, contact) / self.roots[contact]).collect()
    }

    /// A change of impulses and velocities in N·s and m/s.
    pub(super) fn change(
        &self,
        (impulse, velocity): (&DVector<f64>, &DVector<f64>),
        reach: Reach,
    ) -> Change {
        let velocities =
            (0..self.count()).map(|contact| part(velocity, contact) * self.roots[contact]);
        Change { velocities: velocities.collect(), impulses: self.impulses(impulse), reach }
    }
}
