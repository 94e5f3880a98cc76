//! Robots without the feature `urdf`; no robot can be read.

use nalgebra::Vector3;
use percussion_dynamics::{Articulated, Link, System, constraint::EqualityConstraint};
use percussion_integrators::Contact;

use super::Drives;
use crate::{
    Error,
    mechanism::{NamedContact, NamedJoint, Placed},
    scenario::{Robot, Scenario, shape::Surface},
};

/// A description that has been read already; without the feature there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read;

/// A robot at its initial position; without the feature there is none.
#[derive(Debug)]
pub(in crate::scenario) enum Standing {}

impl Scenario {
    /// Returns an error if there is a robot.
    pub(in crate::scenario) fn standing(&self) -> Result<Option<Standing>, Error> {
        match &self.robot {
            None => Ok(None),
            Some(robot) => Err(Error::NoRobots { file: robot.urdf.clone() }),
        }
    }
}

impl Standing {
    pub(in crate::scenario) fn links(&self) -> &[Link] {
        match *self {}
    }

    pub(in crate::scenario) fn places(&self) -> Vec<Placed> {
        match *self {}
    }

    pub(in crate::scenario) fn joint_of(&self, _link: usize) -> Option<&str> {
        match *self {}
    }

    pub(in crate::scenario) fn joints(&self) -> Vec<NamedJoint> {
        match *self {}
    }

    pub(in crate::scenario) fn ties(
        &self,
        _system: &Articulated,
    ) -> Result<Vec<Box<dyn EqualityConstraint>>, Error> {
        match *self {}
    }

    pub(in crate::scenario) fn drives(
        &self,
        _robot: &Robot,
        _gravity: Vector3<f64>,
    ) -> Result<Drives, Error> {
        match *self {}
    }

    pub(in crate::scenario) fn bounds(&self) -> Vec<(NamedContact, Contact)> {
        match *self {}
    }

    pub(in crate::scenario) fn warnings(&self) -> Vec<String> {
        match *self {}
    }

    pub(in crate::scenario) fn left_out(&self, _system: &dyn System) -> Vec<String> {
        match *self {}
    }

    pub(in crate::scenario) fn pairs(&self, _: &dyn System) -> Option<Vec<([usize; 2], f64)>> {
        match *self {}
    }

    pub(in crate::scenario) fn check_shapes(&self, _system: &dyn System) -> Result<(), Error> {
        match *self {}
    }

    pub(in crate::scenario) fn surfaces(
        &self,
        _system: &dyn System,
        _coefficients: [f64; 2],
    ) -> Result<Vec<Surface>, Error> {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Robot;

    #[test]
    fn a_robot_is_refused_by_the_name_of_the_feature() {
        let text = crate::compat("scenarios/rod-on-table.toml");
        let scenario = Scenario::from_toml_str(&text).unwrap();
        let with_robot = Scenario { robot: Some(Robot::new("arm.urdf")), ..scenario };
        let refused = with_robot.build().unwrap_err().to_string();
        assert!(refused.contains("arm.urdf") && refused.contains("feature `urdf`"), "{refused}");
    }
}
