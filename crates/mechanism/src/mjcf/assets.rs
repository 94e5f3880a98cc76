//! Meshes of a model: their vertices, hulls and volumes.

use std::{
    cell::OnceCell,
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use percussion_collision::Shape;

use super::{
    Error,
    compiler::Compiler,
    defaults::Defaults,
    include::Files,
    inertia::Solid,
    numbers::{Attributes, quaternion},
};
use crate::{mesh, xml::Element};

/// Vertices and triangles in the frame of the mesh.
#[derive(Debug)]
pub(super) struct Mesh {
    pub(super) points: Vec<Vector3<f64>>,
    triangles: Vec<[usize; 3]>,
    /// Method for its volume, and whether it is a shell.
    way: Way,
    hull: OnceCell<Result<Shape, String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The triangles are oriented outwards.
    Exact,
    /// Pyramids over the triangles from a point inside, all positive.
    Legacy,
    /// The volume of the convex hull.
    Convex,
    Shell,
}

/// A mesh given by its file, which is read when a geom uses it.
#[derive(Debug)]
struct Asset<'a> {
    element: &'a Element,
    own: Attributes<'a>,
    file: Option<PathBuf>,
    mesh: OnceCell<Result<Mesh, String>>,
}

/// The meshes of a model by name.
#[derive(Debug, Default)]
pub(super) struct Assets<'a>(BTreeMap<String, Asset<'a>>);

impl<'a> Assets<'a> {
    pub(super) fn of(
        root: &'a Element,
        defaults: &'a Defaults,
        compiler: &Compiler,
        files: &Files,
    ) -> Result<Self, Error> {
        let mut assets = BTreeMap::new();
        for element in root.children_named("asset").flat_map(|a| a.children_named("mesh")) {
            let own = defaults.attributes(element, None)?;
            let address = own.text("file").map(|file| {
                let name = Path::new(file).file_name().map(|name| name.to_string_lossy());
                match (compiler.strip_path, name) {
                    (true, Some(name)) => name.into_owned(),
                    _ => file.to_owned(),
                }
            });
            let stem = address.as_deref().and_then(|address| Path::new(address).file_stem());
            let name = own.text("name").map(str::to_owned);
            let name = name.or_else(|| Some(stem?.to_string_lossy().into_owned()));
            let Some(name) = name else {
                return Err(Error::missing(element, "name", "a name, or a file that has one"));
            };
            let file = address.map(|address| files.find(element, &compiler.mesh_folder, &address));
            let asset = Asset { element, own, file: file.transpose()?, mesh: OnceCell::new() };
            if assets.insert(name.clone(), asset).is_some() {
                return Err(Error::name(element, &name, "a name that no other mesh has"));
            }
        }
        Ok(Self(assets))
    }

    /// The mesh called `name`, for `geom`.
    pub(super) fn mesh(&self, geom: &Element, name: &str) -> Result<&Mesh, Error> {
        let Some(asset) = self.0.get(name) else {
            return Err(Error::name(geom, name, "a mesh of `asset`"));
        };
        let read = || asset.read().map_err(|error| error.to_string());
        asset
            .mesh
            .get_or_init(read)
            .as_ref()
            .map_err(|reason| Error::unsupported(geom, reason.clone()))
    }
}

impl Asset<'_> {
    fn read(&self) -> Result<Mesh, Error> {
        let own = &self.own;
        let refuse = |reason: String| Error::unsupported(self.element, reason);
        let (points, triangles) = match &self.file {
            Some(file) => mesh::triangles(file).map_err(refuse)?,
            None => {
                let limit = [3, 1 << 20];
                let numbers = own.numbers("vertex", limit)?.unwrap_or_default();
                let faces = own.numbers("face", limit)?.unwrap_or_default();
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "the conversion saturates, and indices are checked"
                )]
                let faces = faces.chunks_exact(3).map(|f| [0, 1, 2].map(|k| f[k] as usize));
                let points = numbers.chunks_exact(3).map(|p| Vector3::new(p[0], p[1], p[2]));
                (points.collect(), faces.collect::<Vec<_>>())
            }
        };
        if points.is_empty() || triangles.iter().flatten().any(|&index| index >= points.len()) {
            return Err(refuse(
                "it has no vertices, or faces with vertices that do not exist".into(),
            ));
        }
        let scale = own.vector("scale")?.unwrap_or_else(|| Vector3::repeat(1.0));
        let place = own.vector("refpos")?.unwrap_or_else(Vector3::zeros);
        let turn = own.numbers("refquat", [4, 4])?;
        let turn = turn.and_then(|turn| quaternion(&turn)).unwrap_or_else(UnitQuaternion::identity);
        let frame = Isometry3::from_parts(Translation3::from(place), turn);
        let placed = |p: &Vector3<f64>| {
            frame.inverse_transform_point(&p.component_mul(&scale).into()).coords
        };
        let points: Vec<_> = points.iter().map(placed).collect();
        let way = match own.word("inertia", &["convex", "exact", "legacy", "shell"], "legacy")? {
            "exact" => Way::Exact,
            "convex" => Way::Convex,
            "shell" => Way::Shell,
            _ => Way::Legacy,
        };
        // A scale that mirrors reverses the orientation of the triangles.
        let mirrored = scale.product() < 0.0;
        let turned = |[a, b, c]: [usize; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
        let triangles = triangles.into_iter().map(turned).collect();
        Ok(Mesh { points, triangles, way, hull: OnceCell::new() })
    }
}

impl Mesh {
    /// The convex hull of its vertices.
    pub(super) fn hull(&self, geom: &Element) -> Result<Shape, Error> {
        let hull = || Shape::hull(&self.points).map_err(|error| error.to_string());
        let refused = |reason: &String| Error::unsupported(geom, reason.clone());
        self.hull.get_or_init(hull).clone().map_err(|reason| refused(&reason))
    }

    /// Volume, center and moments at density 1; for a shell, area and moments at density 1 per area.
    pub(super) fn solid(&self, geom: &Element, as_shell: bool) -> Result<Solid, Error> {
        if as_shell || self.way == Way::Shell {
            return Ok(self.shell());
        }
        if self.way == Way::Convex || self.triangles.is_empty() {
            return self.hull_solid(geom);
        }
        let solid = match self.way {
            Way::Exact => {
                let (volume, first, second) = self.pyramids(&Vector3::zeros(), false);
                Solid::from_moments(volume, first, second, Vector3::zeros())
            }
            _ => {
                // First about the center of the surface, then about the resulting center of mass. This is
                // MuJoCo's method, which keeps the center of the first pass.
                let inside = self.shell().center;
                let (volume, first, _) = self.pyramids(&inside, true);
                let center = inside + first / volume;
                let (amount, _, second) = self.pyramids(&center, true);
                let moments = Matrix3::from_diagonal_element(second.trace()) - second;
                Solid { amount, center, moments }
            }
        };
        if !(solid.amount > 0.0 && solid.amount.is_finite()) {
            let reason =
                "the volume of its mesh is not positive, expected triangles that turn outwards";
            return Err(Error::unsupported(geom, reason));
        }
        Ok(solid)
    }

    /// The integrals of `1`, `x` and `x xᵀ` over the pyramids on the triangles with their apex at `tip`,
    /// relative to it; each with its sign, or all `positive`.
    fn pyramids(&self, tip: &Vector3<f64>, positive: bool) -> (f64, Vector3<f64>, Matrix3<f64>) {
        let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|k| self.points[k] - tip);
            let signed = a.dot(&b.cross(&c)) / 6.0;
            let part = if positive { signed.abs() } else { signed };
            let sum = a + b + c;
            volume += part;
            first += part * 0.25 * sum;
            second += part / 20.0
                * (a * a.transpose()
                    + b * b.transpose()
                    + c * c.transpose()
                    + sum * sum.transpose());
        }
        (volume, first, second)
    }

    fn shell(&self) -> Solid {
        let (mut area, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|k| self.points[k]);
            let part = 0.5 * (b - a).cross(&(c - a)).norm();
            let sum = a + b + c;
            area += part;
            first += part * sum / 3.0;
            second += part / 12.0
                * (a * a.transpose()
                    + b * b.transpose()
                    + c * c.transpose()
                    + sum * sum.transpose());
        }
        Solid::from_moments(area, first, second, Vector3::zeros())
    }

    fn hull_solid(&self, geom: &Element) -> Result<Solid, Error> {
        let hull = self.hull(geom)?;
        let volume = hull.volume(percussion_dynamics::Dimension::Space);
        let body = hull
            .mass_properties(volume, percussion_dynamics::Dimension::Space)
            .map_err(|source| Error::inertia(geom, source))?;
        Ok(Solid { amount: volume, center: body.center_of_mass(), moments: body.inertia() })
    }
}
