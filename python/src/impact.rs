//! Impacts: problems from matrices or files, resolved by any law.

use std::path::PathBuf;

use nalgebra::DVector;
use percussion_impact::{
    Contact, Law, Mass, Problem, laws,
    outer_bounds::{self, OuterBounds},
};
use percussion_mechanism::{
    impacts::{Impact, ImpactScenario, Kind},
    laws::{Choice, Name},
    scenario::Scenario,
};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    arrays::{each, list, matrix, out, out_matrix, rows, vector},
    derivative::ImpactDerivative,
    errors::{checked, refused},
    interrupt::interruptible,
    outcomes::{answer_dict, intervals, one},
    values::texts,
};

/// An impact in the form for laws, and the bodies from which it was built, if any.
#[pyclass(frozen, module = "percussion._percussion")]
#[derive(Debug)]
pub(crate) struct ImpactProblem {
    problem: Problem,
    impact: Option<Box<Impact>>,
}

/// The form of a contact in Python: its normal, its tangents, friction and restitution.
type Parts<'py> = (Bound<'py, PyAny>, Vec<Bound<'py, PyAny>>, f64, f64);

#[pymethods]
impl ImpactProblem {
    /// An impact from matrices: each contact is its normal, a list of tangents, friction and restitution.
    #[staticmethod]
    fn new(
        mass_matrix: &Bound<'_, PyAny>,
        velocity: &Bound<'_, PyAny>,
        contacts: Vec<Parts<'_>>,
        bilateral: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mass = Mass::Matrix(matrix("mass_matrix", mass_matrix)?);
        let velocity = vector("velocity", velocity)?;
        let joints = rows("bilateral", bilateral, velocity.len())?;
        let contacts = contacts.into_iter().enumerate();
        let contacts = contacts.map(|(index, (normal, tangents, friction, restitution))| {
            let tangents = tangents.iter().enumerate().map(|(number, tangent)| {
                vector(&format!("contacts[{index}].tangents[{number}]"), tangent)
            });
            Ok(Contact::new(vector(&format!("contacts[{index}].normal"), &normal)?)
                .with_friction(friction, tangents.collect::<PyResult<_>>()?)
                .with_restitution(restitution))
        });
        let contacts = contacts.collect::<PyResult<_>>()?;
        let problem = checked(Problem::with_joints(mass, velocity, contacts, joints))?;
        Ok(Self { problem, impact: None })
    }

    /// An impact from the stacked rows of all contacts, with the same number of rows for each friction coefficient.
    #[staticmethod]
    fn stacked(
        mass_matrix: &Bound<'_, PyAny>,
        velocity: &Bound<'_, PyAny>,
        jacobian: &Bound<'_, PyAny>,
        friction: &Bound<'_, PyAny>,
        restitution: &Bound<'_, PyAny>,
        bilateral: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mass = Mass::Matrix(matrix("mass_matrix", mass_matrix)?);
        let velocity = vector("velocity", velocity)?;
        let jacobian = rows("jacobian", Some(jacobian), velocity.len())?;
        let friction = list("friction", friction)?;
        let restitution = each("restitution", restitution, friction.len())?;
        let pairs = friction.into_iter().zip(restitution);
        let coefficients: Vec<_> = pairs
            .map(|(friction, restitution)| percussion_impact::Coefficients {
                friction,
                restitution,
            })
            .collect();
        let joints = rows("bilateral", bilateral, velocity.len())?;
        let problem = Problem::from_jacobian(mass, velocity, &jacobian, &coefficients, joints);
        Ok(Self { problem: checked(problem)?, impact: None })
    }

    /// An impact from the text of a TOML file of an impact, or of a scenario that starts with one; paths of
    /// robots are relative to `folder`.
    #[staticmethod]
    fn from_toml(py: Python<'_>, text: String, folder: PathBuf) -> PyResult<Self> {
        let impact = py.detach(|| {
            Ok(match Kind::of_toml_str(&text)? {
                Kind::Impact => ImpactScenario::from_toml_str(&text)?.build()?,
                Kind::Scenario => {
                    let mut scenario = Scenario::from_toml_str(&text)?;
                    if let Some(robot) = &mut scenario.robot {
                        robot.urdf = folder.join(&robot.urdf);
                    }
                    scenario.build()?.impact()?
                }
            })
        });
        let impact = checked::<_, percussion_mechanism::Error>(impact)?;
        Ok(Self::of(impact))
    }

    #[getter]
    fn title(&self) -> Option<&str> {
        self.impact.as_ref().map(|impact| impact.title.as_str())
    }

    /// A name for each contact: its number if it has no name.
    #[getter]
    fn contact_names(&self) -> Vec<String> {
        match &self.impact {
            Some(impact) => impact.contacts.clone(),
            None => (0..self.problem.contacts().len()).map(|index| index.to_string()).collect(),
        }
    }

    /// A name for each velocity, with its unit if it is known.
    #[getter]
    fn velocity_names(&self) -> Vec<String> {
        match &self.impact {
            Some(impact) => {
                let labels = impact.velocities.iter();
                labels.map(|label| format!("{} ({})", label.name, label.unit)).collect()
            }
            None => (0..self.problem.dimension()).map(|index| format!("v{index}")).collect(),
        }
    }

    fn mass_matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let size = self.problem.dimension();
        let mut matrix = nalgebra::DMatrix::zeros(size, size);
        for column in 0..size {
            let unit = DVector::from_fn(size, |row, _| f64::from(u8::from(row == column)));
            matrix.set_column(column, &self.problem.momentum(&unit));
        }
        Ok(out_matrix(py, &matrix)?.into_any())
    }

    fn velocity<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        out(py, self.problem.velocity().as_slice()).into_any()
    }

    /// The stacked rows of the contacts.
    fn jacobian<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(out_matrix(py, self.problem.contact_jacobian())?.into_any())
    }

    fn bilateral<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(out_matrix(py, self.problem.bilateral_jacobian())?.into_any())
    }

    fn delassus<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(out_matrix(py, self.problem.delassus())?.into_any())
    }

    fn free_contact_velocity<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        out(py, self.problem.free_contact_velocity().as_slice()).into_any()
    }

    /// For each contact its number of tangents, its friction and its restitution.
    #[getter]
    fn coefficients(&self) -> Vec<(usize, f64, f64)> {
        let contacts = self.problem.contacts().iter();
        contacts
            .map(|contact| (contact.tangents.len(), contact.friction, contact.restitution))
            .collect()
    }

    /// The same bodies and contacts with another velocity.
    fn with_velocity(&self, velocity: &Bound<'_, PyAny>) -> PyResult<Self> {
        let velocity = vector("velocity", velocity)?;
        let problem = checked(self.problem.with_velocity(velocity))?;
        Ok(Self { problem, impact: None })
    }

    /// The kind of the result of the law of this name (`one`, `several` or `set`) and the result. Unless
    /// `expected` is `any`, results of other kinds are an error before anything is computed.
    fn resolve<'py>(
        &self,
        py: Python<'py>,
        law: &str,
        settings: &Bound<'py, PyDict>,
        expected: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let name: Name = law.parse().map_err(refused)?;
        let impact = self.impact.as_deref();
        let choice = checked(Choice::new(name, texts(settings)?, impact))?;
        let kind = kind(&choice);
        if expected != "any" && expected != kind.0 {
            return Err(refused(format!(
                "{name} with these settings answers with {}, {}",
                kind.1, kind.2
            )));
        }
        let answer = interruptible(py, |progress| choice.answer(&self.problem, impact, progress))?;
        answer_dict(py, &self.problem, &choice.claims(&self.problem), checked(answer)?)
    }

    /// The outcome of a law, and its derivative.
    fn derivative<'py>(
        &self,
        py: Python<'py>,
        law: &str,
        settings: &Bound<'py, PyDict>,
        edge: f64,
    ) -> PyResult<(Bound<'py, PyDict>, ImpactDerivative)> {
        let (law, derivative) = ImpactDerivative::at(py, &self.problem, law, settings, edge)?;
        let (claims, outcome) = (law.law().claims(&self.problem), derivative.outcome().clone());
        Ok((one(py, &self.problem, &claims, outcome)?, derivative))
    }

    /// Intervals that contain every outcome, also those that no law and no sample shows.
    fn outer_bounds<'py>(
        &self,
        py: Python<'py>,
        tolerance: f64,
        directions: usize,
        programs: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let settings = outer_bounds::Settings { tolerance, directions, programs };
        let bounds = py.detach(|| {
            checked(OuterBounds::new(&self.problem, &settings)).map(|bounds| bounds.all())
        });
        intervals(py, &bounds?)
    }
}

/// The law of this name, for a motion.
///
/// # Errors
///
/// `ValueError` for laws with several outcomes, and for `compliant`, which is not a law.
pub(crate) fn single_law(law: &str, given: &Bound<'_, PyDict>) -> PyResult<Box<dyn Law>> {
    let name: Name = law.parse().map_err(refused)?;
    let choice = checked(Choice::new(name, texts(given)?, None))?;
    choice.into_law().ok_or_else(|| {
        refused(format!("`law` is {name}, expected one with a single outcome for each impact"))
    })
}

/// The kind of the result of a law, its description, and advice for the caller.
const fn kind(choice: &Choice) -> (&'static str, &'static str, &'static str) {
    match choice {
        Choice::Impact(laws::Choice::One(_)) | Choice::Compliant(_) => {
            ("one", "one outcome", "expected a call of `resolve`")
        }
        Choice::Impact(laws::Choice::Set(..)) => {
            ("set", "a set of outcomes", "expected a call of `outcomes`")
        }
        Choice::Impact(_) => ("several", "several outcomes", "expected a call of `solutions`"),
    }
}

impl ImpactProblem {
    pub(crate) fn of(impact: Impact) -> Self {
        Self { problem: impact.problem.clone(), impact: Some(Box::new(impact)) }
    }

    /// The bodies from which it was built.
    pub(crate) fn bodies(&self) -> Option<&Impact> {
        self.impact.as_deref()
    }
}
