//! The errors of experiments: [`Error`].

/// Reason why an experiment could not be read, built, run or measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file is invalid, or its mechanism cannot be built or simulated.
    #[error(transparent)]
    Mechanism(#[from] percussion_mechanism::Error),
    /// No embedded scenario has this name.
    #[error("no scenario is named `{name}`, expected one of {known}")]
    UnknownScenario {
        /// The requested name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// An experiment measures a quantity that its scenario file does not expect, or the file expects one that is not measured.
    #[error("experiment `{experiment}` and its `expected` entries disagree on `{quantity}`")]
    Expectation {
        /// The experiment.
        experiment: String,
        /// The quantity that is missing on one side.
        quantity: String,
    },
    /// An event that the experiment measures did not occur in the simulation.
    #[error("the event `{event}` did not occur in `{scenario}`")]
    NoEvent {
        /// The scenario.
        scenario: String,
        /// The event.
        event: &'static str,
    },
    /// An impact of an experiment ended with a status that the experiment does not allow.
    #[error(
        "an impact of the experiment ended with the status {status:?}, expected one of {allowed:?}"
    )]
    Outcome {
        /// The status of the impact.
        status: percussion_impact::Status,
        /// The statuses that the experiment allows.
        allowed: Vec<percussion_impact::Status>,
    },
    /// The force law of a compliant contact is invalid.
    #[error("compliant contact: {0}")]
    Compliant(#[from] percussion_dynamics::compliant::Error),
    /// A motion with compliant contacts is invalid: its model, its start or its settings.
    #[error(transparent)]
    CompliantMotion(#[from] percussion_integrators::compliant::Error),
    /// A parameter of an experiment is out of range.
    #[error("`{name}` is {value}, expected {expected}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// The value given.
        value: f64,
        /// The accepted values.
        expected: &'static str,
    },
    /// A motion through impacts could not be started.
    #[error("inclusion: {0}")]
    Inclusion(#[from] percussion_integrators::inclusion::Error),
    /// The data of a contact with friction is invalid.
    #[error("contact: {0}")]
    Contact(#[from] percussion_complementarity::friction::single::Error),
    /// The data of several contacts with friction is not a valid problem.
    #[error("frictional contact problem: {0}")]
    Friction(#[from] percussion_complementarity::friction::ProblemError),
    /// A stored problem of contacts with friction is invalid.
    #[error("frictional contact problem: {0}")]
    FrictionDocument(#[from] percussion_complementarity::friction::document::Error),
    /// A solver for contacts with friction could not be started.
    #[error("frictional contact problem: {0}")]
    FrictionSolver(#[from] percussion_complementarity::friction::Error),
    /// An ensemble of motions could not start or continue.
    #[error("ensemble: {0}")]
    Ensemble(#[from] percussion_integrators::ensemble::Error),
    /// A world of grains, one of its grains or a step is invalid.
    #[error("grains: {0}")]
    Grains(#[from] percussion_granular::Error),
    /// Bodies of any shape, one of their forms or a step is invalid.
    #[error("bodies: {0}")]
    Bodies(#[from] percussion_granular::bodies::Error),
    /// A mass or an inertia is invalid.
    #[error("`{path}`: {source}")]
    Mass {
        /// Path of the entry in the file.
        path: String,
        /// The reason.
        source: percussion_dynamics::MassPropertiesError,
    },
    /// A gap function is invalid.
    #[error("contact `{contact}`: {source}")]
    Gap {
        /// Name of the contact.
        contact: String,
        /// The reason.
        source: percussion_dynamics::gap::Error,
    },
    /// A surface is invalid.
    #[error("surface of `{name}`: {source}")]
    Surface {
        /// Name of the surface.
        name: String,
        /// The reason.
        source: percussion_collision::ColliderError,
    },
}

/// An experiment that builds its own mechanism reports an invalid value with the same text as a mechanism from a file.
macro_rules! as_a_mechanism {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::Mechanism(error.into())
            }
        })+
    };
}

as_a_mechanism!(
    percussion_collision::SceneError,
    percussion_dynamics::ArticulatedError,
    percussion_dynamics::FreeBodiesError,
    percussion_impact::ProblemError,
    percussion_impact::Error,
    percussion_integrators::Error,
    percussion_integrators::ModelError,
);
