//! The module `_percussion`, behind the Python package `percussion`.
//!
//! One file for each part of the interface. It converts Python objects to problems, computes with the
//! interpreter released, and returns plain Python objects. The public classes are written in Python, in
//! `package/percussion/`.
//!
//! Wrong input is a `ValueError` that names the argument, its value and the expected one.

mod arrays;
mod batch;
mod blocks;
mod derivative;
mod errors;
mod friction;
mod grains;
mod impact;
mod interrupt;
mod lcp;
mod lists;
mod model;
mod motion;
mod outcomes;
mod record;
mod trajectory;
mod values;
mod view;

use pyo3::prelude::*;

/// The interface to the crates of percussion; use the package `percussion` instead.
#[pymodule]
fn _percussion(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(lcp::solve_lcp, module)?)?;
    module.add_function(wrap_pyfunction!(lcp::enumerate_lcp, module)?)?;
    module.add_function(wrap_pyfunction!(lists::lists, module)?)?;
    module.add_function(wrap_pyfunction!(blocks::problem_from_json, module)?)?;
    module.add_function(wrap_pyfunction!(grains::grain_scenes, module)?)?;
    module.add_function(wrap_pyfunction!(view::motion_page, module)?)?;
    module.add_function(wrap_pyfunction!(view::impact_page, module)?)?;
    module.add_class::<grains::GrainsCore>()?;
    module.add_class::<blocks::BlockProblem>()?;
    module.add_class::<friction::FrictionProblem>()?;
    module.add_class::<impact::ImpactProblem>()?;
    module.add_class::<derivative::FrictionDerivative>()?;
    module.add_class::<derivative::ImpactDerivative>()?;
    module.add_class::<model::ModelCore>()?;
    module.add_class::<batch::BatchCore>()?;
    module.add_class::<motion::SimulationCore>()
}
