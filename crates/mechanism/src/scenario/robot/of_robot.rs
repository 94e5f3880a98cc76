//! Scenarios of a robot alone, for those who have no scenario file.

use nalgebra::Vector3;
use percussion_dynamics::{Dimension, System};
use percussion_integrators::{Feature, Rule, schemes::Name};

use super::Robot;
use crate::{
    Error,
    rules::finite,
    scenario::{Integrator, Plane, Scenario, Space},
};

/// Gravity where none is given (m/s²).
const EARTH: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

impl Scenario {
    /// A robot that stands, or falls, on a floor, for those who have no scenario file.
    ///
    /// The floor goes through the origin, perpendicular to `gravity` (m/s²), with the friction 0.8; without gravity there is
    /// none. The robot starts at rest in zero coordinates, its root floating unless it is called `world`, its lowest point
    /// on the floor, and its links do not touch each other. It moves for 1 s in steps of 1 ms by the method `"moreau-jean"`,
    /// or where joints have dry friction by `"stewart-trinkle"`, in the plane if its joints and gravity keep it in the x–y
    /// plane. Steps at velocity level are solved to 1e-10, so that what stands does not creep.
    ///
    /// The file is read once: the scenario keeps what was read in [`Robot::read`].
    ///
    /// # Errors
    ///
    /// [`Error::Robot`], [`Error::Mechanism`], [`Error::Value`].
    pub fn of_robot(robot: Robot, gravity: [f64; 3]) -> Result<Self, Error> {
        Self::of_robot_in(robot, Some(gravity))
    }

    /// The same under the gravity of the file, where none is given; a file that gives none has `(0, 0, −9.81)` m/s².
    ///
    /// A file that places its bodies itself (MJCF) gets no floor, and nothing is moved.
    ///
    /// # Errors
    ///
    /// As [`of_robot`](Self::of_robot).
    pub fn of_robot_in(robot: Robot, gravity: Option<[f64; 3]>) -> Result<Self, Error> {
        if let Some(gravity) = &gravity {
            finite("gravity", gravity)?;
        }
        let given = gravity.map(Vector3::from);
        // Only a description in MJCF has a gravity of its own.
        let asked = given.or((!robot.is_mjcf()).then_some(EARTH));
        let description = robot.description(asked)?;
        let gravity = asked.or(description.gravity).unwrap_or(EARTH);
        let floats = description.root.is_some();
        let dimension = match description.system.dimension() {
            // It floats in the plane only if it is said to be in a plane.
            Dimension::Plane if !floats => Space::Plane,
            _ => Space::Space,
        };
        let cut = |vector: Vector3<f64>| vector.as_slice()[..dimension.vector_length()].to_vec();
        let floor = Plane {
            name: "floor".to_owned(),
            point: cut(Vector3::zeros()),
            normal: cut(-gravity),
            tangent: None,
        };
        let has_floor = gravity != Vector3::zeros() && description.is_placed;
        let has_friction = !description.system.joint_friction().is_empty();
        let method = match has_friction {
            true if Name::MoreauJean.rule(Feature::JointFriction) != Rule::Used => {
                Name::StewartTrinkle
            }
            _ => Name::MoreauJean,
        };
        // A file that says which shapes touch means it.
        let self_contacts = description.pairs.is_some();
        let mut robot = Robot { on_floor: has_floor, self_contacts, ..robot };
        let title = format!("The robot {}", description.name);
        robot.keep(gravity, description);
        Ok(Self {
            name: robot.urdf.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            title,
            source: robot.urdf.display().to_string(),
            dimension,
            gravity: cut(gravity),
            duration: 1.0,
            friction: Some(0.8),
            restitution: None,
            accepted_penetration: None,
            bodies: Vec::new(),
            joints: Vec::new(),
            planes: has_floor.then_some(floor).into_iter().collect(),
            fixed: Vec::new(),
            contacts: None,
            joint_friction: Vec::new(),
            integrator: Integrator {
                method,
                step_size: 0.001,
                directions: None,
                tolerance: None,
                outer_iteration_limit: None,
                friction_law: None,
                error_reduction: None,
                solver_tolerance: Some(1e-10),
                implicitness: None,
            },
            experiment: toml::Table::new(),
            expected: Vec::new(),
            robot: Some(robot),
        })
    }
}
