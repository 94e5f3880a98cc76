//! Settings of compliant contacts.

use percussion_impact::settings::{Error, Settings};
use percussion_integrators::compliant::Method as Integration;

use crate::impacts::compliant::{self, Rule};

/// The given settings, combined with those of a file.
pub(super) fn settings(
    settings: &mut Settings,
    defaults: Option<&compliant::Settings>,
) -> Result<compliant::Settings, Error> {
    let defaults = defaults.copied().unwrap_or_default();
    let modulus = settings.optional("modulus", "springs, or that of the file", "a modulus (Pa)")?;
    let slip = "0.001 of the fastest velocity, with a modulus 0.01 m/s";
    let slip =
        settings.optional("slip", slip, "a speed where friction is fully developed (m/s)")?;
    // The default comes first.
    let mut rules = [("hertz", Rule::Hertz), ("springs", Rule::Springs)];
    rules.sort_by_key(|(_, rule)| *rule != defaults.rule);
    let mut methods = [
        ("tsit45", Integration::Tsit45),
        ("bdf", Integration::Bdf),
        ("tr-bdf2", Integration::TrBdf2),
    ];
    methods.sort_by_key(|(_, method)| *method != defaults.method);
    let dissipation = "of Hunt and Crossley (s/m)";
    Ok(compliant::Settings {
        modulus: modulus.or(defaults.modulus),
        rule: settings.choice("rule", &rules)?,
        dissipation: settings.number("dissipation", defaults.dissipation, dissipation)?,
        depth: settings.number("depth", defaults.depth, "a number, that of springs (m)")?,
        slip: slip.or(defaults.slip),
        gravity: defaults.gravity,
        tolerance: settings.number(
            "tolerance",
            defaults.tolerance,
            "a number from 1e-13 to 0.1",
        )?,
        method: settings.choice("method", &methods)?,
    })
}
