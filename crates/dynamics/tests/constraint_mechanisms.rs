//! Mechanisms with loops move for seconds on their constraints, with and without redundant ones.
//!
//! They are integrated by the classical Runge–Kutta method of fourth order, and after each step position
//! and velocity are projected onto the constraints. With steps of a millisecond and rates `ω` below 20/s
//! a step is accurate to about `(h ω)⁵/120`, some 3e-11.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{DVector, Isometry3, Matrix3, Vector2, Vector3};
use percussion_dynamics::{
    Anchor, Articulated, Body, Dimension, FreeBodies, Joint, Link, MassProperties, PlanarBodies,
    PlanarBody, System,
    constraint::{
        BallJoint, EqualityConstraint, Frame, Hinge, Rolling,
        set::{Acceleration, ConstraintSet, Settings, Status},
    },
    gap::Plane,
    rotation,
};

const STEP: f64 = 1e-3;
const DRIFT: f64 = 1e-9;
const GRAVITY: f64 = 9.81;

/// A system on its constraints, with its state and the positions of its quaternions.
struct Mechanism {
    system: Box<dyn System>,
    set: ConstraintSet,
    quaternions: Vec<usize>,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Mechanism {
    /// Projects the guesses `q` and `v` onto the constraints.
    fn new(
        system: impl System + 'static,
        constraints: Vec<Box<dyn EqualityConstraint>>,
        q: Vec<f64>,
        v: Vec<f64>,
    ) -> Self {
        let set = ConstraintSet::new(&system, constraints).unwrap();
        let bodies = system.coordinate_count() - system.velocity_count();
        let quaternions = (0..bodies).map(|body| 7 * body + 3).collect();
        let mut mechanism = Self { system: Box::new(system), set, quaternions, q, v };
        mechanism.project();
        mechanism
    }

    fn normalized(&self, q: &DVector<f64>) -> Vec<f64> {
        let mut q: Vec<f64> = q.iter().copied().collect();
        for &at in &self.quaternions {
            let unit = rotation::normalize(&[q[at], q[at + 1], q[at + 2], q[at + 3]]).unwrap();
            q[at..at + 4].copy_from_slice(&unit);
        }
        q
    }

    fn acceleration(&self, q: &[f64], v: &[f64]) -> Acceleration {
        let at = self.set.linearize(self.system.as_ref(), q, &Settings::default()).unwrap();
        at.acceleration(v, 0.0).unwrap()
    }

    fn multipliers(&self) -> DVector<f64> {
        self.acceleration(&self.q, &self.v).multipliers
    }

    fn rank_and_mobility(&self) -> (usize, usize) {
        let system = self.system.as_ref();
        let at = self.set.linearize(system, &self.q, &Settings::default()).unwrap();
        (at.rank(), at.mobility())
    }

    fn rates(&self, q: &DVector<f64>, v: &DVector<f64>) -> [DVector<f64>; 2] {
        let mut rate = DVector::zeros(q.len());
        self.system.coordinate_rate(q.as_slice(), v.as_slice(), rate.as_mut_slice());
        [rate, self.acceleration(&self.normalized(q), v.as_slice()).acceleration]
    }

    /// One step; returns the largest violation before the projection.
    fn step(&mut self) -> f64 {
        let start = [DVector::from_column_slice(&self.q), DVector::from_column_slice(&self.v)];
        let mut sum = [DVector::zeros(start[0].len()), DVector::zeros(start[1].len())];
        let mut stage = start.clone();
        for (weight, next) in [(1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)] {
            let rates = self.rates(&stage[0], &stage[1]);
            for i in 0..2 {
                sum[i] += weight / 6.0 * &rates[i];
                stage[i] = &start[i] + next * STEP * &rates[i];
            }
        }
        self.q = self.normalized(&(&start[0] + STEP * &sum[0]));
        self.v.copy_from_slice((&start[1] + STEP * &sum[1]).as_slice());
        let before = self.drift();
        self.project();
        before
    }

    fn project(&mut self) {
        let system = self.system.as_ref();
        let report = self.set.project_position(system, &mut self.q, &Settings::default()).unwrap();
        assert_eq!(report.status, Status::Converged, "{report:?}");
        let at = self.set.linearize(system, &self.q, &Settings::default()).unwrap();
        at.project_velocity(&mut self.v).unwrap();
    }

    fn drift(&self) -> f64 {
        self.set.evaluate(self.system.as_ref(), &self.q).0.amax()
    }

    /// Largest `|G v|`.
    fn velocity_drift(&self) -> f64 {
        let (_, jacobian) = self.set.evaluate(self.system.as_ref(), &self.q);
        (jacobian * DVector::from_column_slice(&self.v)).amax()
    }

    fn energy(&self) -> f64 {
        self.system.energy(&self.q, &self.v)
    }
}

fn pin(
    body_1: Option<usize>,
    x_1: f64,
    body_2: Option<usize>,
    x_2: f64,
) -> Box<dyn EqualityConstraint> {
    let [point_1, point_2] = [(body_1, x_1), (body_2, x_2)]
        .map(|(body, x)| Anchor { body, point: Vector3::new(x, 0.0, 0.0) });
    Box::new(BallJoint::new(point_1, point_2).unwrap())
}

/// A thin rod of 1 kg per meter.
fn rod(length: f64) -> PlanarBody {
    PlanarBody::new(length, length.powi(3) / 12.0)
}

const CRANK: f64 = 1.0;
const COUPLER: f64 = 2.5;
const ROCKER: f64 = 2.0;
const GROUND: f64 = 3.0;

/// Angles of coupler and rocker of the open four-bar, from the triangle of both and the diagonal from the end of the
/// crank to the ground pivot of the rocker.
fn closed_angles(crank: f64) -> [f64; 2] {
    let end = Vector2::new(CRANK * crank.cos(), CRANK * crank.sin());
    let diagonal = Vector2::new(GROUND, 0.0) - end;
    let length = diagonal.norm();
    let cosine = (COUPLER * COUPLER + length * length - ROCKER * ROCKER) / (2.0 * COUPLER * length);
    let coupler = diagonal.y.atan2(diagonal.x) + cosine.acos();
    let joint = end + COUPLER * Vector2::new(coupler.cos(), coupler.sin());
    [coupler, joint.y.atan2(joint.x - GROUND)]
}

/// Centers and angles of crank, coupler and rocker.
fn four_bar_poses(crank: f64) -> [[f64; 3]; 3] {
    let [coupler, rocker] = closed_angles(crank);
    let end = [CRANK * crank.cos(), CRANK * crank.sin()];
    let middle = |x: f64, y: f64, angle: f64, length: f64| {
        [x + 0.5 * length * angle.cos(), y + 0.5 * length * angle.sin(), angle]
    };
    [
        middle(0.0, 0.0, crank, CRANK),
        middle(end[0], end[1], coupler, COUPLER),
        middle(GROUND, 0.0, rocker, ROCKER),
    ]
}

fn four_bar() -> Mechanism {
    let gravity = Vector2::new(0.0, -GRAVITY);
    let bodies = vec![rod(CRANK), rod(COUPLER), rod(ROCKER)];
    let pins = vec![
        pin(Some(0), -0.5 * CRANK, None, 0.0),
        pin(Some(0), 0.5 * CRANK, Some(1), -0.5 * COUPLER),
        pin(Some(1), 0.5 * COUPLER, Some(2), 0.5 * ROCKER),
        pin(Some(2), -0.5 * ROCKER, None, GROUND),
    ];
    // A guess with an error of some centimeters, which the projection removes.
    let guess = four_bar_poses(1.0).into_iter().flatten().map(|c| (c * 20.0).round() / 20.0);
    let mut spin = vec![0.0; 9];
    spin[2] = 100.0;
    Mechanism::new(PlanarBodies::new(bodies, gravity).unwrap(), pins, guess.collect(), spin)
}

/// Distance of two angles up to whole turns.
fn angle_between(a: f64, b: f64) -> f64 {
    let turns = (a - b) / (2.0 * PI);
    2.0 * PI * (turns - turns.round()).abs()
}

#[test]
fn a_four_bar_turns_on_its_constraints() {
    let mut mechanism = four_bar();
    assert_eq!(mechanism.rank_and_mobility(), (8, 1));
    let (energy, start) = (mechanism.energy(), mechanism.q[2]);
    let mut turned = 0.0_f64;
    for _ in 0..3000 {
        assert!(mechanism.step() < DRIFT, "before the projection");
        assert!(mechanism.drift() <= 1e-12 && mechanism.velocity_drift() < 1e-12);
        let [coupler, rocker] = closed_angles(mechanism.q[2]);
        assert!(angle_between(mechanism.q[5], coupler) < 1e-10);
        assert!(angle_between(mechanism.q[8], rocker) < 1e-10);
        assert!(mechanism.multipliers().iter().all(|force| force.is_finite()));
        turned = turned.max((mechanism.q[2] - start).abs());
    }
    assert!(turned > 2.0 * PI, "the crank goes round, {turned}");
    assert!((mechanism.energy() - energy).abs() < 1e-8 * energy, "{} {energy}", mechanism.energy());
}

/// The same mechanism in space: the 20 equations of four hinges leave one degree of freedom of 18, so three are
/// redundant, and the motion is that in the plane.
#[test]
fn a_four_bar_in_space_is_three_times_redundant_and_moves_alike() {
    let mut flat = four_bar();
    let bodies = [CRANK, COUPLER, ROCKER].map(|length| {
        let across = rod(length).inertia;
        Body::new(length, Matrix3::from_diagonal(&Vector3::new(0.01, across, across)))
    });
    let frame = |body, x: f64| Frame { body, placement: Isometry3::translation(x, 0.0, 0.0) };
    let hinge = |first, second| -> Box<dyn EqualityConstraint> {
        Box::new(Hinge::new(first, second).unwrap())
    };
    let hinges = vec![
        hinge(frame(Some(0), -0.5 * CRANK), frame(None, 0.0)),
        hinge(frame(Some(0), 0.5 * CRANK), frame(Some(1), -0.5 * COUPLER)),
        hinge(frame(Some(1), 0.5 * COUPLER), frame(Some(2), 0.5 * ROCKER)),
        hinge(frame(Some(2), -0.5 * ROCKER), frame(None, GROUND)),
    ];
    let q = flat.q.chunks(3).flat_map(|pose| {
        let (sine, cosine) = (0.5 * pose[2]).sin_cos();
        [pose[0], pose[1], 0.0, cosine, 0.0, 0.0, sine]
    });
    let v = flat.v.chunks(3).flat_map(|v| [v[0], v[1], 0.0, 0.0, 0.0, v[2]]);
    let system = FreeBodies::new(bodies.to_vec(), Vector3::new(0.0, -GRAVITY, 0.0)).unwrap();
    let mut spatial = Mechanism::new(system, hinges, q.collect(), v.collect());
    assert_eq!(spatial.rank_and_mobility(), (17, 1));
    for _ in 0..500 {
        flat.step();
        assert!(spatial.step() < DRIFT, "before the projection");
        assert!(spatial.drift() <= 1e-12);
        assert_eq!(spatial.rank_and_mobility(), (17, 1));
        assert!(spatial.multipliers().iter().all(|force| force.is_finite()));
    }
    for (flat, spatial) in flat.q.chunks(3).zip(spatial.q.chunks(7)) {
        // Both have the errors of 500 steps, which differ.
        assert!((0..2).all(|k| (flat[k] - spatial[k]).abs() < 1e-8), "{flat:?} {spatial:?}");
    }
    // The forces in the plane are those of the pins, and there is no force perpendicular to it.
    let (pins, hinges) = (flat.multipliers(), spatial.multipliers());
    for joint in 0..4 {
        assert!((0..2).all(|k| (pins[2 * joint + k] - hinges[5 * joint + k]).abs() < 1e-5));
        assert!((2..5).all(|k| hinges[5 * joint + k].abs() < 1e-9), "{hinges}");
    }
}

/// A uniform thin rod of 1 kg per meter that rotates about `z`, with its pin at `x` of the link called `parent`.
fn turning_rod(name: &str, length: f64, parent: Option<&str>, x: f64) -> Link {
    let rod = MassProperties::thin_rod(length, length).unwrap();
    let link = Link::new(name, Joint::revolute(Vector3::z()))
        .at(Isometry3::translation(x, 0.0, 0.0))
        .with_mass(rod.translated(&Vector3::new(0.5 * length, 0.0, 0.0)));
    Link { parent: parent.map(str::to_owned), ..link }
}

/// As a chain of three joint angles, cut at the ground pivot of the rocker, the mechanism has two
/// equations instead of eight, the same motion, and the same force in the pin that was cut.
#[test]
fn a_four_bar_in_joint_angles_moves_alike() {
    let mut flat = four_bar();
    let links = vec![
        turning_rod("crank", CRANK, None, 0.0),
        turning_rod("coupler", COUPLER, Some("crank"), CRANK),
        turning_rod("rocker", ROCKER, Some("coupler"), COUPLER),
    ];
    let system = Articulated::new(links, Vector3::new(0.0, -GRAVITY, 0.0)).unwrap();
    assert_eq!(system.dimension(), Dimension::Plane);
    // In the chain the rocker points from the coupler to the ground.
    let [crank, coupler, rocker] = [flat.q[2], flat.q[5], flat.q[8] + PI];
    let q = vec![crank, coupler - crank, rocker - coupler];
    let v = vec![flat.v[2], flat.v[5] - flat.v[2], flat.v[8] - flat.v[5]];
    let mut chain = Mechanism::new(system, vec![pin(Some(2), ROCKER, None, GROUND)], q, v);
    assert_eq!(chain.rank_and_mobility(), (2, 1));
    assert!((chain.energy() - flat.energy()).abs() < 1e-9 * flat.energy());
    for _ in 0..1000 {
        flat.step();
        assert!(chain.step() < DRIFT, "before the projection");
        assert!(chain.drift() <= 1e-12 && chain.velocity_drift() < 1e-12);
    }
    // Both have the errors of 1000 steps, which differ.
    assert!((chain.q[0] - flat.q[2]).abs() < 1e-7, "{} {}", chain.q[0], flat.q[2]);
    let (cut, pins) = (chain.multipliers(), flat.multipliers());
    assert!((0..2).all(|k| (cut[k] - pins[6 + k]).abs() < 1e-4), "{cut} {pins}");
}

const COUPLER_MASS: f64 = 1.5;

/// Three equal cranks of 1 m are attached to the pivots −1, 0, 1 and carry a coupler, so that the middle one is
/// redundant. They point straight down and rotate with the angular velocity `spin`.
fn parallelogram(spin: f64) -> Mechanism {
    let bodies = vec![rod(1.0), rod(1.0), rod(1.0), PlanarBody::new(COUPLER_MASS, 0.5)];
    let (mut pins, mut q, mut v) = (Vec::new(), Vec::new(), Vec::new());
    for (crank, x) in [-1.0, 0.0, 1.0].into_iter().enumerate() {
        pins.push(pin(Some(crank), -0.5, None, x));
        let mut coupler = Anchor::on_body(3, Vector3::zeros());
        coupler.point.x = x;
        let end = Anchor::on_body(crank, Vector3::new(0.5, 0.0, 0.0));
        pins.push(Box::new(BallJoint::new(end, coupler).unwrap()));
        q.extend([x, -0.5, -FRAC_PI_2]);
        v.extend([0.5 * spin, 0.0, spin]);
    }
    q.extend([0.0, -1.0, 0.0]);
    v.extend([spin, 0.0, 0.0]);
    let gravity = Vector2::new(0.0, -GRAVITY);
    Mechanism::new(PlanarBodies::new(bodies, gravity).unwrap(), pins, q, v)
}

/// With the angle `θ` of the cranks from below, three cranks of 1 kg with `1/3 kg·m²` about their pivots
/// and the coupler of mass `m` give `(1 + m) θ̈ = −(3/2 + m) g sin θ`.
#[test]
fn a_parallelogram_with_an_extra_link_swings_as_its_one_degree_of_freedom() {
    let mut mechanism = parallelogram(2.0);
    assert_eq!((mechanism.set.row_count(), mechanism.rank_and_mobility()), (12, (11, 1)));
    let energy = mechanism.energy();
    for _ in 0..3000 {
        assert!(mechanism.step() < DRIFT, "before the projection");
        assert!(mechanism.drift() <= 1e-12 && mechanism.velocity_drift() < 1e-12);
        assert_eq!(mechanism.rank_and_mobility(), (11, 1));
        let motion = mechanism.acceleration(&mechanism.q, &mechanism.v);
        let angle = mechanism.q[2] + FRAC_PI_2;
        let expected = -(1.5 + COUPLER_MASS) * GRAVITY * angle.sin() / (1.0 + COUPLER_MASS);
        // The redundant equations contradict each other by no more than the drift.
        assert!((motion.acceleration[2] - expected).abs() < 1e-9, "{angle}");
        assert!(motion.residual < 1e-9);
        assert!(motion.multipliers.amax() < 100.0, "{:?}", motion.multipliers);
    }
    let change = mechanism.energy() - energy;
    assert!(change.abs() < 1e-8 * energy.abs(), "{change}");
}

/// The same mechanism in joint angles, cut at two pins, with one redundant equation.
#[test]
fn the_redundant_mechanism_in_joint_angles_moves_alike() {
    let coupler = MassProperties::new(
        COUPLER_MASS,
        Vector3::new(1.0, 0.0, 0.0),
        Matrix3::from_diagonal(&Vector3::new(0.5, 0.5, 0.5)),
    );
    let beam = Link::new("coupler", Joint::revolute(Vector3::z()))
        .on("left")
        .at(Isometry3::translation(1.0, 0.0, 0.0))
        .with_mass(coupler.unwrap());
    let links = vec![
        turning_rod("left", 1.0, None, -1.0),
        turning_rod("middle", 1.0, None, 0.0),
        turning_rod("right", 1.0, None, 1.0),
        beam,
    ];
    let system = Articulated::new(links, Vector3::new(0.0, -GRAVITY, 0.0)).unwrap();
    let pins = vec![pin(Some(1), 1.0, Some(3), 1.0), pin(Some(2), 1.0, Some(3), 2.0)];
    let down = -FRAC_PI_2;
    let (q, v) = (vec![down, down, down, -down], vec![2.0, 2.0, 2.0, -2.0]);
    let mut mechanism = Mechanism::new(system, pins, q, v);
    assert_eq!((mechanism.set.row_count(), mechanism.rank_and_mobility()), (4, (3, 1)));
    for _ in 0..1000 {
        assert!(mechanism.step() < DRIFT, "before the projection");
        assert!(mechanism.drift() <= 1e-12 && mechanism.velocity_drift() < 1e-12);
        assert_eq!(mechanism.rank_and_mobility(), (3, 1));
        let motion = mechanism.acceleration(&mechanism.q, &mechanism.v);
        let expected = -(1.5 + COUPLER_MASS) * GRAVITY * (mechanism.q[0] + FRAC_PI_2).sin();
        let error = motion.acceleration[0] - expected / (1.0 + COUPLER_MASS);
        assert!(error.abs() < 1e-9, "{error:e}");
        assert!(motion.residual < 1e-9 && motion.multipliers.amax() < 100.0);
    }
}

/// In the mirrored position the mechanism is its own mirror image, and so are its multipliers, although only their
/// smallest norm determines them.
#[test]
fn mirrored_motions_of_the_redundant_mechanism_have_mirrored_multipliers() {
    let (mut left, mut right) = (parallelogram(-2.0), parallelogram(2.0));
    for _ in 0..1000 {
        left.step();
        right.step();
        let (left, right) = (left.multipliers(), right.multipliers());
        for crank in 0..3 {
            for end in 0..2 {
                let (here, there) = (4 * crank + 2 * end, 4 * (2 - crank) + 2 * end);
                assert!((left[here] + right[there]).abs() < 1e-9, "across");
                assert!((left[here + 1] - right[there + 1]).abs() < 1e-9, "along");
            }
        }
    }
}

/// At rest the weight of `3 + 1.5 kg` hangs on the pivots symmetrically.
#[test]
fn the_redundant_mechanism_at_rest_hangs_symmetrically() {
    let forces = parallelogram(0.0).multipliers();
    let pivots = [0, 1, 2].map(|crank| Vector2::new(forces[4 * crank], forces[4 * crank + 1]));
    assert!((pivots[0] - pivots[2]).norm() < 1e-12 && pivots.iter().all(|f| f.x.abs() < 1e-12));
    let weight: f64 = pivots.iter().map(|force| force.y).sum();
    assert!((weight - (3.0 + COUPLER_MASS) * GRAVITY).abs() < 1e-12);
}

/// A coin that rolls while it leans conserves its energy and its contact, and does not slip.
#[test]
fn a_coin_rolls_without_losing_energy() {
    let properties = MassProperties::solid_cylinder(0.5, 0.3, 0.01).unwrap();
    let body = Body::from_mass_properties(&properties);
    let system = FreeBodies::new(vec![body], Vector3::new(0.0, 0.0, -GRAVITY)).unwrap();
    let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    let center = Anchor::on_body(0, Vector3::zeros());
    let rolling = Rolling::disc(center, &Vector3::x(), 0.3, floor).unwrap();
    let lean = rotation::exponential(&[1.0, 0.0, 0.0, 0.0], &Vector3::new(0.0, 0.4, 0.0));
    let q = [0.0, 0.0, 0.3, lean[0], lean[1], lean[2], lean[3]];
    let v = [0.0, 0.0, 0.0, 20.0, 0.0, 1.0];
    let mut coin = Mechanism::new(system, vec![Box::new(rolling)], q.to_vec(), v.to_vec());
    assert_eq!(coin.rank_and_mobility(), (3, 3));
    let energy = coin.energy();
    for _ in 0..2000 {
        assert!(coin.step() < DRIFT, "before the projection");
        assert!(coin.drift() <= 1e-12 && coin.velocity_drift() < 1e-12);
    }
    assert!((coin.energy() - energy).abs() < 1e-8 * energy, "{} {energy}", coin.energy());
}
