//! Painlevé's rod: over the angle of the rod and the friction of its tip, an impulse occurs exactly where no
//! finite force keeps the contact closed.
//!
//! In the paper the last entry of the block of the contact is `1 + 3 (cos² θ − sin² θ)²`, in which the axes
//! of the rod turn the wrong way. The correct entry is 4, as for every force across the rod. Nothing moves in
//! that direction.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Matrix3, Vector3};
use percussion_complementarity::friction::single::{Contact, coulomb, maximum_dissipation};
use percussion_record::{ExperimentOutcome, Figure, Mark, Series};
use serde::Deserialize;

use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing},
    fault::Faults,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// Mass of the rod (kg).
    mass: f64,
    /// Length of the rod (m).
    length: f64,
    /// Moment of inertia about the center (kg·m²).
    inertia: f64,
    /// Speed of the rod along the plane (m/s).
    speed: f64,
    /// Number of cells of the angle, and of the friction.
    grid: u32,
    largest_friction: f64,
    /// Largest relative difference between two impulses that count as equal.
    alike: f64,
    /// Searched intervals of friction and angle (rad), and the number of times that they are narrowed.
    frictions: [f64; 2],
    angles: [f64; 2],
    halvings: u32,
}

impl Parameters {
    /// The rod's tip at an angle, components normal (upward), along the motion and across.
    fn contact(&self, angle: f64, friction: f64) -> Result<Contact, Error> {
        let (sine, cosine) = angle.sin_cos();
        // Vector from the center to the tip, in contact axes.
        let arm = Vector3::new(-sine, -cosine, 0.0) * (0.5 * self.length);
        // A slender rod has no inertia about its axis, but no impulse at its tip turns it about that axis.
        let cross = arm.cross_matrix();
        let block = Matrix3::identity() / self.mass - cross * cross / self.inertia;
        Ok(Contact::new(&block, friction)?)
    }

    /// Minus the velocity of the tip: the rod moves against the tangent.
    fn load(&self) -> Vector3<f64> {
        Vector3::new(0.0, self.speed, 0.0)
    }

    /// The impulse of maximum dissipation.
    fn percussion(&self, angle: f64, friction: f64) -> Result<Vector3<f64>, Error> {
        Ok(maximum_dissipation::solve(&self.contact(angle, friction)?, &self.load()))
    }

    /// The impulse that ends the motion of the tip, in closed form.
    fn sticking(&self, angle: f64) -> Vector3<f64> {
        let (sine, cosine) = (2.0 * angle).sin_cos();
        Vector3::new(3.0 * sine, 5.0 + 3.0 * cosine, 0.0) * (self.mass * self.speed / 8.0)
    }

    /// The least friction with an impulse at an angle, by bisection.
    fn threshold(&self, angle: f64) -> Result<f64, Error> {
        let [mut below, mut above] = self.frictions;
        for _ in 0..self.halvings {
            let middle = 0.5 * (below + above);
            let acts = self.percussion(angle, middle)?.x > 0.0;
            (below, above) = if acts { (below, middle) } else { (middle, above) };
        }
        Ok(above)
    }
}

/// `μ*(θ)`.
fn threshold(angle: f64) -> f64 {
    (angle.cos() + 1.0 / (3.0 * angle.cos())) / angle.sin()
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let grid = parameters.grid;
    let part = |index: u32| (f64::from(index) + 0.5) / f64::from(grid);
    let mut sticking = Vec::new();
    let (mut wrong, mut among) = (0_u32, 0_u32);
    let mut error = 0.0_f64;
    for row in 0..grid {
        let angle = FRAC_PI_2 * part(row);
        progress(f64::from(row) / f64::from(grid), "Painlevé's rod");
        for column in 0..grid {
            let friction = parameters.largest_friction * part(column);
            let percussion = parameters.percussion(angle, friction)?;
            let acts = percussion != Vector3::zeros();
            let expected = if friction >= threshold(angle) {
                parameters.sticking(angle)
            } else {
                Vector3::zeros()
            };
            wrong += u32::from(acts != (expected.x > 0.0));
            if acts {
                sticking.push([angle, friction]);
                error = error.max((percussion - expected).norm() / expected.norm());
            }
            let contact = parameters.contact(angle, friction)?;
            let mut percussion = percussion;
            experiment.faults().contact_impulse(&mut percussion);
            let all = coulomb::all(&contact, &parameters.load());
            let alike = |other: &coulomb::Solution| {
                (other.impulse - percussion).norm() <= parameters.alike * percussion.norm()
            };
            among += u32::from(all.as_slice().iter().any(alike));
        }
    }
    let (covered, violation) = segments(parameters, experiment.faults())?;
    let least = least_threshold(parameters)?;
    let cells = f64::from(grid) * f64::from(grid);
    let mut measurements = experiment.measurements(&fixture);
    measurements.add(
        "cells where the rod sticks although μ < μ*, or does not although μ ≥ μ*",
        f64::from(wrong),
    );
    measurements.add("cells with a percussion", sticking.len() as f64);
    measurements.add("largest relative error of a percussion", error);
    measurements.add(
        "cells where Coulomb's law has the same percussion among its solutions",
        100.0 * f64::from(among) / cells,
    );
    measurements
        .add("angles at which a segment of percussions begins at 0 and ends at Λ₀", covered);
    measurements.add("largest violation of Coulomb's law on a segment", violation);
    measurements.add("least friction that ever sticks", least.1);
    measurements.add("angle of least friction", least.0);
    let figures = vec![plane(parameters, &sticking, least)];
    experiment.outcome(&fixture, measurements, figures)
}

/// At `μ = μ*(θ)`: the percentage of angles with a segment of solutions of Coulomb's law from zero to the impulse that
/// sticks, and the largest violation of the law at points of these segments, relative to the speed.
///
/// The law is judged by its definition: no normal velocity, friction at its limit, against the slip.
fn segments(parameters: &Parameters, faults: Faults) -> Result<(f64, f64), Error> {
    let (mut found, mut violation) = (0_u32, 0.0_f64);
    for row in 0..parameters.grid {
        let angle = FRAC_PI_2 * (f64::from(row) + 0.5) / f64::from(parameters.grid);
        let contact = parameters.contact(angle, threshold(angle))?;
        let Some([none, stick]) = coulomb::all(&contact, &parameters.load()).segment() else {
            continue;
        };
        let off = (stick - parameters.sticking(angle)).norm();
        let is_whole = none == Vector3::zeros() && off <= parameters.alike * stick.norm();
        found += u32::from(is_whole);
        for part in [0.25, 0.5, 0.75] {
            let mut impulse = part * stick;
            faults.contact_impulse(&mut impulse);
            let velocity = contact.velocity(&parameters.load(), &impulse);
            let (rub, slip) = (impulse.yz(), velocity.yz());
            let size = rub.norm().max(threshold(angle) * impulse.x);
            let limit = (rub.norm() - threshold(angle) * impulse.x).abs() / size;
            let against = (slip.dot(&rub) + slip.norm() * rub.norm()) / (size * parameters.speed);
            violation = violation.max(velocity.x.abs() / parameters.speed).max(limit).max(against);
        }
    }
    Ok((100.0 * f64::from(found) / f64::from(parameters.grid), violation))
}

/// The angle at which the least friction suffices for sticking, by golden-section search, and that friction.
fn least_threshold(parameters: &Parameters) -> Result<(f64, f64), Error> {
    let [mut left, mut right] = parameters.angles;
    for _ in 0..parameters.halvings {
        let (a, b) = (left + 0.382 * (right - left), right - 0.382 * (right - left));
        if parameters.threshold(a)? < parameters.threshold(b)? {
            right = b;
        } else {
            left = a;
        }
    }
    let angle = 0.5 * (left + right);
    Ok((angle, parameters.threshold(angle)?))
}

/// Cells above each other as one strip: its middle, and the middles of its lowest and its highest cell. Middles less
/// than `near` apart belong to neighbors.
fn strips(cells: &[[f64; 2]], near: f64) -> Vec<[f64; 3]> {
    let mut cells = cells.to_vec();
    cells.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let mut strips: Vec<[f64; 3]> = Vec::new();
    for [x, y] in cells {
        match strips.last_mut() {
            Some([column, _, high]) if column.total_cmp(&x).is_eq() && y - *high < near => {
                *high = y;
            }
            _ => strips.push([x, y, y]),
        }
    }
    strips
}

fn plane(parameters: &Parameters, sticking: &[[f64; 2]], least: (f64, f64)) -> Figure {
    let curve =
        (1..400).map(|i| FRAC_PI_2 * f64::from(i) / 400.0).map(|angle| [angle, threshold(angle)]);
    let half = [FRAC_PI_2, parameters.largest_friction]
        .map(|range| 0.5 * range / f64::from(parameters.grid));
    let strip = |[x, low, high]: [f64; 3]| {
        let ([left, right], [bottom, top]) =
            ([x - half[0], x + half[0]], [low - half[1], high + half[1]]);
        [[left, bottom], [right, bottom], [right, top], [left, top], [left, bottom], [f64::NAN; 2]]
    };
    let shown = curve.filter(|point| point[1] <= parameters.largest_friction).collect();
    Figure {
        id: "regions".to_owned(),
        title: "Where the rod sticks at once".to_owned(),
        caption: format!(
            "Angle of the rod and friction of its tip: cells in whose middle the impulse of maximum dissipation is not \
             zero, and the threshold μ*(θ), whose minimum is {:.4} at {:.4} rad.",
            least.1, least.0
        ),
        x: drawing::axis("angle θ", "rad"),
        y: drawing::axis("friction μ", ""),
        equal_aspect: false,
        map: None,
        series: vec![
            Series {
                label: "cells with a percussion".to_owned(),
                mark: Mark::Backdrop,
                points: strips(sticking, 3.0 * half[1]).into_iter().flat_map(strip).collect(),
            },
            drawing::line("threshold μ*(θ)", shown),
        ],
    }
}
