//! [`Wall`]s as the pieces that parts of bodies touch: [`Walls`].
//!
//! | surface | balls | boxes and hulls |
//! | --- | --- | --- |
//! | plane | nearest point | corners |
//! | solid | nearest point | as of another body |
//! | endless cylinder | nearest point | as of a body: a cylinder whose ends are beyond the part |
//! | tube | nearest point | corners |
//! | triangle | nearest point | as of a body: a thin prism |
//! | thin cone, pipe, ring | nearest point | triangles |
//!
//! All but the last are exact. The distance from an axis is a convex function, so that the point of a body that is
//! farthest out in a tube is a corner.
//!
//! A round shell of radius `R` becomes a polygon with `N` sides whose corners lie outside of the circle by as much as
//! the middles of its sides lie inside,
//!
//! ```math
//! \delta = R\,\frac{1 - \cos(\pi/N)}{1 + \cos(\pi/N)} \approx \frac{\pi^2 R}{4 N^2},
//! ```
//!
//! and `N` is the smallest number for which this is at most [`DEVIATION`] of the smallest diameter.
//!
//! A prism of thickness `2 t` reaches beyond its triangle by `t` on either side, by which gaps over its faces are
//! corrected; at the rim of a mesh, where no triangle is beside an edge, it may add up to `t` to the edge. At edges and corners
//! that a neighbor covers, a body is over the face and touches that, unless it is beside the triangle: then the
//! neighbor carries it.
//!
//! A part on one side of a thin wall stays there, because the shortest way out of an overlap is back as long as half of
//! the part has not passed.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use percussion_collision::{Collider, ColliderError, Feature, Hull, Shape};

use super::{form::Form, settings::Error};
use crate::{
    grains::narrow,
    servo::{self, Servo},
    wall::{Frustum, RimTouch, Surface, Triangle, Wall, near::NearWalls},
};

/// Largest distance of a round shell and the triangles that take its place, in smallest diameters.
const DEVIATION: f64 = 2e-3;

/// Half of the thickness of a triangle, in smallest diameters, and at least in its own edges.
const THIN: [f64; 2] = [5e-4, 1e-6];

/// Minimum and maximum number of sides of a round shell; with the maximum its radius is 650 diameters.
const SIDES: [f64; 2] = [12.0, 900.0];

/// Walls, sorted by where they are.
#[derive(Clone, Debug, Default)]
pub(super) struct Walls {
    all: Vec<Wall>,
    pieces: Vec<Piece>,
    /// First piece of each wall, and the number of pieces.
    starts: Vec<u32>,
    /// Smallest diameter of a body (m).
    smallest: f64,
    /// How far a piece may lie beside its wall (m).
    beside: f64,
    near: NearWalls,
}

/// What parts of bodies touch, relative to the [reference](Surface::reference) of its wall.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) wall: u32,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// The surface as it is, which balls touch. All others are for parts with corners.
    Whole,
    Solid(Collider),
    Cylinder {
        /// From the axis along `z` to that of the cylinder.
        turn: UnitQuaternion<f64>,
        radius: f64,
    },
    Tube {
        axis: Vector3<f64>,
        radius: f64,
    },
    Facet(Box<Facet>),
}

/// A triangle as a thin prism.
#[derive(Clone, Debug)]
pub(super) struct Facet {
    triangle: Triangle,
    normal: Vector3<f64>,
    /// Half of the thickness (m).
    half: f64,
    pub(super) collider: Collider,
    /// For each face of the prism whether it is one of the two that have the size of the triangle.
    is_large: Vec<bool>,
}

impl Walls {
    /// The walls for bodies with diameters from `smallest` (m) on.
    pub(super) fn new(all: Vec<Wall>, smallest: f64) -> Result<Self, Error> {
        let (mut pieces, mut starts, mut beside) = (Vec::new(), vec![0], 0.0_f64);
        for (index, wall) in all.iter().enumerate() {
            if let Some((name, value, expected)) = wall.fault() {
                return Err(Error::Boundary { index, name, value, expected });
            }
            pieces.push(Piece { wall: narrow(index), kind: Kind::Whole });
            let kinds = flat(&wall.surface, smallest);
            let kinds = kinds.map_err(|fault| fault.at(index))?;
            for kind in kinds {
                if let Kind::Facet(facet) = &kind {
                    beside = beside.max(facet.half + DEVIATION * smallest);
                }
                pieces.push(Piece { wall: narrow(index), kind });
            }
            starts.push(narrow(pieces.len()));
        }
        Ok(Self { all, pieces, starts, smallest, beside, near: NearWalls::default() })
    }

    pub(super) fn all(&self) -> &[Wall] {
        &self.all
    }

    pub(super) fn of(&self, piece: &Piece) -> &Wall {
        &self.all[piece.wall as usize]
    }

    pub(super) fn piece(&self, number: u32) -> &Piece {
        &self.pieces[number as usize]
    }

    /// Number of pieces.
    pub(super) fn count(&self) -> u32 {
        narrow(self.pieces.len())
    }

    /// Replaces a wall that exists; its pieces stay while the surface is only moved.
    pub(super) fn set(&mut self, index: usize, wall: Wall) -> Result<(), Error> {
        let by = wall.surface.reference() - self.all[index].surface.reference();
        let is_same = self.all[index].surface.clone().moved(&by) == wall.surface;
        self.all[index] = wall;
        if !is_same {
            *self = Self::new(std::mem::take(&mut self.all), self.smallest)?;
        }
        Ok(())
    }

    /// Replaces all walls by the same ones at other places, with other motions.
    pub(super) fn replace(&mut self, all: Vec<Wall>) {
        self.all = all;
    }

    /// The velocity of a wall and of its surface.
    pub(super) fn drive(&mut self, index: usize, velocity: Vector3<f64>, spin: Vector3<f64>) {
        (self.all[index].velocity, self.all[index].angular_velocity) = (velocity, spin);
    }

    /// Makes walls move as their servos do.
    pub(super) fn drive_by(&mut self, servos: &[Servo]) {
        servo::drive(servos, &mut self.all);
    }

    pub(super) fn advance(&mut self, step: f64) {
        let moving = self.all.iter_mut().filter(|wall| wall.velocity != Vector3::zeros());
        moving.for_each(|wall| wall.advance(step));
    }

    /// The largest speed of a wall (m/s).
    pub(super) fn speed(&self) -> f64 {
        self.all.iter().map(|wall| wall.velocity.norm()).fold(0.0, f64::max)
    }

    /// Sorts the walls for bodies that are near from `reach` (m) on.
    pub(super) fn sort(&mut self, reach: f64) {
        let Self { all, near, beside, .. } = self;
        near.sort(all, reach + *beside);
    }

    /// Lists the pieces with a gap of at most `skin` (m) to the ball around a body at `position`.
    pub(super) fn list(
        &self,
        form: &Form,
        position: &Vector3<f64>,
        skin: f64,
        found: &mut Vec<u32>,
        list: &mut impl FnMut(u32),
    ) {
        self.near.at(position, found);
        let limit = skin + form.radius() + self.beside;
        for &index in &*found {
            let at = index as usize;
            let wall = &self.all[at];
            if wall.absent || wall.surface.clearance(position) > limit {
                continue;
            }
            let place = position - wall.surface.reference();
            for number in self.starts[at]..self.starts[at + 1] {
                let is_near = match &self.piece(number).kind {
                    Kind::Whole => form.has_balls,
                    Kind::Facet(facet) => {
                        form.has_corners && facet.triangle.clearance(&place) <= limit
                    }
                    _ => form.has_corners,
                };
                if is_near {
                    list(number);
                }
            }
        }
    }
}

impl Facet {
    fn new(triangle: Triangle, smallest: f64) -> Result<Self, Fault> {
        let normal = triangle.normal().ok_or(Fault::Flat)?;
        let [a, b, c] = triangle.corners;
        let longest = [b - a, c - b, a - c].map(|edge| edge.norm()).into_iter().fold(0.0, f64::max);
        let half = (THIN[0] * smallest).max(THIN[1] * longest);
        let hull = Hull::prism(&[a, b, c], half).map_err(|_| Fault::Flat)?;
        let is_large =
            hull.faces().iter().map(|face| face.normal.dot(&normal).abs() > 0.9).collect();
        let shape = Shape::Hull(Arc::new(hull));
        let collider = Collider::fixed(shape)?;
        Ok(Self { triangle, normal, half, collider, is_large })
    }

    /// The gap and normal of a contact with this feature of the prism, at a place of its surface relative to the reference; `None`
    /// if it is for another triangle.
    pub(super) fn corrected(
        &self,
        feature: Feature,
        at: &Vector3<f64>,
        (gap, normal): (f64, Vector3<f64>),
    ) -> Option<(f64, Vector3<f64>)> {
        let is_large = |face: usize| self.is_large.get(face).copied().unwrap_or(false);
        let touch = match feature {
            Feature::Face(face) if is_large(face) => RimTouch::Rim,
            _ => self.triangle.touch_at(at, &normal, 2.0 * self.half),
        };
        let along = self.normal.dot(&normal);
        match touch {
            RimTouch::Rim => Some((gap + self.half * along.abs(), normal)),
            // The point that is nearest to the edge has this distance from the plane.
            RimTouch::Face => {
                Some((gap / along.abs() + self.half, self.normal.scale(along.signum())))
            }
            RimTouch::None => None,
        }
    }
}

/// A cylinder along an endless one whose ends are beyond a ball of `reach` (m) about `at`, relative to the reference: its
/// collider and place.
pub(super) fn stretch(
    turn: &UnitQuaternion<f64>,
    radius: f64,
    at: &Vector3<f64>,
    reach: f64,
) -> Result<(Collider, Isometry3<f64>), ColliderError> {
    let axis = turn * Vector3::z();
    let middle = axis.dot(at) * axis;
    let shape = Shape::Cylinder { half_height: 4.0 * reach, radius };
    Ok((Collider::fixed(shape)?, Isometry3::from_parts(middle.into(), *turn)))
}

/// Calls `see` with the number of each corner of a box or hull and its place.
pub(super) fn each_corner(
    shape: &Shape,
    pose: &Isometry3<f64>,
    mut see: impl FnMut(usize, Vector3<f64>),
) {
    let mut see = |number, corner: Vector3<f64>| see(number, (pose * Point3::from(corner)).coords);
    match shape {
        Shape::Box { half_extents } => {
            for number in 0..8 {
                let sign = |k: usize| if number >> k & 1 == 1 { 1.0 } else { -1.0 };
                see(number, Vector3::from_fn(|k, _| sign(k) * half_extents[k]));
            }
        }
        Shape::Hull(hull) => {
            hull.vertices().iter().enumerate().for_each(|(number, corner)| see(number, *corner));
        }
        _ => {}
    }
}

/// Why a wall has no pieces.
enum Fault {
    Collider(ColliderError),
    Flat,
    Large(f64),
}

impl From<ColliderError> for Fault {
    fn from(source: ColliderError) -> Self {
        Self::Collider(source)
    }
}

impl Fault {
    const fn at(self, index: usize) -> Error {
        match self {
            Self::Collider(source) => Error::Collider { index, source },
            Self::Flat => Error::Boundary {
                index,
                name: "height of the triangle over its longest edge",
                value: 0.0,
                expected: "at least about 1e-6, so that bodies with corners can touch it",
            },
            Self::Large(value) => Error::Boundary {
                index,
                name: "radius",
                value,
                expected: "at most 650 diameters of the smallest grain with corners",
            },
        }
    }
}

/// The pieces of a surface for parts with corners.
fn flat(surface: &Surface, smallest: f64) -> Result<Vec<Kind>, Fault> {
    let turned = |axis: &Vector3<f64>| {
        UnitQuaternion::rotation_between(&Vector3::z(), axis).unwrap_or_else(|| {
            UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
        })
    };
    Ok(match surface {
        Surface::Plane { normal, .. } => {
            vec![Kind::Solid(Collider::fixed(Shape::HalfSpace { normal: **normal })?)]
        }
        Surface::Solid { shape, pose } => {
            let turn = Isometry3::from_parts(Vector3::zeros().into(), pose.rotation);
            vec![Kind::Solid(Collider::fixed(shape.clone())?.with_pose(turn)?)]
        }
        Surface::Cylinder { axis, radius, .. } => {
            vec![Kind::Cylinder { turn: turned(axis), radius: *radius }]
        }
        Surface::Tube { axis, radius, .. } => vec![Kind::Tube { axis: **axis, radius: *radius }],
        Surface::Frustum(frustum) => facets(&shell(frustum, smallest)?, smallest)?,
        Surface::Triangle(triangle) => {
            let [a, b, c] = triangle.corners;
            let corners = [Vector3::zeros(), b - a, c - a];
            let triangle = Triangle { corners, ..triangle.clone() };
            vec![Kind::Facet(Box::new(Facet::new(triangle, smallest)?))]
        }
    })
}

fn facets(corners: &[[Vector3<f64>; 3]], smallest: f64) -> Result<Vec<Kind>, Fault> {
    let triangles = Triangle::of_mesh(corners).into_iter();
    let facet = |triangle| Ok(Kind::Facet(Box::new(Facet::new(triangle, smallest)?)));
    triangles.map(facet).collect()
}

/// The triangles of a thin cone, relative to the center of its first end.
fn shell(frustum: &Frustum, smallest: f64) -> Result<Vec<[Vector3<f64>; 3]>, Fault> {
    let Frustum { axis, height, radii, .. } = frustum;
    let widest = radii[0].max(radii[1]);
    // Half of the angle of a side, by `δ/R = tan²(angle/2)`.
    let angle = 2.0 * (DEVIATION * smallest / widest).sqrt().atan();
    let sides = (std::f64::consts::PI / angle).ceil().max(SIDES[0]);
    if sides > SIDES[1] {
        return Err(Fault::Large(widest));
    }
    let half = std::f64::consts::PI / sides;
    let wider = 2.0 / (1.0 + half.cos());
    let across = UnitQuaternion::rotation_between(&Vector3::z(), axis).unwrap_or_else(|| {
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
    });
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 900")]
    let count = sides as u32;
    let corner = |end: usize, side: u32| {
        let (sine, cosine) = (2.0 * half * f64::from(side % count)).sin_cos();
        let radius = wider * radii[end];
        across * Vector3::new(radius * cosine, radius * sine, [0.0, *height][end])
    };
    let pair = |side: u32| {
        let [a, b] = [0, 1].map(|end| corner(end, side));
        let [c, d] = [0, 1].map(|end| corner(end, side + 1));
        [[a, c, b], [c, d, b]]
    };
    Ok((0..count).flat_map(pair).collect())
}
