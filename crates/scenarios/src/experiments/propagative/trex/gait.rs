//! The drop of the robot, simulated with both orders of reflections.

use std::sync::Arc;

use nalgebra::{DVector, Vector3};
use percussion_dynamics::{Articulated, System};
use percussion_impact::propagative::{Order, Propagative};
use percussion_integrators::{
    Contact, Drive, Force, Model, Simulation, State,
    variational::{Settings, Variational},
};
use percussion_mechanism::impacts::ImpactScenario;

use super::{super::energy_change, Parameters};
use crate::{error::Error, fault::Faults};

/// Two copies of a drop and the distance between them.
#[derive(Debug, Default)]
pub(super) struct Gait {
    /// Time (s) and the distance of the momenta relative to the momentum, in the kinetic metric.
    pub(super) indeterminacy: Vec<[f64; 2]>,
    /// The same distance right after the first impact of two contacts.
    pub(super) first_simultaneous: Option<f64>,
    /// Largest change of energy in an elastic impact (J).
    pub(super) energy: f64,
    /// Number of impacts that the Zeno rule made plastic.
    pub(super) plastic: usize,
    /// Number of elastic impacts in which several contacts are struck.
    pub(super) several: usize,
    /// Deepest penetration at step ends (m).
    pub(super) penetration: f64,
}

impl Gait {
    /// Drops `robot` from above its stance on the floor.
    pub(super) fn run(
        robot: &ImpactScenario,
        parameters: &Parameters,
        step_size: f64,
        faults: Faults,
    ) -> Result<Self, Error> {
        let mut gait = Self::default();
        let most = gait.copy(robot, parameters, step_size, (Order::MostApproached, faults))?;
        let least = gait.copy(robot, parameters, step_size, (Order::LeastApproached, faults))?;
        for ((time, one), (_, other)) in most.states.iter().zip(&least.states) {
            if let Some(xi) = most.distance(one, other) {
                gait.indeterminacy.push([*time, xi]);
            }
        }
        if let (Some(one), Some(other)) = (&most.landing, &least.landing) {
            gait.first_simultaneous = most.distance(one, other);
        }
        Ok(gait)
    }

    fn copy(
        &mut self,
        robot: &ImpactScenario,
        parameters: &Parameters,
        step_size: f64,
        (order, faults): (Order, Faults),
    ) -> Result<Copy, Error> {
        let (system, mut coordinates, contacts) = assemble(robot, parameters)?;
        let hips: Vec<usize> = parameters
            .driven
            .iter()
            .filter_map(|name| system.link_index(name))
            .flat_map(|link| system.velocities_of(link))
            .collect();
        let targets: Vec<f64> = hips.iter().map(|&hip| coordinates[hip]).collect();
        let drives = |speed: f64, since: f64| -> Vec<Box<dyn Force>> {
            let drive = |(&index, &position): (&usize, &f64)| -> Box<dyn Force> {
                Box::new(Drive {
                    index,
                    position,
                    speed,
                    since,
                    proportional: parameters.hip_stiffness,
                    derivative: parameters.hip_damping,
                })
            };
            hips.iter().zip(&targets).map(drive).collect()
        };
        // The second coordinate of the front part is its height.
        coordinates[1] += parameters.drop;
        let velocity = vec![0.0; coordinates.len()];
        let model =
            Model::lagrangian(Box::new(system.clone()), contacts)?.with_forces(drives(0.0, 0.0));
        let start = State { time: 0.0, coordinates, velocity };
        let settings = Settings { step_size, ..Settings::default() };
        let law = Box::new(Propagative { order, ..Propagative::default() });
        let mut simulation = Simulation::<Variational>::with_law(model, law, settings, start)?;
        let mut copy = Copy { system, states: vec![], landing: None };
        let mut has_landed = false;
        while simulation.state().time < parameters.duration {
            let report = simulation.step()?;
            let state = simulation.state();
            let moment = (state.coordinates.clone(), DVector::from_column_slice(&state.velocity));
            copy.states.push((state.time, moment));
            for impact in &report.impacts {
                self.plastic += usize::from(impact.is_plastic);
                let is_multiple = impact.contacts.len() > 1;
                self.several += usize::from(is_multiple && !impact.is_plastic);
                if !impact.is_plastic {
                    let change = energy_change(&copy.system, impact, faults);
                    self.energy = self.energy.max(change.abs());
                }
                if copy.landing.is_none() && is_multiple {
                    copy.landing =
                        Some((impact.coordinates.clone(), impact.velocity_after.clone()));
                }
            }
            let depth = faults.depth(simulation.model(), &state.coordinates, report.penetration);
            self.penetration = self.penetration.max(depth);
            if let (false, Some(impact)) = (has_landed, report.impacts.first()) {
                has_landed = true;
                simulation.set_forces(drives(parameters.hip_speed, impact.time));
            }
        }
        Ok(copy)
    }
}

/// Coordinates and velocity.
type Moment = (Vec<f64>, DVector<f64>);

struct Copy {
    system: Articulated,
    states: Vec<(f64, Moment)>,
    /// State right after the first impact of two contacts.
    landing: Option<Moment>,
}

impl Copy {
    /// `‖p − p'‖/‖p‖`, in the metric of the first; `None` at rest.
    fn distance(&self, one: &Moment, other: &Moment) -> Option<f64> {
        let size = self.system.velocity_count();
        let mass = |coordinates: &[f64]| {
            let mut mass = nalgebra::DMatrix::zeros(size, size);
            self.system.mass_matrix(coordinates, &mut mass);
            mass
        };
        let inverse = mass(&one.0).cholesky()?;
        let momentum = mass(&one.0) * &one.1;
        let apart = &momentum - mass(&other.0) * &other.1;
        let norm = |p: &DVector<f64>| p.dot(&inverse.solve(p)).max(0.0).sqrt();
        (norm(&momentum) > 0.0).then(|| norm(&apart) / norm(&momentum))
    }
}

/// The robot with springs and gravity, its coordinates, and its contacts.
fn assemble(
    robot: &ImpactScenario,
    parameters: &Parameters,
) -> Result<(Articulated, Vec<f64>, Vec<Contact>), Error> {
    let rigid = robot.mechanism()?;
    let coordinates = rigid.state.coordinates;
    let sprung = |tree: &Articulated| {
        let mut links = tree.links().to_vec();
        for (index, link) in links.iter_mut().enumerate() {
            if parameters.sprung.contains(&link.name) {
                let rest = &coordinates[tree.coordinates_of(index)];
                let joint = link.joint.clone().with_spring(&[parameters.joint_stiffness], rest);
                link.joint = joint.with_damping(&[parameters.joint_damping]);
            }
        }
        links
    };
    let links = rigid.tree.as_deref().map(sprung).unwrap_or_default();
    let system = Articulated::new(links, Vector3::new(0.0, -parameters.gravity, 0.0))?;
    let contacts = rigid.model.contacts().iter().map(|contact| Contact {
        gap: Arc::clone(&contact.gap),
        friction: parameters.friction,
        restitution: 0.0,
        cone: None,
    });
    Ok((system, coordinates, contacts.collect()))
}
