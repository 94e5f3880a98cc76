//! Pairs of colliders with their own coefficients: [`Pair`], for [`Scene::with_pairs`](crate::Scene::with_pairs).

use crate::coefficients;

/// Two colliders that may touch, with the coefficients of their contact.
///
/// # Example
///
/// A ball is over two coincident half-spaces, and touches only the slippery one.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use percussion_collision::{Collider, Pair, Scene, Settings, Shape, Workspace};
/// use percussion_dynamics::{Body, FreeBodies};
///
/// let system = FreeBodies::new(vec![Body::new(1.0, Matrix3::identity())], Vector3::zeros())?;
/// let ground = || Collider::fixed(Shape::HalfSpace { normal: Vector3::z() });
/// let ball = Collider::on_body(0, Shape::Sphere { radius: 0.5 })?.with_friction(0.9)?;
/// let slippery = Pair { colliders: [0, 2], friction: 0.1, restitution: 0.5 };
/// let scene = Scene::new(vec![ball, ground()?, ground()?], &system)?.with_pairs(&[slippery])?;
/// let mut workspace = Workspace::default();
/// let lying = [0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0];
/// let contacts = scene.contacts(&system, &lying, &Settings::default(), &mut workspace)?;
/// assert_eq!(contacts.len(), 1);
/// assert_eq!((contacts[0].id.colliders, contacts[0].friction), ([0, 2], 0.1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Indices of the two, in any order.
    pub colliders: [usize; 2],
    /// Coulomb friction coefficient (at least 0).
    pub friction: f64,
    /// Coefficient of restitution, in `[0, 1]`.
    pub restitution: f64,
}

/// The reason why a pair is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PairError {
    /// There is no such collider.
    #[error("collider {collider} does not exist, expected an index below {count}")]
    Collider {
        /// Index given.
        collider: usize,
        /// Number of colliders.
        count: usize,
    },
    /// Both indices name the same collider.
    #[error("collider {collider} is paired with itself, expected two colliders")]
    Same {
        /// The collider.
        collider: usize,
    },
    /// The pair is listed twice.
    #[error("colliders {} and {} are listed twice, expected each pair once", .colliders[0], .colliders[1])]
    Repeated {
        /// Indices of the two.
        colliders: [usize; 2],
    },
    /// A coefficient is out of range.
    #[error(transparent)]
    Coefficient(#[from] coefficients::Error),
}

/// Pairs in a form for lookup.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pairs {
    /// Sorted, each with the smaller index first.
    sorted: Vec<Pair>,
}

impl Pairs {
    /// Creates the pairs of a scene of `count` colliders, or returns the first pair that is refused.
    pub(crate) fn new(pairs: &[Pair], count: usize) -> Result<Self, (usize, PairError)> {
        let mut sorted: Vec<(Pair, usize)> = Vec::with_capacity(pairs.len());
        for (index, pair) in pairs.iter().enumerate() {
            check(pair, count).map_err(|error| (index, error))?;
            sorted.push((Pair { colliders: ordered(pair.colliders), ..*pair }, index));
        }
        // The sort is stable: of equal pairs the one listed first stays first.
        sorted.sort_by_key(|(pair, _)| pair.colliders);
        let repeated = sorted.windows(2).find(|two| two[0].0.colliders == two[1].0.colliders);
        if let Some([_, (Pair { colliders, .. }, index)]) = repeated {
            return Err((*index, PairError::Repeated { colliders: *colliders }));
        }
        Ok(Self { sorted: sorted.into_iter().map(|(pair, _)| pair).collect() })
    }

    /// The pair of these two colliders, if they may touch.
    pub(crate) fn get(&self, colliders: [usize; 2]) -> Option<&Pair> {
        let colliders = ordered(colliders);
        let at = self.sorted.binary_search_by_key(&colliders, |pair| pair.colliders).ok()?;
        self.sorted.get(at)
    }

    /// Whether a pair has a coefficient of restitution above 0.
    pub(crate) fn have_restitution(&self) -> bool {
        self.sorted.iter().any(|pair| pair.restitution > 0.0)
    }
}

fn ordered([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

fn check(pair: &Pair, count: usize) -> Result<(), PairError> {
    let Pair { colliders, friction, restitution } = *pair;
    if let Some(&collider) = colliders.iter().find(|collider| **collider >= count) {
        return Err(PairError::Collider { collider, count });
    }
    if colliders[0] == colliders[1] {
        return Err(PairError::Same { collider: colliders[0] });
    }
    coefficients::check_friction(friction)?;
    Ok(coefficients::check_restitution(restitution)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_in_any_order_and_others_are_not() {
        let pair = |a, b, friction| Pair { colliders: [a, b], friction, restitution: 0.25 };
        let pairs = Pairs::new(&[pair(4, 1, 0.3), pair(0, 2, 0.7)], 5).unwrap();
        assert_eq!(pairs.get([1, 4]).unwrap().friction.to_bits(), 0.3_f64.to_bits());
        assert_eq!(pairs.get([4, 1]), pairs.get([1, 4]));
        assert_eq!(pairs.get([2, 0]).unwrap().colliders, [0, 2]);
        assert_eq!(pairs.get([0, 1]), None);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let good = Pair { colliders: [0, 1], friction: 0.5, restitution: 0.0 };
        let refused = |bad: Pair| Pairs::new(&[good, bad], 3).unwrap_err();
        let expected = PairError::Collider { collider: 3, count: 3 };
        assert_eq!(refused(Pair { colliders: [3, 0], ..good }), (1, expected));
        let expected = PairError::Same { collider: 2 };
        assert_eq!(refused(Pair { colliders: [2, 2], ..good }), (1, expected));
        let expected = PairError::Repeated { colliders: [0, 1] };
        assert_eq!(refused(Pair { colliders: [1, 0], ..good }), (1, expected));
        let expected = coefficients::Error::Friction { value: -0.5 }.into();
        assert_eq!(refused(Pair { colliders: [1, 2], friction: -0.5, ..good }), (1, expected));
        let (_, error) = refused(Pair { colliders: [1, 2], restitution: f64::NAN, ..good });
        let expected =
            matches!(error, PairError::Coefficient(coefficients::Error::Restitution { .. }));
        assert!(expected, "{error}");
    }
}
