//! Why an experiment is refused: [`Error`].

/// Why an experiment could not be read, built, run or measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file is refused, or its mechanism cannot be built or moved.
    #[error(transparent)]
    Mechanism(#[from] percussion_mechanism::Error),
    /// No embedded scenario has this name.
    #[error("no scenario is named `{name}`, expected one of {known}")]
    UnknownScenario {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// An experiment measures what its scenario file does not expect, or the other way round.
    #[error("experiment `{experiment}` and its `expected` entries disagree on `{quantity}`")]
    Expectation {
        /// The experiment.
        experiment: String,
        /// The quantity missing on one side.
        quantity: String,
    },
    /// A simulation never showed an event that the experiment measures.
    #[error("`{scenario}` never showed the event `{event}`")]
    NoEvent {
        /// The scenario.
        scenario: String,
        /// The event.
        event: &'static str,
    },
    /// An impact of an experiment ended otherwise than the experiment allows.
    #[error(
        "an impact of the experiment ended with the status {status:?}, expected one of {allowed:?}"
    )]
    Outcome {
        /// How it ended.
        status: percussion_impact::outcome::Status,
        /// What the experiment allows.
        allowed: Vec<percussion_impact::outcome::Status>,
    },
    /// The force law of a compliant contact is refused.
    #[error("compliant contact: {0}")]
    Compliant(#[from] percussion_dynamics::compliant::Error),
    /// A motion with compliant contacts, its start or its settings are refused.
    #[error(transparent)]
    CompliantMotion(#[from] percussion_integrators::compliant::Error),
    /// A parameter of an experiment is out of range.
    #[error("`{name}` is {value}, expected {expected}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// The value given.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// A motion through impacts did not start.
    #[error("inclusion: {0}")]
    Inclusion(#[from] percussion_integrators::inclusion::Error),
    /// A contact with friction was refused.
    #[error("contact: {0}")]
    Contact(#[from] percussion_complementarity::friction::single::Error),
    /// Contacts with friction do not make a problem.
    #[error("frictional contact problem: {0}")]
    Friction(#[from] percussion_complementarity::friction::ProblemError),
    /// A stored problem of contacts with friction is refused.
    #[error("frictional contact problem: {0}")]
    FrictionDocument(#[from] percussion_complementarity::friction::document::Error),
    /// A solver for contacts with friction did not start.
    #[error("frictional contact problem: {0}")]
    FrictionSolver(#[from] percussion_complementarity::friction::report::Error),
    /// A world of grains, one of them or a step was refused.
    #[error("grains: {0}")]
    Grains(#[from] percussion_granular::Error),
    /// A mass or an inertia is refused.
    #[error("`{path}`: {source}")]
    Mass {
        /// Place in the file.
        path: String,
        /// Why.
        source: percussion_dynamics::inertia::Error,
    },
    /// A gap function was refused.
    #[error("contact `{contact}`: {source}")]
    Gap {
        /// Name of the contact.
        contact: String,
        /// Why.
        source: percussion_dynamics::gap::Error,
    },
    /// A surface is refused.
    #[error("surface of `{name}`: {source}")]
    Surface {
        /// Name of the surface.
        name: String,
        /// Why.
        source: percussion_collision::collider::Error,
    },
}

/// What a mechanism is refused for, an experiment that builds its own is refused for in the same words.
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
    percussion_collision::scene::Error,
    percussion_dynamics::articulated::Error,
    percussion_dynamics::free_bodies::Error,
    percussion_impact::ProblemError,
    percussion_impact::law::Error,
    percussion_integrators::Error,
    percussion_integrators::model::Error,
);
