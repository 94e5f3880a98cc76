//! The schemes by name: the list of schemes, their settings, and the features that each supports.
//!
//! Programs in which the user chooses a scheme, such as a command line or a file format, take a [`Name`], or
//! a [`Choice`] of a stepping scheme with its settings, which creates [`Any`] simulation. A program that
//! fixes the scheme at compile time uses [`Simulation`]. A new stepping scheme is entered here and then
//! appears in every list of schemes.
//!
//! # What has a rule for what
//!
//! | scheme | contacts found | restitution | joint friction | cones | constraints | of velocities | forces |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | [`StewartTrinkle`] | used | ignored | used | used | used | used | refused |
//! | [`ImpulseVelocity`] | used | ignored | used | used | used | used | refused |
//! | [`MoreauJean`] | used | used | used | used | used | used | refused |
//! | [`Variational`] | used | used | used | refused | used | refused | used |
//! | [`event_driven`](crate::event_driven) | used | used | used | refused | used | used | refused |
//! | [`inclusion`](crate::inclusion) | refused | refused | refused | refused | refused | refused | refused |
//!
//! - The columns are the [features](Feature) of a model; [`Name::rule`] has the same table. A refused feature
//!   is reported by name before the first step. An ignored feature does not change the motion: impacts of
//!   these schemes are inelastic, which [`Name::restitution`] says.
//! - **Restitution** is Newton's in [`MoreauJean`], and that of the impact law in [`Variational`] and
//!   event-driven motion.
//! - **Friction in joints** may have several axes with one bound in [`StewartTrinkle`], and one axis each in the others.
//!   [`ImpulseVelocity`] and [`MoreauJean`] then state one problem of all joints, limits and contacts; their
//!   solver must [support blocks](percussion_complementarity::friction::Method::supports_blocks), and the law of the
//!   contacts is Coulomb's. In event-driven motion a joint turns or rests until the next event. In
//!   [`Variational`] half of the friction acts at either end of a piece.
//! - **Cones** that are not round ([`Cone`](crate::Cone)): wheels, soft fingers and rolling resistance stand in the same
//!   problem of [`ImpulseVelocity`] and [`MoreauJean`]. [`StewartTrinkle`] has sections without moments, as polygons.
//! - **Limits** of joints are contacts without friction, which every scheme supports.
//! - **[Actuators](crate::Actuator)** belong to the system for all schemes but [`Variational`], which refuses them.
//! - **Joints** belong to the system: [`Variational`] moves trees without quaternions,
//!   [`inclusion`](crate::inclusion) systems in the plane, and the other schemes any system.
//! - [`compliant`](crate::compliant) has a model of its own, which has only contacts with force laws.
//!
//! # Source
//!
//! See the module of each scheme.
//!
//! # Example
//!
//! A ball falls for half a second at 10 m/s², by every stepping scheme.
//!
//! ```
//! use nalgebra::Vector3;
//! use percussion_dynamics::{Body, FreeBodies, MassProperties};
//! use percussion_integrators::{Model, State, schemes::Choice};
//!
//! for scheme in Choice::all() {
//!     let ball = Body::from_mass_properties(&MassProperties::solid_sphere(2.0, 0.1)?);
//!     let balls = FreeBodies::new(vec![ball], Vector3::new(0.0, 0.0, -10.0))?;
//!     let model = Model::free_bodies(balls, vec![])?;
//!     let coordinates = vec![0.0, 0.0, 9.0, 1.0, 0.0, 0.0, 0.0];
//!     let start = State { time: 0.0, coordinates, velocity: vec![0.0; 6] };
//!     let mut simulation = scheme.with_step_size(0.01).begin(model, start)?;
//!     simulation.run(0.5, |_, _| ())?;
//!     assert!((simulation.state().velocity[2] + 5.0).abs() < 1e-10, "{}", scheme.name());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::{fmt, str::FromStr};

use percussion_complementarity::friction::document::Document;
use percussion_impact::RestitutionUse;

use crate::{
    contacts::Contacts,
    error::Error,
    impulse_velocity,
    impulse_velocity::ImpulseVelocity,
    model::{Feature, Model, Rule, State},
    moreau_jean,
    moreau_jean::MoreauJean,
    report::StepReport,
    simulation::{Scheme, Simulation},
    stewart_trinkle,
    stewart_trinkle::StewartTrinkle,
    variational,
    variational::Variational,
};

/// The schemes that move a [`Model`] through time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Name {
    /// [`StewartTrinkle`].
    StewartTrinkle,
    /// [`event_driven`](crate::event_driven), which is no stepping scheme and needs the feature `adaptive`.
    EventDriven,
    /// [`ImpulseVelocity`].
    ImpulseVelocity,
    /// [`MoreauJean`].
    MoreauJean,
    /// [`Variational`].
    Variational,
}

impl Name {
    /// All of them, in the order of lists.
    pub const ALL: [Self; 5] = [
        Self::StewartTrinkle,
        Self::EventDriven,
        Self::ImpulseVelocity,
        Self::MoreauJean,
        Self::Variational,
    ];

    /// The name in files and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::StewartTrinkle => "stewart-trinkle",
            Self::EventDriven => "event-driven",
            Self::ImpulseVelocity => "impulse-velocity",
            Self::MoreauJean => "moreau-jean",
            Self::Variational => "variational",
        }
    }

    /// A short description, as lists show it.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::StewartTrinkle => {
                "Implicit position-level time stepping (Stewart & Trinkle 1996)"
            }
            Self::EventDriven => "Smooth motion from event to event, with a law for impacts",
            Self::ImpulseVelocity => {
                "Semi-implicit velocity-level time stepping with round friction cones (Preclik, Eibl & Rüde 2017)"
            }
            Self::MoreauJean => {
                "Velocity-level time stepping with the θ-method and Newton's restitution"
            }
            Self::Variational => {
                "Variational, impacts within the steps by Newton's law without friction; friction only in contacts that stay closed"
            }
        }
    }

    /// How the scheme treats a feature of a model; the [module head](self) has the table.
    #[must_use]
    pub fn rule(self, feature: Feature) -> Rule {
        match self {
            Self::StewartTrinkle => StewartTrinkle::rule(feature),
            Self::EventDriven => match feature {
                Feature::Cones | Feature::Forces => Rule::Refused,
                Feature::FoundContacts
                | Feature::JointFriction
                | Feature::Restitution
                | Feature::Constraints
                | Feature::VelocityConstraints => Rule::Used,
            },
            Self::ImpulseVelocity => ImpulseVelocity::rule(feature),
            Self::MoreauJean => MoreauJean::rule(feature),
            Self::Variational => Variational::rule(feature),
        }
    }

    /// How the scheme uses the coefficients of restitution of `model`; in event-driven motion this is up to the
    /// impact law, whose use the [report](crate::event_driven::Report::restitution) has.
    #[must_use]
    pub fn restitution(self, model: &Model) -> RestitutionUse {
        match self.rule(Feature::Restitution) {
            _ if !model.has(Feature::Restitution) => RestitutionUse::None,
            Rule::Used => RestitutionUse::Used,
            Rule::Ignored | Rule::Refused => RestitutionUse::Ignored,
        }
    }

    /// The scheme with its default settings; `None` for event-driven motion, which takes no steps.
    #[must_use]
    pub fn stepping(self) -> Option<Choice> {
        Choice::all().into_iter().find(|choice| choice.name() == self)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// Error for a text that is not the name of a scheme.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no scheme is called `{name}`, expected one of {}", known.join(", "))]
#[non_exhaustive]
pub struct UnknownName {
    /// The text.
    pub name: String,
    /// The known names.
    pub known: Vec<&'static str>,
}

impl FromStr for Name {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let known = Self::ALL.into_iter().find(|name| name.as_str() == text);
        known.ok_or_else(|| UnknownName {
            name: text.to_owned(),
            known: Self::ALL.map(Self::as_str).to_vec(),
        })
    }
}

/// A stepping scheme with its settings.
///
/// In a file the name is one of the settings, as in `{"name": "moreau-jean", "step_size": 0.01}`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "name", rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Choice {
    /// [`StewartTrinkle`].
    StewartTrinkle(stewart_trinkle::Settings),
    /// [`ImpulseVelocity`].
    ImpulseVelocity(impulse_velocity::Settings),
    /// [`MoreauJean`].
    MoreauJean(moreau_jean::Settings),
    /// [`Variational`], with impacts by Newton's law.
    Variational(variational::Settings),
}

impl Choice {
    /// All stepping schemes with their default settings, whose friction directions are for motion in space.
    #[must_use]
    pub fn all() -> [Self; 4] {
        [
            Self::StewartTrinkle(stewart_trinkle::Settings::default()),
            Self::ImpulseVelocity(impulse_velocity::Settings::default()),
            Self::MoreauJean(moreau_jean::Settings::default()),
            Self::Variational(variational::Settings::default()),
        ]
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> Name {
        match self {
            Self::StewartTrinkle(_) => Name::StewartTrinkle,
            Self::ImpulseVelocity(_) => Name::ImpulseVelocity,
            Self::MoreauJean(_) => Name::MoreauJean,
            Self::Variational(_) => Name::Variational,
        }
    }

    /// Returns the same choice with steps of this length (s, positive).
    #[must_use]
    pub const fn with_step_size(mut self, step_size: f64) -> Self {
        match &mut self {
            Self::StewartTrinkle(settings) => settings.step_size = step_size,
            Self::ImpulseVelocity(settings) => settings.step_size = step_size,
            Self::MoreauJean(settings) => settings.step_size = step_size,
            Self::Variational(settings) => settings.step_size = step_size,
        }
        self
    }

    /// Starts a motion of `model` with this scheme at `state`.
    ///
    /// # Errors
    ///
    /// As [`Simulation::new`].
    pub fn begin(self, model: Model, state: State) -> Result<Any, Error> {
        Ok(match self {
            Self::StewartTrinkle(settings) => {
                Any::StewartTrinkle(Box::new(Simulation::new(model, settings, state)?))
            }
            Self::ImpulseVelocity(settings) => {
                Any::ImpulseVelocity(Box::new(Simulation::new(model, settings, state)?))
            }
            Self::MoreauJean(settings) => {
                Any::MoreauJean(Box::new(Simulation::new(model, settings, state)?))
            }
            Self::Variational(settings) => {
                Any::Variational(Box::new(Simulation::new(model, settings, state)?))
            }
        })
    }
}

/// A [`Simulation`] by a scheme that was chosen at run time.
#[derive(Debug)]
#[non_exhaustive]
pub enum Any {
    /// By [`StewartTrinkle`].
    StewartTrinkle(Box<Simulation<StewartTrinkle>>),
    /// By [`ImpulseVelocity`].
    ImpulseVelocity(Box<Simulation<ImpulseVelocity>>),
    /// By [`MoreauJean`].
    MoreauJean(Box<Simulation<MoreauJean>>),
    /// By [`Variational`].
    Variational(Box<Simulation<Variational>>),
}

/// The same for each of the simulations.
macro_rules! each {
    ($any:expr, $simulation:ident => $value:expr) => {
        match $any {
            Any::StewartTrinkle($simulation) => $value,
            Any::ImpulseVelocity($simulation) => $value,
            Any::MoreauJean($simulation) => $value,
            Any::Variational($simulation) => $value,
        }
    };
}

impl Any {
    /// The scheme with its settings.
    #[must_use]
    pub fn scheme(&self) -> Choice {
        match self {
            Self::StewartTrinkle(simulation) => Choice::StewartTrinkle(*simulation.settings()),
            Self::ImpulseVelocity(simulation) => Choice::ImpulseVelocity(*simulation.settings()),
            Self::MoreauJean(simulation) => Choice::MoreauJean(*simulation.settings()),
            Self::Variational(simulation) => Choice::Variational(*simulation.settings()),
        }
    }

    /// See [`Simulation::model`].
    #[must_use]
    pub fn model(&self) -> &Model {
        each!(self, simulation => simulation.model())
    }

    /// See [`Simulation::contacts`].
    #[must_use]
    pub fn contacts(&self) -> &Contacts {
        each!(self, simulation => simulation.contacts())
    }

    /// See [`Simulation::state`].
    #[must_use]
    pub fn state(&self) -> &State {
        each!(self, simulation => simulation.state())
    }

    /// See [`Simulation::document`].
    #[must_use]
    pub fn document(&self) -> Option<Document> {
        each!(self, simulation => simulation.document())
    }

    /// See [`Simulation::step`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn step(&mut self) -> Result<StepReport, Error> {
        each!(self, simulation => simulation.step())
    }

    /// See [`Simulation::run`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn run(
        &mut self,
        until: f64,
        observer: impl FnMut(&State, &StepReport),
    ) -> Result<(), Error> {
        each!(self, simulation => simulation.run(until, observer))
    }
}
