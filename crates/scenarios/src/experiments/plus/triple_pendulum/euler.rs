//! The two integrators of first order that the paper compares with: Euler's method, semi-explicit and implicit.
//!
//! With the acceleration `a(q, v)` under the contact forces, a step of length `h` is
//!
//! ```math
//! v' = v + h\, a(q, v) \quad\text{or}\quad v' = v + h\, a(q', v'), \qquad q' = q \oplus h v' .
//! ```
//!
//! The implicit equation is solved by Newton's method, whose matrix of differences is computed once in a step. A step is
//! taken as a whole and as two halves; the difference is the error of the halves, which go on. It is kept below
//! the tolerance, relative to the speed of the impact and to the motion of the coordinates during the compression, by
//! the length of the steps.
//!
//! The cost is the number of evaluations of `a`: kinematics, mass matrix, contact force.

use nalgebra::{DMatrix, DVector, Vector2};
use percussion_dynamics::gap::ContactRows;
use percussion_integrators::compliant::{Model, State};

/// Euler's method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    SemiExplicit,
    Implicit,
}

/// Maximum number of attempted steps, and of iterations of Newton's method in a step.
const STEPS: usize = 1_000_000;
const ITERATIONS: usize = 10;

/// Largest part of the tolerance that an iteration may still change when it ends.
const CONVERGED: f64 = 0.01;

/// Relative step of the differences.
const DIFFERENCE: f64 = 1e-7;

/// The first step, in units of the time of the compression.
const FIRST: f64 = 1e-3;

/// An impact of a system in the plane, integrated by one of the methods.
#[derive(Debug)]
pub(super) struct Euler<'a> {
    model: &'a Model,
    method: Method,
    tolerance: f64,
    /// Largest velocity before the impact, and the motion of a coordinate at that velocity during the compression.
    speed: f64,
    stride: f64,
    rows: ContactRows,
    /// Number of evaluations of the acceleration.
    pub(super) evaluations: usize,
}

#[derive(Clone)]
struct Point {
    coordinates: Vec<f64>,
    velocity: DVector<f64>,
}

impl<'a> Euler<'a> {
    /// An integration with a relative `tolerance` of an impact that compresses its contact for about `time` (s).
    pub(super) fn new(
        model: &'a Model,
        method: Method,
        tolerance: f64,
        speed: f64,
        time: f64,
    ) -> Self {
        let rows = ContactRows::for_system(model.system());
        Self { model, method, tolerance, speed, stride: speed * time, rows, evaluations: 0 }
    }

    /// The state after the contact has opened; `None` if steps become too small or too many.
    pub(super) fn run(&mut self, start: &State) -> Option<State> {
        let mut at = Point {
            coordinates: start.coordinates.clone(),
            velocity: DVector::from_column_slice(&start.velocity),
        };
        let mut time = start.time;
        let mut h = FIRST * self.stride / self.speed;
        for _ in 0..STEPS {
            let whole = self.step(&at, h);
            let halves = self.step(&at, 0.5 * h).and_then(|half| self.step(&half, 0.5 * h));
            let (Some(whole), Some(halves)) = (whole, halves) else {
                h *= 0.5;
                continue;
            };
            let error = self.distance(&whole, &halves);
            if error <= self.tolerance {
                (at, time) = (halves, time + h);
                if self.is_over(&at) {
                    let state = self.model.state(at.coordinates, at.velocity.as_slice().to_vec());
                    return state.ok().map(|state| State { time, ..state });
                }
            }
            // The error of a step is of second order.
            h *= (0.9 * (self.tolerance / error).sqrt()).clamp(0.2, 4.0);
            if !(h.is_normal() && time + h > time) {
                return None;
            }
        }
        None
    }

    fn step(&mut self, at: &Point, h: f64) -> Option<Point> {
        match self.method {
            Method::SemiExplicit => {
                let velocity = &at.velocity + h * self.acceleration(&at.coordinates, &at.velocity);
                Some(self.moved(at, velocity, h))
            }
            Method::Implicit => self.implicit(at, h),
        }
    }

    /// Newton's method for `v' − v − h a(q ⊕ h v', v') = 0`.
    fn implicit(&mut self, at: &Point, h: f64) -> Option<Point> {
        let count = at.velocity.len();
        let residual = |euler: &mut Self, velocity: &DVector<f64>| {
            let end = euler.moved(at, velocity.clone(), h);
            velocity - &at.velocity - h * euler.acceleration(&end.coordinates, velocity)
        };
        let mut velocity = at.velocity.clone();
        let mut miss = residual(self, &velocity);
        let change = DIFFERENCE * self.speed;
        let columns: Vec<_> = (0..count)
            .map(|k| {
                let mut other = velocity.clone();
                other[k] += change;
                (residual(self, &other) - &miss) / change
            })
            .collect();
        let matrix = DMatrix::from_columns(&columns).lu();
        for _ in 0..ITERATIONS {
            let step = matrix.solve(&miss)?;
            velocity -= &step;
            if step.amax() <= CONVERGED * self.tolerance * self.speed {
                return Some(self.moved(at, velocity, h));
            }
            miss = residual(self, &velocity);
        }
        None
    }

    /// The point that is reached with `velocity`.
    fn moved(&self, at: &Point, velocity: DVector<f64>, h: f64) -> Point {
        let mut coordinates = at.coordinates.clone();
        let displacement = &velocity * h;
        self.model.system().retract(&at.coordinates, displacement.as_slice(), &mut coordinates);
        Point { coordinates, velocity }
    }

    fn acceleration(&mut self, coordinates: &[f64], velocity: &DVector<f64>) -> DVector<f64> {
        self.evaluations += 1;
        let system = self.model.system();
        let mut forces = DMatrix::zeros(velocity.len(), 1);
        system.smooth_forces(coordinates, velocity.as_slice(), 0.0, forces.as_mut_slice());
        for contact in self.model.contacts() {
            let gap = contact.gap.rows(system, coordinates, &mut self.rows);
            let [normal, tangent] =
                [self.rows.normal(), self.rows.tangent(0)].map(DVector::from_column_slice);
            let slip = Vector2::new(tangent.dot(velocity), 0.0);
            let (push, rub) = contact.law.force(gap, normal.dot(velocity), slip);
            forces += normal * push + tangent * rub.x;
        }
        system.apply_inverse_mass(coordinates, &mut forces);
        forces.column(0).into_owned()
    }

    fn distance(&self, a: &Point, b: &Point) -> f64 {
        let apart = |(q, r): (&f64, &f64)| (q - r).abs();
        let far = a.coordinates.iter().zip(&b.coordinates).map(apart).fold(0.0, f64::max);
        ((&a.velocity - &b.velocity).amax() / self.speed).max(far / self.stride)
    }

    /// Whether all contacts are open and open further.
    fn is_over(&mut self, at: &Point) -> bool {
        let system = self.model.system();
        self.model.contacts().iter().all(|contact| {
            let gap = contact.gap.rows(system, &at.coordinates, &mut self.rows);
            let rate: f64 =
                self.rows.normal().iter().zip(at.velocity.iter()).map(|(j, v)| j * v).sum();
            gap >= 0.0 && rate > 0.0
        })
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use percussion_dynamics::{
        PlanarBodies, PlanarBody,
        compliant::{FrictionLaw, Law, NormalLaw},
        gap::{Plane, Sphere, SpherePlane},
    };
    use percussion_integrators::compliant::Contact;

    use super::*;

    /// A ball of 1 kg falls at 2 m/s on a spring of 1 MN/m without damping: it leaves after π ms at 2 m/s. The error of
    /// both methods is of first order in their steps, so of order ½ in the tolerance.
    #[test]
    fn a_ball_leaves_a_spring_as_fast_as_it_came() {
        let body = PlanarBody::new(1.0, 0.1);
        let ball = PlanarBodies::new(vec![body], Vector2::zeros()).unwrap();
        let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
        let law = Law::new(
            NormalLaw::kelvin_voigt(1e6, 0.0).unwrap(),
            FrictionLaw::regularized_coulomb(0.0, 1.0).unwrap(),
        );
        let gap = SpherePlane::new(Sphere::of_body(0, 0.5), floor).unwrap();
        let model = Model::new(Box::new(ball), vec![Contact::new(gap, law)]).unwrap();
        let start = model.state(vec![0.0, 0.5, 0.0], vec![0.0, -2.0, 0.0]).unwrap();
        for method in [Method::SemiExplicit, Method::Implicit] {
            let mut results = Vec::new();
            for tolerance in [1e-4, 1e-6] {
                let mut euler = Euler::new(&model, method, tolerance, 2.0, 1e-3);
                let end = euler.run(&start).unwrap();
                let least = std::f64::consts::PI * 1e-3 * (1.0 - 20.0 * tolerance.sqrt());
                assert!(end.time > least, "{method:?} {}", end.time);
                results.push(((end.velocity[1] - 2.0).abs(), euler.evaluations));
            }
            let [(coarse, few), (fine, many)] = results[..] else { panic!("two runs") };
            assert!(fine < 0.2 * coarse && fine < 0.02, "{method:?} {results:?}");
            let growth = many as f64 / few as f64;
            assert!((5.0..20.0).contains(&growth), "{method:?} {results:?}");
        }
    }
}
