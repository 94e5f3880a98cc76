//! The account of a motion with error-controlled steps.

use nalgebra::{DMatrix, DVector};
use percussion_dynamics::System;

use super::{EnergyBalance, ROUNDINGS};

/// Maximum growth of step errors before they turn into energy.
const GROWTH: f64 = 10.0;

/// The account of a motion with error-controlled steps.
#[derive(Clone, Debug)]
pub(crate) struct ControlledAccount {
    /// Energy at the start (J).
    start: f64,
    time: f64,
    power: f64,
    work: f64,
    /// `A`.
    accumulated: f64,
    /// Largest energy so far (J).
    largest: f64,
    /// Sizes of the generalized forces at the end of the last step (N, N·m).
    pulls: Vec<f64>,
}

/// A state at the end of such a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached<'a> {
    pub(crate) time: f64,
    pub(crate) coordinates: &'a [f64],
    pub(crate) velocity: &'a [f64],
    /// Energy of the system and its contacts (J).
    pub(crate) energy: f64,
}

/// Possible errors of the unknowns in such a step, relative to motions of bodies by `L`.
#[derive(Clone, Debug)]
pub(crate) struct Slack<'a> {
    /// Largest tolerance of a coordinate relative to its change while bodies move by `L`.
    position: f64,
    /// Change of each generalized velocity in that motion (length `n_v`).
    strides: &'a [f64],
    /// Tolerances of the velocities (length `n_v`).
    velocity: Vec<f64>,
    /// Number of unknowns.
    unknowns: usize,
}

impl<'a> Slack<'a> {
    /// Slack of the unknowns `y`, coordinates before velocities before others, with `absolute` tolerances and
    /// a `relative` one; `strides` are the changes of coordinates (length `n_q`) and velocities (length
    /// `n_v`) while bodies move by `L`.
    pub(crate) fn new(
        y: &[f64],
        (absolute, relative): (&[f64], f64),
        [coordinate_strides, velocity_strides]: [&'a [f64]; 2],
    ) -> Self {
        let tolerance = |k: usize| absolute[k] + relative * y[k].abs();
        let positions = coordinate_strides.len();
        let shares = coordinate_strides.iter().enumerate().map(|(k, s)| tolerance(k) / s);
        Self {
            position: shares.fold(0.0, f64::max),
            strides: velocity_strides,
            velocity: (positions..positions + velocity_strides.len()).map(tolerance).collect(),
            unknowns: y.len(),
        }
    }
}

impl ControlledAccount {
    /// The account of a motion that starts at `start`.
    pub(crate) fn new(system: &dyn System, start: Reached<'_>) -> Self {
        let Reached { time, coordinates, velocity, energy } = start;
        let power = system.other_power(coordinates, velocity, time);
        let pulls = vec![0.0; velocity.len()];
        let (work, accumulated, largest) = (0.0, 0.0, energy.abs());
        Self { start: energy, time, power, work, accumulated, largest, pulls }
    }

    /// Enters a step to `end` with the power of the forces without a potential in its middle (W) and the
    /// sizes of the generalized forces at its end; the sizes at its start are used where they are larger.
    pub(crate) fn enter(
        &mut self,
        system: &dyn System,
        end: Reached<'_>,
        middle_power: f64,
        pulls: &[f64],
        slack: &Slack<'_>,
    ) {
        let Reached { time, coordinates, velocity, energy } = end;
        let length = time - self.time;
        let power = system.other_power(coordinates, velocity, time);
        let trapezoidal = 0.5 * length * (self.power + power);
        let work = (trapezoidal + 2.0 * length * middle_power) / 3.0;
        let count = velocity.len();
        let mut mass_matrix = DMatrix::zeros(count, count);
        system.mass_matrix(coordinates, &mut mass_matrix);
        let momentum = mass_matrix * DVector::from_column_slice(velocity);
        let of_velocity: f64 =
            momentum.iter().zip(&slack.velocity).map(|(p, tolerance)| p.abs() * tolerance).sum();
        let of_position: f64 = pulls
            .iter()
            .zip(&self.pulls)
            .zip(slack.strides)
            .map(|((f, last), stride)| f.max(*last) * stride * slack.position)
            .sum();
        self.pulls.copy_from_slice(pulls);
        self.largest = self
            .largest
            .max(energy.abs())
            .max(0.5 * momentum.dot(&DVector::from_column_slice(velocity)));
        let rounding = ROUNDINGS * count as f64 * f64::EPSILON * self.largest;
        let of_step = (slack.unknowns as f64).sqrt() * (of_velocity + of_position);
        self.accumulated += GROWTH * of_step + (work - trapezoidal).abs() + rounding;
        self.work += work;
        self.power = power;
        self.time = time;
    }

    /// Returns the balance at this energy (J).
    pub(crate) fn balance(&self, energy: f64) -> EnergyBalance {
        EnergyBalance {
            work: self.work,
            projected: 0.0,
            gained: energy - self.start - self.work,
            allowed: self.accumulated,
        }
    }
}
