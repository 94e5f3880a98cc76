//! Joints that mimic others: `q = multiplier · q_followed + offset` as [`Follower`]s.

use std::collections::BTreeMap;

use percussion_dynamics::{
    Articulated, Joint, Link,
    constraint::{self, Cam, Coupling, EqualityConstraint},
};
use urdf_rs::JointType;

use super::{Error, Subject, Warning, audit::Audit};

/// A joint whose coordinate follows that of another one: `q = multiplier · q_leader + offset`, and higher powers.
///
/// Chains of followers are resolved, so that a leader is never itself a follower.
#[derive(Clone, Debug, PartialEq)]
pub struct Follower {
    /// Name of the joint.
    pub joint: String,
    /// Name of the link that it carries.
    pub link: String,
    /// The joint that it follows, and the link that this joint carries; `None` if the coordinate is constant,
    /// for example because the joint follows a fixed one.
    pub leader: Option<(String, String)>,
    /// Displacement per unit displacement of its leader (rad or m), not zero if there is a leader.
    pub multiplier: f64,
    /// Coordinate of the joint when that of its leader is 0 (rad or m).
    pub offset: f64,
    /// Factors of the square, the cube and the fourth power of the coordinate of its leader; zeros, except in models of
    /// MuJoCo.
    pub higher: [f64; 3],
}

impl Follower {
    /// The coordinate of the joint when that of its leader is `leader` (rad or m).
    #[must_use]
    pub fn coordinate(&self, leader: f64) -> f64 {
        let [c2, c3, c4] = self.higher;
        let curved = leader * leader * (c2 + leader * (c3 + leader * c4));
        self.multiplier * leader + self.offset + curved
    }

    /// The displacement per unit displacement of its leader, where the coordinate of that is `leader` (rad or m).
    #[must_use]
    pub fn rate(&self, leader: f64) -> f64 {
        let [c2, c3, c4] = self.higher;
        self.multiplier + leader * (2.0 * c2 + leader * (3.0 * c3 + leader * 4.0 * c4))
    }

    /// The constraint equation between the two joints of `system`, for
    /// `percussion_integrators::Model::with_constraints` or a
    /// [`ConstraintSet`](percussion_dynamics::constraint::set::ConstraintSet).
    ///
    /// # Errors
    ///
    /// [`constraint::Error::NotScalar`] for a system without these links.
    pub fn constraint(
        &self,
        system: &Articulated,
    ) -> Result<Box<dyn EqualityConstraint>, constraint::Error> {
        if let Some((_, leader)) = &self.leader
            && self.higher.iter().any(|factor| *factor != 0.0)
        {
            let [c2, c3, c4] = self.higher;
            let polynomial = [self.offset, self.multiplier, c2, c3, c4];
            return Ok(Box::new(Cam::of_joints(system, &self.link, leader, polynomial)?));
        }
        let mut joints = vec![(self.link.as_str(), 1.0)];
        if let Some((_, link)) = &self.leader {
            joints.push((link, -self.multiplier));
        }
        Ok(Box::new(Coupling::of_joints(system, &joints, self.offset)?))
    }
}

/// Whether a joint has one coordinate.
fn is_scalar(joint: &urdf_rs::Joint) -> bool {
    matches!(joint.joint_type, JointType::Revolute | JointType::Continuous | JointType::Prismatic)
}

/// The followers among the joints of a description, in its order. A joint whose leader does not exist moves
/// independently, with a warning.
pub(super) fn followers(
    robot: &urdf_rs::Robot,
    is_held: impl Fn(&urdf_rs::Joint) -> bool,
    audit: &mut Audit,
) -> Result<Vec<Follower>, Error> {
    let joints: BTreeMap<&str, &urdf_rs::Joint> =
        robot.joints.iter().map(|joint| (joint.name.as_str(), joint)).collect();
    let mut followers = Vec::new();
    for joint in &robot.joints {
        let Some(own) = &joint.mimic else { continue };
        if !is_scalar(joint) || is_held(joint) {
            continue;
        }
        if !joints.contains_key(own.joint.as_str()) {
            audit.warnings.push(Warning {
                element: format!("joint `{}` > mimic", joint.name),
                line: audit.joints.get(&joint.name).copied().unwrap_or_default(),
                subject: Subject::Repair,
                reason: format!("there is no joint `{}`, so that it moves by itself", own.joint)
                    .into(),
                file: None,
            });
            continue;
        }
        let refused = |reason| Error::Mimic {
            joint: joint.name.clone(),
            line: audit.joints.get(&joint.name).copied().unwrap_or_default(),
            followed: joint.mimic.as_ref().map_or_else(String::new, |mimic| mimic.joint.clone()),
            reason,
        };
        let (mut multiplier, mut offset) = (1.0, 0.0);
        let (mut leader, mut steps) = (joint, 0);
        let end = loop {
            let Some(mimic) = &leader.mimic else { break Some(leader) };
            steps += 1;
            if steps > robot.joints.len() {
                return Err(refused("in the end itself, expected a joint that follows none"));
            }
            // A joint whose leader does not exist moves independently and is itself the leader.
            let Some(next) = joints.get(mimic.joint.as_str()) else { break Some(leader) };
            offset += multiplier * mimic.offset.unwrap_or(0.0);
            multiplier *= mimic.multiplier.unwrap_or(1.0);
            leader = next;
            if leader.joint_type == JointType::Fixed || is_held(leader) || multiplier == 0.0 {
                break None;
            }
            if !is_scalar(leader) {
                return Err(refused("expected a revolute, continuous or prismatic joint"));
            }
        };
        if !(multiplier.is_finite() && offset.is_finite()) {
            return Err(refused("with factors that overflow, expected finite ones"));
        }
        followers.push(Follower {
            joint: joint.name.clone(),
            link: joint.child.link.clone(),
            leader: end.map(|end| (end.name.clone(), end.child.link.clone())),
            multiplier,
            offset,
            higher: [0.0; 3],
        });
    }
    Ok(followers)
}

/// Applies the limits of followers to their leaders. The followers keep none, because limits of both would be
/// redundant.
pub(super) fn hand_over_limits(followers: &[Follower], links: &mut [Link]) -> Result<(), Error> {
    let numbers: BTreeMap<String, usize> =
        links.iter().enumerate().map(|(i, link)| (link.name.clone(), i)).collect();
    for follower in followers {
        let Some((name, leader)) = &follower.leader else { continue };
        let (Some(&own), Some(&leader)) = (numbers.get(&follower.link), numbers.get(leader)) else {
            continue;
        };
        let [lower, upper] = limits(&links[own].joint);
        links[own].joint.limits.clear();
        let of_leader = |limit: f64| (limit - follower.offset) / follower.multiplier;
        let (one, other) = (of_leader(lower), of_leader(upper));
        let [least, most] = limits(&links[leader].joint);
        let (lower, upper) = (least.max(one.min(other)), most.min(one.max(other)));
        if lower > upper {
            return Err(Error::Limits { joint: name.clone(), lower, upper });
        }
        links[leader].joint.limits = vec![[lower, upper]];
    }
    Ok(())
}

fn limits(joint: &Joint) -> [f64; 2] {
    joint.limits.first().copied().unwrap_or([f64::NEG_INFINITY, f64::INFINITY])
}
