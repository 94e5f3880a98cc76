//! The schemes of time stepping by one interface: [`Mover`].

use percussion_complementarity::friction::Document;
use percussion_integrators::{
    Contacts, Model, State, impulse_velocity, moreau_jean, stewart_trinkle,
};

use super::{Step, variational};
use crate::{
    error::Error,
    scenario::{Method, Scenario},
};

/// Any of the schemes that move a scenario.
pub(super) enum Mover {
    StewartTrinkle(Box<stewart_trinkle::Integrator>),
    ImpulseVelocity(Box<impulse_velocity::Integrator>),
    MoreauJean(Box<moreau_jean::Integrator>),
    Variational(Box<variational::Mover>),
}

impl Mover {
    pub(super) fn new(
        scenario: &Scenario,
        setup: (Model, stewart_trinkle::Settings, State),
    ) -> Result<Self, Error> {
        let (model, settings, state) = setup;
        Ok(match scenario.integrator.method {
            Method::StewartTrinkle | Method::EventDriven => Self::StewartTrinkle(Box::new(
                stewart_trinkle::Integrator::new(model, settings, state)?,
            )),
            Method::ImpulseVelocity => {
                let settings = scenario.impulse_velocity_settings();
                let integrator = impulse_velocity::Integrator::new(model, settings, state)?;
                Self::ImpulseVelocity(Box::new(integrator))
            }
            Method::MoreauJean => {
                let settings = scenario.moreau_jean_settings();
                let integrator = moreau_jean::Integrator::new(model, settings, state)?;
                Self::MoreauJean(Box::new(integrator))
            }
            Method::Variational => {
                Self::Variational(Box::new(variational::Mover::new(scenario, model, state)?))
            }
        })
    }

    pub(super) fn step(&mut self) -> Result<Step, Error> {
        Ok(match self {
            Self::StewartTrinkle(integrator) => integrator.step()?.into(),
            Self::ImpulseVelocity(integrator) => integrator.step()?.into(),
            Self::MoreauJean(integrator) => integrator.step()?.into(),
            Self::Variational(mover) => mover.step()?,
        })
    }

    pub(super) fn now(&self) -> (&Model, &State) {
        match self {
            Self::StewartTrinkle(integrator) => (integrator.model(), integrator.state()),
            Self::ImpulseVelocity(integrator) => (integrator.model(), integrator.state()),
            Self::MoreauJean(integrator) => (integrator.model(), integrator.state()),
            Self::Variational(mover) => (&mover.model, &mover.state),
        }
    }

    /// The contacts by number.
    pub(super) fn contacts(&self) -> &Contacts {
        match self {
            Self::StewartTrinkle(integrator) => integrator.contacts(),
            Self::ImpulseVelocity(integrator) => integrator.contacts(),
            Self::MoreauJean(integrator) => integrator.contacts(),
            Self::Variational(mover) => mover.all_contacts(),
        }
    }

    pub(super) fn document(&self) -> Option<Document> {
        match self {
            Self::StewartTrinkle(_) | Self::Variational(_) => None,
            Self::ImpulseVelocity(integrator) => integrator.document(),
            Self::MoreauJean(integrator) => integrator.document(),
        }
    }
}
