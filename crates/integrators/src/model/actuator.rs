//! Actuators: affine laws of position, rate and a control, with gears and limits: [`Actuator`].

use std::sync::{Arc, PoisonError, RwLock};

use percussion_dynamics::System;

use super::ModelError;

/// A force along a *length* `ℓ`, a sum of coordinates with gears, that follows a control `u`.
///
/// ```math
/// f = \operatorname{clamp}(g\,u + b_0 + b_1 \ell + b_2 \dot\ell), \qquad
/// \ell = \ell_0 + \sum_j \gamma_j q_j, \qquad \tau_j = \gamma_j f .
/// ```
///
/// A servo of stiffness `k_p` and damping `k_v` has `g = k_p` and `b = (0, −k_p, −k_v)`, and its control is the target; a
/// velocity servo has `g = k_v` and `b = (0, 0, −k_v)`; a motor has `g = 1` and no bias; a damper has no gain.
///
/// The schemes that take steps apply the law at the **end** of a step, which is stable for any step and any gains that
/// resist motion: `b_1 ≤ 0` and `b_2 ≤ 0` enter the mass matrix of the step as `h (θ h |b_1| + |b_2|) γ γᵀ`, with the
/// fraction `θ` of the velocity at the end in the displacement of the scheme. Gains of the other sign act from the start of
/// the step. A force beyond its range is the end of the range, as found by solving the step again. Motion that takes no
/// steps evaluates the law at each instant.
///
/// # Example
///
/// A servo of 100 N·m/rad that is 0.1 rad short of its target pushes with 10 N·m. If it is 1 rad short, it pushes with
/// its limit of 20 N·m.
///
/// ```
/// use percussion_integrators::Actuator;
///
/// let servo = Actuator::servo((0, 0), 0.1, [100.0, 5.0]).with_force_range([-20.0, 20.0]);
/// assert_eq!(servo.force(&[0.0], &[0.0], 0.0, None), 10.0);
/// assert_eq!(servo.force(&[-0.9], &[0.0], 0.0, None), 20.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// The coordinates that it moves, with their gears.
    pub joints: Vec<Geared>,
    /// Length `ℓ_0` at zero coordinates (m, rad).
    pub offset: f64,
    /// Force per control `g`.
    pub gain: f64,
    /// Bias `b_0` (N, N·m), `b_1` (per m, rad) and `b_2` (per m/s, rad/s).
    pub bias: [f64; 3],
    /// Smallest and largest control; controls beyond are the nearer end. May be infinite.
    pub control_range: [f64; 2],
    /// Smallest and largest force `f` (N, N·m). May be infinite.
    pub force_range: [f64; 2],
    /// The control over time, unless [`Controls`] set another one.
    pub control: Course,
}

/// A coordinate that an actuator moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geared {
    /// Index of the coordinate.
    pub coordinate: usize,
    /// Index of its velocity.
    pub velocity: usize,
    /// Length per coordinate `γ`.
    pub gear: f64,
}

const UNBOUNDED: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

impl Actuator {
    /// A force on `joints` without gain, bias and limits, with the control 0.
    #[must_use]
    pub const fn new(joints: Vec<Geared>) -> Self {
        Self {
            joints,
            offset: 0.0,
            gain: 0.0,
            bias: [0.0; 3],
            control_range: UNBOUNDED,
            force_range: UNBOUNDED,
            control: Course::constant(0.0),
        }
    }

    /// A force on one coordinate, given with its velocity by index, with gear 1.
    #[must_use]
    pub fn on((coordinate, velocity): (usize, usize)) -> Self {
        Self::new(vec![Geared { coordinate, velocity, gear: 1.0 }])
    }

    /// A servo that holds a coordinate at `target` (m, rad) with this stiffness (N/m, N·m/rad) and damping.
    #[must_use]
    pub fn servo(joint: (usize, usize), target: f64, [stiffness, damping]: [f64; 2]) -> Self {
        Self {
            gain: stiffness,
            bias: [0.0, -stiffness, -damping],
            control: Course::constant(target),
            ..Self::on(joint)
        }
    }

    /// The same with this range of the force (N, N·m).
    #[must_use]
    pub fn with_force_range(self, force_range: [f64; 2]) -> Self {
        Self { force_range, ..self }
    }

    /// The same with this control over time.
    #[must_use]
    pub fn with_control(self, control: Course) -> Self {
        Self { control, ..self }
    }

    /// The length `ℓ` (m, rad).
    #[must_use]
    pub fn length(&self, coordinates: &[f64]) -> f64 {
        let part = |joint: &Geared| joint.gear * coordinates[joint.coordinate];
        self.offset + self.joints.iter().map(part).sum::<f64>()
    }

    /// Its rate `ℓ̇` (m/s, rad/s).
    #[must_use]
    pub fn rate(&self, velocity: &[f64]) -> f64 {
        self.joints.iter().map(|joint| joint.gear * velocity[joint.velocity]).sum()
    }

    /// The control that keeps the length at `coordinates` where no other force acts, within its range; 0 without a gain.
    #[must_use]
    pub fn holding(&self, coordinates: &[f64]) -> f64 {
        if self.gain == 0.0 {
            return 0.0;
        }
        let control = -(self.bias[0] + self.bias[1] * self.length(coordinates)) / self.gain;
        clamp(control, self.control_range)
    }

    /// The force `f` (N, N·m) with the control `set`, by default that of its course at `time` (s).
    #[must_use]
    pub fn force(&self, coordinates: &[f64], velocity: &[f64], time: f64, set: Option<f64>) -> f64 {
        let (length, rate) = (self.length(coordinates), self.rate(velocity));
        clamp(self.unbounded(length, rate, time, set), self.force_range)
    }

    /// The force without its limits.
    pub(super) fn unbounded(&self, length: f64, rate: f64, time: f64, set: Option<f64>) -> f64 {
        let control = clamp(set.unwrap_or_else(|| self.control.at(time)), self.control_range);
        self.gain * control + self.bias[0] + self.bias[1] * length + self.bias[2] * rate
    }

    /// Checks that it is one of `system`, where it has the number `actuator`.
    pub(super) fn check(&self, actuator: usize, system: &dyn System) -> Result<(), ModelError> {
        let refuse =
            |field, value, expected| Err(ModelError::Actuator { actuator, field, value, expected });
        for joint in &self.joints {
            if joint.coordinate >= system.coordinate_count() {
                return refuse("coordinate", joint.coordinate as f64, "one of the system");
            }
            if joint.velocity >= system.velocity_count() {
                return refuse("velocity", joint.velocity as f64, "one of the system");
            }
        }
        let gears = self.joints.iter().map(|joint| ("gear", joint.gear));
        let bias = self.bias.iter().map(|value| ("bias", *value));
        let course = self.control.values.iter().map(|value| ("control", *value));
        let single = [("offset", self.offset), ("gain", self.gain)].into_iter();
        for (field, value) in gears.chain(bias).chain(course).chain(single) {
            if !value.is_finite() {
                return refuse(field, value, "a finite number");
            }
        }
        for (field, [least, most]) in
            [("control_range", self.control_range), ("force_range", self.force_range)]
        {
            if least.is_nan() || most.is_nan() || least > most {
                return refuse(field, least, "a lower end that is at most the upper end");
            }
        }
        Ok(())
    }
}

fn clamp(value: f64, [least, most]: [f64; 2]) -> f64 {
    value.max(least).min(most)
}

/// A number over time: constant, or linear between given instants and constant before and after them.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    times: Vec<f64>,
    values: Vec<f64>,
    constant: f64,
}

impl Course {
    /// The same number at all times.
    #[must_use]
    pub const fn constant(value: f64) -> Self {
        Self { times: Vec::new(), values: Vec::new(), constant: value }
    }

    /// `values` at `times` (s), which increase; `None` if they do not, are not finite, or differ in number.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_integrators::Course;
    ///
    /// let ramp = Course::new(vec![1.0, 3.0], vec![0.0, 4.0]).ok_or("times increase")?;
    /// assert_eq!([0.0, 2.0, 9.0].map(|time| ramp.at(time)), [0.0, 2.0, 4.0]);
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn new(times: Vec<f64>, values: Vec<f64>) -> Option<Self> {
        let constant = *values.first()?;
        let is_finite = times.iter().chain(&values).all(|number| number.is_finite());
        let increases = times.windows(2).all(|pair| pair[0] < pair[1]);
        let fits = times.len() == values.len();
        (is_finite && increases && fits).then_some(Self { times, values, constant })
    }

    /// The number at `time` (s).
    #[must_use]
    pub fn at(&self, time: f64) -> f64 {
        let next = self.times.partition_point(|known| *known <= time);
        match (next.checked_sub(1), self.times.get(next)) {
            (None, _) => self.constant,
            (Some(last), None) => self.values[last],
            (Some(last), Some(after)) => {
                let share = (time - self.times[last]) / (after - self.times[last]);
                self.values[last] + share * (self.values[next] - self.values[last])
            }
        }
    }
}

/// Why a control cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ControlsError {
    /// There is no actuator of this number.
    #[error("there is no actuator {actuator}, expected a number below {count}")]
    Actuator {
        /// The number.
        actuator: usize,
        /// Number of actuators.
        count: usize,
    },
    /// The control is NaN or infinite.
    #[error("control of actuator {actuator} is {value}, expected a finite number")]
    NotFinite {
        /// Number of the actuator.
        actuator: usize,
        /// The control.
        value: f64,
    },
}

/// Controls that a controller sets between steps, in place of the [courses](Actuator::control) of the actuators.
///
/// Clones are the same controls, and so are those of clones of a model.
#[derive(Clone, Debug)]
pub struct Controls {
    set: Arc<RwLock<Vec<Option<f64>>>>,
}

impl Controls {
    pub(super) fn new(count: usize) -> Self {
        Self { set: Arc::new(RwLock::new(vec![None; count])) }
    }

    /// Sets the control of the actuator of this number, until it is set again.
    ///
    /// # Errors
    ///
    /// [`ControlsError`]; the control before is then kept.
    pub fn set(&self, actuator: usize, control: f64) -> Result<(), ControlsError> {
        let mut set = self.set.write().unwrap_or_else(PoisonError::into_inner);
        let count = set.len();
        if !control.is_finite() {
            return Err(ControlsError::NotFinite { actuator, value: control });
        }
        let slot = set.get_mut(actuator).ok_or(ControlsError::Actuator { actuator, count })?;
        *slot = Some(control);
        Ok(())
    }

    pub(super) fn get(&self, actuator: usize) -> Option<f64> {
        self.set.read().unwrap_or_else(PoisonError::into_inner)[actuator]
    }
}
