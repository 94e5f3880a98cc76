//! Rows, figures, tables and views: the plain data that computations produce and reports show.
//!
//! An experiment returns an [`ExperimentOutcome`]: [`Row`]s, each a measured quantity with its references, and
//! [`Figure`]s as lists of points. A motion becomes a [`Table`] of numbers in named columns, and a [`view::View`]
//! for a page that plays it. All types are read and written by serde, and the crate computes nothing. The crates
//! that produce data and those that show it depend on this crate and not on each other.
//!
//! # Example
//!
//! A ball that falls from 1 m reaches the ground after `√(2/9.81) = 0.4515` s.
//!
//! ```
//! use percussion_record::{Against, Row};
//!
//! let row = Row {
//!     experiment: "demonstration/free-fall".into(),
//!     quantity: "first contact".into(),
//!     unit: "s".into(),
//!     published: None,
//!     checked: Some((2.0_f64 / 9.81).sqrt()),
//!     measured: 0.4515,
//!     tolerance: Some(1e-3),
//!     fails_with: Some("gravity +2 %".into()),
//!     against: Against::Checked,
//!     difference: None,
//!     accepted: true,
//! };
//! let text = serde_json::to_string(&row)?;
//! assert!(text.contains(r#""fails_with":"gravity +2 %","against":"checked""#));
//! assert_eq!(serde_json::from_str::<Row>(&text)?, row);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Modules
//!
//! | module | content |
//! | --- | --- |
//! | [`view`] | motions, bodies and contacts for a page that plays them |
//!
//! The crate root has the outcome of an experiment, families of experiments, figures and tables.
//!
//! # Features
//!
//! None: no part of this crate is optional.
//!
//! # Limits
//!
//! - Data is not checked: the rows of a table may have any length, a view any number of poses. Programs that show
//!   the data must handle this.
//! - JSON has no NaN: a writer must encode the NaN points that interrupt a line of a figure in another way.

mod family;
mod figure;
mod outcome;
mod table;
pub mod view;

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use family::Family;
pub use figure::{Axis, Figure, Map, Mark, Series, Spacing};
pub use outcome::{Against, Difference, ExperimentOutcome, Play, Row};
pub use table::{Column, Table};
