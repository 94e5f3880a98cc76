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
//!         accepted: true,
//!     }],
//!     figures: Vec::new(),
//!     notes: Vec::new(),
//!     play: None,
//! };
//! let directory = tempfile::tempdir()?;
//! let outcomes = [outcome];
//! let provenance = Provenance::of_this_run("quick", 1);
//! let report = Report { outcomes: &outcomes, provenance: &provenance };
//! let page = report.write(directory.path())?;
//! assert!(std::fs::read_to_string(page)?.contains("Free fall"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | module | holds |
//! | --- | --- |
//! | [`svg`] | figures as SVG documents |
//! | [`csv`] | figures and trajectories as comma-separated text |
//! | [`vtk`] | points with values for `ParaView` |
//! | [`report`] | [`Report`]: a directory with all of it |
//! | [`plain_page`] | a page with text, tables and figures of one run |
//! | [`viewer`] | a page that plays motions |
//! | [`terminal`] | the report as text |
//! | [`table`], [`number`] | aligned columns, readable numbers |
//! | [`results`] | the JSON document with the verdict |
//! | [`provenance`] | machine, time and seed of a run |
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
pub mod number;
mod paths;
pub mod plain_page;
pub mod provenance;
pub mod report;
pub mod results;
pub mod svg;
pub mod table;
pub mod terminal;
pub mod viewer;
pub mod vtk;

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use atomic::WriteError;
pub use provenance::Provenance;
pub use report::Report;
pub use results::Results;
pub use table::Table;

/// `text` with the special characters of HTML and SVG replaced.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
