//! Pages that play motions and impacts.

use percussion_mechanism::{
    laws::{Choice, Name},
    view::{ImpactStage, Played, of_trajectory},
};
use percussion_report::viewer;
use pyo3::prelude::*;

use crate::{
    errors::{checked, named, refused},
    impact::ImpactProblem,
    interrupt::interruptible,
    model::ModelCore,
};

/// Simulates a model and returns the page that plays the motion.
#[pyfunction]
pub(crate) fn motion_page(
    py: Python<'_>,
    model: &ModelCore,
    scheme: Option<&str>,
    duration: Option<f64>,
    step_size: Option<f64>,
) -> PyResult<String> {
    let setup = model.changed(py, scheme, duration, step_size)?;
    let result = interruptible(py, |progress| setup.simulate(&mut |share| progress(share)))?;
    match result {
        Ok(trajectory) => Ok(py.detach(|| viewer::page(&of_trajectory(&setup, &trajectory)))),
        Err(error) => Err(named(py, "StepError", error)),
    }
}

/// Resolves an impact by the laws of these names and returns the page that plays their outcomes.
#[pyfunction]
pub(crate) fn impact_page(
    py: Python<'_>,
    impact: &ImpactProblem,
    laws: Vec<String>,
) -> PyResult<String> {
    let Some(impact) = impact.bodies() else {
        let expected = "one from a file or a Model: matrices have no bodies to draw";
        return Err(refused(format!("`impact` has no bodies, expected {expected}")));
    };
    let laws = laws.iter().map(|law| checked(law.parse::<Name>()));
    let laws = laws.collect::<PyResult<Vec<_>>>()?;
    let stage = ImpactStage::new(impact);
    let mut played = Played::default();
    for law in laws {
        let choice = checked(Choice::new(law, Vec::new(), Some(impact)))?;
        let answer =
            interruptible(py, |progress| choice.answer(&impact.problem, Some(impact), progress))?;
        played.extend(stage.play(law.as_str(), &checked(answer)?));
    }
    Ok(viewer::page(&stage.played(played)))
}
