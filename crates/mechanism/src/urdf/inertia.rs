//! The inertia of the links of a description, repaired within bounds.
//!
//! The motion depends only on the sum over a *rigid group*, the links that fixed joints connect. The inertia
//! of a link that is impossible for a single body is therefore moved to the next link of its group towards
//! the world, or else to another link with mass:
//!
//! | in the file | becomes |
//! | --- | --- |
//! | mass and moments of zero | nothing: an empty frame (the audit warns about it) |
//! | moments without mass | moments of the link that it is fixed to |
//! | impossible moments of a link in a group | part of the link that it is fixed to |
//! | moments of at most [`ROUNDING_RADIUS`]² times the mass | zero: they are rounding errors, and the link is a point |
//! | a smallest moment of [`SIX_DIGITS`] below zero | zero: a rounding error of six digits |
//! | a moment larger than the sum of the others | unchanged: no body has it, but the kinetic energy is positive |
//! | a negative moment of a whole group that moves | an error that states what to add |
//! | a group that moves and has no mass, but carries some | a massless frame |
//! | a group that moves, has no mass and carries none | an error, or locked if the settings allow it |

use std::{borrow::Cow, collections::BTreeMap};

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use percussion_dynamics::{MassProperties, MassPropertiesError};
use urdf_rs::JointType;

use super::{Base, Error, Settings, Subject, Warning, audit::Audit, isometry};

/// Radius of gyration (m) below which impossible moments count as rounding errors: 1 µm.
const ROUNDING_RADIUS: f64 = 1e-6;

/// Fraction of the largest moment by which the smallest may be negative: a few units of the sixth digit.
const SIX_DIGITS: f64 = 1.5e-5;

/// The inertia of a link in a description: mass, center of mass and moments about it, in the frame of the link.
#[derive(Clone, Copy, Debug)]
struct Raw {
    mass: f64,
    center: Point3<f64>,
    moments: Matrix3<f64>,
}

/// The repaired inertia of the links.
pub(super) struct Inertias {
    /// Mass properties of each link.
    pub(super) masses: Vec<Option<MassProperties>>,
    /// Whether the joint of each link is locked because it carries no mass.
    pub(super) held: Vec<bool>,
}

struct Links<'a> {
    robot: &'a urdf_rs::Robot,
    carriers: &'a [Option<&'a urdf_rs::Joint>],
    /// The link that carries each link.
    parents: Vec<Option<usize>>,
    /// The links that are attached to each link by fixed joints.
    fixed: Vec<Vec<usize>>,
    settings: &'a Settings,
}

/// The inertia of all links; repairs go to the warnings of `audit`.
pub(super) fn inertias(
    robot: &urdf_rs::Robot,
    carriers: &[Option<&urdf_rs::Joint>],
    settings: &Settings,
    audit: &mut Audit,
) -> Result<Inertias, Error> {
    let links = Links::new(robot, carriers, settings);
    let mut raws: Vec<Option<Raw>> = Vec::with_capacity(robot.links.len());
    for link in &robot.links {
        let line = audit.inertials.get(&link.name).copied();
        raws.push(line.map(|line| raw(link, line)).transpose()?);
    }
    for head in 0..robot.links.len() {
        if links.is_head(head) {
            links.repair(head, &mut raws, audit)?;
        }
    }
    let held = links.held(&raws, audit)?;
    let mass = |(link, raw): (&urdf_rs::Link, &Option<Raw>)| {
        let Some(raw) = raw else { return Ok(None) };
        let line = audit.inertials.get(&link.name).copied().unwrap_or_default();
        let body = MassProperties::with_any_moments(raw.mass, raw.center.coords, raw.moments);
        body.map(Some).map_err(|source| Error::Inertia { link: link.name.clone(), line, source })
    };
    let masses = robot.links.iter().zip(&raws).map(mass).collect::<Result<_, _>>()?;
    Ok(Inertias { masses, held })
}

fn raw(link: &urdf_rs::Link, line: usize) -> Result<Raw, Error> {
    let urdf_rs::Inertial { origin, mass, inertia: i } = &link.inertial;
    if mass.value < 0.0 {
        let source = MassPropertiesError::Mass { value: mass.value };
        return Err(Error::Inertia { link: link.name.clone(), line, source });
    }
    let tensor = Matrix3::new(i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz);
    let zero = Raw { mass: mass.value, center: Point3::origin(), moments: tensor };
    Ok(zero.placed(&isometry(origin)))
}

impl Raw {
    /// The same, expressed in the axes in which its frame has the pose `placement`.
    fn placed(&self, placement: &Isometry3<f64>) -> Self {
        let turn = placement.rotation.to_rotation_matrix().into_inner();
        let moments = turn * self.moments * turn.transpose();
        // Keeps the tensor symmetric to the last bit.
        let moments = 0.5 * (moments + moments.transpose());
        Self { mass: self.mass, center: placement * self.center, moments }
    }

    /// The sum of both, in the same axes; at least one of them has mass.
    fn with(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        let center = (self.center.coords * self.mass + other.center.coords * other.mass) / mass;
        let about = |raw: &Self| {
            let d = raw.center.coords - center;
            raw.moments
                + raw.mass * (Matrix3::from_diagonal_element(d.norm_squared()) - d * d.transpose())
        };
        Self { mass, center: center.into(), moments: about(self) + about(other) }
    }

    /// Its principal moments, if they are physically impossible.
    fn impossible(&self) -> Option<[f64; 3]> {
        match MassProperties::new(1.0, Vector3::zeros(), self.moments) {
            Err(MassPropertiesError::Moments { moments }) => Some(moments),
            _ => None,
        }
    }

    /// Whether it is impossible for a single body.
    fn is_bad(&self) -> bool {
        self.mass == 0.0 || self.impossible().is_some()
    }
}

impl<'a> Links<'a> {
    fn new(
        robot: &'a urdf_rs::Robot,
        carriers: &'a [Option<&'a urdf_rs::Joint>],
        settings: &'a Settings,
    ) -> Self {
        let numbers: BTreeMap<&str, usize> =
            robot.links.iter().enumerate().map(|(i, link)| (link.name.as_str(), i)).collect();
        let parent = |joint: &Option<&urdf_rs::Joint>| {
            numbers.get(joint.as_ref()?.parent.link.as_str()).copied()
        };
        let parents: Vec<Option<usize>> = carriers.iter().map(parent).collect();
        let fixed = vec![Vec::new(); parents.len()];
        let mut links = Self { robot, carriers, parents, fixed, settings };
        for link in 0..carriers.len() {
            if let Some(parent) = links.parents[link].filter(|_| links.is_fixed(link)) {
                links.fixed[parent].push(link);
            }
        }
        links
    }

    fn is_fixed(&self, link: usize) -> bool {
        self.carriers[link].is_some_and(|joint| joint.joint_type == JointType::Fixed)
    }

    /// Whether the link is the first of its rigid group.
    fn is_head(&self, link: usize) -> bool {
        !self.is_fixed(link)
    }

    /// Whether the group of a head moves.
    fn moves(&self, head: usize) -> bool {
        self.carriers[head].is_some() || self.settings.base == Base::Floating
    }

    /// The links of the group of `head` with their poses in its frame, parents first.
    fn group(&self, head: usize) -> BTreeMap<usize, Isometry3<f64>> {
        let mut group = BTreeMap::from([(head, Isometry3::identity())]);
        let mut open = vec![head];
        while let Some(carrier) = open.pop() {
            let pose = group[&carrier];
            for &link in &self.fixed[carrier] {
                let own = self.carriers[link].map(|joint| isometry(&joint.origin));
                group.insert(link, pose * own.unwrap_or_else(Isometry3::identity));
                open.push(link);
            }
        }
        group
    }

    /// Repairs the group of `head`, so that every link has a possible inertia or none.
    fn repair(
        &self,
        head: usize,
        raws: &mut [Option<Raw>],
        audit: &mut Audit,
    ) -> Result<(), Error> {
        let group = self.group(head);
        for &link in group.keys() {
            if let Some(raw) = &mut raws[link] {
                self.round(link, raw, audit);
            }
        }
        loop {
            // A part that is moved to a link may make that link impossible, which is then moved on.
            let bad: Vec<usize> = group
                .keys()
                .copied()
                .filter(|&link| raws[link].is_some_and(|raw| raw.is_bad()))
                .collect();
            if bad.is_empty() {
                return Ok(());
            }
            for link in bad {
                let Some(raw) = raws[link] else { continue };
                if !self.moves(head) {
                    raws[link] = None;
                    let reason = "its moments are those of no body, but it is fixed in the world";
                    self.warn(link, audit, Subject::Element, reason);
                    continue;
                }
                let Some(target) = self.target(link, &group, raws) else {
                    return self.alone(link, &raw, audit);
                };
                let moved = raw.placed(&(group[&target].inverse() * group[&link]));
                raws[target] = raws[target].map(|carrier| carrier.with(&moved));
                raws[link] = None;
                let name = &self.robot.links[target].name;
                let why = if raw.mass == 0.0 { "without mass" } else { "of no body" };
                let reason =
                    format!("moments {why}, so that it is taken for a part of link `{name}`");
                self.warn(link, audit, Subject::Repair, reason);
            }
        }
    }

    /// The link with mass nearest to `bad` towards the head of its group, or else the first other one.
    fn target(
        &self,
        bad: usize,
        group: &BTreeMap<usize, Isometry3<f64>>,
        raws: &[Option<Raw>],
    ) -> Option<usize> {
        let has_mass = |link: &usize| raws[*link].is_some_and(|raw| raw.mass > 0.0);
        let carriers = std::iter::successors(Some(bad), |&link| {
            self.parents[link].filter(|_| self.is_fixed(link))
        });
        let nearest = carriers.skip(1).find(has_mass);
        nearest.or_else(|| group.keys().copied().find(|link| *link != bad && has_mass(link)))
    }

    /// Replaces moments by zero that are explained by rounding, including negative ones within six digits.
    fn round(&self, link: usize, raw: &mut Raw, audit: &mut Audit) {
        let Some([small, _, large]) = raw.impossible() else { return };
        let size = small.abs().max(large.abs());
        if size <= ROUNDING_RADIUS * ROUNDING_RADIUS * raw.mass {
            raw.moments = Matrix3::zeros();
            let reason = format!("moments of {size:.1e} kg·m² are rounding, zero is taken");
            self.warn(link, audit, Subject::Repair, reason);
        } else if small < -1e-12 * large && -small <= SIX_DIGITS * large {
            raw.moments += Matrix3::from_diagonal_element(-small);
            let reason = format!("a moment of {small:.1e} kg·m² is rounding, zero is taken");
            self.warn(link, audit, Subject::Repair, reason);
        }
    }

    /// Checks a link without another link of its group to which its inertia could be moved.
    fn alone(&self, link: usize, raw: &Raw, audit: &mut Audit) -> Result<(), Error> {
        let name = &self.robot.links[link].name;
        let line = audit.inertials.get(name).copied().unwrap_or_default();
        if raw.mass == 0.0 {
            let source = MassPropertiesError::Mass { value: raw.mass };
            return Err(Error::Inertia { link: name.clone(), line, source });
        }
        let Some(moments) = raw.impossible() else { return Ok(()) };
        let [small, middle, large] = moments;
        if MassProperties::with_any_moments(1.0, Vector3::zeros(), raw.moments).is_err() {
            let repair = (-small).max(large - small - middle);
            return Err(Error::NegativeMoments { link: name.clone(), line, moments, repair });
        }
        let reason = format!(
            "no body has the principal moments {small}, {middle} and {large} kg·m², the largest above the sum of the \
             others; they are taken as they are"
        );
        self.warn(link, audit, Subject::Repair, reason);
        Ok(())
    }

    /// The links whose joints move no mass, if they may be locked; adds warnings about massless frames.
    fn held(&self, raws: &[Option<Raw>], audit: &mut Audit) -> Result<Vec<bool>, Error> {
        // Whether a link or what it carries has mass; a link may come after the links that it carries.
        let mut loaded = vec![false; raws.len()];
        for (link, raw) in raws.iter().enumerate() {
            let mut next = raw.map(|_| link);
            while let Some(carrier) = next.filter(|&carrier| !loaded[carrier]) {
                loaded[carrier] = true;
                next = self.parents[carrier];
            }
        }
        let mut held = vec![false; raws.len()];
        for head in 0..raws.len() {
            if !(self.is_head(head) && self.moves(head)) {
                continue;
            }
            let link = &self.robot.links[head].name;
            let has_mass = self.group(head).keys().any(|link| raws[*link].is_some());
            if has_mass {
                continue;
            }
            if loaded[head] {
                let reason =
                    "it moves without inertia of its own, as a massless frame that carries others";
                self.warn_link(head, audit, reason);
            } else if self.settings.allow_massless && self.carriers[head].is_some() {
                held[head] = true;
                let reason = "neither it nor what it carries has mass, so that its joint is held";
                self.warn_link(head, audit, reason);
            } else {
                let line = audit.links.get(link).copied().unwrap_or_default();
                return Err(Error::MissingInertia { link: link.clone(), line });
            }
        }
        Ok(held)
    }

    fn warn(
        &self,
        link: usize,
        audit: &mut Audit,
        subject: Subject,
        reason: impl Into<Cow<'static, str>>,
    ) {
        let name = &self.robot.links[link].name;
        let line = audit.inertials.get(name).copied().unwrap_or_default();
        let element = format!("link `{name}` > inertial");
        audit.warnings.push(Warning { element, line, subject, reason: reason.into(), file: None });
    }

    fn warn_link(&self, link: usize, audit: &mut Audit, reason: &'static str) {
        let name = &self.robot.links[link].name;
        let line = audit.links.get(name).copied().unwrap_or_default();
        let (element, subject) = (format!("link `{name}`"), Subject::Repair);
        audit.warnings.push(Warning { element, line, subject, reason: reason.into(), file: None });
    }
}
