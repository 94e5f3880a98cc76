//! The two stages of a design: first to the equations, then along them towards the start.

use nalgebra::{DMatrix, DVector};

use super::{Equations, Error, Report, Status, Step, differences, projection::Bounds};

/// Minimum damping relative to the mean diagonal of `J Jᵀ`. It changes a step by the same fraction and
/// prevents division by zero for redundant equations.
const LEAST_DAMPING: f64 = 1e-13;

/// Damping above which steps are too short to matter.
const LARGEST_DAMPING: f64 = 1e12;

/// Minimum fraction of the way towards the start that is tried.
const LEAST_PART: f64 = 1e-6;

/// Maximum number of steps of a correction: each at least halves the residual, and rounding ends it earlier.
const CORRECTIONS: usize = 50;

/// A point of the path.
#[derive(Clone, Debug)]
struct Point {
    z: DVector<f64>,
    residual: DVector<f64>,
}

/// How a stretch of damped least squares ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Holds,
    Stationary,
    Limit,
}

pub(super) struct Search<'a, E> {
    equations: Equations<'a, E>,
    bounds: Bounds,
    point: Point,
    derivative_error: f64,
    steps: usize,
    path: Vec<Step>,
}

impl<'a, E> Search<'a, E> {
    pub(super) fn new(mut equations: Equations<'a, E>) -> Result<Self, Error<E>> {
        let [lower, upper] = equations.bounds();
        let z = DVector::zeros(equations.variables.len());
        let residual = equations.residual(&z)?;
        let point = Point { z, residual };
        let bounds = Bounds { lower, upper };
        let mut search =
            Self { equations, bounds, point, derivative_error: 0.0, steps: 0, path: vec![] };
        search.note(false);
        search.steps = 0;
        Ok(search)
    }

    pub(super) fn run(mut self) -> Result<Report, Error<E>> {
        let (status, left) = match self.restore()? {
            End::Holds => self.slide()?,
            End::Stationary => (Status::Stationary, f64::INFINITY),
            End::Limit => (Status::Limit, f64::INFINITY),
        };
        let equations = self.equations;
        let contacts = equations.contacts;
        let gaps = self.point.residual.rows(0, contacts) * equations.settings.length;
        let conditions = equations.conditions.iter().enumerate();
        let cosines = conditions.map(|(k, one)| self.point.residual[contacts + k] + one.cosine);
        Ok(Report {
            status,
            variables: equations.variables(&self.point.z),
            gaps: gaps.as_slice().to_vec(),
            cosines: cosines.collect(),
            distance: self.point.z.norm(),
            left,
            derivative_error: self.derivative_error,
            evaluations: equations.evaluations,
            path: self.path,
        })
    }

    fn note(&mut self, slides: bool) {
        let Point { z, residual } = &self.point;
        let variables = self.equations.variables(z);
        let step = Step { variables, residual: residual.norm(), distance: z.norm(), slides };
        self.path.push(step);
        self.steps += 1;
    }

    const fn is_at_limit(&self) -> bool {
        self.steps >= self.equations.settings.step_limit
    }

    fn jacobian(&mut self) -> Result<DMatrix<f64>, Error<E>> {
        let (jacobian, error) = differences::jacobian(&mut self.equations, &self.point.z)?;
        self.derivative_error = self.derivative_error.max(error);
        Ok(jacobian)
    }

    /// Returns the point with its residual at `z`, or `None` where the model fails.
    fn attempt(&mut self, z: DVector<f64>) -> Option<Point> {
        let residual = self.equations.residual(&z).ok()?;
        Some(Point { z, residual })
    }

    /// Runs damped least squares from the current point.
    fn restore(&mut self) -> Result<End, Error<E>> {
        let mut damping = LEAST_DAMPING;
        loop {
            if self.equations.holds(&self.point.residual) {
                return Ok(End::Holds);
            }
            if self.is_at_limit() {
                return Ok(End::Limit);
            }
            let jacobian = self.jacobian()?;
            if self.is_stationary(&jacobian) {
                return Ok(End::Stationary);
            }
            let (z, residual) = (&self.point.z, &self.point.residual);
            let (value, scale) = (&jacobian * z - residual, scale_of(&jacobian));
            let before = residual.norm_squared();
            loop {
                let y = self.bounds.project(&self.point.z, &jacobian, &value, damping * scale);
                let promised = before - (&jacobian * &y - &value).norm_squared();
                if let Some(point) = self.attempt(y)
                    && point.residual.norm_squared() < before - 1e-4 * promised.max(0.0)
                {
                    self.point = point;
                    self.note(false);
                    damping = (0.1 * damping).max(LEAST_DAMPING);
                    break;
                }
                damping = (10.0 * damping).max(1e-4);
                if damping > LARGEST_DAMPING {
                    return Ok(End::Stationary);
                }
            }
        }
    }

    /// Whether no step decreases `‖r‖²` to first order: for the equations that do not hold yet, the largest
    /// decrease over steps of one scale within the bounds is at the level of rounding.
    fn is_stationary(&self, jacobian: &DMatrix<f64>) -> bool {
        let Point { z, residual } = &self.point;
        let gradient = jacobian.tr_mul(residual);
        let size = gradient.norm();
        if size <= f64::MIN_POSITIVE {
            return true;
        }
        let step = self.bounds.clamp(z - &gradient / size) - z;
        -step.dot(&gradient) <= 1e-10 * residual.norm_squared()
    }

    /// Slides along the equations towards the start from a point where they hold; returns how it ended and
    /// the length of the remaining step.
    fn slide(&mut self) -> Result<(Status, f64), Error<E>> {
        loop {
            let jacobian = self.jacobian()?;
            let damping = LEAST_DAMPING * scale_of(&jacobian);
            let value = &jacobian * &self.point.z - &self.point.residual;
            let origin = DVector::zeros(self.point.z.len());
            let nearest = self.bounds.project(&origin, &jacobian, &value, damping);
            let left = (nearest - &self.point.z).norm();
            let before = self.point.clone();
            if left <= self.equations.settings.nearness * (1.0 + before.z.norm()) {
                return Ok((Status::Met, left));
            }
            let mut part = 1.0;
            loop {
                if self.is_at_limit() || part < LEAST_PART {
                    return Ok((Status::Feasible, left));
                }
                let center = &before.z * (1.0 - part);
                let y = self.bounds.project(&center, &jacobian, &value, damping);
                if let Some(point) = self.attempt(y)
                    && let Some(point) = self.correct(point, &jacobian, damping)
                    // On the linearized equations the squares differ by at least `part left²`.
                    && before.z.norm_squared() - point.z.norm_squared() >= 0.1 * part * left * left
                {
                    self.point = point;
                    self.note(true);
                    break;
                }
                part *= 0.5;
                self.steps += 1;
            }
        }
    }

    /// Restores the equations from `point` down to rounding, by steps with the Jacobian of a nearby point.
    /// Distances from the start can be compared only where the residual is smaller than the change of the
    /// distance.
    fn correct(
        &mut self,
        mut point: Point,
        jacobian: &DMatrix<f64>,
        damping: f64,
    ) -> Option<Point> {
        for _ in 0..CORRECTIONS {
            let value = jacobian * &point.z - &point.residual;
            let y = self.bounds.project(&point.z, jacobian, &value, damping);
            match self.attempt(y) {
                Some(next) if next.residual.norm() < 0.5 * point.residual.norm() => point = next,
                _ => break,
            }
        }
        self.equations.holds(&point.residual).then_some(point)
    }
}

/// Mean diagonal of `J Jᵀ`.
fn scale_of(jacobian: &DMatrix<f64>) -> f64 {
    (jacobian.norm_squared() / jacobian.nrows().max(1) as f64).max(f64::MIN_POSITIVE)
}
