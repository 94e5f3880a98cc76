//! Settings of `compiler` and `option`: [`Compiler`].

use std::collections::BTreeSet;

use nalgebra::{UnitQuaternion, Vector3};

use super::{Error, numbers::Attributes};
use crate::xml::Element;

/// The settings in `compiler` and `option`.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    is_degree: bool,
    sequence: Vec<char>,
    /// Whether a `range` implies a limit.
    pub(super) auto_limits: bool,
    pub(super) mesh_folder: String,
    pub(super) strip_path: bool,
    pub(super) bound_mass: f64,
    pub(super) bound_inertia: f64,
    pub(super) balance_inertia: bool,
    pub(super) total_mass: f64,
    /// Whether inertia is computed from geoms: always, never, or if there is no `inertial`.
    pub(super) inertia_from_geom: Option<bool>,
    pub(super) inertia_groups: [i64; 2],
    pub(super) gravity: Vector3<f64>,
    pub(super) time_step: f64,
    pub(super) contacts: bool,
    pub(super) limits: bool,
    pub(super) equality: bool,
    pub(super) friction_loss: bool,
    pub(super) springs: bool,
    pub(super) dampers: bool,
    pub(super) filter_parent: bool,
    pub(super) actuation: bool,
    /// Names of the geoms that a `pair` lists, which touch whatever their bits are.
    pub(super) paired: BTreeSet<String>,
}

impl Compiler {
    pub(super) fn of(root: &Element) -> Result<Self, Error> {
        let mut compiler = Self {
            is_degree: true,
            sequence: vec!['x', 'y', 'z'],
            auto_limits: true,
            mesh_folder: String::new(),
            strip_path: false,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            balance_inertia: false,
            total_mass: -1.0,
            inertia_from_geom: None,
            inertia_groups: [0, 5],
            gravity: Vector3::new(0.0, 0.0, -9.81),
            time_step: 0.002,
            contacts: true,
            limits: true,
            equality: true,
            friction_loss: true,
            springs: true,
            dampers: true,
            filter_parent: true,
            actuation: true,
            paired: BTreeSet::new(),
        };
        for pair in root.children_named("contact").flat_map(|c| c.children_named("pair")) {
            let names = ["geom1", "geom2"].into_iter().filter_map(|name| pair.attribute(name));
            compiler.paired.extend(names.map(str::to_owned));
        }
        for element in root.children_named("compiler") {
            compiler.read(element)?;
        }
        for element in root.children_named("option") {
            compiler.read_option(element)?;
        }
        Ok(compiler)
    }

    fn read(&mut self, element: &Element) -> Result<(), Error> {
        let own = Attributes::own(element);
        let flag = |name: &str, default: bool| own.choice(name).map(|is| is.unwrap_or(default));
        if own.word("coordinate", &["local", "global"], "local")? == "global" {
            let reason = "global coordinates are not supported, as in MuJoCo since 2.3.4";
            return Err(Error::unsupported(element, reason));
        }
        let angle = if self.is_degree { "degree" } else { "radian" };
        self.is_degree = own.word("angle", &["degree", "radian"], angle)? == "degree";
        self.auto_limits = flag("autolimits", self.auto_limits)?;
        self.strip_path = flag("strippath", self.strip_path)?;
        self.balance_inertia = flag("balanceinertia", self.balance_inertia)?;
        if let Some(sequence) = own.text("eulerseq") {
            let axes: Vec<char> = sequence.chars().collect();
            if axes.len() != 3 || !axes.iter().all(|axis| "xyzXYZ".contains(*axis)) {
                let expected = "three letters of x, y, z (axes that turn) and X, Y, Z (that stand)";
                return Err(Error::value(element, "eulerseq", expected));
            }
            self.sequence = axes;
        }
        if let Some(folder) = own.text("assetdir") {
            folder.clone_into(&mut self.mesh_folder);
        }
        if let Some(folder) = own.text("meshdir") {
            folder.clone_into(&mut self.mesh_folder);
        }
        self.bound_mass = own.not_negative("boundmass", self.bound_mass)?;
        self.bound_inertia = own.not_negative("boundinertia", self.bound_inertia)?;
        self.total_mass = own.number("settotalmass", self.total_mass)?;
        if own.text("inertiafromgeom").is_some() {
            self.inertia_from_geom = own.choice("inertiafromgeom")?;
        }
        if let Some(range) = own.numbers("inertiagrouprange", [2, 2])? {
            #[expect(clippy::cast_possible_truncation, reason = "the conversion saturates")]
            let groups = [range[0] as i64, range[1] as i64];
            self.inertia_groups = groups;
        }
        Ok(())
    }

    fn read_option(&mut self, element: &Element) -> Result<(), Error> {
        let own = Attributes::own(element);
        if let Some(gravity) = own.vector("gravity")? {
            self.gravity = gravity;
        }
        self.time_step = own.number("timestep", self.time_step)?;
        if self.time_step <= 0.0 {
            return Err(Error::value(element, "timestep", "a positive finite number (s)"));
        }
        for flags in element.children_named("flag") {
            let own = Attributes::own(flags);
            let on = |name: &str, default: bool| {
                let default = if default { "enable" } else { "disable" };
                own.word(name, &["enable", "disable"], default).map(|word| word == "enable")
            };
            self.contacts = on("contact", self.contacts)?;
            self.limits = on("limit", self.limits)?;
            self.equality = on("equality", self.equality)?;
            self.friction_loss = on("frictionloss", self.friction_loss)?;
            self.filter_parent = on("filterparent", self.filter_parent)?;
            self.actuation = on("actuation", self.actuation)?;
            self.springs = on("spring", self.springs)? && on("passive", true)?;
            self.dampers = on("damper", self.dampers)? && on("passive", true)?;
            if !on("gravity", true)? {
                self.gravity = Vector3::zeros();
            }
            if !on("constraint", true)? {
                (self.contacts, self.limits) = (false, false);
                (self.equality, self.friction_loss) = (false, false);
            }
        }
        Ok(())
    }

    /// An angle of the file in radians.
    pub(super) fn angle(&self, angle: f64) -> f64 {
        if self.is_degree { angle.to_radians() } else { angle }
    }

    /// The rotation by three angles of the file.
    pub(super) fn euler(&self, angles: [f64; 3]) -> UnitQuaternion<f64> {
        let mut total = UnitQuaternion::identity();
        for (axis, angle) in self.sequence.iter().zip(angles) {
            let unit = match axis.to_ascii_lowercase() {
                'x' => Vector3::x_axis(),
                'y' => Vector3::y_axis(),
                _ => Vector3::z_axis(),
            };
            let turn = UnitQuaternion::from_axis_angle(&unit, self.angle(angle));
            // Axes that turn with the frame are those after the rotations so far.
            total = if axis.is_ascii_lowercase() { total * turn } else { turn * total };
        }
        total
    }
}
