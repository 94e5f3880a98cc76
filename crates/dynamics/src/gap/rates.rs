//! Rates of a contact during a motion: of its points, its normal and its contact velocity.
//!
//! The surfaces are *cores*, which are vertices, curves or planes, rounded by radii; the nearest points are computed
//! on the cores. The points `p(s)`, `q(t)` of two curves, with `b = p − q`, remain nearest if
//!
//! ```math
//! b \cdot p' = 0, \qquad b \cdot q' = 0,
//! ```
//!
//! Differentiation, with the relative velocity `w` of the two material points, gives equations that are linear in
//! `ṡ` and `ṫ`:
//!
//! ```math
//! \begin{aligned}
//! (p' \cdot p' + b \cdot p'')\, \dot s - p' \cdot q'\, \dot t &= -w \cdot p' - b \cdot (\omega_1 \times p'), \\
//! p' \cdot q'\, \dot s + (b \cdot q'' - q' \cdot q')\, \dot t &= -w \cdot q' - b \cdot (\omega_2 \times q').
//! \end{aligned}
//! ```
//!
//! The point of a curve nearest to a plane satisfies `n · p' = 0`. `ṗ` and `q̇` determine `ṅ`, and with it the rate
//! of the contact velocity `u_a = a · (v_1(p_1) − v_2(p_2))` along each axis `a` of the contact frame while
//! `v̇ = 0`,
//!
//! ```math
//! \dot u_a = \dot a \cdot (v_1 - v_2) + a \cdot (A_1 + \omega_1 \times (\dot p_1 - v_1) - A_2
//! - \omega_2 \times (\dot p_2 - v_2)),
//! ```
//!
//! with the accelerations `A_i` of the material points.
//!
//! - **Does not** account for a change of the nearest features: the rate is that of the current features.

use nalgebra::{Matrix2, Vector2, Vector3};

use crate::system::motion::BodyMotion;

/// If the angle between the plane of a circle and another plane is smaller than this (rad), the circle has no lowest
/// point: the direction to it has lost half of its digits.
const ALONG: f64 = 1e-8;

/// A curve through a [`Core`], with an arbitrary parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// First derivative `p'` with respect to the parameter (m).
    pub tangent: Vector3<f64>,
    /// Second derivative `p''` (m); zero for a line.
    pub curvature: Vector3<f64>,
    /// Rate of `p'` at a fixed parameter (m/s): `ω × p'` for a curve that is fixed to a body.
    pub turning: Vector3<f64>,
}

/// The point of the core of a surface that is nearest to the other surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Core {
    /// Position (m, world).
    pub point: Vector3<f64>,
    /// Its velocity at a fixed parameter of the curve (m/s): that of the material point.
    pub velocity: Vector3<f64>,
    /// The curve along which the point can move; `None` for a vertex.
    pub curve: Option<Curve>,
    /// Radius by which the core is rounded (m).
    pub radius: f64,
}

impl Core {
    /// A vertex at the world position `point`, carried by a body.
    #[must_use]
    pub fn vertex(motion: &BodyMotion<'_>, point: &Vector3<f64>, radius: f64) -> Self {
        Self { point: *point, velocity: motion.velocity(point), curve: None, radius }
    }

    /// A point of a curve that is fixed to a body, with its first and second derivative (m).
    #[must_use]
    pub fn on_curve(
        motion: &BodyMotion<'_>,
        point: &Vector3<f64>,
        [tangent, curvature]: [Vector3<f64>; 2],
        radius: f64,
    ) -> Self {
        let turning = motion.angular_velocity().cross(&tangent);
        let curve = Some(Curve { tangent, curvature, turning });
        Self { curve, ..Self::vertex(motion, point, radius) }
    }

    /// The same point as a vertex.
    #[must_use]
    pub fn fixed(self) -> Self {
        Self { curve: None, ..self }
    }

    /// Velocity of the point when the rate of the parameter is `rate`.
    fn moving(&self, rate: f64) -> Vector3<f64> {
        self.velocity + self.curve.map_or_else(Vector3::zeros, |curve| rate * curve.tangent)
    }
}

/// The contact of two surfaces, with the nearest points of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The gap (m).
    pub gap: f64,
    /// The points of the two surfaces (m, world).
    pub points: [Vector3<f64>; 2],
    /// Unit normal, from body 2 to body 1.
    pub normal: Vector3<f64>,
}

/// Rates of the geometry of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Rates of the points of the two surfaces (m/s); these are not the velocities of the material points there.
    pub points: [Vector3<f64>; 2],
    /// Rate of the normal (1/s).
    pub normal: Vector3<f64>,
}

impl Rates {
    /// The rates of the same contact with the two bodies exchanged.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self { points: [self.points[1], self.points[0]], normal: -self.normal }
    }

    /// Rates of the contact of two rounded vertices or curves with the unit normal `normal`.
    ///
    /// If the cores coincide, so that the normal is not along their difference, its rate is 0.
    #[must_use]
    pub fn of_cores(cores: &[Core; 2], normal: &Vector3<f64>) -> Self {
        let [first, second] = cores;
        let rates = nearest_rates(cores);
        let moving = [first.moving(rates[0]), second.moving(rates[1])];
        let between = first.point - second.point;
        let crossing = match (first.curve, second.curve) {
            (Some(p), Some(q)) => Some((p, q, p.tangent.cross(&q.tangent))),
            _ => None,
        };
        // The difference of the points is small compared with their sizes where the cores meet, and the cross
        // product is small where the curves are parallel. The one with the smaller relative rounding is used.
        let normal_rate = match crossing {
            Some((p, q, cross))
                if is_steep(&p, &q, &cross, &between) && is_along(normal, &cross) =>
            {
                let p_rate = p.turning + rates[0] * p.curvature;
                let q_rate = q.turning + rates[1] * q.curvature;
                let cross_rate = p_rate.cross(&q.tangent) + p.tangent.cross(&q_rate);
                across(normal, &cross_rate) / normal.dot(&cross)
            }
            _ if is_along(normal, &between) => {
                across(normal, &(moving[0] - moving[1])) / normal.dot(&between)
            }
            _ => Vector3::zeros(),
        };
        let points =
            [moving[0] - first.radius * normal_rate, moving[1] + second.radius * normal_rate];
        Self { points, normal: normal_rate }
    }

    /// Rates of the contact of a rounded vertex or curve of body 1 with a plane that is fixed to body 2.
    ///
    /// A line or a circle parallel to the plane has no lowest point; the current point is then treated as a vertex.
    #[must_use]
    pub fn on_plane(core: &Core, motions: [&BodyMotion<'_>; 2], touch: &Touch) -> Self {
        let Touch { gap, points, normal } = *touch;
        let normal_rate = motions[1].angular_velocity().cross(&normal);
        let slide = core.curve.map_or(0.0, |curve| {
            let bend = normal.dot(&curve.curvature);
            let turn = normal_rate.dot(&curve.tangent) + normal.dot(&curve.turning);
            if bend.abs() > ALONG * curve.curvature.norm() { -turn / bend } else { 0.0 }
        });
        let point_1 = core.moving(slide) - core.radius * normal_rate;
        let opening =
            normal.dot(&(motions[0].velocity(&points[0]) - motions[1].velocity(&points[1])));
        let point_2 = point_1 - opening * normal - gap * normal_rate;
        Self { points: [point_1, point_2], normal: normal_rate }
    }

    /// Writes the rates of the contact velocity while `v̇ = 0` to `bias` (m/s²): normal, then tangents.
    ///
    /// `axes` are the axes of the contact frame and `axes_rates` their rates.
    pub fn contact_bias(
        &self,
        motions: [&BodyMotion<'_>; 2],
        points: &[Vector3<f64>; 2],
        [axes, axes_rates]: [&[Vector3<f64>; 3]; 2],
        bias: &mut [f64],
    ) {
        let [first, second] = [0, 1].map(|k| {
            let velocity = motions[k].velocity(&points[k]);
            let sliding = self.points[k] - velocity;
            (velocity, motions[k].bias(&points[k]) + motions[k].angular_velocity().cross(&sliding))
        });
        let (velocity, acceleration) = (first.0 - second.0, first.1 - second.1);
        for ((bias, axis), rate) in bias.iter_mut().zip(axes).zip(axes_rates) {
            *bias = rate.dot(&velocity) + axis.dot(&acceleration);
        }
    }
}

/// `ṡ` and `ṫ`; 0 for a vertex and for parallel curves, whose nearest points are not determined.
fn nearest_rates([first, second]: &[Core; 2]) -> [f64; 2] {
    let between = first.point - second.point;
    let w = first.velocity - second.velocity;
    let alone = |core: &Core, sign: f64| {
        core.curve.map_or(0.0, |curve| {
            let change = w.dot(&curve.tangent) + between.dot(&curve.turning);
            let stiffness = sign * curve.tangent.norm_squared() + between.dot(&curve.curvature);
            let rate = -change / stiffness;
            if rate.is_finite() { rate } else { 0.0 }
        })
    };
    let (Some(p), Some(q)) = (first.curve, second.curve) else {
        return [alone(first, 1.0), alone(second, -1.0)];
    };
    // Unit tangents keep the determinant within the range of numbers.
    let (along_p, along_q) = (p.tangent.norm(), q.tangent.norm());
    let (unit_p, unit_q) = (p.tangent / along_p, q.tangent / along_q);
    let mixed = unit_p.dot(&unit_q);
    let matrix = Matrix2::new(
        1.0 + between.dot(&p.curvature) / (along_p * along_p),
        -mixed,
        mixed,
        between.dot(&q.curvature) / (along_q * along_q) - 1.0,
    );
    let change = Vector2::new(
        w.dot(&unit_p) + between.dot(&p.turning) / along_p,
        w.dot(&unit_q) + between.dot(&q.turning) / along_q,
    );
    match matrix.try_inverse().map(|inverse| -(inverse * change)) {
        Some(rates) if rates.iter().all(|rate| rate.is_finite()) => {
            [rates.x / along_p, rates.y / along_q]
        }
        _ => [0.0; 2],
    }
}

/// Whether the angle between two curves determines the normal better than the difference of their points, relative
/// to the sizes of both.
fn is_steep(p: &Curve, q: &Curve, cross: &Vector3<f64>, between: &Vector3<f64>) -> bool {
    let lengths = p.tangent.norm() + q.tangent.norm();
    let sine = cross.norm() / (p.tangent.norm() * q.tangent.norm());
    sine * lengths > between.norm()
}

/// Whether a vector has the direction of the unit `normal` or the opposite one, up to rounding.
fn is_along(normal: &Vector3<f64>, vector: &Vector3<f64>) -> bool {
    normal.dot(vector).abs() > 0.5 * vector.norm()
}

/// The part of a vector orthogonal to the unit `normal`.
fn across(normal: &Vector3<f64>, vector: &Vector3<f64>) -> Vector3<f64> {
    vector - normal * normal.dot(vector)
}
