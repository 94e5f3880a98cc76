//! Lines and circles on the cores of solids, and the nearest points of two of them.
//!
//! The curves are the edges of polytopes, the axes of capsules and cylinders, rounded by their radii, and the rims
//! of cylinders. The points `p(s)`, `q(t)` at which the distance of two curves is stationary solve
//!
//! ```math
//! (p - q) \cdot p' = 0, \qquad (p - q) \cdot q' = 0
//! ```
//!
//! by Newton's method. Its Jacobian is regular if the curves are not parallel, even where they touch. There the
//! normal is along `p − q` and along `p' × q'`.
//!
//! # Source
//!
//! D. Vranek, "Fast and accurate circle–circle and circle–line 3D distance computation", *Journal of
//! Graphics Tools* 7 (2002) 23–32 (the conditions for circles).

use nalgebra::{Matrix2, Vector2, Vector3};

use super::edge_start_along;
use crate::solid::{Placed, Solid};

/// Newton's method converges to rounding in five steps from a start near the solution; if it needs more, the start
/// was not near.
const STEPS: usize = 12;

/// After a step as small as this, the next one reaches rounding.
const LAST_STEP: f64 = 1e-8;

/// A line or a circle, rounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    pub(super) center: Vector3<f64>,
    /// `center + s x`, `|s| ≤ 1`, or `center + cos s x + sin s y`.
    pub(super) x: Vector3<f64>,
    pub(super) y: Option<Vector3<f64>>,
    pub(super) radius: f64,
}

/// The curves of a solid; those of a cylinder are its axis and its rims.
pub(super) fn curves<'a>(placed: &'a Placed<'_>) -> impl Iterator<Item = Curve> + 'a {
    let count = match placed.solid {
        Solid::Polytope(hull) => hull.edges().len(),
        Solid::Cylinder { .. } => 3,
        _ => 1,
    };
    (0..count).filter_map(move |index| match placed.solid {
        Solid::Cylinder { half_height, radius } => {
            let rotation = placed.pose.rotation;
            let axis = rotation * Vector3::z() * *half_height;
            let center = placed.pose.translation.vector;
            let [x, y] = [Vector3::x(), Vector3::y()].map(|e| rotation * e * *radius);
            Some(match index {
                0 => Curve { center, x: axis, y: None, radius: *radius },
                1 => Curve { center: center + axis, x, y: Some(y), radius: 0.0 },
                _ => Curve { center: center - axis, x, y: Some(y), radius: 0.0 },
            })
        }
        _ => {
            let (start, along) = edge_start_along(placed, index)?;
            let x = 0.5 * along;
            Some(Curve { center: start + x, x, y: None, radius: placed.solid.rounding() })
        }
    })
}

impl Curve {
    /// Point, first and second derivative.
    pub(super) fn at(&self, s: f64) -> [Vector3<f64>; 3] {
        match self.y {
            None => [self.center + s * self.x, self.x, Vector3::zeros()],
            Some(y) => {
                let (sin, cos) = s.sin_cos();
                let out = cos * self.x + sin * y;
                [self.center + out, cos * y - sin * self.x, -out]
            }
        }
    }

    /// Parameter of the point nearest to `point`; the ends of a line are ignored.
    pub(super) fn nearest(&self, point: &Vector3<f64>) -> f64 {
        let d = point - self.center;
        match self.y {
            None => d.dot(&self.x) / self.x.norm_squared(),
            Some(y) => d.dot(&y).atan2(d.dot(&self.x)),
        }
    }
}

/// The parameters near `start` where the distance of two curves is stationary, or `None` if Newton's
/// method finds none.
pub(super) fn stationary(a: &Curve, b: &Curve, start: Vector2<f64>) -> Option<Vector2<f64>> {
    let mut parameters = start;
    let mut step = f64::INFINITY;
    for _ in 0..STEPS {
        let [p, dp, ddp] = a.at(parameters.x);
        let [q, dq, ddq] = b.at(parameters.y);
        let between = p - q;
        let residual = Vector2::new(between.dot(&dp), between.dot(&dq));
        let jacobian = Matrix2::new(
            dp.norm_squared() + between.dot(&ddp),
            -dp.dot(&dq),
            dp.dot(&dq),
            between.dot(&ddq) - dq.norm_squared(),
        );
        let change = jacobian.try_inverse()? * residual;
        parameters -= change;
        if step < LAST_STEP {
            break;
        }
        step = change.amax();
    }
    (step < LAST_STEP).then_some(parameters)
}
