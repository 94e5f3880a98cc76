//! Rates of a contact between features along a motion, in closed form.
//!
//! Whatever function found a contact, its two points belong to a vertex, a line, a circle or a plane of each solid.
//! The points of the solid that are farthest along the normal determine which. The rates of these are those of
//! [`percussion_dynamics::gap::rates`]; the normal of a plane is fixed to its body.

use nalgebra::{UnitQuaternion, Vector3};
use percussion_dynamics::{
    Dimension,
    gap::rates::{Core, Rates, Touch},
    motion::BodyMotion,
};

use super::{PARALLEL, edge_edge, edge_start_along};
use crate::{
    feature::Feature,
    solid::{Placed, Solid},
};

/// A normal within this angle (rad) of that of a face or a side is taken as equal to it: the direction between
/// nearest points has an error of about `1e-10`, which is the rounding over [`CLOSE`](super::CLOSE).
const ALIGNED: f64 = 1e-9;

/// The part of a surface that a contact point belongs to.
#[derive(Clone, Copy, Debug)]
enum Part {
    Core(Core),
    /// A plane, whose normal is that of the contact.
    Plane,
}

/// Rates of the contact `touch` of two solids whose bodies have these motions.
pub(crate) fn rates(
    placed: [&Placed<'_>; 2],
    features: [Feature; 2],
    dimension: Dimension,
    motions: [&BodyMotion<'_>; 2],
    touch: &Touch,
) -> Rates {
    let side = |k: usize| Side { placed: placed[k], motion: motions[k], point: touch.points[k] };
    let sides = [side(0), side(1)];
    // The outward normals.
    let normals = [-touch.normal, touch.normal];
    let parts = if let [Feature::Edge(i), Feature::Edge(j)] = features
        && edge_edge(placed[0], i, placed[1], j, PARALLEL).is_some()
    {
        [sides[0].edge(i, &normals[0]), sides[1].edge(j, &normals[1])]
    } else {
        [0, 1].map(|k| sides[k].part(features[k], &normals[k], dimension))
    };
    match parts {
        [Part::Core(first), Part::Core(second)] => {
            let end = |k: usize| dimension == Dimension::Plane && sides[k].is_flat_end(&normals[k]);
            // Rods that overlap in the plane may be separated by the end of one, as if the rod were cut straight
            // there.
            if is_away(&[first, second], touch) && end(1) {
                Rates::on_plane(&first, motions, touch)
            } else if is_away(&[first, second], touch) && end(0) {
                flipped_on_plane(&second, motions, touch)
            } else {
                Rates::of_cores(&unless_parallel([first, second]), &touch.normal)
            }
        }
        [Part::Core(first), Part::Plane] => Rates::on_plane(&first, motions, touch),
        [Part::Plane, Part::Core(second)] => flipped_on_plane(&second, motions, touch),
        [Part::Plane, Part::Plane] => Rates::on_plane(&sides[0].vertex(), motions, touch),
    }
}

/// The rates if body 1 carries the plane.
fn flipped_on_plane(core: &Core, motions: [&BodyMotion<'_>; 2], touch: &Touch) -> Rates {
    let Touch { gap, points: [one, two], normal } = *touch;
    let flipped = Touch { gap, points: [two, one], normal: -normal };
    Rates::on_plane(core, [motions[1], motions[0]], &flipped).flipped()
}

/// Whether the difference of two vertices is not along the normal of the contact.
fn is_away([first, second]: &[Core; 2], touch: &Touch) -> bool {
    let between = first.point - second.point;
    let is_vertex = |core: &Core| core.curve.is_none();
    is_vertex(first)
        && is_vertex(second)
        && touch.normal.dot(&between) <= (1.0 - ALIGNED) * between.norm()
}

/// Parallel lines have no unique nearest points: the first point is then fixed to its body.
fn unless_parallel([first, second]: [Core; 2]) -> [Core; 2] {
    let (Some(p), Some(q)) = (first.curve, second.curve) else { return [first, second] };
    let straight = p.curvature == Vector3::zeros() && q.curvature == Vector3::zeros();
    let cross = p.tangent.cross(&q.tangent).norm();
    let parallel = straight && cross <= PARALLEL * p.tangent.norm() * q.tangent.norm();
    [if parallel { first.fixed() } else { first }, second]
}

/// A solid of a contact, its motion, and the contact point on its surface.
#[derive(Clone, Copy)]
struct Side<'a> {
    placed: &'a Placed<'a>,
    motion: &'a BodyMotion<'a>,
    point: Vector3<f64>,
}

impl Side<'_> {
    /// The part that `feature` names. For a whole surface it is the part with the outward normal `outward` (world).
    fn part(&self, feature: Feature, outward: &Vector3<f64>, dimension: Dimension) -> Part {
        let placed = self.placed;
        match feature {
            Feature::Face(_) => Part::Plane,
            Feature::Vertex(i) => {
                let vertex = placed.vertex(i);
                Part::Core(Core::vertex(self.motion, &vertex, placed.solid.rounding()))
            }
            Feature::Rim(_) => Part::Core(self.circle()),
            Feature::Edge(_) | Feature::Whole => self.whole(outward, dimension),
        }
    }

    fn whole(&self, outward: &Vector3<f64>, dimension: Dimension) -> Part {
        let Placed { solid, pose, .. } = self.placed;
        let local = pose.rotation.inverse_transform_vector(outward);
        let radius = solid.rounding();
        match solid {
            Solid::Ball { .. } => {
                Part::Core(Core::vertex(self.motion, &pose.translation.vector, radius))
            }
            Solid::HalfSpace { .. } => Part::Plane,
            Solid::Capsule { half, .. } => {
                let along = half.dot(&local) / half.norm();
                if along.abs() > ALIGNED {
                    let end = self.placed.point(&(half * along.signum()));
                    Part::Core(Core::vertex(self.motion, &end, radius))
                } else if dimension == Dimension::Plane {
                    Part::Plane
                } else {
                    Part::Core(self.line(&(pose.rotation * half), radius, outward))
                }
            }
            Solid::Cylinder { radius, .. } => {
                if local.xy().norm() <= ALIGNED {
                    Part::Plane
                } else if local.z.abs() <= ALIGNED {
                    let axis = pose.rotation * Vector3::z() * *radius;
                    Part::Core(self.line(&axis, *radius, outward))
                } else {
                    Part::Core(self.circle())
                }
            }
            Solid::Polytope(_) | Solid::Rectangle { .. } => self.farthest(&local, &pose.rotation),
        }
    }

    /// The vertex, edge or face of a polygon or polyhedron that is farthest along `local`, in its frame.
    fn farthest(&self, local: &Vector3<f64>, rotation: &UnitQuaternion<f64>) -> Part {
        let solid = self.placed.solid;
        let heights = || (0..solid.vertex_count()).map(|i| (i, solid.vertex(i).dot(local)));
        let top = heights().map(|(_, height)| height).fold(f64::NEG_INFINITY, f64::max);
        let mut on_top = heights().filter(|(_, h)| *h >= top - ALIGNED * solid.size());
        let is_flat = matches!(solid, Solid::Rectangle { .. });
        match (on_top.next(), on_top.next(), on_top.next()) {
            (Some((i, _)), None, _) => {
                Part::Core(Core::vertex(self.motion, &self.placed.vertex(i), 0.0))
            }
            (Some((i, _)), Some((j, _)), None) if !is_flat => {
                let along = rotation * (solid.vertex(j) - solid.vertex(i));
                Part::Core(self.line(&along, 0.0, local))
            }
            _ => Part::Plane,
        }
    }

    /// The line of edge `index`.
    fn edge(&self, index: usize, outward: &Vector3<f64>) -> Part {
        let along = edge_start_along(self.placed, index).map(|(_, along)| along);
        let radius = self.placed.solid.rounding();
        Part::Core(self.line(&along.unwrap_or_default(), radius, outward))
    }

    /// A line along `along` that is rounded by `radius`, below the contact point.
    fn line(&self, along: &Vector3<f64>, radius: f64, outward: &Vector3<f64>) -> Core {
        let point = self.point - radius * outward;
        Core::on_curve(self.motion, &point, [*along, Vector3::zeros()], radius)
    }

    /// The rim of a cylinder through the contact point, parametrized by the angle about the axis.
    fn circle(&self) -> Core {
        let pose = &self.placed.pose;
        let axis = pose.rotation * Vector3::z();
        let arm = self.point - pose.translation.vector;
        let arm = arm - axis * axis.dot(&arm);
        Core::on_curve(self.motion, &self.point, [axis.cross(&arm), -arm], 0.0)
    }

    /// The contact point as a material point of its body.
    fn vertex(&self) -> Core {
        Core::vertex(self.motion, &self.point, 0.0)
    }

    /// Whether `outward` is the direction of the end of a rod.
    fn is_flat_end(&self, outward: &Vector3<f64>) -> bool {
        let Solid::Capsule { half, .. } = self.placed.solid else { return false };
        let axis = self.placed.pose.rotation * half;
        axis.cross(outward).norm() <= ALIGNED * half.norm()
    }
}
