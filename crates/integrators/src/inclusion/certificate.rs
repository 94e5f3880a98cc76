//! The [`Certificate`] of a solution: how well it satisfies the inclusion, from the model and the moments
//! alone.
//!
//! The change of the state across each interval of length `h` is compared with the integral of the rates that
//! the inclusion prescribes for the recorded contact rates. The integral is that of the parabola through the
//! rates of a pair of neighboring intervals, `h (5, 8, −1)/12` and its mirror image. Its error is `h⁴ x⁗/24`,
//! which is also the residual of a solution that was integrated accurately.
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 43 (2024), equations 46 to 53 (what is checked).

use nalgebra::{DMatrix, DVector};

use super::{
    contacts::Contacts,
    solution::{Kind, Moment, Phase, Solution},
};
use crate::model::Model;

/// The largest violation of each part of the inclusion; all zero for an exact solution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Certificate {
    /// Change of the velocity minus the integral of `τ M⁻¹ k + M⁻¹ Jᵀ λ`, largest entry (m/s, rad/s).
    pub momentum: f64,
    /// Change of the coordinates minus the integral of `τ N v`, largest entry (m, rad).
    pub motion: f64,
    /// Change of time minus the integral of `τ` (s).
    pub time: f64,
    /// `|τ + Σ λ_n − 1|`, and the amount by which `τ` is negative.
    pub convexity: f64,
    /// Amount by which rates leave their cones: `−λ_n`, or `|λ_t| − μ λ_n`.
    pub cone: f64,
    /// Missing dissipation of friction, as power with respect to `s`, `μ λ_n |u_t| + λ_t u_t` (m/s).
    pub dissipation: f64,
    /// Depth of the deepest penetration (m).
    pub penetration: f64,
    /// Largest gap over which a contact carries (m).
    pub carried_gap: f64,
    /// Largest normal velocity at which a contact carries while it separates (m/s).
    pub carried_separation: f64,
    /// Largest jump of `s`, time, coordinates or velocity from one phase to the next.
    pub jump: f64,
}

impl Certificate {
    /// The largest of all figures, each in its own unit.
    #[must_use]
    pub fn worst(&self) -> f64 {
        [
            self.momentum,
            self.motion,
            self.time,
            self.convexity,
            self.cone,
            self.dissipation,
            self.penetration,
            self.carried_gap,
            self.carried_separation,
            self.jump,
        ]
        .into_iter()
        .fold(0.0, f64::max)
    }
}

/// Checks a solution of `model` at each of its moments.
///
/// The result does not depend on how the solution was built. Moments of other lengths than the model's, or
/// phases of less than three moments, count as infinite [`jump`](Certificate::jump)s.
#[must_use]
pub fn certify(model: &Model, solution: &Solution) -> Certificate {
    let mut certificate = Certificate::default();
    let mut contacts = Contacts::new(model);
    let mut last: Option<&Moment> = None;
    for phase in &solution.phases {
        if !fits(model, phase) {
            certificate.jump = f64::INFINITY;
            return certificate;
        }
        if let Some(last) = last {
            raise(&mut certificate.jump, jump(last, phase.start()));
        }
        for moment in &phase.moments {
            certificate.check_moment(&mut contacts, phase, moment);
        }
        for (begin, middle, end) in pairs(phase) {
            certificate.check_pair(&mut contacts, phase.kind, [begin, middle, end]);
        }
        last = Some(phase.end());
    }
    certificate
}

impl Certificate {
    fn check_moment(&mut self, contacts: &mut Contacts<'_>, phase: &Phase, moment: &Moment) {
        contacts.locate(&moment.coordinates, &moment.velocity);
        let normal: f64 = moment.rates.iter().step_by(2).sum();
        raise(&mut self.convexity, (moment.time_rate + normal - 1.0).abs());
        raise(&mut self.convexity, -moment.time_rate);
        let held = if phase.kind == Kind::Impact { moment.time_rate.abs() } else { 0.0 };
        raise(&mut self.convexity, held);
        for (i, contact) in contacts.model.contacts().iter().enumerate() {
            let (normal, tangent) = (moment.rates[2 * i], moment.rates[2 * i + 1]);
            let (gap, u_n, u_t) = (contacts.gaps[i], contacts.u[2 * i], contacts.u[2 * i + 1]);
            let limit = contact.friction * normal;
            raise(&mut self.cone, (-normal).max(tangent.abs() - limit));
            raise(&mut self.dissipation, limit * u_t.abs() + tangent * u_t);
            raise(&mut self.penetration, -gap);
            if normal > 0.0 {
                raise(&mut self.carried_gap, gap);
                raise(&mut self.carried_separation, u_n);
            }
        }
    }

    fn check_pair(&mut self, contacts: &mut Contacts<'_>, kind: Kind, moments: [&Moment; 3]) {
        let [begin, middle, end] = moments;
        // The variable with equal steps between the moments, and the rates with respect to it.
        let (half, per) = match kind {
            Kind::Impact => (0.5 * (end.s - begin.s), [1.0; 3]),
            _ => {
                let per = moments.map(|moment| 1.0 / moment.time_rate);
                (0.5 * (end.time - begin.time), per)
            }
        };
        let rates = [0, 1, 2].map(|k| Rates::of(contacts, moments[k], per[k]));
        for (weights, from, to) in
            [([5.0, 8.0, -1.0], begin, middle), ([-1.0, 8.0, 5.0], middle, end)]
        {
            let integral = |rate: fn(&Rates, usize) -> f64, i: usize| -> f64 {
                let sum: f64 = rates.iter().zip(weights).map(|(r, w)| w * rate(r, i)).sum();
                sum * half / 12.0
            };
            let error = |change: f64, integral: f64| (change - integral).abs();
            raise(&mut self.time, error(to.time - from.time, integral(|r, _| r.time, 0)));
            raise(&mut self.time, error(to.s - from.s, integral(|r, _| r.parameter, 0)));
            for (i, (after, before)) in to.velocity.iter().zip(&from.velocity).enumerate() {
                raise(&mut self.momentum, error(after - before, integral(|r, i| r.velocity[i], i)));
            }
            for (i, (after, before)) in to.coordinates.iter().zip(&from.coordinates).enumerate() {
                raise(&mut self.motion, error(after - before, integral(|r, i| r.motion[i], i)));
            }
        }
    }
}

/// The rates that the inclusion prescribes at one moment, with respect to the variable of its phase.
struct Rates {
    time: f64,
    parameter: f64,
    velocity: DVector<f64>,
    motion: DVector<f64>,
}

impl Rates {
    fn of(contacts: &mut Contacts<'_>, moment: &Moment, per: f64) -> Self {
        let mut motion = DVector::zeros(moment.coordinates.len());
        let (q, v) = (&moment.coordinates, &moment.velocity);
        contacts.model.system().coordinate_rate(q, v, motion.as_mut_slice());
        let time = per * moment.time_rate;
        let velocity = per * velocity_rate(contacts, moment);
        Self { time, parameter: per, velocity, motion: time * motion }
    }
}

/// `τ M⁻¹ k + M⁻¹ Jᵀ λ`.
fn velocity_rate(contacts: &mut Contacts<'_>, moment: &Moment) -> DVector<f64> {
    let at = (moment.coordinates.as_slice(), moment.velocity.as_slice(), moment.time);
    contacts.locate(at.0, at.1);
    let impulses = contacts.jacobian.tr_mul(&DVector::from_column_slice(&moment.rates));
    let by_contacts = contacts.divide(at.0, DMatrix::from_columns(&[impulses]));
    moment.time_rate * contacts.free_acceleration(at) + by_contacts.column(0)
}

fn pairs(phase: &Phase) -> impl Iterator<Item = (&Moment, &Moment, &Moment)> {
    phase.moments.windows(3).step_by(2).map(|three| (&three[0], &three[1], &three[2]))
}

fn fits(model: &Model, phase: &Phase) -> bool {
    let system = model.system();
    phase.moments.len() >= 3
        && phase.moments.len() % 2 == 1
        && phase.moments.iter().all(|moment| {
            moment.coordinates.len() == system.coordinate_count()
                && moment.velocity.len() == system.velocity_count()
                && moment.rates.len() == 2 * model.contacts().len()
        })
}

fn jump(last: &Moment, next: &Moment) -> f64 {
    let lists = [(&last.coordinates, &next.coordinates), (&last.velocity, &next.velocity)];
    let far = |(a, b): (&Vec<f64>, &Vec<f64>)| {
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let state = lists.into_iter().map(far).fold(0.0, f64::max);
    state.max((last.s - next.s).abs()).max((last.time - next.time).abs())
}

/// Raises the largest value to `value`; NaN counts as infinite.
fn raise(largest: &mut f64, value: f64) {
    *largest = if value.is_nan() { f64::INFINITY } else { largest.max(value) };
}
