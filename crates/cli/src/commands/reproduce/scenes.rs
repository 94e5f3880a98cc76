//! What the report plays: the experiments that are about one motion or one impact.

use std::collections::BTreeMap;

use anyhow::Result;
use percussion_granular::channel::Channel;
use percussion_impact::Poisson;
use percussion_record::view::View;
use percussion_report::number::short;
use percussion_scenarios::{Scenario, channel, impacts, scenario::Method, view};

use percussion_impact::laws::Name;

use crate::{commands, laws::LawName};

/// Laws that are played beside each other, where they apply.
const LAWS: [LawName; 5] = [
    LawName::Impact(Name::Newton),
    LawName::Impact(Name::Poisson),
    LawName::Impact(Name::AnitescuPotra),
    LawName::Impact(Name::Plus),
    LawName::Impact(Name::SetValuedRouth),
];

/// Samples by which a set of outcomes is known to the player: enough for its outline.
const SAMPLES: u64 = 4096;

/// The stream of grains.
const CHANNEL: &str = "granular/channel";

/// Its grains are so many times as large as the published ones: about a thousand of them.
const FACTOR: f64 = 6.0;

/// How long it is seen (s): by a third of its length.
const STREAM: f64 = 0.05;

/// Views of those of `experiments` that can be played, by name, and of the channel where all of them are asked for.
///
/// One that cannot be made is left out with a warning: the report is about figures.
pub(super) fn views(experiments: &[&str], seed: u64) -> BTreeMap<String, View> {
    let is_whole = percussion_scenarios::experiments().len() == experiments.len();
    let channel = is_whole.then_some(CHANNEL).filter(|id| !experiments.contains(id));
    let mut views = BTreeMap::new();
    for &id in experiments.iter().chain(&channel) {
        match view(id, seed) {
            Ok(Some(view)) => {
                views.insert(id.to_owned(), view);
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(experiment = id, %error, "cannot be played"),
        }
    }
    views
}

/// The command that writes a page on which the experiment plays, if it is about one motion or impact.
pub(super) fn command(id: &str) -> Option<String> {
    let name = id.rsplit('/').next()?;
    let run = if Scenario::names().any(|known| known == id) {
        format!("run {id}")
    } else if impacts::NAMES.contains(&name) {
        format!("compare {name}")
    } else {
        return None;
    };
    Some(format!("percussion {run} --out run && percussion view run"))
}

fn view(id: &str, seed: u64) -> Result<Option<View>> {
    if id == CHANNEL {
        return stream(seed).map(Some);
    }
    if Scenario::names().any(|known| known == id) {
        return motion(&Scenario::named(id)?).map(Some);
    }
    let name = match id {
        "plus/brick-corner" => "brick-corner-0.225",
        "plus/brick-flat" => "brick-flat",
        "plus/ball-row" => "ball-row",
        "plus/triple-pendulum" => "triple-pendulum",
        "set-valued/rocking-block" => "rocking-block",
        "set-valued/compass-gait" => "compass-gait",
        "set-valued/box-and-wall" => "box-and-wall",
        "set-valued/ramone" => "ramone",
        "set-valued/disk-stack" => "disk-stack",
        "propagative/cradle" => "newtons-cradle",
        "propagative/billiards" => "billiards",
        _ => return Ok(None),
    };
    commands::impact::view(name, &LAWS, SAMPLES, seed).map(Some)
}

fn motion(scenario: &Scenario) -> Result<View> {
    if scenario.integrator.method == Method::EventDriven {
        let motion = scenario.simulate_events(&Poisson::default(), &mut |_| ())?;
        return Ok(view::of_event_motion(scenario, &motion)?);
    }
    Ok(view::of_trajectory(scenario, &scenario.simulate(&mut |_| ())?)?)
}

fn stream(seed: u64) -> Result<View> {
    let mut channel = Channel::new(channel::parameters(seed)?.coarser(FACTOR))?;
    let step_size = channel.world().settings().step_size;
    let steps = (0_u32..).take_while(|step| f64::from(*step) * step_size < STREAM).count() as u64;
    let mut film = view::GrainFilm::new(channel.world(), steps);
    for _ in 0..steps {
        let report = channel.step()?;
        film.look(channel.world(), &report);
    }
    let step_size = short(step_size);
    let caption = format!(
        "Preclik, Eibl & Rüde (2018), section 4.3, with grains {FACTOR} times as large; h = {step_size} s."
    );
    Ok(film.view("A dense stream of grains past an obstacle", &caption))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiments_that_are_built_in_can_be_played() {
        let written = command("stewart-trinkle/four-balls").unwrap();
        assert!(
            written.starts_with("percussion run stewart-trinkle/four-balls --out"),
            "{written}"
        );
        assert!(command("set-valued/disk-stack").unwrap().contains("compare disk-stack"));
        assert_eq!(command("set-valued/zeno"), None);
    }
}
