//! Directions in which a world repeats itself: [`Periods`].

use nalgebra::Vector3;

use crate::{grains::Grains, range, settings::Error};

/// A box that repeats itself along some axes, at rest or in shear.
///
/// A grain that leaves the box through one face comes in through the opposite one, and grains near one face touch the
/// images of those near the other. With a [`shear`](Self::shear) the images above the box move along `x`, those below it
/// against `x`, so that a homogeneous shear flow needs no walls.
///
/// # Source
///
/// A. W. Lees, S. F. Edwards, "The computer study of transport processes under extreme conditions", *Journal of Physics
/// C* 5 (1972) 1921–1929 (the shear).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Periods {
    /// Corner of the box with the smallest coordinates (m).
    pub low: Vector3<f64>,
    /// Edges of the box along `x`, `y` and `z` (m), `None` where the world does not repeat itself. Each is more than twice
    /// the largest diameter.
    pub edges: [Option<f64>; 3],
    /// Velocity along `x` of the image above the box relative to the box (m/s); not zero only if `x` and `z` repeat. The
    /// shear rate is this over the edge along `z`.
    pub shear: f64,
    /// Distance along `x` by which the image above the box has moved (m).
    pub offset: f64,
}

/// Number of edges from the box to an image, along each axis.
pub(crate) type Node = [i8; 3];

impl Periods {
    /// A box from `low` with these edges (m), at rest.
    #[must_use]
    pub const fn new(low: Vector3<f64>, edges: [Option<f64>; 3]) -> Self {
        Self { low, edges, shear: 0.0, offset: 0.0 }
    }

    /// Returns the box in shear with this [velocity](Self::shear) (m/s).
    #[must_use]
    pub const fn sheared(self, shear: f64) -> Self {
        Self { shear, ..self }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let fault = |name, value, expected| Err(Error::Setting { name, value, expected });
        for value in self.low.iter().chain([&self.shear, &self.offset]).copied() {
            if !range::is_bounded(value) {
                return fault("periods", value, range::BOUNDED);
            }
        }
        for value in self.edges.into_iter().flatten() {
            if !range::is_positive(value) {
                return fault("periods.edges", value, range::POSITIVE);
            }
        }
        let [x, _, z] = self.edges;
        if (self.shear != 0.0 || self.offset != 0.0) && (x.is_none() || z.is_none()) {
            return fault("periods.shear", self.shear, "0, or periods along x and z");
        }
        Ok(())
    }

    /// The `skin` (m), or what the edges leave room for: two images of a grain whose `diameter` is the largest must not both
    /// be near another one. Edges that leave no room for `reach` (m) are refused.
    pub(crate) fn fit(&self, diameter: f64, skin: f64, reach: f64) -> Result<f64, Error> {
        let room = |edge: f64| (0.5 - 1e-9) * edge - diameter;
        let edges = self.edges.into_iter().flatten();
        let expected =
            "more than twice the largest diameter and four times the way of a grain in a step";
        match edges.clone().find(|edge| room(*edge) < reach) {
            Some(value) => Err(Error::Setting { name: "periods.edges", value, expected }),
            None => Ok(edges.map(room).fold(skin, f64::min)),
        }
    }

    /// Displacement of an image (m).
    pub(crate) fn shift(&self, node: Node) -> Vector3<f64> {
        let mut shift = Vector3::zeros();
        for (k, edge) in self.edges.into_iter().enumerate() {
            shift[k] = f64::from(node[k]) * edge.unwrap_or_default();
        }
        shift.x += f64::from(node[2]) * self.offset;
        shift
    }

    /// Velocity of an image relative to the box (m/s).
    pub(crate) fn drive(&self, node: Node) -> Vector3<f64> {
        Vector3::new(f64::from(node[2]) * self.shear, 0.0, 0.0)
    }

    /// One of each image and its opposite, among those that can be next to the box.
    pub(crate) fn nodes(&self) -> Vec<Node> {
        let along = |k: usize, most: i8| if self.edges[k].is_some() { -most..=most } else { 0..=0 };
        let mut nodes = Vec::new();
        for z in 0..=i8::from(self.edges[2].is_some()) {
            for y in along(1, 1) {
                // The image above may be displaced by up to an edge.
                for x in along(0, if z == 0 { 1 } else { 2 }) {
                    if [z, y, x] > [0; 3] {
                        nodes.push([x, y, z]);
                    }
                }
            }
        }
        nodes
    }

    /// Distance of a point from the box along the axes that repeat (m), negative inside.
    pub(crate) fn distance(&self, at: &Vector3<f64>) -> f64 {
        let along = |(k, edge): (usize, Option<f64>)| {
            let from = at[k] - self.low[k];
            edge.map_or(f64::NEG_INFINITY, |edge| (-from).max(from - edge))
        };
        self.edges.into_iter().enumerate().map(along).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The place in the box of a point or of one of its images (m), with the images where they are by the
    /// [offset](Self::offset).
    ///
    /// # Example
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use percussion_granular::Periods;
    ///
    /// let periods = Periods::new(Vector3::zeros(), [Some(1.0), None, Some(1.0)]);
    /// assert_eq!(periods.wrapped(&Vector3::new(-0.25, 7.0, 2.5)), Vector3::new(0.75, 7.0, 0.5));
    /// ```
    #[must_use]
    pub fn wrapped(&self, at: &Vector3<f64>) -> Vector3<f64> {
        let mut place = *at;
        self.enter(&mut place, |_| ());
        place
    }

    /// Moves a point into the box; `rise` is called with the number of edges along `z`, if it is not zero.
    fn enter(&self, place: &mut Vector3<f64>, rise: impl FnOnce(f64)) {
        let along = |k: usize, place: &Vector3<f64>| {
            let times = |edge: f64| ((place[k] - self.low[k]) / edge).floor();
            self.edges[k].map_or([0.0; 2], |edge| [times(edge), edge])
        };
        let [up, edge] = along(2, place);
        if up != 0.0 {
            place.z -= up * edge;
            place.x -= up * self.offset;
            rise(up);
        }
        for k in [1, 0] {
            let [times, edge] = along(k, place);
            if times != 0.0 {
                place[k] -= times * edge;
            }
        }
    }

    /// The part of the offset that is not a whole edge.
    pub(crate) fn reduce(&mut self) {
        if let Some(edge) = self.edges[0] {
            self.offset = self.offset.rem_euclid(edge);
        }
    }

    /// Moves grains that have left the box to where they come in.
    pub(crate) fn wrap(&self, grains: &mut Grains) {
        for (position, motion) in grains.positions.iter_mut().zip(&mut grains.motions) {
            self.enter(position, |times| motion.velocity.x -= times * self.shear);
        }
    }
}
