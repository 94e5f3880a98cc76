//! Ranks as the machine of a run: [`Ranks`].

use std::{fmt, str::FromStr};

use nalgebra::Vector3;
use percussion_cli::grains::Machine;
use percussion_granular::{
    Error, Settings, Wall,
    decomposition::{Exchange, Partition, Subdomain},
};

/// Ranks that are connected by an exchange.
#[derive(Debug)]
pub struct Ranks<E> {
    rank: usize,
    /// Until the domain is made.
    exchange: Option<E>,
    shape: Option<Shape>,
    begun: bool,
}

/// Number of boxes along `x`, `y` and `z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape(pub [usize; 3]);

impl<E: Exchange> Ranks<E> {
    /// The ranks of an exchange, each with a box of space; by default with as few common faces as possible.
    pub fn new(exchange: E, shape: Option<Shape>) -> Self {
        Self { rank: exchange.rank(), exchange: Some(exchange), shape, begun: false }
    }

    /// Whether the input was accepted and the steps have begun.
    #[must_use]
    pub const fn has_begun(&self) -> bool {
        self.begun
    }
}

impl<E: Exchange> Machine for Ranks<E> {
    type Domain = Subdomain<E>;

    fn rank(&self) -> usize {
        self.rank
    }

    fn domain(
        &mut self,
        settings: Settings,
        walls: Vec<Wall>,
        [low, high]: [Vector3<f64>; 2],
        repeats: [bool; 3],
    ) -> Result<Subdomain<E>, Error> {
        let twice = Error::Setting { name: "domains", value: 2.0, expected: "1 for each rank" };
        let exchange = self.exchange.take().ok_or(twice)?;
        // A scene without extent, or none along an axis, is divided somewhere.
        let edges = (high - low).map(|edge| if edge > 0.0 { edge } else { 1.0 });
        let shape = self.shape.unwrap_or_else(|| Shape::compact(exchange.size(), edges, repeats));
        let partition = Partition::even(shape.0, [low, low + edges])?;
        Subdomain::new(settings, walls, partition, exchange)
    }

    fn is_recorded(&self) -> bool {
        true
    }

    fn begin(&mut self) {
        self.begun = true;
    }
}

impl Shape {
    /// The division of a block with these edges (m) into `count` equal boxes whose common faces have the least area, none
    /// of them across an axis along which space `repeats` itself, unless it does so along all.
    #[must_use]
    pub fn compact(count: usize, edges: Vector3<f64>, repeats: [bool; 3]) -> Self {
        let volume = edges.product();
        let area = |shape: [usize; 3]| {
            let cuts = |axis: usize| match shape[axis] - 1 {
                0 => 0.0,
                _ if repeats[axis] => f64::INFINITY,
                cuts => cuts as f64,
            };
            (0..3).map(|axis| cuts(axis) * volume / edges[axis]).sum::<f64>()
        };
        let mut best = [count, 1, 1];
        for long in (1..=count).filter(|long| count.is_multiple_of(*long)) {
            let rest = count / long;
            for wide in (1..=rest).filter(|wide| rest.is_multiple_of(*wide)) {
                let shape = [long, wide, rest / wide];
                if area(shape) < area(best) {
                    best = shape;
                }
            }
        }
        Self(best)
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let counts: Option<Vec<usize>> = text.split('x').map(|count| count.parse().ok()).collect();
        match counts.as_deref() {
            Some(&[long, wide, high]) if long > 0 && wide > 0 && high > 0 => {
                Ok(Self([long, wide, high]))
            }
            _ => Err("expected numbers of boxes along x, y and z such as 2x2x1".to_owned()),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([long, wide, high]) = self;
        write!(formatter, "{long}x{wide}x{high}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_have_small_faces() {
        let shape =
            |count, edges: [f64; 3]| Shape::compact(count, edges.into(), [false; 3]).to_string();
        assert_eq!(shape(4, [10.0, 1.0, 1.0]), "4x1x1");
        assert_eq!(shape(4, [1.0, 1.0, 0.1]), "2x2x1");
        assert_eq!(shape(8, [1.0, 1.0, 1.0]), "2x2x2");
        assert_eq!(shape(7, [1.0, 1.0, 3.0]), "1x1x7");
        assert_eq!(shape(1, [1.0, 1.0, 1.0]), "1x1x1");
    }

    #[test]
    fn axes_that_repeat_are_not_cut() {
        let shape = |repeats| Shape::compact(4, Vector3::new(10.0, 4.0, 1.0), repeats).to_string();
        assert_eq!(shape([true, false, false]), "1x4x1");
        assert_eq!(shape([true, true, false]), "1x1x4");
        assert_eq!(shape([false, true, true]), "4x1x1");
    }

    #[test]
    fn texts_that_are_no_shape_are_refused() {
        assert_eq!("3x2x1".parse(), Ok(Shape([3, 2, 1])));
        for text in ["", "2", "2x2", "0x1x1", "2x2x2x2", "axbxc", "2x-1x1"] {
            assert!(text.parse::<Shape>().is_err(), "{text}");
        }
    }
}
