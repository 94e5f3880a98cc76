//! The module `_percussion`, behind the Python package `percussion`.
//!
//! One file for each part of the interface. It converts Python objects to problems, computes with the
//! interpreter released, and returns plain Python objects. The public classes are written in Python, in
//! `package/percussion/`.
//!
//! Wrong input is a `ValueError` that names the argument, its value and the expected one.

mod arrays;
mod errors;
mod friction;
mod impact;
mod interrupt;
mod lcp;
mod lists;
mod model;
mod motion;
mod outcomes;
mod trajectory;
mod values;

use pyo3::prelude::*;

/// The interface to the crates of percussion; use the package `percussion` instead.
#[pymodule]
fn _percussion(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(lcp::solve_lcp, module)?)?;
    module.add_function(wrap_pyfunction!(lcp::enumerate_lcp, module)?)?;
    module.add_function(wrap_pyfunction!(lists::lists, module)?)?;
    module.add_class::<friction::FrictionProblem>()?;
    module.add_class::<impact::ImpactProblem>()?;
    module.add_class::<model::ModelCore>()?;
    module.add_class::<motion::SimulationCore>()
}
