//! A die is thrown on a table, many times.

use nalgebra::{Isometry3, Matrix3, Quaternion, Translation3, UnitQuaternion, Vector3};
use percussion_dynamics::{Body, FreeBodies, pose_coordinates};
use percussion_integrators::{
    Model, State,
    ensemble::{Ensemble, Member, Settings, run as follow},
    event_driven::Status,
};
use percussion_record::{ExperimentOutcome, Figure, Mark, Series};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use serde::Deserialize;

use super::{add_account, band, point, share};
use crate::{
    error::Error,
    experiments::{Effort, Experiment, Options, Progress, drawing},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Die {
    gravity: f64,
    mass: f64,
    /// Half of an edge (m).
    half_side: f64,
    /// Height of the center at the start (m).
    height: f64,
    /// Horizontal speed at the start (m/s).
    speed: f64,
    /// Largest speed of rotation at the start (rad/s).
    spin: f64,
    friction: f64,
    restitution: f64,
    /// Distance of the center of mass from the middle, as a part of half an edge, of fair dice.
    offset: f64,
    /// The same for loaded dice.
    loaded_offset: f64,
    /// Maximum number of steps of an impact.
    steps: usize,
    /// Maximum number of steps of a motion.
    step_limit: usize,
    /// End of the motions that are not decided before (s).
    duration: f64,
}

impl Die {
    /// The die whose center of mass is off the middle by the part `load` of half an edge, towards `+z`.
    fn model(&self, load: f64) -> Result<Model, Error> {
        let h = self.half_side;
        // Six masses in the faces' middles and one in the center would have the same moments; a load moves none of them.
        let moment = self.mass * (2.0 * h).powi(2) / 6.0;
        let body = Body::new(self.mass, Matrix3::from_diagonal_element(moment));
        let die = FreeBodies::new(vec![body], Vector3::new(0.0, 0.0, -self.gravity))?;
        let corners = (0..8).map(|corner| {
            let side = |bit: usize| if corner >> bit & 1 == 1 { h } else { -h };
            let at = Vector3::new(side(0), side(1), side(2) - load * h);
            Ok(point(0, at, &Vector3::z(), self.friction)?.with_restitution(self.restitution))
        });
        Ok(Model::new(Box::new(die), corners.collect::<Result<_, Error>>()?)?)
    }

    /// The start of a throw: every orientation and every axis of rotation is equally likely.
    fn start(&self, seed: u64, member: u32) -> State {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(u64::from(member));
        let mut unit = || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        // Directions by pairs of normal numbers, after Box and Muller.
        let mut normals = [0.0; 8];
        for pair in normals.chunks_exact_mut(2) {
            let (size, angle) =
                ((-2.0 * (1.0 - unit()).ln()).sqrt(), std::f64::consts::TAU * unit());
            (pair[0], pair[1]) = (size * angle.cos(), size * angle.sin());
        }
        let [w, x, y, z, a, b, c, _] = normals;
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        let spin = Vector3::new(a, b, c).normalize() * (self.spin * unit());
        let pose = Isometry3::from_parts(Translation3::new(0.0, 0.0, self.height), rotation);
        let velocity = vec![self.speed, 0.0, 0.0, spin.x, spin.y, spin.z];
        State { time: 0.0, coordinates: pose_coordinates(&pose).to_vec(), velocity }
    }

    /// Energy below which a die with this load cannot tip over the lowest edge any more (J).
    fn barrier(&self, load: f64) -> f64 {
        let lowest = 1.0_f64.hypot(1.0 - load.abs());
        self.mass * self.gravity * self.half_side * lowest
    }

    /// Whether a throw cannot tip over an edge any more, or lies flat, even if it still slides.
    fn is_decided(&self, member: &Member) -> bool {
        let height = member.state.coordinates[2];
        member.status == Status::EnergyReached || height <= self.half_side * (1.0 + FLAT)
    }
}

/// Largest height of the center above that of a die that lies flat, as a part of half an edge.
const FLAT: f64 = 1e-4;

/// The axis that points up most, from 0 to 5: `+x`, `−x`, `+y`, and so on.
fn face(member: &Member) -> usize {
    let q = &member.state.coordinates[3..7];
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]));
    let up = rotation.inverse() * Vector3::z();
    let axis = up.iamax();
    2 * axis + usize::from(up[axis] < 0.0)
}

/// How many throws ended with each face up.
fn counts(ensemble: &Ensemble) -> [f64; 6] {
    let mut counts = [0.0; 6];
    ensemble.members.iter().for_each(|member| counts[face(member)] += 1.0);
    counts
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Die>()?;
    let parameters = &fixture.parameters;
    let throws = if options.effort == Effort::Full { 2400 } else { 60 };
    let mut settings = Settings { members: throws, intervals: 60, ..Settings::default() };
    settings.law.seed = options.seed;
    settings.law.steps = parameters.steps;
    settings.motion.step_limit = parameters.step_limit;
    let mut throw = |load: f64, from: f64| {
        progress(from, if from > 0.0 { "Loaded dice" } else { "Fair dice" });
        let model = parameters.model(load)?;
        let start = |member| parameters.start(options.seed, member);
        settings.motion.end_energy = Some(parameters.barrier(load));
        let thrown = follow(&model, &start, parameters.duration, &settings, &|_| ())?;
        Ok::<_, Error>(experiment.faults().ensemble(&model, thrown))
    };
    let fair = throw(parameters.offset, 0.0)?;
    let loaded = throw(parameters.loaded_offset, 0.5)?;

    let mut measurements = experiment.measurements(&fixture);
    let all = f64::from(throws);
    let found = counts(&fair);
    let expected = all / 6.0;
    let spread = found.iter().map(|count| (count - expected).powi(2) / expected).sum();
    measurements.add("χ² of the six faces", spread);
    measurements
        .add("largest share of a face", found.iter().fold(0.0, |a: f64, b| a.max(*b)) / all);
    measurements.add("smallest share of a face", found.iter().fold(all, |a, b| a.min(*b)) / all);
    measurements.add("loaded: share with the load at the bottom", counts(&loaded)[5] / all);
    let decided = share(&fair, |member| parameters.is_decided(member));
    measurements.add("throws that are decided", 100.0 * decided);
    add_account(&mut measurements, &fair);
    let mut height = band(&fair, 2, &settings.quantiles, ("height", "height of the center", "m"));
    height.title = format!("The height of {throws} dice");
    experiment.outcome(&fixture, measurements, vec![shares([&fair, &loaded]), height])
}

/// The shares of the faces of fair and of loaded dice.
fn shares(ensembles: [&Ensemble; 2]) -> Figure {
    let series = ensembles.iter().zip(["fair", "loaded"]).map(|(ensemble, label)| {
        let all = ensemble.members.len() as f64;
        let points = counts(ensemble).into_iter().enumerate();
        Series {
            label: label.to_owned(),
            mark: Mark::Line,
            points: points.map(|(face, count)| [face as f64 + 1.0, count / all]).collect(),
        }
    });
    Figure {
        id: "faces".to_owned(),
        title: "Which face is up".to_owned(),
        caption: "Every face of a fair die is up in about a sixth of the throws. The load is towards face 5, and so face 6 is up \
                  most often."
            .to_owned(),
        x: drawing::axis("face", ""),
        y: drawing::axis("share of the throws", ""),
        equal_aspect: false,
        map: None,
        series: series.collect(),
    }
}
