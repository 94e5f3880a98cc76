//! One way to run every scheme that takes contacts from a scene.

use percussion_integrators::{
    Contacts, Model, Simulation, State,
    impulse_velocity::{self, ImpulseVelocity},
    moreau_jean::{self, MoreauJean},
    stewart_trinkle::{self, StewartTrinkle},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    StewartTrinkle,
    ImpulseVelocity,
    MoreauJean,
}

pub(crate) const ALL: [Scheme; 3] =
    [Scheme::StewartTrinkle, Scheme::ImpulseVelocity, Scheme::MoreauJean];

/// What a step is judged by.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) state: State,
    pub(crate) penetration: f64,
    pub(crate) gained: bool,
    /// Numbers and normal impulses (N·s).
    pub(crate) contacts: Vec<(usize, f64)>,
}

/// Steps of `h` until `end` (s), with the contacts at the end of each.
pub(crate) fn run(
    scheme: Scheme,
    model: Model,
    start: State,
    times: (f64, f64),
    observer: impl FnMut(&Seen, &Contacts),
) {
    try_run(scheme, model, start, times, observer).unwrap();
}

/// The same, up to the first step that is refused.
pub(crate) fn try_run(
    scheme: Scheme,
    model: Model,
    start: State,
    (h, end): (f64, f64),
    mut observer: impl FnMut(&Seen, &Contacts),
) -> Result<(), String> {
    let mut left = end;
    macro_rules! steps {
        ($motion:expr) => {{
            let mut motion = $motion.unwrap();
            while left > 0.5 * h {
                left -= h;
                let report = motion.step().map_err(|error| error.to_string())?;
                let seen = Seen {
                    state: motion.state().clone(),
                    penetration: report.penetration,
                    gained: report.energy.is_breached(),
                    contacts: report.contacts.iter().map(|c| (c.contact, c.impulse.x)).collect(),
                };
                observer(&seen, motion.contacts());
            }
        }};
    }
    match scheme {
        Scheme::StewartTrinkle => {
            let defaults = match model.component_count() {
                2 => stewart_trinkle::Settings::planar(),
                _ => stewart_trinkle::Settings::default(),
            };
            let settings = stewart_trinkle::Settings { step_size: h, ..defaults };
            steps!(Simulation::<StewartTrinkle>::new(model, settings, start));
        }
        Scheme::ImpulseVelocity => {
            let settings = impulse_velocity::Settings { step_size: h, ..Default::default() };
            steps!(Simulation::<ImpulseVelocity>::new(model, settings, start));
        }
        Scheme::MoreauJean => {
            let settings = moreau_jean::Settings { step_size: h, ..Default::default() };
            steps!(Simulation::<MoreauJean>::new(model, settings, start));
        }
    }
    Ok(())
}
