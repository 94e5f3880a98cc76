//! Rows, figures, tables and views: the plain data that leaves a computation.
//!
//! An experiment hands back an [`ExperimentOutcome`]: [`Row`]s, each a measured quantity beside its references, and
//! [`Figure`]s as lists of points. A motion becomes a [`Table`] of numbers in named columns, and a [`view::View`] for
//! a page that plays it. Everything here is read and written by serde and computes nothing, so that what makes data
//! and what shows it depend on this crate and not on each other.
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
//!     against: Against::Checked,
//!     accepted: true,
//! };
//! let text = serde_json::to_string(&row)?;
//! assert!(text.contains(r#""measured":0.4515,"tolerance":0.001,"against":"checked""#));
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
//! The crate itself has the outcome of an experiment, figures and tables.
//!
//! # Features
//!
//! None: nothing of this crate is optional.
//!
//! # Limits
//!
//! - Data is not checked: a table may have rows of any length, a view poses of any number. What shows it copes.
//! - JSON has no NaN: a figure whose line is broken by one needs a writer that says otherwise.

mod figure;
mod outcome;
mod table;
pub mod view;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use figure::{Axis, Figure, Map, Mark, Series};
pub use outcome::{Against, ExperimentOutcome, Play, Row};
pub use table::{Column, Table};
