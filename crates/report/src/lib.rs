//! Figures, tables and reports of simulated impacts.
//!
//! Experiments return data: an [`ExperimentOutcome`](percussion_record::ExperimentOutcome) holds measured
//! [`Row`](percussion_record::Row)s with published ones and [`Figure`](percussion_record::Figure)s as lists of
//! points. This crate displays them. The main items are [`svg::draw`], which draws one figure, [`Results`], the
//! machine-readable verdict, [`Report`], which writes a directory with a page, and [`viewer::write`], which writes a
//! page that plays a motion.
//!
//! # Example
//!
//! ```
//! use percussion_report::{Provenance, Report};
//! use percussion_record::{Against, ExperimentOutcome, Row};
//!
//! let outcome = ExperimentOutcome {
//!     id: "demonstration/free-fall".into(),
//!     title: "Free fall".into(),
//!     summary: "A ball falls from 1 m.".into(),
//!     rows: vec![Row {
//!         experiment: "demonstration/free-fall".into(),
//!         quantity: "first contact".into(),
//!         unit: "s".into(),
//!         published: None,
//!         checked: Some((2.0_f64 / 9.81).sqrt()),
//!         measured: 0.4515,
//!         tolerance: Some(1e-3),
//!         fails_with: Some("gravity +2 %".into()),
//!         against: Against::Checked,
//!         difference: None,
//!         accepted: true,
//!     }],
//!     figures: Vec::new(),
//!     notes: Vec::new(),
//!     play: None,
//! };
//! let directory = tempfile::tempdir()?;
//! let outcomes = [outcome];
//! let provenance = Provenance::of_this_run("quick", 1);
//! let report = Report { outcomes: &outcomes, families: &[], provenance: &provenance };
//! let page = report.write(directory.path())?;
//! assert!(std::fs::read_to_string(page)?.contains("Free fall"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | item or module | holds |
//! | --- | --- |
//! | [`svg`] | figures as SVG documents |
//! | [`csv`] | figures and trajectories as comma-separated text |
//! | [`vtk`] | points with values for `ParaView` |
//! | [`Report`] | a directory with all of it |
//! | [`plain_page`] | a page with text, tables and figures of one run |
//! | [`viewer`] | a page that plays motions |
//! | [`terminal`] | the report as text |
//! | [`Table`], [`number`] | aligned columns, readable numbers |
//! | [`Results`] | the JSON document with the verdict |
//! | [`Provenance`] | machine, time and seed of a run |
//! | [`atomic`] | files that are either complete or absent |
//!
//! # Features
//!
//! None: no part of this crate is optional.
//!
//! # Limits
//!
//! This crate computes no physics, judges no results, opens no window, and needs no network and no font. Figures
//! have lines, marks, filled areas and maps in two dimensions.

pub mod atomic;
pub mod csv;
mod film;
pub mod number;
mod paths;
pub mod plain_page;
mod provenance;
mod report;
mod results;
pub mod svg;
mod table;
pub mod terminal;
pub mod viewer;
pub mod vtk;

pub use provenance::Provenance;
pub use report::{Report, write_figure};
pub use results::{Counts, Results};
pub use table::Table;

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// `text` with the special characters of HTML and SVG replaced.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
