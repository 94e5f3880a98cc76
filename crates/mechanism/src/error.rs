//! Why a file is refused, or what it describes cannot be moved: [`Error`].

use std::path::PathBuf;

use percussion_dynamics::{articulated, contact_set, free_bodies, gap, inertia, system};
use percussion_integrators::schemes::Name;

/// Why a scenario could not be read, built or simulated.
///
/// Fields named `path` hold the place in the scenario file, such as `bodies[2].mass`, counted from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be read, or is not UTF-8 text.
    #[error("cannot read scenario file `{}`: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The text is longer than a scenario can be.
    #[error("scenario is longer than {limit} bytes, expected at most that")]
    TooLarge {
        /// Largest accepted length (bytes).
        limit: usize,
    },
    /// The text is not TOML: a slip of the pen, or a truncated file.
    #[error("scenario is not valid TOML: {message}")]
    Syntax {
        /// Line, column and expectation.
        message: String,
    },
    /// A field is unknown, missing, or of the wrong type.
    #[error("`{path}`: {message}")]
    Format {
        /// Place in the file; `scenario` where a field of the file itself is missing.
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
        /// What is accepted, with the unit.
        expected: &'static str,
    },
    /// A list has the wrong length.
    #[error("`{path}` has {found} entries, expected {expected}")]
    Count {
        /// Place in the file.
        path: String,
        /// Entries found.
        found: usize,
        /// What is accepted.
        expected: String,
    },
    /// A name refers to nothing.
    #[error("`{path}` names `{name}`, expected one of {known}")]
    UnknownName {
        /// Place in the file.
        path: String,
        /// The name found.
        name: String,
        /// The names there are.
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
        /// What is wrong with it.
        source: percussion_dynamics::compliant::Error,
    },
    /// Contacts of an impact that was not read from a file of its own cannot give way.
    #[error("the contacts of `{impact}` cannot give way, expected the file of an impact")]
    NoCompliance {
        /// Name of the impact.
        impact: String,
    },
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
    /// A shape is refused.
    #[error("`{path}`: {source}")]
    Shape {
        /// Place in the file.
        path: String,
        /// Why.
        source: percussion_collision::shape::Error,
    },
    /// A surface is refused.
    #[error("surface of `{name}`: {source}")]
    Surface {
        /// Name of the surface.
        name: String,
        /// Why.
        source: percussion_collision::collider::Error,
    },
    /// Surfaces do not make a scene, or their contacts cannot be found.
    #[error("surfaces: {0}")]
    Scene(#[from] percussion_collision::scene::Error),
    /// A robot description is refused.
    #[cfg(feature = "urdf")]
    #[error("robot `{}`: {source}", file.display())]
    Robot {
        /// The file.
        file: PathBuf,
        /// Why.
        source: Box<crate::urdf::Error>,
    },
    /// A model of MuJoCo is refused.
    #[cfg(feature = "mjcf")]
    #[error("robot `{}`: {source}", file.display())]
    RobotModel {
        /// The file.
        file: PathBuf,
        /// Why.
        source: Box<crate::mjcf::Error>,
    },
    /// A scenario has a robot, which this build does not read.
    #[error("robot `{}`: built without the feature `urdf`, expected no `[robot]`", file.display())]
    NoRobots {
        /// The file.
        file: PathBuf,
    },
    /// A collision shape of a robot cannot be used.
    #[error("collision shape of `{name}`: {reason}")]
    RobotShape {
        /// The link, and the shape where the link has several.
        name: String,
        /// Why.
        reason: String,
    },
    /// A joint starts outside of its limits.
    #[error("`{path}` is {value:?}, expected a number from {} to {}, the limits of the joint", .limits[0], .limits[1])]
    OutsideLimits {
        /// Place in the file.
        path: String,
        /// The coordinate (rad or m).
        value: f64,
        /// Lower and upper limit.
        limits: [f64; 2],
    },
    /// A joint that closes a loop is refused.
    #[error("joint `{joint}`: {source}")]
    Joint {
        /// Name of the joint.
        joint: String,
        /// Why.
        source: percussion_dynamics::constraint::Error,
    },
    /// A joint has friction, for which the method has no rule.
    #[error(
        "the joint of `{link}` has friction, for which {method} has no rule, expected the method stewart-trinkle"
    )]
    JointFriction {
        /// The link that it carries.
        link: String,
        /// The method.
        method: Name,
    },
    /// Two surfaces overlap at the start by more than is accepted.
    #[error("contact `{contact}` starts {depth:?} m deep, expected at most {limit:.3e} m")]
    Penetration {
        /// Name of the contact.
        contact: String,
        /// Penetration depth (m), positive.
        depth: f64,
        /// Largest accepted depth (m).
        limit: f64,
    },
    /// The samples of the simulation would hold too many numbers.
    #[error(
        "the motion has {steps} steps and its samples hold {kept} numbers, expected at most {limit} \
         (shorten `duration`, enlarge `integrator.step_size`, or list the `contacts` that can happen)"
    )]
    Motion {
        /// Steps of the simulation.
        steps: usize,
        /// Numbers that all samples would hold.
        kept: usize,
        /// Largest accepted number of them.
        limit: usize,
    },
    /// The bodies do not make a system.
    #[error("`bodies`: {0}")]
    Bodies(#[from] free_bodies::Error),
    /// A mass or an inertia is refused.
    #[error("`{path}`: {source}")]
    Mass {
        /// Place in the file.
        path: String,
        /// Why.
        source: inertia::Error,
    },
    /// The bodies and their joints do not make a mechanism.
    #[error("`bodies`: {0}")]
    Mechanism(#[from] articulated::Error),
    /// The bodies and their joints have no motion at the coordinates given.
    #[error("`bodies`: {0}")]
    Position(#[from] system::CoordinateError),
    /// A contact of an impact was refused.
    #[error("`contacts`: {0}")]
    ContactSet(#[from] contact_set::Error),
    /// Event-driven motion was refused.
    #[error("event-driven motion: {0}")]
    EventDriven(#[from] percussion_integrators::event_driven::Error),
    /// A law did not start.
    #[error("impact law: {0}")]
    Law(#[from] percussion_impact::law::Error),
    /// The mechanism and its contacts do not make an impact problem.
    #[error("impact problem: {0}")]
    Impact(#[from] percussion_impact::ProblemError),
    /// A contact of an impact does not touch.
    #[error(
        "contact `{contact}` has a gap of {gap:?} m, expected at most {limit:?} m to either side"
    )]
    Apart {
        /// Name of the contact.
        contact: String,
        /// The gap (m).
        gap: f64,
        /// Largest accepted distance from touching (m).
        limit: f64,
    },
    /// Nothing touches where a scenario starts.
    #[error(
        "nothing touches where `{scenario}` starts, {nearest}, expected contacts for an impact"
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
    /// A design is refused: its variables, conditions or settings.
    #[error("design: {0}")]
    Design(Box<percussion_impact::design::Error<Self>>),
    /// A gap function was refused.
    #[error("contact `{contact}`: {source}")]
    Gap {
        /// Name of the contact.
        contact: String,
        /// Why.
        source: gap::Error,
    },
    /// The model was refused.
    #[error(transparent)]
    Model(#[from] percussion_integrators::model::Error),
    /// A motion in steps did not start, or a step of it was refused.
    #[error(transparent)]
    Simulation(#[from] percussion_integrators::Error),
    /// A field of a scene of grains is refused.
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
    /// A mesh cannot be used as a wall.
    #[error("`{path}`: {reason}")]
    Mesh {
        /// Place in the file.
        path: String,
        /// Why.
        reason: String,
    },
    /// Walls, grains or a step of a scene of grains were refused.
    #[error(transparent)]
    Grains(#[from] percussion_granular::Error),
}
