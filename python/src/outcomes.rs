//! Results of impact laws as Python objects: one outcome, several outcomes, or a sampled set.

use nalgebra::DVector;
use percussion_impact::{
    Impulse, Outcome, Problem, Status,
    certificate::{Certificate, Claims},
    friction_cone::FrictionCone,
    laws::{
        Answer, Several,
        sampled::{ContactPlane, ExtremeOutcome, Guarantee, Sampled},
    },
    outer_bounds::Intervals,
};
use pyo3::{
    prelude::*,
    types::{PyDict, PyList},
};

use crate::{
    arrays::{out, out_rows},
    errors::checked,
    values::{name_of, plain},
};

/// The result with its kind: `one`, `several` or `set`.
pub(crate) fn answer_dict<'py>(
    py: Python<'py>,
    problem: &Problem,
    claims: &Claims,
    answer: Answer,
) -> PyResult<Bound<'py, PyAny>> {
    let (kind, dict) = match answer {
        Answer::One(outcome) => ("one", one(py, problem, claims, outcome)?),
        Answer::Several(all) => ("several", several(py, problem, claims, all)?),
        Answer::Set(sampled) => ("set", set(py, problem, claims, *sampled)?),
    };
    Ok((kind, dict).into_pyobject(py)?.into_any())
}

/// One outcome, judged by the `claims` of its law.
pub(crate) fn one<'py>(
    py: Python<'py>,
    problem: &Problem,
    claims: &Claims,
    outcome: Outcome,
) -> PyResult<Bound<'py, PyDict>> {
    let judgement = checked(Certificate::judge(problem, &outcome, claims))?;
    let dict = PyDict::new(py);
    dict.set_item("status", name_of(&outcome.trace.status))?;
    dict.set_item("restitution", name_of(&outcome.trace.restitution))?;
    let weights = outcome.trace.infeasibility.map(|weights| out(py, weights.data));
    dict.set_item("infeasibility", weights)?;
    dict.set_item("velocity", out(py, outcome.velocity.data))?;
    let impulses = outcome.impulses.iter().flat_map(components).collect();
    dict.set_item("impulses", out_rows(py, impulses, 3)?)?;
    dict.set_item("bilateral_impulses", out(py, outcome.bilateral_impulses.data))?;
    dict.set_item("certificate", plain(py, &judgement.certificate)?)?;
    dict.set_item("violations", judgement.violations())?;
    let stages = outcome
        .trace
        .stages
        .into_iter()
        .map(|stage| (name_of(&stage.phase), stage.contact, out(py, stage.velocity.data)));
    dict.set_item("stages", PyList::new(py, stages.collect::<Vec<_>>())?)?;
    Ok(dict)
}

/// Normal, tangent 1 and tangent 2, zero if the contact has none.
fn components(impulse: &Impulse) -> [f64; 3] {
    let tangent = |index: usize| impulse.tangent.get(index).copied().unwrap_or_default();
    [impulse.normal, tangent(0), tangent(1)]
}

fn several<'py>(
    py: Python<'py>,
    problem: &Problem,
    claims: &Claims,
    several: Several,
) -> PyResult<Bound<'py, PyDict>> {
    let Several { outcomes, isolated, sequences, indeterminacy, complete, .. } = several;
    let resolved = |outcome: &Outcome| outcome.trace.status == Status::Resolved;
    let all = complete && outcomes.iter().all(resolved) && !outcomes.is_empty();
    let outcomes = outcomes.into_iter().map(|outcome| one(py, problem, claims, outcome));
    let dict = PyDict::new(py);
    dict.set_item("status", if all { "resolved" } else { "incomplete" })?;
    dict.set_item("outcomes", PyList::new(py, outcomes.collect::<PyResult<Vec<_>>>()?)?)?;
    dict.set_item("isolated", isolated)?;
    let sequences =
        sequences.map(|all| all.into_iter().map(|one| (one.listed, one.count)).collect::<Vec<_>>());
    dict.set_item("sequences", sequences)?;
    dict.set_item("indeterminacy", indeterminacy)?;
    dict.set_item("complete", complete)?;
    Ok(dict)
}

fn set<'py>(
    py: Python<'py>,
    problem: &Problem,
    claims: &Claims,
    sampled: Sampled,
) -> PyResult<Bound<'py, PyDict>> {
    let extremes = sampled.extreme_outcomes(problem).map(|one| extreme(py, &one));
    let extremes = PyList::new(py, extremes.collect::<PyResult<Vec<_>>>()?)?;
    let dict = PyDict::new(py);
    dict.set_item("status", name_of(&sampled.status))?;
    dict.set_item("restitution", name_of(&claims.restitution_of(problem)))?;
    let statistics = plain(py, &sampled.statistics)?;
    statistics.set_item("mean_lcps", sampled.statistics.mean_lcps())?;
    statistics.set_item("max_lcps", sampled.statistics.max_lcps())?;
    dict.set_item("statistics", statistics)?;
    let ended = sampled.statistics.terminated + sampled.statistics.closed;
    let bounds = (ended > 0).then(|| {
        let bounds = &sampled.bounds;
        let velocity = [&bounds.velocity_min, &bounds.velocity_max];
        let contact_velocity = [&bounds.contact_velocity_min, &bounds.contact_velocity_max];
        limits(py, velocity, contact_velocity, sampled.energy)
    });
    dict.set_item("bounds", bounds.transpose()?)?;
    let modes = sampled.modes.joint().into_iter().map(|mode| {
        let contacts: Vec<String> = mode.contacts.iter().map(ToString::to_string).collect();
        (contacts, mode.count, mode.first)
    });
    dict.set_item("mode_threshold", sampled.modes.threshold())?;
    dict.set_item("modes", PyList::new(py, modes.collect::<Vec<_>>())?)?;
    dict.set_item("unlisted_modes", sampled.modes.unlisted())?;
    let planes = sampled.planes.iter().map(|one| plane(py, one));
    dict.set_item("planes", PyList::new(py, planes.collect::<PyResult<Vec<_>>>()?)?)?;
    dict.set_item("extremes", extremes)?;
    let cone = sampled.cone.as_ref().map(|cone| friction_cone(py, problem, cone));
    let cone = match cone {
        Ok(cone) => cone?,
        Err(error) => {
            let dict = PyDict::new(py);
            dict.set_item("verdict", "undecided")?;
            dict.set_item("error", error.to_string())?;
            dict
        }
    };
    dict.set_item("friction_cone", cone)?;
    dict.set_item("guarantee", guarantee(py, sampled.guarantee)?)?;
    let velocities = out_rows(py, sampled.velocities.concat(), problem.dimension())?;
    dict.set_item("velocities", velocities)?;
    Ok(dict)
}

fn extreme<'py>(py: Python<'py>, one: &ExtremeOutcome<'_>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("contact", one.contact)?;
    dict.set_item("component", one.component)?;
    dict.set_item("side", one.side())?;
    dict.set_item("value", one.value)?;
    dict.set_item("sample", one.sample)?;
    dict.set_item("velocity", out(py, one.velocity.as_slice()))?;
    Ok(dict)
}

/// Intervals that contain every outcome: each array has the lower and the upper bounds.
pub(crate) fn intervals<'py>(
    py: Python<'py>,
    intervals: &Intervals,
) -> PyResult<Bound<'py, PyDict>> {
    let velocity = [&intervals.velocity_min, &intervals.velocity_max];
    let contact_velocity = [&intervals.contact_velocity_min, &intervals.contact_velocity_max];
    let dict = limits(py, velocity, contact_velocity, intervals.energy)?;
    dict.set_item("impulse", intervals.impulse)?;
    Ok(dict)
}

/// Lower and upper limits of velocities and of the energy.
fn limits<'py>(
    py: Python<'py>,
    velocity: [&DVector<f64>; 2],
    contact_velocity: [&DVector<f64>; 2],
    energy: [f64; 2],
) -> PyResult<Bound<'py, PyDict>> {
    let pair = |[low, high]: [&DVector<f64>; 2]| {
        out_rows(py, [low.as_slice(), high.as_slice()].concat(), low.len())
    };
    let dict = PyDict::new(py);
    dict.set_item("velocity", pair(velocity)?)?;
    dict.set_item("contact_velocity", pair(contact_velocity)?)?;
    dict.set_item("energy", out(py, energy))?;
    Ok(dict)
}

fn plane<'py>(py: Python<'py>, plane: &ContactPlane) -> PyResult<Bound<'py, PyDict>> {
    let polygon = plane.hull.polygon();
    let cells = plane.coverage.cells();
    let dict = PyDict::new(py);
    dict.set_item("contact", plane.contact)?;
    dict.set_item("hull", out_rows(py, polygon.vertices().concat(), 2)?)?;
    dict.set_item("area", polygon.area())?;
    dict.set_item("cell", plane.cell)?;
    dict.set_item("cells", cells.len())?;
    dict.set_item("new_cell_rate", plane.coverage.new_cell_rate())?;
    Ok(dict)
}

fn friction_cone<'py>(
    py: Python<'py>,
    problem: &Problem,
    cone: &FrictionCone,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    match cone {
        FrictionCone::Pointed(pointed) => {
            dict.set_item("verdict", "pointed")?;
            dict.set_item("direction", out(py, pointed.direction.as_slice()))?;
            dict.set_item("constant", pointed.constant)?;
            dict.set_item("constant_bound", pointed.constant_bound)?;
        }
        FrictionCone::Jammed(jam) => {
            dict.set_item("verdict", "jammed")?;
            dict.set_item("impulse", out(py, jam.impulse.as_slice()))?;
            dict.set_item("resultant", jam.resultant(problem))?;
        }
        _ => dict.set_item("verdict", "undecided")?,
    }
    Ok(dict)
}

fn guarantee(py: Python<'_>, guarantee: Guarantee) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("failure", guarantee.failure)?;
    dict.set_item("outside_bounds", guarantee.outside)?;
    dict.set_item("radius_of_draws", guarantee.radius_of_draws)?;
    dict.set_item("radius_of_outcomes", guarantee.radius_of_outcomes)?;
    dict.set_item("mean_lcps", guarantee.mean_lcps)?;
    dict.set_item("more_lcps", guarantee.more_lcps)?;
    Ok(dict)
}
