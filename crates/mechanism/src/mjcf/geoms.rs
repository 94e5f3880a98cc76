//! Geoms: their shapes, masses and contact settings.

use nalgebra::{Isometry3, Translation3, Vector3};
use percussion_collision::Shape;

use super::{
    Error,
    assets::Assets,
    compiler::Compiler,
    inertia::{Mass, Solid},
    numbers::{Attributes, onto_z},
};
use crate::xml::Element;

/// A shape of a body.
#[derive(Debug)]
pub(super) struct Geom {
    pub(super) name: Option<String>,
    /// The shape; `None` if the geom touches nothing.
    pub(super) shape: Option<Shape>,
    /// Pose in the frame of the body (m).
    pub(super) placement: Isometry3<f64>,
    /// Its contribution to the mass of the body, if any.
    pub(super) mass: Option<Mass>,
    pub(super) types: i64,
    pub(super) affinity: i64,
    pub(super) friction: f64,
    /// Dimension of its contacts; 1 means no friction.
    pub(super) dimension: i64,
    pub(super) priority: i64,
    pub(super) is_ellipsoid: bool,
    pub(super) is_field: bool,
    pub(super) line: usize,
    pub(super) file: Option<String>,
}

/// Default density (kg/m³), that of water.
const DENSITY: f64 = 1000.0;

/// Form of a geom, with its size.
#[derive(Clone, Debug)]
enum Form {
    Plane,
    Sphere(f64),
    /// Radius and half of the length.
    Capsule(f64, f64),
    Cylinder(f64, f64),
    /// The semi-axes.
    Ellipsoid(Vector3<f64>),
    Box(Vector3<f64>),
    Mesh(String),
    HeightField,
}

const TYPES: [&str; 9] =
    ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];

/// The geom of `own`; `frame` is the pose, in the body, of the frames around it.
pub(super) fn geom(
    own: &Attributes<'_>,
    frame: &Isometry3<f64>,
    compiler: &Compiler,
    assets: &Assets<'_>,
) -> Result<Geom, Error> {
    let element = own.element;
    let (form, placement) = form(own, compiler)?;
    let placement = frame * placement;
    let solid = form.solid(element, assets, own.choice("shellinertia")? == Some(true))?;
    let group = own.integer("group", 0)?;
    let mass = match own.text("mass") {
        Some(_) => own.not_negative("mass", 0.0)?,
        None => solid.amount * own.not_negative("density", DENSITY)?,
    };
    let counts = (compiler.inertia_groups[0]..=compiler.inertia_groups[1]).contains(&group);
    let friction = own.numbers("friction", [1, 3])?.map_or(1.0, |friction| friction[0]);
    if friction < 0.0 {
        return Err(Error::value(element, "friction", "numbers of at least 0"));
    }
    let bits = |name: &str| own.integer(name, 1);
    let [types, affinity] = [bits("contype")?, bits("conaffinity")?];
    let is_paired = own.text("name").is_some_and(|name| compiler.paired.contains(name));
    let touches = types != 0 || affinity != 0 || is_paired;
    let shape =
        if touches || compiler.contacts { form.shape(element, assets, touches)? } else { None };
    Ok(Geom {
        name: own.text("name").map(str::to_owned),
        shape,
        placement,
        mass: counts.then(|| Mass::of_solid(mass, &solid, &placement)),
        types,
        affinity,
        friction,
        dimension: own.integer("condim", 3)?,
        priority: own.integer("priority", 0)?,
        is_ellipsoid: matches!(form, Form::Ellipsoid(_)),
        is_field: matches!(form, Form::HeightField),
        line: element.line,
        file: element.file.as_ref().map(ToString::to_string),
    })
}

/// The form of a geom and its pose in its frame.
fn form(own: &Attributes<'_>, compiler: &Compiler) -> Result<(Form, Isometry3<f64>), Error> {
    let element = own.element;
    let kind = own.word("type", &TYPES, "sphere")?;
    if kind != "mesh" && own.text("mesh").is_some() {
        let reason = format!("a {kind} is not fitted to a mesh, expected `type` mesh or no `mesh`");
        return Err(Error::unsupported(element, reason));
    }
    let mut pose = own.pose(compiler)?;
    let sizes = own.numbers("size", [1, 3])?.unwrap_or_default();
    let positive = |index: usize| match sizes.get(index) {
        Some(&size) if size > 0.0 => Ok(size),
        _ => {
            let expected = format!("at least {} positive numbers (m) for a {kind}", index + 1);
            let given = own.text("size").is_some();
            Err(if given {
                Error::value(element, "size", expected)
            } else {
                Error::missing(element, "size", "positive numbers (m)")
            })
        }
    };
    let along = own.numbers("fromto", [6, 6])?;
    let elongated = matches!(kind, "capsule" | "cylinder" | "box" | "ellipsoid");
    let mut half = None;
    if let Some(ends) = along.filter(|_| elongated) {
        let [from, to] = [0, 3].map(|k| Vector3::new(ends[k], ends[k + 1], ends[k + 2]));
        let length = (from - to).norm();
        if length <= 0.0 {
            return Err(Error::value(element, "fromto", "two different points"));
        }
        // The `z` axis points from the second point to the first, as in MuJoCo.
        let turn = onto_z(&((from - to) / length));
        pose = Isometry3::from_parts(Translation3::from(0.5 * (from + to)), turn);
        half = Some(0.5 * length);
    }
    let length = |index: usize| half.map_or_else(|| positive(index), Ok);
    let three = || -> Result<Vector3<f64>, Error> {
        match half {
            // The first size applies to both transverse directions.
            Some(half) => Ok(Vector3::new(positive(0)?, positive(0)?, half)),
            None => Ok(Vector3::new(positive(0)?, positive(1)?, positive(2)?)),
        }
    };
    let form = match kind {
        "plane" => Form::Plane,
        "sphere" => Form::Sphere(positive(0)?),
        "capsule" => Form::Capsule(positive(0)?, length(1)?),
        "cylinder" => Form::Cylinder(positive(0)?, length(1)?),
        "box" => Form::Box(three()?),
        "ellipsoid" => Form::Ellipsoid(three()?),
        "hfield" => Form::HeightField,
        "mesh" => match own.text("mesh") {
            Some(name) => Form::Mesh(name.to_owned()),
            None => return Err(Error::missing(element, "mesh", "the name of a mesh")),
        },
        other => {
            let reason = format!("geoms of type {other} are not supported, expected a mesh");
            return Err(Error::unsupported(element, reason));
        }
    };
    Ok((form, pose))
}

impl Form {
    /// Its volume, or its surface, at density 1.
    fn solid(&self, geom: &Element, assets: &Assets<'_>, shell: bool) -> Result<Solid, Error> {
        let pi = std::f64::consts::PI;
        if let Self::Mesh(name) = self {
            return assets.mesh(geom, name)?.solid(geom, shell);
        }
        if shell {
            return self.shell(geom);
        }
        Ok(match *self {
            Self::Sphere(r) => Solid::about_center(4.0 / 3.0 * pi * r.powi(3), [0.4 * r * r; 3]),
            Self::Box(half) => {
                let [a, b, c] = [0, 1, 2].map(|k| half[k] * half[k] / 3.0);
                Solid::about_center(8.0 * half.product(), [b + c, c + a, a + b])
            }
            Self::Ellipsoid(half) => {
                let [a, b, c] = [0, 1, 2].map(|k| half[k] * half[k] / 5.0);
                Solid::about_center(4.0 / 3.0 * pi * half.product(), [b + c, c + a, a + b])
            }
            Self::Cylinder(r, h) => {
                let across = r * r / 4.0 + h * h / 3.0;
                Solid::about_center(2.0 * pi * r * r * h, [across, across, 0.5 * r * r])
            }
            Self::Capsule(r, h) => {
                // A cylinder and two half balls, whose centers of mass lie 3/8 r beyond its ends.
                let [tube, balls] = [2.0 * pi * r * r * h, 4.0 / 3.0 * pi * r.powi(3)];
                let all = tube + balls;
                let about = (0.5 * tube + 0.4 * balls) * r * r;
                let across = tube * (r * r / 4.0 + h * h / 3.0)
                    + balls * (0.4 * r * r + 0.75 * r * h + h * h);
                Solid::about_center(all, [across / all, across / all, about / all])
            }
            Self::Plane | Self::HeightField | Self::Mesh(_) => Solid::about_center(0.0, [0.0; 3]),
        })
    }

    /// The surface of a primitive: its area, and the moments per area from the means of `x²`, `y²` and `z²` over it.
    fn shell(&self, geom: &Element) -> Result<Solid, Error> {
        let pi = std::f64::consts::PI;
        // The parts of the surface, each with its area and its means of the squares.
        let parts: Vec<(f64, [f64; 3])> = match *self {
            Self::Sphere(r) => vec![(4.0 * pi * r * r, [r * r / 3.0; 3])],
            Self::Capsule(r, h) => {
                // On a half sphere, `z` beyond the end has the mean `r / 2`.
                let (across, along) = (r * r / 3.0, h * h + h * r + r * r / 3.0);
                let side = [0.5 * r * r, 0.5 * r * r, h * h / 3.0];
                vec![(4.0 * pi * r * h, side), (4.0 * pi * r * r, [across, across, along])]
            }
            Self::Cylinder(r, h) => {
                let side = [0.5 * r * r, 0.5 * r * r, h * h / 3.0];
                let lids = [0.25 * r * r, 0.25 * r * r, h * h];
                vec![(4.0 * pi * r * h, side), (2.0 * pi * r * r, lids)]
            }
            Self::Box(half) => {
                let faces = |axis: usize| {
                    let area = 8.0 * half[(axis + 1) % 3] * half[(axis + 2) % 3];
                    let part = |k: usize| if k == axis { 1.0 } else { 1.0 / 3.0 };
                    (area, [0, 1, 2].map(|k| part(k) * half[k] * half[k]))
                };
                [0, 1, 2].map(faces).to_vec()
            }
            Self::Ellipsoid(_) => {
                let reason =
                    "the inertia of the shell of an ellipsoid is not computed, expected `inertial`";
                return Err(Error::unsupported(geom, reason));
            }
            Self::Plane | Self::HeightField | Self::Mesh(_) => vec![],
        };
        let area: f64 = parts.iter().map(|(area, _)| area).sum();
        let mean = |k: usize| parts.iter().map(|(part, means)| part / area * means[k]).sum::<f64>();
        let [x, y, z] = [0, 1, 2].map(mean);
        Ok(Solid::about_center(area, [y + z, z + x, x + y]))
    }

    /// The collision shape; `None` if the geom cannot touch. Meshes that touch nothing are not read.
    fn shape(
        &self,
        geom: &Element,
        assets: &Assets<'_>,
        touches: bool,
    ) -> Result<Option<Shape>, Error> {
        Ok(Some(match *self {
            Self::Plane => Shape::HalfSpace { normal: Vector3::z() },
            Self::Sphere(radius) => Shape::Sphere { radius },
            Self::Capsule(radius, half_length) => Shape::Capsule { half_length, radius },
            Self::Cylinder(radius, half_height) => Shape::Cylinder { half_height, radius },
            Self::Box(half_extents) => Shape::Box { half_extents },
            Self::Ellipsoid(half) => {
                ellipsoid(half).map_err(|error| Error::unsupported(geom, error.to_string()))?
            }
            Self::Mesh(ref name) if touches => assets.mesh(geom, name)?.hull(geom)?,
            Self::Mesh(_) | Self::HeightField => return Ok(None),
        }))
    }
}

/// The hull of points on an ellipsoid: on circles of latitude, 12 times 24, and the poles.
fn ellipsoid(half: Vector3<f64>) -> Result<Shape, percussion_collision::HullError> {
    const RINGS: usize = 12;
    const AROUND: usize = 24;
    let mut points = vec![Vector3::z(), -Vector3::z()];
    for ring in 1..RINGS {
        let latitude = std::f64::consts::PI * ring as f64 / RINGS as f64;
        for step in 0..AROUND {
            let longitude = std::f64::consts::TAU * step as f64 / AROUND as f64;
            let across = latitude.sin();
            let (x, y) = (across * longitude.cos(), across * longitude.sin());
            points.push(Vector3::new(x, y, latitude.cos()));
        }
    }
    points.iter_mut().for_each(|point| point.component_mul_assign(&half));
    Shape::hull(&points)
}
