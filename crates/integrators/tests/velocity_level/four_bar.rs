//! A four-bar linkage in space on a base that two feet carry, with dry friction in each joint and a motor.

use nalgebra::{DMatrix, Isometry3, UnitQuaternion, Vector2, Vector3};
use percussion_dynamics::constraint::{BallJoint, EqualityConstraint, Frame, Hinge};
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
use percussion_dynamics::{Articulated, Dimension, Joint, Link, MassProperties, System};
use percussion_integrators::{Actuator, BoundedFriction, Contact, Course, Model, State};

/// Lengths of crank, coupler and rocker, and half the distance of the fixed pivots and their height on the base (m).
const CRANK: f64 = 0.12;
const COUPLER: f64 = 0.4;
const ROCKER: f64 = 0.25;
const HALF: f64 = 0.2;
const HEIGHT: f64 = 0.1;

/// The equations that close the loop.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Loops {
    /// The ends of coupler and rocker meet: two independent rows of three.
    Point,
    /// Two equal hinges and the point: two independent rows of thirteen.
    Redundant,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FourBar {
    loops: Loops,
}

impl FourBar {
    pub(crate) const fn new(loops: Loops) -> Self {
        Self { loops }
    }

    /// The linkage stands in the x–z plane, at rest.
    pub(crate) fn model(self) -> (Model, State) {
        let (system, angles) = system();
        assert_eq!(system.dimension(), Dimension::Space);
        let foot = |x: f64| {
            let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
            let foot = Sphere::on_body(0, Vector3::new(x, -0.05, 0.0), 0.0);
            Contact::new(SpherePlane::new(foot, floor).unwrap(), 0.4)
        };
        let feet = vec![foot(-0.3), foot(0.3)];
        let motor = Actuator {
            gain: 0.5,
            bias: [0.0, 0.0, -0.5],
            ..Actuator::on((3, 3)).with_force_range([-1.5, 1.5])
        };
        // Turns both ways, and rests for two seconds.
        let times = vec![0.0, 1.0, 3.0, 4.0, 6.0, 7.0, 9.0];
        let speeds = vec![0.0, 14.0, 14.0, 0.0, 0.0, -14.0, -14.0];
        let motor = motor.with_control(Course::new(times, speeds).unwrap());
        let along = |entries: &[(usize, f64)], bound| {
            let mut axis = DMatrix::zeros(6, 1);
            entries.iter().for_each(|&(row, entry)| axis[(row, 0)] = entry);
            BoundedFriction::along(&axis, bound)
        };
        let joints = vec![
            along(&[(3, 1.0)], 0.25),
            along(&[(4, 1.0)], 0.1),
            along(&[(5, 1.0)], 0.1),
            // The joint that closes the loop turns with coupler and crank against the rocker.
            along(&[(3, 1.0), (4, 1.0), (5, -1.0)], 0.1),
        ];
        let frame = |body, length| Frame::on_body(body, Isometry3::translation(length, 0.0, 0.0));
        let [end, tip] = [frame(2, COUPLER), frame(3, ROCKER)];
        let point = || BallJoint::new(end.origin(), tip.origin()).unwrap();
        let hinge = || Hinge::new(end, tip).unwrap();
        let loops: Vec<Box<dyn EqualityConstraint>> = match self.loops {
            Loops::Point => vec![Box::new(point())],
            Loops::Redundant => vec![Box::new(hinge()), Box::new(point()), Box::new(hinge())],
        };
        let model = Model::new(Box::new(system), feet).unwrap();
        let model = model.with_joint_friction(joints).unwrap().with_constraints(loops).unwrap();
        let model = model.with_actuators(vec![motor]).unwrap();
        let coordinates = [vec![0.0, 0.05, 0.0], angles.to_vec()].concat();
        (model, State { time: 0.0, coordinates, velocity: vec![0.0; 6] })
    }
}

/// The tree of base, crank, coupler and rocker, and the angles of the last three.
fn system() -> (Articulated, [f64; 3]) {
    let rod = |length: f64| {
        let size = Vector3::new(length, 0.02, 0.02);
        let rod = MassProperties::solid_box(0.5 * length, &size).unwrap();
        rod.translated(&Vector3::new(0.5 * length, 0.0, 0.0))
    };
    // Its x–y plane is the x–z plane of the world.
    let upright = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    let block = MassProperties::solid_box(1.0, &Vector3::new(0.6, 0.1, 0.2)).unwrap();
    let turning = || Joint::revolute(Vector3::z());
    let links = vec![
        Link::new("base", Joint::planar())
            .at(Isometry3::from_parts(Vector3::zeros().into(), upright))
            .with_mass(block),
        Link::new("crank", turning())
            .on("base")
            .at(Isometry3::translation(-HALF, HEIGHT, 0.0))
            .with_mass(rod(CRANK)),
        Link::new("coupler", turning())
            .on("crank")
            .at(Isometry3::translation(CRANK, 0.0, 0.0))
            .with_mass(rod(COUPLER)),
        Link::new("rocker", turning())
            .on("base")
            .at(Isometry3::translation(HALF, HEIGHT, 0.0))
            .with_mass(rod(ROCKER)),
    ];
    let system = Articulated::new(links, Vector3::new(0.0, 0.0, -9.81)).unwrap();
    // The ends of coupler and rocker meet where two circles intersect, above the pivots.
    let crank: f64 = 1.0;
    let from = Vector2::new(-HALF + CRANK * crank.cos(), CRANK * crank.sin());
    let between = Vector2::new(HALF, 0.0) - from;
    let distance = between.norm();
    let along = (COUPLER * COUPLER - ROCKER * ROCKER + distance * distance) / (2.0 * distance);
    let across = (COUPLER * COUPLER - along * along).sqrt();
    let ahead = between / distance;
    let meet = from + along * ahead + across * Vector2::new(-ahead.y, ahead.x);
    let angle = |way: Vector2<f64>| way.y.atan2(way.x);
    let rocker = angle(meet - Vector2::new(HALF, 0.0));
    (system, [crank, angle(meet - from) - crank, rocker])
}
