//! Dry friction in joints, and a motor against a limit.

use nalgebra::{DMatrix, Vector3};
use percussion_dynamics::{Articulated, Joint, Link, MassProperties};
use percussion_integrators::{
    BoundedFriction, Contact, Model, State, StepReport, impulse_velocity, moreau_jean,
    schemes::{Choice, Name},
};
use percussion_mechanism::Error as MechanismError;
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use crate::{
    error::Error,
    experiments::{Experiment, Measurements, Options, Progress, drawing},
    fault::Faults,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    gravity: f64,
    step_size: f64,
    wheel: Wheel,
    pendulum: Pendulum,
    motor: Motor,
}

/// A wheel with a bearing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wheel {
    /// kg·m².
    inertia: f64,
    /// rad/s.
    spin: f64,
    /// N·m.
    bound: f64,
}

/// A point on a rod in a joint with dry friction.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pendulum {
    /// kg.
    mass: f64,
    /// m.
    length: f64,
    /// From the lowest position (rad).
    angle: f64,
    /// Just above and just below the torque of the weight at `angle`, and that of the swing (N·m).
    holding: f64,
    yielding: f64,
    bound: f64,
    /// How long it may begin to move (s).
    while_yielding: f64,
}

/// A motor that turns an arm against its limit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Motor {
    /// N·m.
    torque: f64,
    /// rad.
    limit: f64,
}

/// The schemes that are judged.
const SCHEMES: [Name; 2] = [Name::ImpulseVelocity, Name::MoreauJean];

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let mut measurements = experiment.measurements(&fixture);
    let mut series = Vec::new();
    for (k, method) in SCHEMES.into_iter().enumerate() {
        progress(0.5 * k as f64, method.as_str());
        let case = Case { parameters, method, faults: experiment.faults() };
        case.wheel(&mut measurements)?;
        case.held(&mut measurements)?;
        let swing = case.swing(&mut measurements)?;
        case.limit(&mut measurements)?;
        series.push(drawing::line(method.as_str(), swing));
    }
    let figure = Figure {
        id: "swing".to_owned(),
        title: "A pendulum in a joint with dry friction".to_owned(),
        caption: "Its angle, until friction holds it beside the lowest position.".to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis("angle", "rad"),
        equal_aspect: false,
        map: None,
        series,
    };
    experiment.outcome(&fixture, measurements, vec![figure])
}

/// The parameters with one scheme.
struct Case<'a> {
    parameters: &'a Parameters,
    method: Name,
    faults: Faults,
}

impl Case<'_> {
    fn scheme(&self, step_size: f64) -> Choice {
        // Speeds near zero are compared with the speed that the weight gives in one step.
        let tolerance = 1e-13;
        match self.method {
            Name::MoreauJean => {
                let defaults = moreau_jean::Settings::default();
                Choice::MoreauJean(moreau_jean::Settings { step_size, tolerance, ..defaults })
            }
            _ => {
                let defaults = impulse_velocity::Settings::default();
                Choice::ImpulseVelocity(impulse_velocity::Settings {
                    step_size,
                    tolerance,
                    ..defaults
                })
            }
        }
    }

    /// Moves one joint with a bearing of `bound` (N·m) in the vertical plane, and calls `observe` with each step.
    fn turn(
        &self,
        joint: Joint,
        mass: MassProperties,
        bound: f64,
        [angle, rate, duration]: [f64; 3],
        observe: &mut dyn FnMut(&State, &StepReport),
    ) -> Result<(), Error> {
        let arm = Link::new("arm", joint).with_mass(mass);
        let gravity = Vector3::new(0.0, -self.parameters.gravity, 0.0);
        let system = Articulated::new(vec![arm], gravity).map_err(MechanismError::from)?;
        let limits = system.joint_limits().into_iter();
        let limits = limits.map(|limit| Contact::new(limit, 0.0)).collect();
        let bearing = BoundedFriction::along(&DMatrix::from_element(1, 1, 1.0), bound);
        let model = Model::lagrangian(Box::new(system), limits)
            .and_then(|model| model.with_joint_friction(vec![bearing]))
            .map_err(MechanismError::from)?;
        let start = State { time: 0.0, coordinates: vec![angle], velocity: vec![rate] };
        let scheme = self.scheme(self.parameters.step_size);
        let mut motion = scheme.begin(model, start).map_err(MechanismError::from)?;
        let faults = self.faults;
        let mut observe = |state: &State, report: &StepReport| {
            let (mut state, mut report) = (state.clone(), report.clone());
            faults.velocities(&mut state.velocity);
            let contacts = report.contacts.iter_mut().map(|contact| &mut contact.impulse);
            contacts.for_each(|impulse| faults.contact_impulse(impulse));
            for friction in &mut report.frictions {
                faults.impulses(std::slice::from_mut(&mut friction.impulse));
            }
            observe(&state, &report);
        };
        motion.run(duration, &mut observe).map_err(MechanismError::from)?;
        Ok(())
    }

    /// The time at which the bearing stops the wheel, and the most that friction exceeds its bound.
    fn wheel(&self, measurements: &mut Measurements<'_>) -> Result<(), Error> {
        let Wheel { inertia, spin, bound } = self.parameters.wheel;
        // A square plate of 1 kg, whose moment about its normal is a sixth of the square of its edge.
        let edge = (6.0 * inertia).sqrt();
        let size = Vector3::new(edge, edge, 0.1);
        let plate = MassProperties::solid_box(1.0, &size).map_err(mass)?;
        let (mut stop, mut excess) = (f64::NAN, 0.0_f64);
        let expected = inertia * spin / bound;
        let joint = Joint::revolute(Vector3::z());
        self.turn(joint, plate, bound, [0.0, spin, 1.2 * expected], &mut |state, report| {
            if stop.is_nan() && state.velocity[0].abs() < 1e-9 {
                stop = state.time;
            }
            for friction in &report.frictions {
                excess = excess.max(friction.impulse.abs() - friction.bound);
            }
        })?;
        let method = self.method;
        measurements.add(format!("time until the wheel stops, {method}"), stop);
        measurements.add(format!("friction beyond its bound, {method}"), excess.max(0.0));
        Ok(())
    }

    fn hanging(&self) -> Result<MassProperties, Error> {
        let Pendulum { mass: of_point, length, .. } = self.parameters.pendulum;
        let point = MassProperties::point(of_point).map_err(mass)?;
        Ok(point.translated(&Vector3::new(0.0, -length, 0.0)))
    }

    /// Speeds of the pendulum where friction just holds it, and where it just does not.
    fn held(&self, measurements: &mut Measurements<'_>) -> Result<(), Error> {
        let Pendulum { angle, holding, yielding, while_yielding, .. } = self.parameters.pendulum;
        for (name, bound) in [("held", holding), ("let go", yielding)] {
            let mut speed = 0.0;
            let joint = Joint::revolute(Vector3::z());
            let start = [angle, 0.0, while_yielding];
            self.turn(joint, self.hanging()?, bound, start, &mut |state, _| {
                speed = -state.velocity[0];
            })?;
            measurements.add(format!("speed of the pendulum, {name}, {}", self.method), speed);
        }
        Ok(())
    }

    /// The first angle at which the pendulum turns back, and where friction holds it; returns angles over time.
    fn swing(&self, measurements: &mut Measurements<'_>) -> Result<Vec<[f64; 2]>, Error> {
        let Pendulum { angle, bound, .. } = self.parameters.pendulum;
        let (mut turned, mut rested, mut path) = (f64::NAN, f64::NAN, vec![[0.0, angle]]);
        let joint = Joint::revolute(Vector3::z());
        self.turn(joint, self.hanging()?, bound, [angle, 0.0, 8.0], &mut |state, _| {
            let (theta, rate) = (state.coordinates[0], state.velocity[0]);
            path.push([state.time, theta]);
            if turned.is_nan() && rate >= 0.0 {
                turned = theta;
            }
            rested = rate;
        })?;
        let method = self.method;
        measurements.add(format!("angle at which the pendulum turns back, {method}"), turned);
        measurements.add(format!("speed after eight seconds, {method}"), rested.abs());
        Ok(path)
    }

    /// The torque of the limit less that of the motor which pushes against it.
    fn limit(&self, measurements: &mut Measurements<'_>) -> Result<(), Error> {
        let Motor { torque, limit } = self.parameters.motor;
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let joint = Joint::revolute(Vector3::z()).with_limits(&[[-1.0, limit]]);
        let arm = MassProperties::solid_box(1.0, &Vector3::repeat(0.2)).map_err(mass)?;
        let step_size = self.parameters.step_size;
        let start = [limit, 0.0, 20.0 * step_size];
        self.turn(joint.with_effort(&[torque]), arm, 0.0, start, &mut |_, report| {
            let pushes: f64 = report.contacts.iter().map(|contact| contact.impulse.x).sum();
            let difference = pushes / step_size - torque;
            (least, most) = (least.min(difference), most.max(difference));
        })?;
        let method = self.method;
        measurements.add(format!("limit less motor, {method}"), most.max(-least));
        Ok(())
    }
}

fn mass(source: percussion_dynamics::MassPropertiesError) -> Error {
    Error::Mass { path: "body".to_owned(), source }
}
