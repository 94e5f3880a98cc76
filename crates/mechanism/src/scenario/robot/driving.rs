//! From a [`Drive`] to the actuators of a robot where it starts: [`Driven`].

use std::{collections::BTreeSet, iter::successors, path::Path};

use nalgebra::{DMatrix, Point3};
use percussion_dynamics::{Articulated, JointKind, System};
use percussion_integrators::{Actuator, Course};

use super::{
    Drive, Drives,
    description::{DescribedActuator, DescribedJoint, Description, Tie},
    drive::SERVO_FREQUENCY,
};
use crate::{Error, document, mechanism::NamedActuator, rules::refuse};

/// A robot where it starts, to be driven.
pub(super) struct Driven<'a> {
    pub(super) description: &'a Description,
    pub(super) system: &'a Articulated,
    pub(super) coordinates: &'a [f64],
    /// The keyframe where it starts.
    pub(super) keyframe: Option<&'a str>,
}

/// An actuator with its name: of the file, or of the joint that it holds.
type Named = (String, Actuator);

/// A column of a file of targets: a name, and instants (s) with numbers.
type Column = (String, Vec<[f64; 2]>);

impl Driven<'_> {
    /// The actuators of a drive.
    pub(super) fn drives(&self, drive: &Drive) -> Result<Drives, Error> {
        let (driven, warnings) = match drive {
            Drive::Limp => (Vec::new(), Vec::new()),
            Drive::Hold => (self.holding(), Vec::new()),
            Drive::Controls => (self.controlled(), Vec::new()),
            Drive::Targets(file) => self.following(file)?,
        };
        let first = self.description.tendon_forces.len();
        let number = |name: &str| driven.iter().position(|(own, _)| own == name);
        let named = |one: &DescribedActuator| NamedActuator {
            name: one.name.clone(),
            joints: one.joints.clone(),
            is_of_file: true,
            number: number(&one.name).map(|number| first + number),
        };
        let mut names: Vec<NamedActuator> = self.description.actuators.iter().map(named).collect();
        for (number, (name, _)) in driven.iter().enumerate() {
            if !names.iter().any(|one| one.number == Some(first + number)) {
                let (name, joints) = (name.clone(), vec![name.clone()]);
                let number = Some(first + number);
                names.push(NamedActuator { name, joints, is_of_file: false, number });
            }
        }
        let laws = self.description.tendon_forces.iter().cloned();
        let laws = laws.chain(driven.into_iter().map(|(_, law)| law)).collect();
        Ok(Drives { laws, names, warnings })
    }

    fn modeled(&self) -> impl Iterator<Item = (usize, &DescribedActuator, &Actuator)> {
        let all = self.description.actuators.iter().enumerate();
        all.filter_map(|(number, one)| Some((number, one, one.law.as_ref()?)))
    }

    fn controlled(&self) -> Vec<Named> {
        let start = self.keyframe.and_then(|name| self.description.controls.get(name));
        let of_file = |(number, one, law): (usize, &DescribedActuator, &Actuator)| {
            let control = start.map_or(0.0, |controls| controls[number]);
            (one.name.clone(), law.clone().with_control(Course::constant(control)))
        };
        self.modeled().map(of_file).collect()
    }

    /// All driven joints held where the robot starts.
    fn holding(&self) -> Vec<Named> {
        let mut actuators = Vec::new();
        let (mut held, mut moved) = (BTreeSet::new(), BTreeSet::new());
        for (_, one, law) in self.modeled() {
            moved.extend(&one.joints);
            if holds(law) {
                held.extend(&one.joints);
            }
            // Motors of joints that servos hold do nothing.
            if law.bias.iter().any(|term| *term != 0.0) {
                let control = if holds(law) { law.holding(self.coordinates) } else { 0.0 };
                let law = law.clone().with_control(Course::constant(control));
                actuators.push((one.name.clone(), law));
            }
        }
        let has_actuators = !self.description.actuators.is_empty();
        for joint in &self.description.joints {
            let is_driven = !has_actuators || moved.contains(&joint.name);
            if is_driven && !held.contains(&joint.name) {
                actuators.extend(self.servo(joint).map(|servo| (joint.name.clone(), servo)));
            }
        }
        actuators
    }

    /// The servo that holds a joint with one coordinate that follows no other.
    fn servo(&self, joint: &DescribedJoint) -> Option<Actuator> {
        let at = self.scalar(joint)?;
        let follows = |tie: &Tie| matches!(tie, Tie::Follower(one) if one.joint == joint.name);
        if self.description.ties.iter().any(follows) {
            return None;
        }
        let (inertia, omega) =
            (self.inertia(joint.link, at.1), std::f64::consts::TAU * SERVO_FREQUENCY);
        let gains = [inertia * omega * omega, 2.0 * inertia * omega];
        let servo = Actuator::servo(at, self.coordinates[at.0], gains);
        Some(servo.with_force_range(self.force_range(joint)))
    }

    /// The larger inertia on the two sides of the joint of `link` with this velocity; one that is held in the world has one
    /// side.
    fn inertia(&self, link: usize, velocity: usize) -> f64 {
        let system = self.system;
        let count = system.velocity_count();
        let mut mass = DMatrix::zeros(count, count);
        system.mass_matrix(self.coordinates, &mut mass);
        let carried = mass[(velocity, velocity)];
        let path = |link: usize| successors(Some(link), |link| system.parent(*link));
        let is_free = |link: usize| {
            matches!(system.links()[link].joint.kind, JointKind::Free | JointKind::Planar)
        };
        let floats = path(link).skip(1).any(is_free);
        if !floats {
            return carried;
        }
        let kind = system.links()[link].joint.kind;
        let pose = system.pose(self.coordinates, link);
        let rest = (0..system.links().len()).filter(|other| !path(*other).any(|one| one == link));
        let about = |other: usize| {
            let Some(body) = system.links()[other].mass_properties else { return 0.0 };
            let JointKind::Revolute { axis } = kind else { return body.mass() };
            let at = system.pose(self.coordinates, other);
            let axis = pose.rotation * axis.normalize();
            let arm = (at * Point3::from(body.center_of_mass())).coords - pose.translation.vector;
            let own = at.rotation.inverse() * axis;
            body.mass() * axis.cross(&arm).norm_squared() + own.dot(&(body.inertia() * own))
        };
        carried.max(rest.map(about).sum())
    }

    /// Indices of the coordinate and the velocity of a joint with one.
    fn scalar(&self, joint: &DescribedJoint) -> Option<(usize, usize)> {
        let (q, v) =
            (self.system.coordinates_of(joint.link), self.system.velocities_of(joint.link));
        (q.len() == 1).then_some((q.start, v.start))
    }

    /// The forces that a joint may have: those of the joint, and of its motors where it has some.
    fn force_range(&self, joint: &DescribedJoint) -> [f64; 2] {
        let mut motors: Option<[f64; 2]> = None;
        for (_, one, law) in self.modeled() {
            let [geared] = &law.joints[..] else { continue };
            if one.joints != [joint.name.clone()] || holds(law) || geared.gear == 0.0 {
                continue;
            }
            let [low, high] = law.control_range.map(|control| law.gain * control);
            let [least, most] = law.force_range;
            let ends = [low.min(high).max(least), low.max(high).min(most)]
                .map(|force| if law.gain == 0.0 { 0.0 } else { force * geared.gear });
            let so_far = motors.unwrap_or([0.0; 2]);
            motors = Some([so_far[0] + ends[0].min(ends[1]), so_far[1] + ends[0].max(ends[1])]);
        }
        let [least, most] = motors.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        [least.max(joint.force_range[0]), most.min(joint.force_range[1])]
    }

    /// The targets and forces of a file, and messages about targets beyond limits; other joints are held.
    fn following(&self, file: &Path) -> Result<(Vec<Named>, Vec<String>), Error> {
        let (mut held, mut given) = (self.holding(), Vec::new());
        let mut warnings = Vec::new();
        for (column, course) in columns(file)? {
            let path = || format!("{}: column", file.display());
            match column.rsplit_once(':') {
                Some((name, "force")) => {
                    let (joint, at) = self.joint(name.trim(), path())?;
                    let motor = Actuator { gain: 1.0, ..Actuator::on(at) };
                    let motor = motor.with_force_range(joint.force_range);
                    given.push((joint.name.clone(), motor.with_control(instants(course, |v| v))));
                }
                Some((name, "control")) => {
                    let law = self.actuator(name.trim(), path())?;
                    let law = law.clone().with_control(instants(course, |v| v));
                    given.push((name.trim().to_owned(), law));
                }
                _ => {
                    let joint = self.joint(&column, path())?;
                    warnings.extend(
                        self.beyond_limits(joint.0, &course)
                            .map(|what| format!("{}: {what}", file.display())),
                    );
                    self.aim(joint, &course, &mut held);
                }
            }
        }
        let moved: BTreeSet<usize> =
            given.iter().flat_map(|(_, law)| &law.joints).map(|joint| joint.velocity).collect();
        held.retain(|(_, law)| !law.joints.iter().any(|joint| moved.contains(&joint.velocity)));
        held.extend(given);
        Ok((held, warnings))
    }

    /// A message about the first target of a joint that its limits do not allow.
    fn beyond_limits(&self, joint: &DescribedJoint, course: &[[f64; 2]]) -> Option<String> {
        let [lower, upper] = self.system.links()[joint.link]
            .joint
            .limits
            .first()?
            .map(|limit| limit + joint.reference);
        let [time, target] = course.iter().find(|[_, target]| !(lower..=upper).contains(target))?;
        Some(format!(
            "the target of joint `{}` at {time} s is {target}, expected one within its limits [{lower}, {upper}]",
            joint.name
        ))
    }

    /// The joint called `name` with the indices of its coordinate and its velocity.
    fn joint(&self, name: &str, path: String) -> Result<(&DescribedJoint, (usize, usize)), Error> {
        let scalar = |joint| Some((joint, self.scalar(joint)?));
        let joints: Vec<_> = self.description.joints.iter().filter_map(scalar).collect();
        joints.iter().find(|(joint, _)| joint.name == name).copied().ok_or_else(|| {
            let known: Vec<&str> = joints.iter().map(|(joint, _)| joint.name.as_str()).collect();
            Error::UnknownName { path, name: name.to_owned(), known: known.join(", ") }
        })
    }

    /// The law of the actuator of the file called `name`.
    fn actuator(&self, name: &str, path: String) -> Result<&Actuator, Error> {
        let found = self.modeled().find(|(_, one, _)| one.name == name);
        found.map(|(_, _, law)| law).ok_or_else(|| {
            let known: Vec<&str> = self.modeled().map(|(_, one, _)| one.name.as_str()).collect();
            let known = match known.is_empty() {
                true => "the actuators of the robot, which has none".to_owned(),
                false => known.join(", "),
            };
            Error::UnknownName { path, name: name.to_owned(), known }
        })
    }

    /// Gives what holds a joint these targets; a servo where nothing does.
    fn aim(
        &self,
        (joint, at): (&DescribedJoint, (usize, usize)),
        course: &[[f64; 2]],
        held: &mut Vec<Named>,
    ) {
        let on_joint = |law: &Actuator| matches!(law.joints[..], [one] if one.velocity == at.1);
        if !held.iter().any(|(_, law)| on_joint(law) && holds(law)) {
            held.extend(self.servo(joint).map(|servo| (joint.name.clone(), servo)));
        }
        for (_, law) in held.iter_mut().filter(|(_, law)| on_joint(law) && holds(law)) {
            let Actuator { joints, offset, gain, bias, .. } = &*law;
            let gear = joints[0].gear;
            // The file names the coordinate that is `reference` where that of the system is zero.
            let length = |target: f64| offset + gear * (target - joint.reference);
            let control = |target: f64| -(bias[0] + bias[1] * length(target)) / gain;
            law.control = instants(course.to_vec(), control);
        }
    }
}

/// The course of `control` of the numbers of a column.
fn instants(course: Vec<[f64; 2]>, control: impl Fn(f64) -> f64) -> Course {
    let (times, values) = course.into_iter().map(|[time, value]| (time, control(value))).unzip();
    // Columns have instants that increase; huge numbers may overflow, of which the model tells.
    Course::new(times, values).unwrap_or_else(|| Course::constant(f64::NAN))
}

/// Whether an actuator holds a position that its control moves.
fn holds(law: &Actuator) -> bool {
    law.bias[1] < 0.0 && law.gain != 0.0
}

/// The columns of a file of targets but for the first: name, and instants (s) with numbers.
fn columns(file: &Path) -> Result<Vec<Column>, Error> {
    let text = document::read(file)?;
    let place = |line: usize| format!("{} line {}", file.display(), line + 1);
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (first, header) = lines.next().unwrap_or((0, ""));
    let names: Vec<&str> = header.split(',').map(without_unit).collect();
    if names.len() < 2 || names[0] != "time" {
        let expected = "`time` and then a joint or more, with commas between";
        refuse(&place(first), &header, expected)?;
    }
    let mut columns: Vec<Column> =
        names[1..].iter().map(|name| ((*name).to_owned(), Vec::new())).collect();
    let distinct: BTreeSet<&&str> = names.iter().collect();
    if distinct.len() != names.len() {
        refuse(&place(first), &header, "every column once")?;
    }
    let mut last = f64::NEG_INFINITY;
    for (number, line) in lines {
        let words: Vec<&str> = line.split(',').map(str::trim).collect();
        let numbers: Vec<f64> = words.iter().filter_map(|word| word.parse().ok()).collect();
        let is_finite = numbers.iter().all(|number| number.is_finite());
        if numbers.len() != names.len() || words.len() != names.len() || !is_finite {
            let expected = "as many finite numbers as names, with commas between";
            refuse(&place(number), &line, expected)?;
        }
        if numbers[0] <= last {
            refuse(&place(number), &numbers[0], "a time after that of the line before (s)")?;
        }
        last = numbers[0];
        for (column, value) in columns.iter_mut().zip(&numbers[1..]) {
            column.1.push([last, *value]);
        }
    }
    if last == f64::NEG_INFINITY {
        refuse(&place(first), &header, "a line of numbers or more after the names")?;
    }
    Ok(columns)
}

/// A name without a unit in parentheses after it.
fn without_unit(name: &str) -> &str {
    let name = name.trim();
    match name.rsplit_once(" (") {
        Some((bare, unit)) if unit.ends_with(')') => bare.trim(),
        _ => name,
    }
}
