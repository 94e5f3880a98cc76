//! Why there is no scene or no contact: [`SceneError`].

use crate::{collider::ColliderError, pair::PairError};

/// The reason why colliders do not make a scene, or contacts cannot be found.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// A collider does not match the system, or its pose is invalid.
    #[error("collider {index}: {source}")]
    Collider {
        /// Index of the collider.
        index: usize,
        /// The reason.
        source: ColliderError,
    },
    /// There are two half-spaces on different bodies, which overlap at any position.
    #[error("colliders {} and {} are half-spaces, expected at most one of a pair that can touch", .colliders[0], .colliders[1])]
    TwoHalfSpaces {
        /// Indices of the two.
        colliders: [usize; 2],
    },
    /// An excluded pair names a body that does not exist.
    #[error("excluded body {body} does not exist, expected an index below {count}")]
    Excluded {
        /// Index given.
        body: usize,
        /// Number of bodies.
        count: usize,
    },
    /// The proximity is negative or not finite.
    #[error("proximity is {value:?}, expected a finite number of at least 0 (m)")]
    Proximity {
        /// Value given (m).
        value: f64,
    },
    /// The number of bodies or of coordinates differs from that of the system of the scene.
    #[error("{quantity} is {found}, expected {expected} as in the system of the scene")]
    Length {
        /// The quantity that differs.
        quantity: &'static str,
        /// Number in the system of the scene.
        expected: usize,
        /// Number found.
        found: usize,
    },
    /// A pair does not consist of two colliders of the scene, or its coefficients are out of range.
    #[error("pair {index}: {source}")]
    Pair {
        /// Index of the pair.
        index: usize,
        /// The reason.
        source: PairError,
    },
    /// The iteration for the distance of two shapes found no answer.
    #[error("the distance of colliders {} and {} could not be found", .colliders[0], .colliders[1])]
    Undecided {
        /// Indices of the two.
        colliders: [usize; 2],
    },
}
