//! Shapes of grains: checks, and the [`Mold`]s of a [`Scene`].

use std::{collections::BTreeMap, path::Path, sync::Arc};

use nalgebra::Vector3;
use percussion_collision::Shape;
use percussion_granular::bodies::{Ball, Mold};

use super::{GrainKind, GrainShape, Scene, WallEntry};
use crate::{
    Error,
    rules::{count, finite, positive, refuse},
};

const LENGTH: &str = "a positive finite length";

/// Maximum number of balls of a clump: their mass properties take a time that grows with the fourth power.
const MOST_BALLS: usize = 64;

/// Maximum number of corners of a polyhedron: two of them are compared edge by edge.
const MOST_CORNERS: usize = 128;

/// Relative rounding of places in files, up to which balls touch.
const ROUNDING: f64 = 1e-9;

impl Scene {
    /// Whether some grains have a shape, so that all are bodies.
    #[must_use]
    pub fn is_shaped(&self) -> bool {
        self.grains.iter().any(|kind| kind.shape.is_some())
    }

    /// Prepares the shapes of all kinds; those from files only with the `folder` of the scene.
    pub(super) fn shape_grains(&mut self, folder: Option<&Path>) -> Result<(), Error> {
        for (index, kind) in self.grains.iter_mut().enumerate() {
            let Some(shape) = &kind.shape else { continue };
            let path = format!("grains[{index}].shape");
            if kind.mold.is_none() {
                kind.mold = mold(&path, shape, folder)?.map(Arc::new);
            }
        }
        Ok(())
    }

    /// Forgets the shapes that were prepared.
    pub(super) fn forget_shapes(&mut self) {
        self.grains.iter_mut().for_each(|kind| kind.mold = None);
    }

    /// The shapes of all kinds, where round grains are balls, and the smallest diameter of a grain (m).
    pub(super) fn molds(&self) -> Result<(Vec<Arc<Mold>>, f64), Error> {
        let smallest = self.grains.iter().map(|kind| kind.range()[0]).fold(f64::INFINITY, f64::min);
        let ball = || {
            let ball = Mold::clump(&[Ball { center: Vector3::zeros(), radius: 0.5 }]);
            ball.map(Arc::new).map_err(|error| unusable("grains", &error))
        };
        let molds = self.grains.iter().map(|kind| kind.mold.clone().map_or_else(ball, Ok));
        Ok((molds.collect::<Result<_, _>>()?, smallest))
    }

    /// Checks that the smallest and the largest grain of every kind can be bodies.
    pub(super) fn check_bodies(&self) -> Result<(), Error> {
        for (index, kind) in self.grains.iter().enumerate() {
            let Some(mold) = &kind.mold else { continue };
            let field = match (kind.diameter, &kind.sizes) {
                (Some(_), _) => "diameter",
                (None, Some(_)) => "sizes",
                (None, None) => "shape",
            };
            for diameter in kind.range() {
                let form = mold.form(diameter / mold.diameter(), kind.mass_of(diameter), 0.0);
                form.map_err(|error| unusable(&format!("grains[{index}].{field}"), &error))?;
            }
        }
        Ok(())
    }

    /// Refuses what grains with shapes cannot do yet.
    pub(super) fn check_shaped(&self) -> Result<(), Error> {
        if !self.is_shaped() {
            return Ok(());
        }
        const EXPECTED: &str = "none where grains have a shape";
        for (name, span) in [
            ("periodic.x", self.periodic.x),
            ("periodic.y", self.periodic.y),
            ("periodic.z", self.periodic.z),
        ] {
            span.map_or(Ok(()), |span| refuse(name, &span, EXPECTED))?;
        }
        self.check_rolling()
    }

    /// Refuses resistance to rolling and spinning of shapes with flat faces: several points keep a face from turning, so that a
    /// length for each would say nothing.
    fn check_rolling(&self) -> Result<(), Error> {
        let flat = |kind: &&GrainKind| {
            matches!(&kind.shape, Some(GrainShape::Box { .. } | GrainShape::Polyhedron { .. }))
        };
        let grains = self.grains.iter().map(GrainKind::material);
        let others: Vec<&str> = grains.chain(self.walls.iter().map(WallEntry::material)).collect();
        for kind in self.grains.iter().filter(flat) {
            for other in &others {
                let one = kind.material();
                let (found, entry) = (self.interaction(one, other), self.pair_of(one, other));
                let given = entry.map_or([false; 2], |k| {
                    let pair = &self.materials[k];
                    [pair.rolling_friction.is_some(), pair.spinning_friction.is_some()]
                });
                let fields = [
                    ("rolling_friction", found.rolling, given[0]),
                    ("spinning_friction", found.spinning, given[1]),
                ];
                for (name, value, is_given) in fields {
                    if value == 0.0 {
                        continue;
                    }
                    let own = entry.filter(|_| is_given);
                    let path = own.map_or(name.to_owned(), |k| format!("materials[{k}].{name}"));
                    let reason = format!(
                        "{value:?} between `{one}` and `{other}`, expected 0: `{}` have flat faces, and only contacts of \
                         balls resist",
                        kind.name
                    );
                    return Err(Error::GrainShape { path, reason });
                }
            }
        }
        Ok(())
    }
}

impl GrainKind {
    /// Diameter of the ball around a grain over that of the ball of equal volume.
    pub(super) fn spread(&self) -> f64 {
        self.mold.as_ref().map_or(1.0, |mold| 2.0 * mold.radius() / mold.diameter())
    }
}

fn unusable(path: &str, reason: &dyn std::fmt::Display) -> Error {
    Error::GrainShape { path: path.to_owned(), reason: reason.to_string() }
}

/// The mold of a shape; `None` for that of a file as long as the folder is not known.
fn mold(path: &str, shape: &GrainShape, folder: Option<&Path>) -> Result<Option<Mold>, Error> {
    match shape {
        GrainShape::Clump { balls } => clump(&format!("{path}.clump.balls"), balls).map(Some),
        GrainShape::Box { size } => {
            let path = format!("{path}.box.size");
            for (k, edge) in size.iter().enumerate() {
                positive(&format!("{path}[{k}]"), *edge, LENGTH)?;
            }
            solid(&path, Shape::Box { half_extents: 0.5 * Vector3::from(*size) }).map(Some)
        }
        GrainShape::Polyhedron { points, file, scale } => {
            let path = format!("{path}.polyhedron");
            positive(&format!("{path}.scale"), *scale, "a positive finite number")?;
            match (points, file) {
                (Some(points), None) => {
                    let path = format!("{path}.points");
                    for (k, point) in points.iter().enumerate() {
                        finite(&format!("{path}[{k}]"), point)?;
                    }
                    let points: Vec<_> =
                        points.iter().map(|point| *scale * Vector3::from(*point)).collect();
                    hull(&path, &points).map(Some)
                }
                (None, Some(file)) => {
                    let Some(folder) = folder else { return Ok(None) };
                    let path = format!("{path}.file");
                    let corners = closed_surface(&folder.join(file))
                        .map_err(|reason| Error::Mesh { path: path.clone(), reason })?;
                    let points: Vec<_> = corners.iter().map(|corner| *scale * corner).collect();
                    hull(&path, &points).map(Some)
                }
                (both, _) => {
                    let found = 2 * usize::from(both.is_some());
                    count(&path, found, false, "either `points` or `file`").map(|()| None)
                }
            }
        }
    }
}

fn clump(path: &str, balls: &[[f64; 4]]) -> Result<Mold, Error> {
    let fits = (1..=MOST_BALLS).contains(&balls.len());
    count(path, balls.len(), fits, "from 1 to 64 balls")?;
    for (k, [x, y, z, radius]) in balls.iter().enumerate() {
        finite(&format!("{path}[{k}]"), &[*x, *y, *z])?;
        positive(&format!("{path}[{k}][3]"), *radius, "a positive finite radius")?;
    }
    let all: Vec<Ball> = balls
        .iter()
        .map(|[x, y, z, radius]| Ball { center: Vector3::new(*x, *y, *z), radius: *radius })
        .collect();
    // From the first ball on, what touches what is reached.
    let (mut reached, mut next) = (vec![false; all.len()], vec![0]);
    reached[0] = true;
    while let Some(one) = next.pop() {
        for (other, ball) in all.iter().enumerate() {
            let apart = (ball.center - all[one].center).norm();
            let touches = apart <= (ball.radius + all[one].radius) * (1.0 + ROUNDING);
            if touches && !reached[other] {
                reached[other] = true;
                next.push(other);
            }
        }
    }
    if let Some(k) = reached.iter().position(|reached| !reached) {
        let expected = "a ball that hangs together with the first one through balls that touch";
        refuse(&format!("{path}[{k}]"), &balls[k], expected)?;
    }
    Mold::clump(&all).map_err(|error| unusable(path, &error))
}

fn hull(path: &str, points: &[Vector3<f64>]) -> Result<Mold, Error> {
    let shape = Shape::hull(points).map_err(|error| unusable(path, &error))?;
    if let Shape::Hull(hull) = &shape {
        let found = hull.vertices().len();
        count(path, found, found <= MOST_CORNERS, "a hull of at most 128 corners")?;
    }
    solid(path, shape)
}

fn solid(path: &str, shape: Shape) -> Result<Mold, Error> {
    shape.check().map_err(|error| unusable(path, &error))?;
    Mold::solid(shape).map_err(|error| unusable(path, &error))
}

/// The corners of the triangles of a file, every edge of which belongs to two of them.
#[cfg(feature = "urdf")]
fn closed_surface(file: &Path) -> Result<Vec<Vector3<f64>>, String> {
    let shown = file.display();
    if !file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("stl")) {
        return Err(format!("{shown}: expected a file *.stl"));
    }
    let corners = crate::mesh::vertices(file)?;
    let (triangles, _) = corners.as_chunks::<3>();
    if triangles.is_empty() {
        return Err(format!("{shown}: it has no triangles, expected a closed surface"));
    }
    // Zero has two signs.
    let key = |corner: &Vector3<f64>| [0, 1, 2].map(|k| (corner[k] + 0.0).to_bits());
    let mut edges: BTreeMap<_, (usize, [Vector3<f64>; 2])> = BTreeMap::new();
    for triangle in triangles {
        let keys = triangle.each_ref().map(key);
        if keys[0] == keys[1] || keys[1] == keys[2] || keys[2] == keys[0] {
            continue;
        }
        for k in 0..3 {
            let next = (k + 1) % 3;
            let ends = [keys[k].min(keys[next]), keys[k].max(keys[next])];
            edges.entry(ends).or_insert((0, [triangle[k], triangle[next]])).0 += 1;
        }
    }
    match edges.values().find(|(triangles, _)| *triangles != 2) {
        None => Ok(corners),
        Some((triangles, [from, to])) => {
            let [from, to] = [from, to].map(|end| format!("({}, {}, {})", end.x, end.y, end.z));
            Err(format!(
                "{shown}: the edge from {from} to {to} belongs to {triangles} triangles, expected a closed surface, \
                 where each belongs to 2"
            ))
        }
    }
}

#[cfg(not(feature = "urdf"))]
fn closed_surface(file: &Path) -> Result<Vec<Vector3<f64>>, String> {
    Err(format!("{}: built without the feature `urdf`, which reads meshes", file.display()))
}
