//! The errors of files and of the simulations that they describe: [`Error`].

use std::path::PathBuf;

use percussion_dynamics::{
    ArticulatedError, ContactSetError, CoordinateError, FreeBodiesError, MassPropertiesError, gap,
};

/// Reason why a scenario could not be read, built or simulated.
///
/// Fields named `path` contain the place in the scenario file, such as `bodies[2].mass`; entries are counted from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be read, or is not UTF-8 text.
    #[error("cannot read file `{}`: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The text is longer than the limit.
    #[error("scenario is too long, expected at most {limit} bytes")]
    TooLarge {
        /// Largest accepted length (bytes).
        limit: usize,
    },
    /// The text is not valid TOML, for example because of a typing error or a truncated file.
    #[error("scenario is not valid TOML: {message}")]
    Syntax {
        /// Line, column and expectation.
        message: String,
    },
    /// A field is unknown, missing, or of the wrong type.
    #[error("`{path}`: {message}")]
    Format {
        /// Place in the file; `scenario` if a field of the file itself is missing.
        path: String,
        /// Line, column, value and expectation.
        message: String,
    },
    /// A value is outside its range.
    #[error("`{path}` is {value}, expected {expected}")]
    Value {
        /// Place in the file.
        path: String,
        /// The value found.
        value: String,
        /// The accepted values, with the unit.
        expected: &'static str,
    },
    /// A list has the wrong length.
    #[error("`{path}` has {found} entries, expected {expected}")]
    Count {
        /// Place in the file.
        path: String,
        /// Number of entries found.
        found: usize,
        /// The accepted number of entries.
        expected: String,
    },
    /// A name does not exist.
    #[error("`{path}` names `{name}`, expected one of {known}")]
    UnknownName {
        /// Place in the file.
        path: String,
        /// The name found.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A name is used twice.
    #[error("`{path}` is `{name}`, expected a name not used before")]
    DuplicateName {
        /// Place in the file of the second use.
        path: String,
        /// The name.
        name: String,
    },
    /// A contact cannot be compliant with these parameters.
    #[error("compliant contact `{contact}`: {source}")]
    CompliantContact {
        /// Name of the contact.
        contact: String,
        /// The reason.
        source: percussion_dynamics::compliant::Error,
    },
    /// The contacts cannot be compliant, because the impact was not read from a file of its own.
    #[error("the contacts of `{impact}` cannot be compliant, expected the file of an impact")]
    NoCompliance {
        /// Name of the impact.
        impact: String,
    },
    /// An ensemble of motions could not start or continue.
    #[error(transparent)]
    Ensemble(#[from] percussion_integrators::ensemble::Error),
    /// A compliant impact could not be integrated.
    #[error("compliant impact: {0}")]
    CompliantMotion(#[from] Box<percussion_integrators::compliant::Error>),
    /// A partner of a contact has no shape.
    #[error(
        "no gap function between `{first}` and `{second}`, expected a `shape` for each body in `contacts`"
    )]
    NoGap {
        /// First partner.
        first: String,
        /// Second partner.
        second: String,
    },
    /// A shape is invalid.
    #[error("`{path}`: {source}")]
    Shape {
        /// Place in the file.
        path: String,
        /// The reason.
        source: percussion_collision::ShapeError,
    },
    /// A surface is invalid.
    #[error("surface of `{name}`: {source}")]
    Surface {
        /// Name of the surface.
        name: String,
        /// The reason.
        source: percussion_collision::ColliderError,
    },
    /// The surfaces are not a valid scene, or their contacts cannot be found.
    #[error("surfaces: {0}")]
    Scene(#[from] percussion_collision::SceneError),
    /// A robot description is invalid.
    #[cfg(feature = "urdf")]
    #[error("robot `{}`: {source}", file.display())]
    Robot {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: Box<crate::urdf::Error>,
    },
    /// A model of MuJoCo is invalid.
    #[cfg(feature = "mjcf")]
    #[error("robot `{}`: {source}", file.display())]
    RobotModel {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: Box<crate::mjcf::Error>,
    },
    /// A scenario has a robot, but this build cannot read robots.
    #[error("robot `{}`: built without the feature `urdf`, expected no `[robot]`", file.display())]
    NoRobots {
        /// The file.
        file: PathBuf,
    },
    /// A collision shape of a robot cannot be used.
    #[error("collision shape of `{name}`: {reason}")]
    RobotShape {
        /// The link, and the shape if the link has several.
        name: String,
        /// The reason.
        reason: String,
    },
    /// A joint starts outside its limits.
    #[error("`{path}` is {value:?}, expected a number from {} to {}, the limits of the joint", .limits[0], .limits[1])]
    OutsideLimits {
        /// Place in the file.
        path: String,
        /// The coordinate (rad or m).
        value: f64,
        /// Lower and upper limit.
        limits: [f64; 2],
    },
    /// A joint that closes a loop is invalid.
    #[error("joint `{joint}`: {source}")]
    Joint {
        /// Name of the joint.
        joint: String,
        /// The reason.
        source: percussion_dynamics::constraint::Error,
    },
    /// Two surfaces overlap at the start by more than the accepted depth.
    #[error("contact `{contact}` starts {depth:?} m deep, expected at most {limit:.3e} m")]
    Penetration {
        /// Name of the contact.
        contact: String,
        /// Penetration depth (m), positive.
        depth: f64,
        /// Largest accepted depth (m).
        limit: f64,
    },
    /// The samples of the simulation would contain too many values.
    #[error(
        "the motion has {steps} steps and its samples contain {kept} values, expected at most {limit} \
         (shorten `duration`, enlarge `integrator.step_size`, or list the `contacts` that can happen)"
    )]
    Motion {
        /// Number of steps of the simulation.
        steps: usize,
        /// Number of values that all samples would contain.
        kept: usize,
        /// Maximum number of values.
        limit: usize,
    },
    /// The bodies are not a valid system.
    #[error("`bodies`: {0}")]
    Bodies(#[from] FreeBodiesError),
    /// A mass or an inertia is invalid.
    #[error("`{path}`: {source}")]
    Mass {
        /// Place in the file.
        path: String,
        /// The reason.
        source: MassPropertiesError,
    },
    /// The bodies and their joints are not a valid mechanism.
    #[error("`bodies`: {0}")]
    Mechanism(#[from] ArticulatedError),
    /// The bodies and their joints cannot move from the given coordinates.
    #[error("`bodies`: {0}")]
    Position(#[from] CoordinateError),
    /// A contact of an impact is invalid.
    #[error("`contacts`: {0}")]
    ContactSet(#[from] ContactSetError),
    /// The event-driven motion could not be started.
    #[error("event-driven motion: {0}")]
    EventDriven(#[from] percussion_integrators::event_driven::Error),
    /// An impact law could not be started.
    #[error("impact law: {0}")]
    Law(#[from] percussion_impact::Error),
    /// The mechanism and its contacts are not a valid impact problem.
    #[error("impact problem: {0}")]
    Impact(#[from] percussion_impact::ProblemError),
    /// A contact of an impact does not touch.
    #[error(
        "contact `{contact}` has a gap of {gap:?} m, expected between minus and plus {limit:?} m"
    )]
    Apart {
        /// Name of the contact.
        contact: String,
        /// The gap (m).
        gap: f64,
        /// Largest accepted magnitude of the gap (m).
        limit: f64,
    },
    /// No surfaces touch at the start of a scenario.
    #[error(
        "nothing touches at the start of `{scenario}`, {nearest}, expected contacts for an impact"
    )]
    NothingTouches {
        /// Name of the scenario.
        scenario: String,
        /// The contact with the smallest gap and that gap, in words.
        nearest: String,
    },
    /// A file is neither an impact nor a scenario.
    #[error(
        "the file {found}, expected an impact (`bodies`, `contacts`, and maybe `set_valued` or `compliant`) or a \
         scenario (`bodies`, `gravity`, `duration`, `integrator`)"
    )]
    Kind {
        /// Which fields the file has or lacks, in words.
        found: String,
    },
    /// A design is invalid: its variables, conditions or settings.
    #[error("design: {0}")]
    Design(Box<percussion_impact::design::Error<Self>>),
    /// A gap function is invalid.
    #[error("contact `{contact}`: {source}")]
    Gap {
        /// Name of the contact.
        contact: String,
        /// The reason.
        source: gap::Error,
    },
    /// The model is invalid.
    #[error(transparent)]
    Model(#[from] percussion_integrators::ModelError),
    /// A time-stepping simulation could not be started, or one of its steps failed.
    #[error(transparent)]
    Simulation(#[from] percussion_integrators::Error),
    /// A field is refused.
    #[error("line {line}: {source}")]
    AtLine {
        /// The line, counted from 1.
        line: usize,
        /// Why.
        source: Box<Self>,
    },
    /// Grains find no room.
    #[error(
        "`{path}` is {wanted}, expected at most {found}, for which there is room in the region"
    )]
    NoRoom {
        /// Place in the file.
        path: String,
        /// Grains wanted.
        wanted: usize,
        /// Grains that found a place.
        found: usize,
    },
    /// The section of a friction cone is refused.
    #[error("`{path}`: {source}")]
    Section {
        /// Place in the file.
        path: String,
        /// The reason.
        source: percussion_complementarity::friction::mixed::BlockError,
    },
    /// An impact law has round friction cones only.
    #[error(
        "contact `{contact}` has the section {section}, expected a coefficient `friction`: impacts of scenarios have round cones"
    )]
    NotRound {
        /// The contact.
        contact: String,
        /// Name of the section.
        section: String,
    },
    /// A mesh cannot be used as a wall or as the shape of grains.
    #[error("`{path}`: {reason}")]
    Mesh {
        /// Place in the file.
        path: String,
        /// Why.
        reason: String,
    },
    /// The shape of grains is refused.
    #[error("`{path}`: {reason}")]
    GrainShape {
        /// Place in the file.
        path: String,
        /// Why.
        reason: String,
    },
    /// Walls, grains or a step of a scene of grains were refused.
    #[error(transparent)]
    Grains(#[from] percussion_granular::Error),
}

impl Error {
    /// The place in the file that is refused, for errors whose message does not have its line.
    pub(crate) fn path(&self) -> Option<&str> {
        match self {
            Self::Value { path, .. }
            | Self::Count { path, .. }
            | Self::UnknownName { path, .. }
            | Self::DuplicateName { path, .. }
            | Self::Shape { path, .. }
            | Self::OutsideLimits { path, .. }
            | Self::Mass { path, .. }
            | Self::Mesh { path, .. }
            | Self::GrainShape { path, .. }
            | Self::NoRoom { path, .. } => Some(path),
            _ => None,
        }
    }
}
