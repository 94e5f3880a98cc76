//! Scenarios of a single robot, without a scenario file.

use nalgebra::Vector3;
use percussion_dynamics::{Dimension, System};
use percussion_integrators::schemes::Name;

use super::Robot;
use crate::{
    Error,
    rules::finite,
    scenario::{Integrator, Plane, Scenario, Space},
};

/// Default gravity (m/s²).
const EARTH: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

impl Scenario {
    /// A scenario of a robot that stands or falls on a floor, without a scenario file.
    ///
    /// The floor passes through the origin, perpendicular to `gravity` (m/s²), with the friction coefficient
    /// 0.8; without gravity there is no floor. The robot starts at rest in zero coordinates with its lowest
    /// point on the floor. Its root floats, unless its name is `world`, and its links do not touch each
    /// other. The duration is 1 s in steps of 1 ms by the method `"moreau-jean"`. The motion is planar if the joints and gravity keep the robot in the x–y
    /// plane. Steps at velocity level are solved to 1e-10, so that what stands does not creep.
    ///
    /// The file is read once; the scenario stores the description in [`Robot::read`].
    ///
    /// # Errors
    ///
    /// [`Error::Robot`], [`Error::Mechanism`], [`Error::Value`].
    pub fn of_robot(robot: Robot, gravity: [f64; 3]) -> Result<Self, Error> {
        Self::of_robot_in(robot, Some(gravity))
    }

    /// The same, but without a given gravity it uses that of the file, or `(0, 0, −9.81)` m/s² if the file has none.
    ///
    /// For a file that specifies the positions of its bodies (MJCF) no floor is added and no body is moved.
    ///
    /// # Errors
    ///
    /// As [`of_robot`](Self::of_robot).
    pub fn of_robot_in(robot: Robot, gravity: Option<[f64; 3]>) -> Result<Self, Error> {
        if let Some(gravity) = &gravity {
            finite("gravity", gravity)?;
        }
        let given = gravity.map(Vector3::from);
        // Only a description in MJCF has its own gravity.
        let asked = given.or((!robot.is_mjcf()).then_some(EARTH));
        let description = robot.description(asked)?;
        let gravity = asked.or(description.gravity).unwrap_or(EARTH);
        let floats = description.root.is_some();
        let dimension = match description.system.dimension() {
            // The root floats in the plane only if the scenario is planar.
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
        // If a file lists the shapes that touch, this list is used.
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
                method: Name::MoreauJean,
                step_size: 0.001,
                directions: None,
                tolerance: None,
                outer_iteration_limit: None,
                friction_law: None,
                error_reduction: None,
                solver_tolerance: Some(1e-10),
                implicitness: None,
                projection: None,
                inelastic_fallback: None,
            },
            experiment: toml::Table::new(),
            expected: Vec::new(),
            robot: Some(robot),
        })
    }
}
