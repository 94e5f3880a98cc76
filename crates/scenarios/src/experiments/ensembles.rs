//! Ensembles of motions whose impacts draw their outcomes: probabilities against closed forms and symmetry.
//!
//! A frequency of `n` members is judged with a tolerance of four standard deviations `√(p (1 − p)/n)`, which independent draws
//! exceed with a chance of 6e-5; the seed is fixed, so that a row passes or fails for good.
//!
//! # Source
//!
//! The block: M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 43 (2024), section 5.4.1. Probabilities and the other models are ours.

mod biped;
mod block;
mod die;

use nalgebra::Vector3;
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
use percussion_integrators::{
    Contact,
    ensemble::{Ensemble, Entry, Member, Place},
    event_driven::Status,
};
use percussion_record::{Figure, Mark, Series};

use crate::{
    error::Error,
    experiments::{Measurements, drawing},
};

/// The experiments of the family, in the order of lists.
pub(super) const ALL: &[super::Experiment] = &[
    experiment!(
        "ensembles/block",
        ensembles::block,
        "A block falls flat: the probability that it rests or turns"
    ),
    experiment!(
        "ensembles/biped",
        ensembles::biped,
        "A biped lands on both feet: the probability that one of them lifts"
    ),
    experiment!(
        "ensembles/die",
        ensembles::die,
        "A die is thrown on a table: the probability of each face"
    ),
];

/// A point of body `body` above the plane through the origin with the normal `up`.
fn point(
    body: usize,
    at: Vector3<f64>,
    up: &Vector3<f64>,
    friction: f64,
) -> Result<Contact, Error> {
    let refused = |source| Error::Gap { contact: "point".to_owned(), source };
    let ground = Plane::new(up, &Vector3::zeros()).map_err(refused)?;
    let gap = SpherePlane::new(Sphere::on_body(body, at, 0.0), ground).map_err(refused)?;
    Ok(Contact::new(gap, friction))
}

/// The share of the members with a property.
fn share(ensemble: &Ensemble, has: impl Fn(&Member) -> bool) -> f64 {
    let count = ensemble.members.iter().filter(|member| has(member)).count();
    count as f64 / ensemble.members.len() as f64
}

/// Whether a member carries on the contact with this number after its first impact.
fn carries(contact: usize) -> impl Fn(&Member) -> bool {
    move |member| {
        let landed = member.sequence.phases.get(1).filter(|phase| phase.entry == Entry::Impact);
        landed.is_some_and(|phase| {
            phase.closed.iter().any(|(place, _)| *place == Place::Named(contact))
        })
    }
}

/// The rows of the fall before the landing at the time `landing` (s): the coordinate `height` of every member is that of free
/// fall with the acceleration `gravity` (m/s²).
fn add_fall(
    measurements: &mut Measurements<'_>,
    ensemble: &Ensemble,
    height: usize,
    (gravity, landing): (f64, f64),
) {
    let points = &ensemble.bands[height].points;
    let start = points[0].least;
    let off = points.iter().filter(|point| point.time < landing).flat_map(|point| {
        let expected = start - 0.5 * gravity * point.time * point.time;
        [point.least - expected, point.greatest - expected]
    });
    measurements.add("largest deviation from free fall", off.fold(0.0, |a: f64, b| a.max(b.abs())));
}

/// The rows that every ensemble must have.
fn add_dependability(measurements: &mut Measurements<'_>, ensemble: &Ensemble) {
    let ended = share(ensemble, |member| member.status == Status::EndReached);
    measurements.add("motions that reach their end", 100.0 * ended);
    add_account(measurements, ensemble);
}

/// The rows of overlap and energy.
fn add_account(measurements: &mut Measurements<'_>, ensemble: &Ensemble) {
    let members = ensemble.members.iter();
    let largest = |value: &dyn Fn(&Member) -> f64| members.clone().map(value).fold(0.0, f64::max);
    measurements.add("depth of the deepest overlap", largest(&|member| member.penetration));
    let residual = largest(&|member| member.energy.residual().abs());
    measurements.add("energy that an account leaves over", residual);
    let gain = largest(&|member| member.energy.end - member.energy.start);
    measurements.add("largest gain of energy", gain);
}

/// The band of one quantity over time.
fn band(
    ensemble: &Ensemble,
    quantity: usize,
    quantiles: &[f64],
    (id, label, unit): (&str, &str, &str),
) -> Figure {
    let points = &ensemble.bands[quantity].points;
    let line = |k: usize, p: &f64| Series {
        label: format!("quantile {p}"),
        mark: Mark::Line,
        points: points.iter().map(|point| [point.time, point.quantiles[k]]).collect(),
    };
    let hull = |value: &dyn Fn(&percussion_integrators::ensemble::Point) -> f64| {
        drawing::outline(points.iter().map(|point| [point.time, value(point)]).collect())
    };
    let mut series = vec![hull(&|point| point.least), hull(&|point| point.greatest)];
    series.extend(quantiles.iter().enumerate().map(|(k, p)| line(k, p)));
    Figure {
        id: id.to_owned(),
        title: format!("The {label} of {} motions", ensemble.members.len()),
        caption:
            "Quantiles over the members; thin lines are the least and the greatest value of all."
                .to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis(label, unit),
        equal_aspect: false,
        map: None,
        series,
    }
}
