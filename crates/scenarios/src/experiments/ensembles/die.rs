//! A cube is thrown on a table, many times.

use nalgebra::{DVector, UnitQuaternion, Vector3, Vector4};
use percussion_dynamics::{Body, FreeBodies, MassProperties};
use percussion_integrators::{
    Model, State,
    ensemble::{Member, Settings, run as follow},
};
use percussion_record::ExperimentOutcome;
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use serde::Deserialize;

use super::{add_dependability, band, point, share};
use crate::{
    error::Error,
    experiments::{Effort, Experiment, Options, Progress},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Die {
    gravity: f64,
    mass: f64,
    /// Edge of the cube (m).
    length: f64,
    friction: f64,
    restitution: f64,
    /// Height of the center at the start (m).
    height: f64,
    velocity: [f64; 3],
    angular_velocity: [f64; 3],
    duration: f64,
    /// Number of impacts after which a throw ends.
    impacts: usize,
    /// Value that the statistic of six equal probabilities exceeds with the chance of the level.
    bound: f64,
}

impl Die {
    fn model(&self) -> Result<Model, Error> {
        let refused = |source| Error::Mass { path: "mass".to_owned(), source };
        let edges = Vector3::repeat(self.length);
        let body = MassProperties::solid_box(self.mass, &edges).map_err(refused)?;
        let body = Body::from_mass_properties(&body);
        let cube = FreeBodies::new(vec![body], Vector3::new(0.0, 0.0, -self.gravity))?;
        let half = 0.5 * self.length;
        let corner = |k: i32| {
            let side = |bit: i32| if k >> bit & 1 == 0 { -half } else { half };
            let at = Vector3::new(side(0), side(1), side(2));
            let corner = point(0, at, &Vector3::z(), self.friction)?;
            Ok(corner.with_restitution(self.restitution))
        };
        Ok(Model::new(Box::new(cube), (0..8).map(corner).collect::<Result<_, Error>>()?)?)
    }

    /// The start of a member: the same throw, with an orientation that is uniform on all rotations.
    fn start(&self, seed: u64, member: u32) -> State {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(u64::from(member));
        let mut uniform = || ((random.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        let mut normal =
            || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
        let q = Vector4::from_fn(|_, _| normal()).normalize();
        let mut coordinates = vec![0.0, 0.0, self.height];
        coordinates.extend(q.iter());
        let velocity = [self.velocity, self.angular_velocity].concat();
        State { time: 0.0, coordinates, velocity }
    }
}

/// The face that points down at the end: 0 and 1 for `−x` and `x` of the cube, and so on.
fn face(member: &Member) -> usize {
    let [.., w, x, y, z] = member.state.coordinates[..] else { return 0 };
    let turn = UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(w, x, y, z));
    let down = turn.inverse_transform_vector(&-Vector3::z());
    let axis = down.iamax();
    2 * axis + usize::from(down[axis] > 0.0)
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Die>()?;
    let parameters = &fixture.parameters;
    let model = parameters.model()?;
    let members = match options.effort {
        Effort::Quick => 60,
        Effort::Default => 600,
        Effort::Full => 6000,
    };
    let mut settings = Settings { members, intervals: 100, ..Settings::default() };
    settings.law.seed = options.seed;
    settings.motion.impact_limit = parameters.impacts;
    progress(0.0, "Throws");
    let start = |member| parameters.start(options.seed, member);
    let ensemble = follow(&model, &start, parameters.duration, &settings, &|_| ())?;

    let mut measurements = experiment.measurements(&fixture);
    // A cube that stands on an edge is higher than one on a face by this factor.
    let edge = 0.5 * parameters.length * 2.0_f64.sqrt();
    let barrier = parameters.mass * parameters.gravity * edge;
    let decided = share(&ensemble, |member| member.energy.end < barrier);
    measurements.add("throws that cannot leave their face any more", 100.0 * decided);
    let mut counts = DVector::from_element(6, 0.0);
    ensemble.members.iter().for_each(|member| counts[face(member)] += 1.0);
    let expected = f64::from(members) / 6.0;
    let statistic = counts.map(|count| (count - expected).powi(2) / expected).sum();
    for (name, count) in ["−x", "x", "−y", "y", "−z", "z"].into_iter().zip(&counts) {
        measurements.add(format!("probability of the face {name}"), count / f64::from(members));
    }
    measurements.add("statistic of six equal probabilities", statistic);
    let beyond = (statistic - parameters.bound).max(0.0);
    measurements.add("statistic beyond its bound", beyond);
    add_dependability(&mut measurements, &ensemble);
    let figure = |quantity, names| band(&ensemble, quantity, &settings.quantiles, names);
    let figures = vec![
        figure(2, ("height", "height of the center", "m")),
        figure(0, ("way", "way along the table", "m")),
        figure(7, ("energy", "energy", "J")),
    ];
    experiment.outcome(&fixture, measurements, figures)
}
