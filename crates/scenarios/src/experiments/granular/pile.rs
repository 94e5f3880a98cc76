//! A column of clumps collapses to a pile, by Coulomb's law and by maximum dissipation.
//!
//! The paper compares the two laws with balls, for which they are the same law: see the experiment
//! `granular/channel`. The line from the center of a clump to a contact is not parallel to the normal, so that normal and
//! tangents are coupled and the laws differ. Both are run here from the same columns, side by side.
//!
//! A pile amplifies rounding errors, so that two runs that differ in anything differ in every body. Columns with other
//! orientations of the clumps show how much a figure of a pile varies; a difference between the laws is compared with that.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
//! inelastic impacts", *Computational Mechanics* 62 (2018) 81–96, section 4.3, for the question.

use std::sync::Arc;

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use percussion_complementarity::friction::{
    Law,
    single::{self, coulomb, maximum_dissipation},
};
use percussion_granular::bodies::{Ball, Bodies, Body, Boundary, Form, Partner, Settings, Touch};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use crate::{
    error::Error,
    experiments::{Effort, Experiment, Options, Progress, drawing},
    fault::Faults,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// Radius of the two balls of a clump, and the distance of their centers (m).
    radius: f64,
    apart: f64,
    /// Density of the matter (kg/m³).
    density: f64,
    friction: f64,
    /// Acceleration of gravity, down (m/s²).
    gravity: f64,
    /// Distance of the centers of the clumps in the column, in lengths of a clump.
    spacing: f64,
    step_size: f64,
    max_sweeps: usize,
    /// Relative residual at which sweeps end.
    tolerance: f64,
    /// Part of the friction bound from which on a contact counts as sliding.
    sliding: f64,
    /// Relative difference of two impulses from which on the laws differ at a contact.
    apart_from: f64,
    quick: Run,
    default: Run,
    full: Run,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    /// Numbers of clumps of the column along x, y and z.
    column: [u32; 3],
    /// Number of columns, which differ in the orientations of the clumps.
    columns: u32,
    /// Duration (s).
    duration: f64,
}

const LAWS: [(Law, &str); 2] =
    [(Law::Coulomb, "Coulomb"), (Law::MaximumDissipation, "maximum dissipation")];

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let run = match options.effort {
        Effort::Quick => parameters.quick,
        Effort::Default => parameters.default,
        Effort::Full => parameters.full,
    };
    let mut measurements = experiment.measurements(&fixture);
    measurements.add("clumps", f64::from(run.column.iter().product::<u32>()));
    let (mut figures, mut energies) = (Vec::new(), Vec::new());
    let mut all: Vec<Vec<Pile>> = Vec::new();
    for (index, (law, name)) in LAWS.into_iter().enumerate() {
        let mut piles = Vec::new();
        for number in 0..run.columns {
            let share = 1.0 / f64::from(2 * run.columns);
            let done = share * (index as f64 * f64::from(run.columns) + f64::from(number));
            let seed = options.seed + u64::from(number);
            let pile =
                Pile::collapse(parameters, &run, (law, seed), experiment.faults(), &mut |part| {
                    progress(done + share * part, name);
                })?;
            piles.push(pile);
        }
        if let Some(first) = piles.first() {
            figures.push(first.draw(parameters, name));
            energies.push(drawing::line(name, first.energies.clone()));
        }
        for (quantity, value) in MEANS {
            measurements.add(format!("{name}: {quantity}"), mean(&piles, value));
        }
        measurements.add(
            format!("{name}: largest growth of the energy in a step"),
            piles.iter().map(|pile| pile.gain).fold(f64::NEG_INFINITY, f64::max),
        );
        all.push(piles);
    }
    if let [coulomb, dissipation] = &all[..] {
        for (quantity, value) in &MEANS[..3] {
            let difference = (mean(coulomb, *value) - mean(dissipation, *value)).abs();
            let spread = 0.5 * (spread(coulomb, *value) + spread(dissipation, *value));
            measurements.add(
                format!("laws apart, over the spread of columns: {quantity}"),
                difference / spread,
            );
        }
    }
    figures.push(drawing_of_energies(energies));
    experiment.outcome(&fixture, measurements, figures)
}

type Value = fn(&Pile) -> f64;

/// Figures of a pile, of which the mean over the columns is a row.
const MEANS: [(&str, Value); 9] = [
    ("height of the center of mass", |pile| pile.height),
    ("mean distance from the axis", |pile| pile.distance),
    ("height of the highest ball", |pile| pile.top),
    ("contacts per clump", |pile| pile.contacts),
    ("contacts that slide", |pile| pile.sliding),
    ("contacts at which the laws differ", |pile| pile.differ),
    ("mean relative residual", |pile| pile.residual),
    ("deepest overlap, in diameters", |pile| pile.overlap),
    ("kinetic energy at the end over the largest", |pile| pile.moving),
];

fn mean(piles: &[Pile], value: Value) -> f64 {
    piles.iter().map(value).sum::<f64>() / piles.len() as f64
}

/// Standard deviation over the columns.
fn spread(piles: &[Pile], value: Value) -> f64 {
    let center = mean(piles, value);
    let squares: f64 = piles.iter().map(|pile| (value(pile) - center).powi(2)).sum();
    (squares / (piles.len() as f64 - 1.0)).sqrt()
}

/// The end of the collapse of one column.
struct Pile {
    /// Balls of the clumps: center and radius.
    balls: Vec<(Vector3<f64>, f64)>,
    /// Kinetic energy over time (s, J).
    energies: Vec<[f64; 2]>,
    /// Largest growth of the energy in a step beyond the lifting by the removal of overlaps, over the weight times the
    /// length of a clump.
    gain: f64,
    height: f64,
    distance: f64,
    top: f64,
    contacts: f64,
    /// Percentages of the contacts that carry.
    sliding: f64,
    differ: f64,
    residual: f64,
    overlap: f64,
    moving: f64,
}

impl Pile {
    fn collapse(
        parameters: &Parameters,
        run: &Run,
        (law, seed): (Law, u64),
        faults: Faults,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, Error> {
        let mut bodies = column(parameters, run, law, seed)?;
        let steps = (run.duration / parameters.step_size).round();
        let count = bodies.bodies().len() as f64;
        let weight: f64 =
            bodies.bodies().iter().map(|body| body.form.mass()).sum::<f64>() * parameters.gravity;
        let unit = weight * 2.0 * bodies.bodies()[0].form.radius();
        let mut pile = Self {
            balls: Vec::new(),
            energies: Vec::new(),
            gain: f64::NEG_INFINITY,
            height: 0.0,
            distance: 0.0,
            top: 0.0,
            contacts: 0.0,
            sliding: 0.0,
            differ: 0.0,
            residual: 0.0,
            overlap: 0.0,
            moving: 0.0,
        };
        let mut done = 0.0;
        let mut before = bodies.clone();
        while done < steps {
            let start = bodies.energy();
            if done + 1.0 >= steps {
                before = bodies.clone();
            }
            let report = bodies.step()?;
            done += 1.0;
            let after = energy(&bodies, faults);
            // Velocities wrong by the residual do work of its size times the impulses of the step.
            let slack = report.residual * weight * parameters.step_size * SPEEDS;
            pile.gain = pile.gain.max((after - start - report.lifting - slack) / unit);
            let kinetic = bodies.bodies().iter().map(Body::kinetic_energy).sum();
            pile.energies.push([bodies.time(), kinetic]);
            pile.residual += report.relative_residual / steps;
            pile.overlap = pile.overlap.max(0.5 * report.overlap / parameters.radius);
            pile.contacts = 2.0 * report.contacts as f64 / count;
            progress(done / steps);
        }
        let largest = pile.energies.iter().map(|point| point[1]).fold(0.0, f64::max);
        pile.moving = pile.energies.last().map_or(f64::NAN, |point| point[1] / largest);
        pile.judge(parameters, [&before, &bodies], faults)?;
        pile.measure(parameters, &bodies);
        Ok(pile)
    }

    /// Counts contacts that slide, and those at which the laws require different impulses with the others held.
    fn judge(
        &mut self,
        parameters: &Parameters,
        [before, bodies]: [&Bodies; 2],
        faults: Faults,
    ) -> Result<(), Error> {
        let (mut carry, mut slide, mut differ) = (0_u32, 0_u32, 0_u32);
        for touch in bodies.touches() {
            let Some((block, velocity)) = local(before, bodies, &touch) else { continue };
            let frame = super::frame(&touch.normal);
            let mut impulse = frame * touch.impulse;
            faults.contact_impulse(&mut impulse);
            if impulse.x <= 0.0 {
                continue;
            }
            let block = frame * block * frame.transpose();
            let bias = Vector3::new(touch.gap.max(0.0) / parameters.step_size, 0.0, 0.0);
            let b = block * impulse - frame * velocity - bias;
            let contact = single::Contact::new(&block, touch.friction)?;
            let by_coulomb = coulomb::solve(&contact, &b);
            let by_dissipation = maximum_dissipation::solve(&contact, &b);
            let size = by_coulomb.norm().max(by_dissipation.norm());
            carry += 1;
            let bound = parameters.sliding * touch.friction * impulse.x;
            slide += u32::from(impulse.yz().norm() >= bound);
            differ +=
                u32::from((by_coulomb - by_dissipation).norm() > parameters.apart_from * size);
        }
        [self.sliding, self.differ] =
            [slide, differ].map(|part| 100.0 * f64::from(part) / f64::from(carry));
        Ok(())
    }

    fn measure(&mut self, parameters: &Parameters, bodies: &Bodies) {
        let count = bodies.bodies().len() as f64;
        for body in bodies.bodies() {
            self.height += body.position.z / count;
            self.distance += body.position.x.hypot(body.position.y) / count;
            let ends = [-0.5, 0.5].map(|side| {
                body.position + body.orientation * Vector3::new(side * parameters.apart, 0.0, 0.0)
            });
            for end in ends {
                self.top = self.top.max(end.z + parameters.radius);
                self.balls.push((end, parameters.radius));
            }
        }
    }

    /// The pile from the side.
    fn draw(&self, parameters: &Parameters, law: &str) -> Figure {
        let ball =
            |(center, radius): &(Vector3<f64>, f64)| drawing::circle([center.x, center.z], *radius);
        let reach = self.balls.iter().map(|(center, _)| center.x.abs()).fold(0.0, f64::max);
        let ground = [-reach, reach].map(|x| [x, 0.0]).to_vec();
        Figure {
            id: format!("pile-{}", law.to_lowercase().replace(' ', "-")),
            title: format!("The pile by {law}"),
            caption: format!(
                "Balls of {} mm of all clumps, from the side.",
                1e3 * parameters.radius
            ),
            x: drawing::axis("x", "m"),
            y: drawing::axis("z", "m"),
            equal_aspect: true,
            map: None,
            series: self.balls.iter().map(ball).chain([drawing::outline(ground)]).collect(),
        }
    }
}

/// Largest contact velocity assumed for the work of residuals, in units of 1 m/s.
const SPEEDS: f64 = 10.0;

fn drawing_of_energies(series: Vec<percussion_record::Series>) -> Figure {
    Figure {
        id: "energies".to_owned(),
        title: "Kinetic energy of the collapse by both laws".to_owned(),
        caption: "From the same column.".to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis("kinetic energy", "J"),
        equal_aspect: false,
        map: None,
        series,
    }
}

/// Energy with the velocities that a fault changes (J).
fn energy(bodies: &Bodies, faults: Faults) -> f64 {
    let off = |body: &Body| {
        let mut wrong = body.clone();
        faults.velocities(wrong.velocity.as_mut_slice());
        faults.velocities(wrong.angular_velocity.as_mut_slice());
        wrong.kinetic_energy() - body.kinetic_energy()
    };
    bodies.energy() + bodies.bodies().iter().map(off).sum::<f64>()
}

/// The column over rough ground.
fn column(parameters: &Parameters, run: &Run, law: Law, seed: u64) -> Result<Bodies, Error> {
    let Parameters { radius, apart, density, friction, .. } = *parameters;
    let ball = |side: f64| Ball { center: Vector3::new(side * apart, 0.0, 0.0), radius };
    let form = Arc::new(Form::clump(&[ball(-0.5), ball(0.5)], density, friction)?);
    let settings = Settings {
        step_size: parameters.step_size,
        gravity: Vector3::new(0.0, 0.0, -parameters.gravity),
        law,
        max_sweeps: parameters.max_sweeps,
        tolerance: parameters.tolerance,
        ..Settings::default()
    };
    let refused = |source| Error::Surface { name: "ground".to_owned(), source };
    let ground = Boundary::plane(Vector3::zeros(), Vector3::z(), friction).map_err(refused)?;
    let mut bodies = Bodies::new(settings, vec![ground])?;
    let [x, y, z] = run.column;
    let cell = 2.0 * form.radius() * parameters.spacing;
    for k in 0..x * y * z {
        let node = Vector3::new(k % x, k / x % y, k / x / y).map(f64::from);
        let middle = Vector3::new(f64::from(x), f64::from(y), 0.0) * 0.5;
        // Additive sequences of irrational numbers spread the orientations.
        let number = f64::from(k + 1) + 1e3 * seed as f64;
        let turn = [0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9]
            .map(|step| 2.0 * std::f64::consts::PI * ((number * step).fract() - 0.5));
        let body = Body {
            orientation: UnitQuaternion::from_scaled_axis(Vector3::from(turn)),
            ..Body::at(&form, (node + Vector3::repeat(0.5) - middle) * cell)
        };
        bodies.add(body)?;
    }
    Ok(bodies)
}

/// Block of the Delassus operator at the beginning of the last step and velocity at its end, in the axes of the world, of
/// a contact.
fn local(before: &Bodies, bodies: &Bodies, touch: &Touch) -> Option<(Matrix3<f64>, Vector3<f64>)> {
    let surface = |place: usize| {
        let body = &bodies.bodies()[place];
        let start = before.body(bodies.identities()[place])?;
        let arm = (touch.point - start.position).cross_matrix();
        let axes = start.orientation.to_rotation_matrix().into_inner();
        let inertia = axes * body.form.inertia() * axes.transpose();
        let block = Matrix3::identity() / body.form.mass() - arm * inertia.try_inverse()? * arm;
        Some((block, body.velocity - arm * body.angular_velocity))
    };
    let (block, velocity) = surface(touch.body)?;
    Some(match touch.partner {
        Partner::Body(other) => {
            let (other, moves) = surface(other)?;
            (block + other, velocity - moves)
        }
        Partner::Boundary(_) => (block, velocity),
    })
}
