//! The linear equations of the changes for given modes of all contacts: [`Piece`].

use nalgebra::{DMatrix, DVector, Matrix3, Vector2, Vector3};

use super::{
    Absent, Gradient, Matrices, Mode,
    inverse::Inverse,
    modes::{Chosen, turned},
    point::{Load, Point, Weights, part},
};

/// A part of a right side outside of the range that is larger than this fraction contradicts the equations.
const CONSISTENT: f64 = 1e-7;

/// `C dp = c − B q` with `C = A + B W`, factorized.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) modes: Vec<Chosen>,
    /// The blocks of `B`.
    of_velocity: Vec<Matrix3<f64>>,
    pub(super) inverse: Inverse,
}

/// The blocks of `A` and `B` of a contact.
fn blocks(point: &Point, contact: usize, chosen: &Chosen) -> (Matrix3<f64>, Matrix3<f64>) {
    let (mut of_impulse, mut of_velocity) = (Matrix3::zeros(), Matrix3::zeros());
    match chosen.mode {
        Mode::Open => of_impulse.fill_with_identity(),
        Mode::Sticking => of_velocity.fill_with_identity(),
        Mode::Frictionless => {
            of_velocity[(0, 0)] = 1.0;
            of_impulse[(1, 1)] = 1.0;
            of_impulse[(2, 2)] = 1.0;
        }
        Mode::Sliding => {
            let e = chosen.direction;
            let (tilt, across) = (point.tilt(contact), turned(&e));
            let (slip, rub) = slip_and_rub(point, contact);
            of_velocity[(0, 0)] = 1.0;
            of_impulse[(1, 0)] = -point.friction[contact];
            of_impulse.fixed_view_mut::<1, 2>(1, 1).copy_from(&e.transpose());
            // At an edge both may vanish; friction then keeps its direction.
            let (slip, rub) = if slip + rub > 0.0 {
                (slip / (slip + rub), rub / (slip + rub))
            } else {
                (1.0, 0.0)
            };
            let turning = slip * (1.0 + tilt.dot(&e)) * across;
            of_impulse.fixed_view_mut::<1, 2>(2, 1).copy_from(&turning.transpose());
            let normal = rub * turned(&(e + tilt));
            of_velocity.fixed_view_mut::<1, 2>(2, 1).copy_from(&normal.transpose());
        }
    }
    (of_impulse, of_velocity)
}

/// The slip `s` and the friction impulse `μ p_n`.
fn slip_and_rub(point: &Point, contact: usize) -> (f64, f64) {
    let rub = point.friction[contact] * point.impulse[3 * contact].max(0.0);
    (point.locals[contact].slip, rub)
}

/// The factor of `−m·dk` in the last equation of a contact that slides.
fn by_tilt(point: &Point, contact: usize) -> f64 {
    let (slip, rub) = slip_and_rub(point, contact);
    if slip + rub > 0.0 { slip * rub / (slip + rub) } else { 0.0 }
}

/// The direction that friction would have at a contact without friction.
fn direction_of_slip(point: &Point, contact: usize) -> Result<Vector2<f64>, Absent> {
    let slips = point.velocity[3 * contact + 1].hypot(point.velocity[3 * contact + 2])
        > point.margin(contact);
    let direction = point.locals[contact].direction;
    if slips { Ok(direction) } else { Err(Absent::Friction { contact }) }
}

impl Piece {
    pub(super) fn new(point: &Point, modes: &[Chosen]) -> Self {
        let size = 3 * point.count();
        let mut matrix = DMatrix::zeros(size, size);
        let mut of_velocity = Vec::with_capacity(point.count());
        for (contact, chosen) in modes.iter().enumerate() {
            let (of_impulse, own) = blocks(point, contact, chosen);
            let rows = own * point.delassus.fixed_rows::<3>(3 * contact);
            matrix.fixed_rows_mut::<3>(3 * contact).copy_from(&rows);
            let mut diagonal = matrix.fixed_view_mut::<3, 3>(3 * contact, 3 * contact);
            diagonal += of_impulse;
            of_velocity.push(own);
        }
        Self { modes: modes.to_vec(), of_velocity, inverse: Inverse::new(&matrix) }
    }

    /// Whether impulses that are not unique have the same velocities.
    pub(super) fn keeps_velocities(&self, point: &Point) -> bool {
        (&point.delassus * &self.inverse.kernel).amax() <= CONSISTENT
    }

    /// `c − B q`.
    fn right(&self, point: &Point, load: &Load) -> Result<DVector<f64>, Absent> {
        let mut right = DVector::zeros(load.drive.len());
        for (contact, (chosen, own)) in self.modes.iter().zip(&self.of_velocity).enumerate() {
            let mut rows = -(own * part(&load.drive, contact));
            let change = load.friction[contact];
            if chosen.mode == Mode::Frictionless && change != 0.0 {
                let rub = change * direction_of_slip(point, contact)? * point.impulse[3 * contact];
                rows += Vector3::new(0.0, rub.x, rub.y);
            }
            if chosen.mode == Mode::Sliding {
                rows.y += change * point.impulse[3 * contact];
                let normal = turned(&(chosen.direction + point.tilt(contact)));
                rows.z -= by_tilt(point, contact) * normal.dot(&load.tilt[contact]);
            }
            right.fixed_rows_mut::<3>(3 * contact).copy_from(&rows);
        }
        Ok(right)
    }

    /// The changes of impulses and velocities.
    pub(super) fn solve(
        &self,
        point: &Point,
        load: &Load,
    ) -> Result<(DVector<f64>, DVector<f64>), Absent> {
        let right = self.right(point, load)?;
        let defect = self.inverse.defect(&right);
        if defect > CONSISTENT {
            return Err(Absent::Inconsistent { defect });
        }
        let impulse = &self.inverse.matrix * right;
        let velocity = &point.delassus * &impulse + &load.drive;
        Ok((impulse, velocity))
    }

    /// The gradient of the weighted sum.
    pub(super) fn backward(&self, point: &Point, weights: &Weights) -> Result<Gradient, Absent> {
        let on_impulse = point.delassus.tr_mul(&weights.velocity) + &weights.impulse;
        let hidden = self.inverse.kernel.tr_mul(&on_impulse).amax();
        if hidden > CONSISTENT * on_impulse.amax() {
            return Err(Absent::Impulses);
        }
        let multiplier = self.inverse.matrix.tr_mul(&on_impulse);
        let mut free_velocity = Vec::with_capacity(point.count());
        for (contact, own) in self.of_velocity.iter().enumerate() {
            let gradient =
                part(&weights.velocity, contact) - own.tr_mul(&part(&multiplier, contact));
            free_velocity.push(gradient / point.roots[contact]);
        }
        let n = free_velocity.len();
        let impulses = point.impulses(&point.impulse);
        let mut delassus = DMatrix::from_fn(3 * n, 3 * n, |row, column| {
            free_velocity[row / 3][row % 3] * impulses[column / 3][column % 3]
        });
        let mut friction = vec![Some(0.0); n];
        for (contact, chosen) in self.modes.iter().enumerate() {
            if chosen.mode == Mode::Frictionless {
                let by_rub = multiplier.fixed_rows::<2>(3 * contact + 1);
                friction[contact] = direction_of_slip(point, contact)
                    .ok()
                    .map(|direction| direction.dot(&by_rub) * point.impulse[3 * contact]);
            }
            if chosen.mode != Mode::Sliding {
                continue;
            }
            let normal = turned(&(chosen.direction + point.tilt(contact)));
            let on_tilt = -multiplier[3 * contact + 2] * by_tilt(point, contact) * normal;
            let by_friction = multiplier[3 * contact + 1] * point.impulse[3 * contact]
                + on_tilt.dot(&point.tilt_by_friction(contact));
            friction[contact] = Some(by_friction);
            let Some(compliance) = point.compliance(contact) else { continue };
            let at = 3 * contact;
            delassus[(at, at)] -= on_tilt.dot(&point.tilt(contact)) / compliance;
            for tangent in 0..2 {
                let half = 0.5 * point.friction[contact] * on_tilt[tangent] / compliance;
                delassus[(at, at + 1 + tangent)] += half;
                delassus[(at + 1 + tangent, at)] += half;
            }
        }
        Ok(Gradient { free_velocity, delassus, friction })
    }

    /// The derivatives with respect to the free velocity.
    pub(super) fn matrices(&self, point: &Point) -> Matrices {
        let size = 3 * point.count();
        let mut impulses = DMatrix::zeros(size, size);
        for (contact, own) in self.of_velocity.iter().enumerate() {
            let columns = -(self.inverse.matrix.fixed_columns::<3>(3 * contact) * own);
            impulses.fixed_columns_mut::<3>(3 * contact).copy_from(&columns);
        }
        let mut velocities = &point.delassus * &impulses;
        for row in 0..size {
            velocities[(row, row)] += 1.0;
            for column in 0..size {
                let (of_row, of_column) = (point.roots[row / 3], point.roots[column / 3]);
                velocities[(row, column)] *= of_row / of_column;
                impulses[(row, column)] /= of_row * of_column;
            }
        }
        Matrices { velocities, impulses }
    }
}

/// The change of the slip of a contact that slides in `direction`, `ds = −(e·du_t + s e·dk)/(1 + k·e)`.
pub(super) fn slip_change(
    point: &Point,
    load: &Load,
    contact: usize,
    direction: &Vector2<f64>,
    velocity: &Vector3<f64>,
) -> f64 {
    let slip = point.locals[contact].slip;
    let along = direction.dot(&velocity.yz()) + slip * direction.dot(&load.tilt[contact]);
    -along / (1.0 + point.tilt(contact).dot(direction))
}
