//! Errors of a design: [`Error`].

/// Reasons why [`solve`](super::solve) could not start or could not differentiate its model; `E` is the error
/// type of the model.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// A setting is outside its range.
    #[error("setting `{name}` is {value:?}, expected {expected}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Accepted values.
        expected: &'static str,
    },
    /// A field of a variable is outside its range.
    #[error("`{field}` of variable {index} is {value:?}, expected {expected}")]
    Variable {
        /// Index of the variable.
        index: usize,
        /// Its field.
        field: &'static str,
        /// The value of the field.
        value: f64,
        /// Accepted values.
        expected: &'static str,
    },
    /// The contacts of a condition are not two different contacts of the model.
    #[error(
        "condition {index} names contacts {pair:?}, expected two different ones below {contacts}"
    )]
    Contacts {
        /// Index of the condition.
        index: usize,
        /// Its contacts.
        pair: [usize; 2],
        /// Number of contacts of the model.
        contacts: usize,
    },
    /// No two different normals can have this product.
    #[error("condition {index} requires ⟨u, v⟩ = {value:?}, expected a number in (−1, 1)")]
    Cosine {
        /// Index of the condition.
        index: usize,
        /// The prescribed product.
        value: f64,
    },
    /// The numbers of gaps and products of the model do not match.
    #[error(
        "the model has {found} gaps and {sides:?} products, expected those of {expected} contacts"
    )]
    Shape {
        /// Contacts at the start.
        expected: usize,
        /// Gaps found.
        found: usize,
        /// Rows and columns of the products.
        sides: (usize, usize),
    },
    /// A gap or a product is not a number: a contact that cannot move, or an overflow.
    #[error("equation {equation} has the value {value:?}, expected a finite number")]
    NotFinite {
        /// Index of the equation: gaps first, then conditions.
        equation: usize,
        /// Its value.
        value: f64,
    },
    /// The model failed.
    #[error("{0}")]
    Model(#[source] E),
}
