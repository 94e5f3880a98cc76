//! Sections of friction cones that are not discs: an ellipse, an ellipsoid with spin, and a product with rolling.

use nalgebra::{DMatrix, DVector, Matrix6, SMatrix, Vector6};
use percussion_complementarity::friction::mixed::{Block, Problem, Section, Settings};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    gravity: f64,
    step_size: f64,
    block: Sliding,
    wheel: Creeping,
    finger: Finger,
    ball: Ball,
}

/// A block that is drawn over an anisotropic surface.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sliding {
    /// Half axes of the ellipse.
    friction: [f64; 2],
    /// Direction of the slip from the first of them (rad), and its speed (m/s).
    angle: f64,
    speed: f64,
}

/// A wheel that is drawn along its rim with a lateral load.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Creeping {
    /// Half axes along the axle and along the rim.
    friction: [f64; 2],
    /// The lateral load as a part of the friction along the axle.
    load: f64,
    speed: f64,
    duration: f64,
}

/// A ball that spins on a soft contact.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Finger {
    radius: f64,
    /// Half axes of both tangents, and that of the moment about the normal (m).
    friction: [f64; 2],
    spin: f64,
}

/// A ball that rolls.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ball {
    radius: f64,
    /// Sliding; spinning and rolling (m).
    friction: [f64; 3],
    speed: f64,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    _progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let Parameters { gravity, step_size, block, wheel, finger, ball } = &fixture.parameters;
    let mut measurements = experiment.measurements(&fixture);

    // Joints draw the block; what they carry is the friction.
    let direction = [block.angle.cos(), block.angle.sin()];
    let drawn = direction.map(|part| block.speed * part);
    let mut body = OnPlane::new(1.0, *gravity, Section::Ellipse(block.friction));
    body.drawn = [Some(drawn[0]), Some(drawn[1])];
    // The first step also gives the block its speed.
    body.step(*step_size)?;
    let pulls = body.step(*step_size)?;
    for (name, impulse) in ["first", "second"].into_iter().zip(pulls) {
        let part = -impulse / (gravity * step_size);
        measurements.add(format!("block: friction along the {name} axis"), part);
    }

    let mut body = OnPlane::new(1.0, *gravity, Section::Ellipse(wheel.friction));
    body.drawn = [None, Some(wheel.speed)];
    body.lateral = wheel.load * wheel.friction[0] * gravity;
    body.run(*step_size, wheel.duration, |_, _| ())?;
    measurements.add("wheel: lateral creep", body.velocity[0] / body.velocity[1]);

    let [slide, spin] = finger.friction;
    let mut body = OnPlane::new(finger.radius, *gravity, Section::Spin([slide, slide, spin]));
    body.velocity[5] = finger.spin;
    let mut stop = f64::NAN;
    body.run(*step_size, 1.0, |time, body| {
        if stop.is_nan() && body.velocity[5].abs() < 1e-9 {
            stop = time;
        }
    })?;
    measurements.add("soft finger: time until it stops", stop);

    let [slide, spin, roll] = ball.friction;
    let sections = [
        ("product", Section::Rolling(ball.friction)),
        ("joint ellipsoid", Section::JointEllipsoid([slide, slide, spin, roll, roll])),
    ];
    let mut series = Vec::new();
    for (name, section) in sections {
        let mut body = OnPlane::new(ball.radius, *gravity, section);
        body.velocity[0] = ball.speed;
        body.velocity[4] = ball.speed / ball.radius;
        let (mut slip, mut late, mut path) = (0.0_f64, f64::NAN, vec![[0.0, ball.speed]]);
        body.run(*step_size, 10.0, |time, body| {
            let mut velocity = body.velocity;
            experiment.faults().velocities(&mut velocity.as_mut_slice()[..1]);
            let rim = body.velocity[4] * ball.radius;
            let difference = velocity[0] - rim;
            slip = slip.max(difference.abs());
            if body.velocity[0] > 0.5 * ball.speed {
                late = difference / rim;
            }
            path.push([time, body.velocity[0]]);
        })?;
        if name == "product" {
            measurements.add("ball, product: way until it stops", body.way);
            measurements.add("ball, product: fastest slip", slip);
        } else {
            measurements.add("ball, joint ellipsoid: slip over speed of the rim", late);
        }
        series.push(drawing::line(name, path));
    }
    let figure = Figure {
        id: "rolling".to_owned(),
        title: "A ball with rolling resistance".to_owned(),
        caption: "Speed of the ball, with the sections of sliding, spin and rolling as a product and as one ellipsoid."
            .to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis("speed", "m/s"),
        equal_aspect: false,
        map: None,
        series,
    };
    experiment.outcome(&fixture, measurements, vec![figure])
}

/// A solid ball of 1 kg on a horizontal plane, moved in implicit steps.
struct OnPlane {
    radius: f64,
    gravity: f64,
    section: Section,
    /// Speeds along both tangents that joints impose (m/s).
    drawn: [Option<f64>; 2],
    /// Force along the first tangent (N).
    lateral: f64,
    /// Velocity of the center and angular velocity, in (tangent 1, tangent 2, normal).
    velocity: Vector6<f64>,
    /// Way along the first tangent (m).
    way: f64,
}

impl OnPlane {
    fn new(radius: f64, gravity: f64, section: Section) -> Self {
        let (drawn, velocity) = ([None; 2], Vector6::zeros());
        Self { radius, gravity, section, drawn, lateral: 0.0, velocity, way: 0.0 }
    }

    /// The rows of the contact: normal, tangents, spin about the normal, and both rolling velocities.
    fn rows(&self) -> Matrix6<f64> {
        let r = self.radius;
        let mut rows = Matrix6::zeros();
        rows[(0, 2)] = 1.0;
        (rows[(1, 0)], rows[(1, 4)]) = (1.0, -r);
        (rows[(2, 1)], rows[(2, 3)]) = (1.0, r);
        (rows[(3, 5)], rows[(4, 3)], rows[(5, 4)]) = (1.0, 1.0, 1.0);
        rows
    }

    /// Takes a step of `h` (s) and returns the impulses of the joints that draw it (N·s).
    fn step(&mut self, h: f64) -> Result<Vec<f64>, Error> {
        let moment = 0.4 * self.radius * self.radius;
        let inverse = Vector6::new(1.0, 1.0, 1.0, 1.0 / moment, 1.0 / moment, 1.0 / moment);
        let contact = self.rows();
        let count = self.section.components() + 1;
        let mut free = self.velocity;
        free[0] += h * self.lateral;
        free[2] -= h * self.gravity;
        // Blocks and wheels do not turn: their inertia is without bounds.
        let is_drawn = self.drawn.iter().any(Option::is_some);
        let inverse = if is_drawn { Vector6::new(1.0, 1.0, 1.0, 0.0, 0.0, 0.0) } else { inverse };
        let mut rows: Vec<SMatrix<f64, 1, 6>> = Vec::new();
        let (mut velocities, mut blocks) = (Vec::new(), Vec::new());
        for (axis, speed) in self.drawn.iter().enumerate() {
            let Some(speed) = speed else { continue };
            let mut row = SMatrix::<f64, 1, 6>::zeros();
            row[axis] = 1.0;
            velocities.push((row * free)[0] - speed);
            rows.push(row);
            blocks.push(Block::bilateral(1));
        }
        let joints = rows.len();
        for component in 0..count {
            let row = contact.fixed_rows::<1>(component).into_owned();
            velocities.push((row * free)[0]);
            rows.push(row);
        }
        blocks.push(Block::contact(self.section.clone()));
        let rows = DMatrix::from_fn(rows.len(), 6, |i, j| rows[i][j]);
        let responses = DMatrix::from_fn(6, rows.nrows(), |i, j| inverse[i] * rows[(j, i)]);
        let problem = Problem::new(&rows * &responses, velocities, blocks)
            .map_err(percussion_complementarity::friction::document::Error::from)?;
        let settings = Settings { tolerance: 1e-13, ..Settings::default() };
        let impulses = problem.solve(&settings)?.impulses;
        let change = responses * DVector::from_column_slice(&impulses);
        (0..6).for_each(|k| self.velocity[k] = free[k] + change[k]);
        self.way += h * self.velocity[0];
        Ok(impulses[..joints].to_vec())
    }

    fn run(
        &mut self,
        h: f64,
        duration: f64,
        mut observe: impl FnMut(f64, &Self),
    ) -> Result<(), Error> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small count"
        )]
        let count = (duration / h).round() as usize;
        for step in 1..=count {
            self.step(h)?;
            observe(h * step as f64, self);
        }
        Ok(())
    }
}
