//! Two hinged rods fall on a smooth floor: the variational integrator compared with other schemes.
//!
//! # Source
//!
//! V. Seghete, T. D. Murphey, "A propagative model of simultaneous impact: existence, uniqueness, and
//! design consequences", *IEEE Transactions on Automation Science and Engineering* 11 (2014) 154–168,
//! section VI (the scheme).

use nalgebra::{Isometry3, Vector3};
use percussion_dynamics::{
    Articulated, Joint, Link, MassProperties,
    compliant::{FrictionLaw, Law, NormalLaw},
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_impact::propagative::Propagative;
use percussion_integrators::{
    Contact, Model, Simulation, State, compliant,
    stewart_trinkle::{self, StewartTrinkle},
    variational::{self, Variational},
};
use percussion_record::{ExperimentOutcome, Figure, Mark, Series};
use serde::Deserialize;

use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing},
    fault::Faults,
};

/// Number of drawn points of the energy with compliant contacts, which has too many steps to draw each.
const DOTS: usize = 40;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    gravity: f64,
    length: f64,
    width: f64,
    mass: f64,
    coordinates: Vec<f64>,
    velocity: Vec<f64>,
    duration: f64,
    step_size: f64,
    halvings: i32,
    reference: i32,
    stiffnesses: Vec<f64>,
}

/// A motion: time and energy at every step end, and the final state.
#[derive(Debug, Default)]
struct Motion {
    /// Time (s) and energy (J).
    energies: Vec<[f64; 2]>,
    end: Vec<f64>,
    /// Largest change of the kinetic energy in one impact (J), over all impacts.
    impact_change: f64,
    impacts: usize,
    /// Change of the momentum along the floor (N·s).
    momentum_change: f64,
}

impl Motion {
    fn distance(&self, other: &Self) -> f64 {
        let apart = |(a, b): (&f64, &f64)| (a - b).abs();
        self.end.iter().zip(&other.end).map(apart).fold(0.0, f64::max)
    }

    /// Largest distance of the energy from that at the start (J).
    fn energy_error(&self) -> f64 {
        let [_, first] = self.energies[0];
        self.energies.iter().map(|[_, energy]| (energy - first).abs()).fold(0.0, f64::max)
    }
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let step = |halvings: i32| parameters.step_size * 0.5_f64.powi(halvings);
    let ladder: Vec<f64> = (0..=parameters.halvings).map(step).collect();

    progress(0.0, "variational, elastic");
    let faults = experiment.faults();
    let elastic = |h| parameters.variational(1.0, h, faults);
    let exact = elastic(step(parameters.reference))?;
    let of_elastic: Vec<Motion> = ladder.iter().map(|&h| elastic(h)).collect::<Result<_, _>>()?;
    progress(0.3, "variational, plastic");
    let plastic = |h| parameters.variational(0.0, h, faults);
    let at_rest = plastic(step(parameters.reference))?;
    let of_plastic: Vec<Motion> = ladder.iter().map(|&h| plastic(h)).collect::<Result<_, _>>()?;
    progress(0.6, "Stewart and Trinkle");
    let of_steps: Vec<Motion> =
        ladder.iter().map(|&h| parameters.stewart_trinkle(h)).collect::<Result<_, _>>()?;
    progress(0.8, "compliant");
    let stiffnesses = &parameters.stiffnesses;
    let of_springs: Vec<Motion> =
        stiffnesses.iter().map(|&k| parameters.compliant(k)).collect::<Result<_, _>>()?;

    let errors = |motions: &[Motion], exact: &Motion| -> Vec<[f64; 2]> {
        let error = |(h, motion): (&f64, &Motion)| [h.log10(), motion.distance(exact).log10()];
        ladder.iter().zip(motions).map(error).collect()
    };
    let elastic_errors = errors(&of_elastic, &exact);
    let plastic_errors = errors(&of_plastic, &at_rest);
    let step_errors = errors(&of_steps, &at_rest);
    let soft = |(k, motion): (&f64, &Motion)| [k.log10(), motion.distance(&exact).log10()];
    let spring_errors: Vec<[f64; 2]> = stiffnesses.iter().zip(&of_springs).map(soft).collect();

    let coarse = &of_elastic[0];
    let mut measurements = experiment.measurements(&fixture);
    measurements.add("impacts", coarse.impacts as f64);
    measurements.add("order with elastic impacts", slope(&elastic_errors));
    measurements.add("order with plastic impacts", slope(&plastic_errors));
    measurements.add("order of Stewart and Trinkle's scheme", slope(&step_errors));
    measurements.add("power of the stiffness in the distance to springs", slope(&spring_errors));
    measurements.add("change of the momentum along the floor", coarse.momentum_change);
    measurements.add("largest change of energy in an elastic impact", coarse.impact_change);
    measurements.add("largest error of energy with elastic impacts", coarse.energy_error());
    let stiffest = &of_springs[of_springs.len() - 1];
    let figures = vec![
        parameters.draw_energies([coarse, stiffest, &of_plastic[0], &of_steps[0]]),
        draw_errors([elastic_errors, plastic_errors, step_errors]),
    ];
    experiment.outcome(&fixture, measurements, figures)
}

impl Parameters {
    /// Energy over time of elastic, compliant and plastic motion and of time stepping.
    fn draw_energies(&self, [elastic, compliant, plastic, steps]: [&Motion; 4]) -> Figure {
        // The elastic motions have the same energy; with dots the line below remains visible.
        let springs = &compliant.energies;
        let dots = springs.iter().step_by(springs.len().div_ceil(DOTS)).copied().collect();
        let label = "compliant contacts".to_owned();
        Figure {
            id: "energies".to_owned(),
            title: "Energy over time".to_owned(),
            caption: format!(
                "Steps of {} s; compliant contacts of {:e} N/m at some of their steps, whose \
                 energy includes that of the springs.",
                self.step_size,
                self.stiffnesses[self.stiffnesses.len() - 1]
            ),
            x: drawing::axis("time", "s"),
            y: drawing::axis("energy", "J"),
            equal_aspect: false,
            map: None,
            series: vec![
                drawing::line("variational, elastic", elastic.energies.clone()),
                Series { label, mark: Mark::Dots, points: dots },
                drawing::line("variational, plastic", plastic.energies.clone()),
                drawing::line("Stewart–Trinkle", steps.energies.clone()),
            ],
        }
    }
}

/// Errors over the step, given by decimal logarithms, of elastic and plastic motion and of time stepping.
fn draw_errors(logarithms: [Vec<[f64; 2]>; 3]) -> Figure {
    let values = |points: Vec<[f64; 2]>| {
        points.into_iter().map(|point| point.map(|power| 10_f64.powf(power))).collect()
    };
    let [elastic, plastic, steps] = logarithms.map(values);
    Figure {
        id: "errors".to_owned(),
        title: "Error at the end over the step".to_owned(),
        caption:
            "Largest error of a coordinate, m or rad, against the variational integrator with \
                  the finest steps, elastic or plastic."
                .to_owned(),
        x: drawing::axis("step", "s").logarithmic(),
        y: drawing::axis("error", "m, rad").logarithmic(),
        equal_aspect: false,
        map: None,
        series: vec![
            drawing::line("variational, elastic", elastic),
            drawing::line("variational, plastic", plastic),
            drawing::line("Stewart–Trinkle", steps),
        ],
    }
}

/// Slope of the least-squares line through the points.
fn slope(points: &[[f64; 2]]) -> f64 {
    let count = points.len() as f64;
    let mean = [0, 1].map(|k| points.iter().map(|point| point[k]).sum::<f64>() / count);
    let product = |point: &[f64; 2]| (point[0] - mean[0]) * (point[1] - mean[1]);
    let square = |point: &[f64; 2]| (point[0] - mean[0]).powi(2);
    points.iter().map(product).sum::<f64>() / points.iter().map(square).sum::<f64>()
}

impl Parameters {
    fn system(&self) -> Result<Articulated, Error> {
        let size = Vector3::new(self.length, self.width, self.width);
        let refused = |source| Error::Mass { path: "mass".to_owned(), source };
        let rod = MassProperties::solid_box(self.mass, &size).map_err(refused)?;
        let rod = rod.translated(&Vector3::new(0.5 * self.length, 0.0, 0.0));
        let first = Link::new("first", Joint::planar()).with_mass(rod);
        let second = Link::new("second", Joint::revolute(Vector3::z()))
            .on("first")
            .at(Isometry3::translation(self.length, 0.0, 0.0))
            .with_mass(rod);
        Ok(Articulated::new(vec![first, second], Vector3::new(0.0, -self.gravity, 0.0))?)
    }

    /// The ends of the rods against the floor.
    fn gaps(&self) -> Result<Vec<SpherePlane>, Error> {
        let refused = |source| Error::Gap { contact: "floor".to_owned(), source };
        let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).map_err(refused)?;
        let gap = |(body, x): (usize, f64)| {
            let point = Sphere::on_body(body, Vector3::new(x, 0.0, 0.0), 0.0);
            SpherePlane::new(point, floor).map_err(refused)
        };
        [(0, 0.0), (0, self.length), (1, self.length)].into_iter().map(gap).collect()
    }

    fn variational(
        &self,
        restitution: f64,
        step_size: f64,
        faults: Faults,
    ) -> Result<Motion, Error> {
        let system = self.system()?;
        use variational::Settings;
        let contacts = self.gaps()?.into_iter().map(|gap| Contact::new(gap, 0.0)).collect();
        let model = Model::lagrangian(Box::new(system.clone()), contacts)?;
        let law = Box::new(Propagative { restitution, ..Propagative::default() });
        let settings = Settings { step_size, ..Settings::default() };
        let (coordinates, velocity) = (self.coordinates.clone(), self.velocity.clone());
        let start = State { time: 0.0, coordinates, velocity };
        let mut simulation = Simulation::<Variational>::with_law(model, law, settings, start)?;
        let momentum = simulation.momentum()[0];
        let mut motion = Motion::default();
        simulation.run(self.duration, |_, report| {
            if motion.energies.is_empty() {
                motion.energies.push([0.0, report.energy_before]);
            }
            motion.energies.push([report.time, report.energy_after]);
            motion.impacts += report.impacts.len();
            for impact in &report.impacts {
                let change = super::energy_change(&system, impact, faults);
                motion.impact_change = motion.impact_change.max(change.abs());
            }
        })?;
        motion.end.clone_from(&simulation.state().coordinates);
        let mut after = [simulation.momentum()[0]];
        faults.velocities(&mut after);
        motion.momentum_change = (after[0] - momentum).abs();
        Ok(motion)
    }

    fn stewart_trinkle(&self, step_size: f64) -> Result<Motion, Error> {
        use stewart_trinkle::Settings;
        let contacts = self.gaps()?.into_iter().map(|gap| Contact::new(gap, 0.0)).collect();
        let model = Model::new(Box::new(self.system()?), contacts)?;
        let settings = Settings { step_size, ..Settings::planar() };
        let (coordinates, velocity) = (self.coordinates.clone(), self.velocity.clone());
        let start = State { time: 0.0, coordinates, velocity };
        let mut simulation = Simulation::<StewartTrinkle>::new(model, settings, start)?;
        let mut motion = Motion::default();
        simulation.run(self.duration, |_, report| {
            if motion.energies.is_empty() {
                motion.energies.push([0.0, report.energy_before]);
            }
            motion.energies.push([report.time, report.energy_after]);
        })?;
        motion.end.clone_from(&simulation.state().coordinates);
        Ok(motion)
    }

    fn compliant(&self, stiffness: f64) -> Result<Motion, Error> {
        use compliant::{Contact, Method, Model, Settings, integrate};
        let law = NormalLaw::kelvin_voigt(stiffness, 0.0)?;
        let law = Law::new(law, FrictionLaw::Frictionless);
        let contacts = self.gaps()?.into_iter().map(|gap| Contact::new(gap, law)).collect();
        let model = Model::new(Box::new(self.system()?), contacts)?;
        let start = model.state(self.coordinates.clone(), self.velocity.clone())?;
        let settings = Settings { method: Method::Tsit45, ..Settings::default() };
        let mut energies = Vec::new();
        let mut observer = |moment: &compliant::Snapshot<'_>| {
            energies.push([moment.time, model.energy(moment.coordinates, moment.velocity)]);
        };
        let report = integrate(&model, &settings, &start, self.duration, None, &mut observer)?;
        Ok(Motion { energies, end: report.state.coordinates, ..Motion::default() })
    }
}
