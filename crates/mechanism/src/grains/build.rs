//! Settings and walls of a [`Scene`] for the steps.

use std::{ops::Range, path::Path};

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use percussion_collision::Shape;
use percussion_granular::{Frustum, Servo, Settings, Surface, Triangle, Wall};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{
    GrainKind, Scene, ServoOf, WallEntry, WallShape,
    place::{lattice, unit},
};
use crate::{Error, rules::refuse};

/// Maximum number of triangles of all meshes: every search looks at each for every grain.
const TRIANGLE_LIMIT: usize = 100_000;

/// The walls of the steps, and for each entry of the file its name and which of them are its own.
pub(super) type Walls = (Vec<Wall>, Vec<(String, Range<usize>)>);

impl Scene {
    /// The settings of the steps.
    pub(super) fn settings(&self) -> Settings {
        let defaults = Settings::default();
        let gravity = Vector3::from(self.gravity);
        let smallest = self.grains.iter().map(|kind| kind.range()[0]).fold(f64::INFINITY, f64::min);
        let first = self.grains[0].material();
        let fall = (2.0 * smallest / self.fall().norm()).sqrt();
        // Corners move on arcs, of which steps see the tangents: overlaps grow with the step.
        let part = if self.is_shaped() { 0.25 } else { 1.0 };
        let default = part * defaults.step_size.min(0.1 * fall);
        Settings {
            step_size: self.step_size.unwrap_or(default),
            gravity,
            friction: self.interaction(first, first).friction,
            max_sweeps: self.steps.max_sweeps.unwrap_or(defaults.max_sweeps),
            tolerance: self.steps.tolerance.unwrap_or(defaults.tolerance),
            skin: self.steps.skin.unwrap_or(defaults.skin),
            ..defaults
        }
    }

    /// The forces that drive walls.
    pub(super) fn servos(&self, walls: &[(String, Range<usize>)]) -> Vec<Servo> {
        let servo = |(entry, (_, indices)): (&WallEntry, &(String, Range<usize>))| {
            let ServoOf { direction, force, mass, speed } = entry.servo?;
            Some(Servo::new(indices.clone(), unit(direction), force, mass, speed))
        };
        self.walls.iter().zip(walls).filter_map(servo).collect()
    }

    /// The walls as they are at the start; meshes are files in `folder`.
    pub(super) fn build_walls(&self, folder: &Path) -> Result<Walls, Error> {
        let (mut walls, mut names) = (Vec::new(), Vec::new());
        let (touching, first) = (self.touching(), self.grains[0].material());
        for (index, entry) in self.walls.iter().enumerate() {
            let path = format!("walls[{index}]");
            let friction = entry
                .friction
                .unwrap_or_else(|| self.interaction(first, entry.material()).friction);
            let start = walls.len();
            for surface in surfaces(&format!("{path}.shape"), &entry.shape, folder)? {
                let mut wall = Wall::fixed(surface, friction).of_material(touching.walls[index]);
                if entry.angular_velocity.is_some() {
                    wall.center = entry.center.map_or_else(|| origin(&wall.surface), Vector3::from);
                    check_turning(&path, entry, &wall)?;
                }
                self.repeat(&path, entry, wall, &mut walls)?;
            }
            if walls.len() > TRIANGLE_LIMIT {
                let expected = "at most 100 000 walls and triangles in all";
                refuse(&format!("{path}.shape"), &walls.len(), expected)?;
            }
            names.push((entry.name.clone(), start..walls.len()));
        }
        Ok((walls, names))
    }
}

impl GrainKind {
    /// Smallest and largest diameter (m).
    pub(super) fn range(&self) -> [f64; 2] {
        match (&self.sizes, self.diameter) {
            (Some(sizes), _) => sizes.range(),
            (None, Some(diameter)) => [diameter; 2],
            (None, None) => [self.mold.as_ref().map_or(f64::NAN, |mold| mold.diameter()); 2],
        }
    }

    /// Diameter of a ball that contains any grain (m).
    pub(super) fn widest(&self) -> f64 {
        self.range()[1] * self.spread()
    }

    /// Mass of a grain with this diameter (kg).
    pub(super) fn mass_of(&self, diameter: f64) -> f64 {
        match (self.density, self.mass) {
            (_, Some(mass)) => mass,
            (density, None) => {
                density.unwrap_or(f64::NAN) * std::f64::consts::PI / 6.0 * diameter.powi(3)
            }
        }
    }
}

fn pose(position: [f64; 3], axis: Option<[f64; 3]>, angle: f64) -> Isometry3<f64> {
    let axis = axis.map_or_else(Vector3::z_axis, unit);
    let turn = UnitQuaternion::from_axis_angle(&axis, angle);
    Isometry3::from_parts(Translation3::from(Vector3::from(position)), turn)
}

/// The surfaces of a shape: one, or one for each triangle.
fn surfaces(path: &str, shape: &WallShape, folder: &Path) -> Result<Vec<Surface>, Error> {
    let surface = match shape {
        WallShape::Plane(plane) => {
            Surface::Plane { point: plane.point.into(), normal: unit(plane.normal) }
        }
        WallShape::Box { size, position, axis, angle } => {
            let half_extents = 0.5 * Vector3::from(*size);
            Surface::Solid {
                shape: Shape::Box { half_extents },
                pose: pose(*position, *axis, *angle),
            }
        }
        WallShape::Cylinder { point, axis, radius } => {
            Surface::Cylinder { point: (*point).into(), axis: unit(*axis), radius: *radius }
        }
        WallShape::Tube { point, axis, radius } => {
            Surface::Tube { point: (*point).into(), axis: unit(*axis), radius: *radius }
        }
        WallShape::Cone { from, to, radii } => {
            let [base, end] = [from, to].map(|point| Vector3::from(*point));
            let along = end - base;
            let height = along.norm();
            let axis = if height > 0.0 { unit(along.into()) } else { Vector3::z_axis() };
            Surface::Frustum(Frustum { base, axis, height, radii: *radii })
        }
        WallShape::Solid { of, position, axis, angle } => {
            of.check()
                .map_err(|source| Error::Shape { path: format!("{path}.solid.of"), source })?;
            Surface::Solid { shape: of.clone(), pose: pose(*position, *axis, *angle) }
        }
        WallShape::Spheres { diameter, low, high, pitch, shake, seed } => {
            let corners = [low, high].map(|corner| Vector3::from(*corner));
            return balls(path, *diameter, corners, (*pitch, *shake), *seed);
        }
        WallShape::Mesh { file, scale, position, axis, angle } => {
            let pose = pose(*position, *axis, *angle);
            let failed = |reason| Error::Mesh { path: format!("{path}.mesh.file"), reason };
            return Ok(triangles(&folder.join(file), *scale, &pose)
                .map_err(failed)?
                .into_iter()
                .map(Surface::Triangle)
                .collect());
        }
    };
    Ok(vec![surface])
}

/// Balls on a lattice that fills a box, displaced at random.
fn balls(
    path: &str,
    diameter: f64,
    [low, high]: [Vector3<f64>; 2],
    (pitch, shake): (f64, f64),
    seed: u64,
) -> Result<Vec<Surface>, Error> {
    let counts = (high - low).map(|edge| (edge / (pitch * diameter) + 1e-9).floor().max(1.0));
    let count = counts.product();
    if count > TRIANGLE_LIMIT as f64 || count.is_nan() {
        refuse(&format!("{path}.spheres"), &count, "at most 100 000 balls")?;
    }
    let spacing = (high - low).component_div(&counts);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut sign = || if shake > 0.0 { random.random_range(-1.0..1.0) } else { 0.0 };
    let mut surfaces = Vec::new();
    for node in lattice(counts) {
        let shaken = shake * diameter * Vector3::from_fn(|_, _| sign());
        let place = low + node.add_scalar(0.5).component_mul(&spacing) + shaken;
        surfaces.push(Surface::Solid {
            shape: Shape::Sphere { radius: 0.5 * diameter },
            pose: Isometry3::from(place),
        });
    }
    Ok(surfaces)
}

#[cfg(feature = "urdf")]
fn triangles(file: &Path, scale: f64, pose: &Isometry3<f64>) -> Result<Vec<Triangle>, String> {
    let stl = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("stl"));
    if !stl {
        return Err(format!("{}: expected a file *.stl", file.display()));
    }
    let corners = crate::mesh::vertices(file)?;
    let (all, _) = corners.as_chunks::<3>();
    let place = |corner: &Vector3<f64>| (pose * nalgebra::Point3::from(scale * corner)).coords;
    let all: Vec<_> = all.iter().map(|triangle| triangle.each_ref().map(place)).collect();
    let triangles = Triangle::of_mesh(&all);
    if triangles.is_empty() {
        return Err(format!("{}: expected at least one triangle with an area", file.display()));
    }
    Ok(triangles)
}

#[cfg(not(feature = "urdf"))]
fn triangles(file: &Path, _: f64, _: &Isometry3<f64>) -> Result<Vec<Triangle>, String> {
    Err(format!("{}: built without the feature `urdf`, which reads meshes", file.display()))
}

/// A point on the axis of a surface, or of it.
fn origin(surface: &Surface) -> Vector3<f64> {
    match surface {
        Surface::Plane { point, .. }
        | Surface::Cylinder { point, .. }
        | Surface::Tube { point, .. } => *point,
        Surface::Solid { pose, .. } => pose.translation.vector,
        Surface::Frustum(frustum) => frustum.base,
        _ => Vector3::zeros(),
    }
}

/// Refuses a rotation that does not map the wall onto itself.
fn check_turning(path: &str, entry: &WallEntry, wall: &Wall) -> Result<(), Error> {
    let Some(spin) = entry.angular_velocity.map(Vector3::from).filter(|spin| spin.norm() > 0.0)
    else {
        return Ok(());
    };
    let parallel = |axis: &Vector3<f64>| spin.cross(axis).norm() <= 1e-9 * spin.norm();
    let about = |point: &Vector3<f64>, axis: &Vector3<f64>| {
        let apart = wall.center - point;
        parallel(axis) && axis.cross(&apart).norm() <= 1e-9 * (apart.norm() + point.norm())
    };
    let one = !matches!(entry.shape, WallShape::Spheres { .. });
    let maps = match &wall.surface {
        Surface::Plane { normal, .. } => parallel(normal),
        Surface::Cylinder { point, axis, .. } | Surface::Tube { point, axis, .. } => {
            about(point, axis)
        }
        Surface::Frustum(frustum) => about(&frustum.base, &frustum.axis),
        Surface::Solid { shape: Shape::Sphere { .. }, pose } if one => {
            (wall.center - pose.translation.vector).norm() == 0.0
        }
        Surface::Solid { shape: Shape::Cylinder { .. } | Shape::Capsule { .. }, pose } => {
            about(&pose.translation.vector, &(pose.rotation * Vector3::z()))
        }
        _ => false,
    };
    let expected = "a rotation that maps the wall onto itself, about the normal of a plane or the axis of a round \
                    wall; others are not possible yet";
    let path = format!("{path}.angular_velocity");
    if maps { Ok(()) } else { refuse(&path, &entry.angular_velocity, expected) }
}
