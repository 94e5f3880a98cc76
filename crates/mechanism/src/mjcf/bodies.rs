//! The tree of bodies with their joints, geoms and sites, as they are in the file: [`Bodies`].

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Vector3};
use percussion_dynamics::{Joint, Link, MassProperties};

use super::{
    Error,
    assets::Assets,
    chain,
    compiler::Compiler,
    defaults::Defaults,
    geoms::{self, Geom},
    inertia::Mass,
    numbers::{Attributes, shift},
};
use crate::{
    urdf::{Subject, Warning},
    xml::Element,
};

/// Maximum number of bodies, and of geoms.
const LIMIT: usize = 5000;

/// A body of the model; number 0 is the world.
#[derive(Debug)]
pub(super) struct Body<'a> {
    pub(super) name: String,
    /// The body that carries it.
    pub(super) parent: usize,
    /// Pose in the frame of that body (m).
    pub(super) pose: Isometry3<f64>,
    pub(super) joints: Vec<chain::Joint>,
    pub(super) geoms: Vec<Geom>,
    pub(super) inertial: Option<Mass>,
    pub(super) element: &'a Element,
}

impl Body<'_> {
    /// Its links on the link called `parent`; the last link is the body.
    pub(super) fn links(&self, parent: Option<&str>, mass: Option<MassProperties>) -> Vec<Link> {
        let on = |link: Link, parent: Option<&str>| match parent {
            Some(parent) => link.on(parent),
            None => link,
        };
        let with_mass =
            |joint: Joint| Link { mass_properties: mass, ..Link::new(&self.name, joint) };
        if let [only] = &self.joints[..]
            && only.kind == chain::Kind::Free
        {
            // Its coordinates are the pose in the world.
            return vec![on(with_mass(only.moving.clone()), parent)];
        }
        let mut links: Vec<Link> = Vec::new();
        let (mut before, mut carrier) = (self.pose, parent.map(str::to_owned));
        let mut last = Vector3::zeros();
        for (k, joint) in self.joints.iter().enumerate() {
            let placement = before * shift(joint.anchor - last);
            let is_body = k + 1 == self.joints.len() && joint.anchor == Vector3::zeros();
            let link = if is_body {
                with_mass(joint.moving.clone())
            } else {
                Link::new(format!("{}/{}", self.name, joint.name), joint.moving.clone())
            };
            links.push(on(link, carrier.as_deref()).at(placement));
            carrier = links.last().map(|link| link.name.clone());
            (before, last) = (Isometry3::identity(), joint.anchor);
            if is_body {
                return links;
            }
        }
        let place = before * shift(-last);
        links.push(on(with_mass(Joint::fixed()), carrier.as_deref()).at(place));
        links
    }
}

/// Data for reading bodies.
pub(super) struct Bodies<'a> {
    pub(super) compiler: &'a Compiler,
    pub(super) defaults: &'a Defaults,
    pub(super) assets: &'a Assets<'a>,
    pub(super) bodies: Vec<Body<'a>>,
    /// The body and the pose in it of each site.
    pub(super) sites: BTreeMap<String, (usize, Isometry3<f64>)>,
    pub(super) warnings: Vec<Warning>,
    joint_count: usize,
    geom_count: usize,
}

impl<'a> Bodies<'a> {
    /// The bodies of the model in their order in the file, which is that of MuJoCo.
    pub(super) fn of(
        root: &'a Element,
        compiler: &'a Compiler,
        defaults: &'a Defaults,
        assets: &'a Assets<'a>,
    ) -> Result<Self, Error> {
        let mut bodies = Self {
            compiler,
            defaults,
            assets,
            bodies: Vec::new(),
            sites: BTreeMap::new(),
            warnings: Vec::new(),
            joint_count: 0,
            geom_count: 0,
        };
        bodies.bodies.push(Body {
            name: "world".to_owned(),
            parent: 0,
            pose: Isometry3::identity(),
            joints: Vec::new(),
            geoms: Vec::new(),
            inertial: None,
            element: root,
        });
        for world in root.children_named("worldbody") {
            bodies.contents(world, 0, &Isometry3::identity(), None)?;
        }
        Ok(bodies)
    }

    /// The number of the body called `name`.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| body.name == name)
    }

    fn body(
        &mut self,
        element: &'a Element,
        parent: usize,
        frame: &Isometry3<f64>,
        class: Option<&'a str>,
    ) -> Result<(), Error> {
        let own = Attributes::own(element);
        let number = self.bodies.len();
        if number > LIMIT {
            return Err(Error::unsupported(element, format!("more than {LIMIT} bodies")));
        }
        let name = own.text("name").map_or_else(|| format!("body {number}"), str::to_owned);
        let pose = frame * own.pose(self.compiler)?;
        self.bodies.push(Body {
            name,
            parent,
            pose,
            joints: Vec::new(),
            geoms: Vec::new(),
            inertial: None,
            element,
        });
        let class = element.attribute("childclass").or(class);
        self.contents(element, number, &Isometry3::identity(), class)
    }

    /// Reads the children of a body, or of a frame within it.
    fn contents(
        &mut self,
        element: &'a Element,
        body: usize,
        frame: &Isometry3<f64>,
        class: Option<&'a str>,
    ) -> Result<(), Error> {
        // The contents of a body come before the bodies that it carries.
        for child in &element.children {
            match child.name.as_str() {
                "geom" => {
                    let own = self.defaults.attributes(child, class)?;
                    let geom = geoms::geom(&own, frame, self.compiler, self.assets)?;
                    self.bodies[body].geoms.push(geom);
                    self.geom_count += 1;
                    if self.geom_count > LIMIT {
                        return Err(Error::unsupported(child, format!("more than {LIMIT} geoms")));
                    }
                }
                "joint" | "freejoint" => self.joint(child, body, frame, class)?,
                "inertial" => {
                    let mass = Mass::of_element(child, frame, self.compiler)?;
                    if body == 0 || self.bodies[body].inertial.replace(mass).is_some() {
                        let reason = "it stands in the world or a second time in a body";
                        return Err(Error::unsupported(child, reason));
                    }
                }
                "site" => {
                    let own = self.defaults.attributes(child, class)?;
                    let pose = frame * own.pose(self.compiler)?;
                    if let Some(name) = own.text("name") {
                        self.sites.insert(name.to_owned(), (body, pose));
                    }
                }
                _ => {}
            }
        }
        for child in &element.children {
            match child.name.as_str() {
                "body" => self.body(child, body, frame, class)?,
                "frame" => {
                    let pose = frame * Attributes::own(child).pose(self.compiler)?;
                    let class = child.attribute("childclass").or(class);
                    self.contents(child, body, &pose, class)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn joint(
        &mut self,
        element: &'a Element,
        body: usize,
        frame: &Isometry3<f64>,
        class: Option<&'a str>,
    ) -> Result<(), Error> {
        let own = match element.name.as_str() {
            "freejoint" => Attributes::own(element),
            _ => self.defaults.attributes(element, class)?,
        };
        let number = self.joint_count;
        self.joint_count += 1;
        let joint = chain::joint(&own, number, frame, self.compiler)?;
        if body == 0 {
            return Err(Error::unsupported(element, "the world does not move"));
        }
        let is_free = joint.kind == chain::Kind::Free;
        let others = &self.bodies[body].joints;
        let crowded = !others.is_empty()
            && (is_free || others.iter().any(|other| other.kind == chain::Kind::Free));
        if crowded || (is_free && self.bodies[body].parent != 0) {
            let reason = "a free joint stands alone in a body of the world";
            return Err(Error::unsupported(element, reason));
        }
        if let Some(note) = joint.note {
            self.warn(element, note);
        }
        self.bodies[body].joints.push(joint);
        Ok(())
    }

    pub(super) fn warn(&mut self, element: &Element, reason: impl Into<String>) {
        self.warn_of(element, Subject::Repair, reason.into());
    }

    /// Reports an element without which the motion is.
    pub(super) fn leave_out(&mut self, element: &Element, reason: impl Into<String>) {
        self.warn_of(element, Subject::Element, reason.into());
    }

    fn warn_of(&mut self, element: &Element, subject: Subject, reason: String) {
        self.warnings.push(Warning {
            element: super::label(element),
            line: element.line,
            subject,
            reason: reason.into(),
            file: element.file.as_ref().map(ToString::to_string),
        });
    }

    /// The pose of a body in the world at the start of the model (m).
    pub(super) fn world_pose(&self, body: usize) -> Isometry3<f64> {
        let mut pose = Isometry3::identity();
        let mut next = body;
        while next != 0 {
            pose = self.bodies[next].pose * pose;
            next = self.bodies[next].parent;
        }
        pose
    }

    /// The nearest body on the way to the world that has joints, itself included; 0 if it does not move.
    pub(super) fn moving(&self, body: usize) -> usize {
        let mut next = body;
        while next != 0 && self.bodies[next].joints.is_empty() {
            next = self.bodies[next].parent;
        }
        next
    }
}
