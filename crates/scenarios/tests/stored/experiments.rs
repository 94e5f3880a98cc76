//! Runs every experiment at effort `quick`: every row must be accepted and agree with the stored one, and so
//! must the motions of experiments that are scenarios.
//!
//! The channel of grains is an exception, because it takes half a minute and is chaotic: only the first steps
//! of its stream are stored, and `percussion reproduce --quick` judges its rows.

use std::thread;

use percussion_granular::channel::Channel;
use percussion_record::{Difference, ExperimentOutcome, Row};
use percussion_scenarios::{Effort, Options, channel, experiment, experiments, fixtures};
use percussion_snapshot::{Record, assert_stored};

use crate::scenarios;

fn run_quickly(id: &str) -> ExperimentOutcome {
    let options = Options { effort: Effort::Quick, ..Options::default() };
    let mut last = 0.0;
    let outcome = experiment(id)
        .unwrap()
        .run(&options, &mut |fraction, _| {
            assert!((last..=1.0).contains(&fraction), "progress went from {last} to {fraction}");
            last = fraction;
        })
        .unwrap();
    assert!(last >= 1.0, "progress ends at {last}");
    outcome
}

fn assert_accepted(id: &str) {
    let outcome = run_quickly(id);
    let mut record = Record::new(id);
    outcome.rows.iter().for_each(|row| add(&mut record, row));
    let mut collection = Record::new(id);
    collection.append("rows", &record);
    if fixtures::scenarios().any(|name| name == id) {
        scenarios::add_motions(&mut collection, id);
    }
    assert_stored!("experiments", collection);
    let refused: Vec<_> = outcome.rows.iter().filter(|row| !row.accepted).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    let agrees = |row: &&Row| row.difference == Some(Difference::Agrees);
    for row in outcome.rows.iter().filter(agrees) {
        assert!(row.is_as_published(), "{row:?} differs from the published figure");
    }
    for figure in &outcome.figures {
        assert!(!figure.series.is_empty(), "{} is empty", figure.id);
    }
    assert_plays(&outcome);
}

/// Every view that a page plays has motions, and its command names an existing scenario or impact.
fn assert_plays(outcome: &ExperimentOutcome) {
    let id = &outcome.id;
    let Some(play) = &outcome.play else {
        assert!(!fixtures::scenarios().any(|name| name == id), "{id} is not played");
        return;
    };
    assert!(!play.view.motions.is_empty(), "{id} plays nothing");
    let words: Vec<_> = play.command.as_ref().unwrap().split(' ').collect();
    match words[..2] {
        ["run", name] => assert_eq!(name, id, "another experiment is played"),
        ["compare", name] => assert!(fixtures::IMPACTS.contains(&name), "{name} is no impact"),
        _ => panic!("{id} is played by {words:?}"),
    }
}

fn add(record: &mut Record, row: &Row) {
    let path = if row.unit.is_empty() {
        row.quantity.clone()
    } else {
        format!("{} ({})", row.quantity, row.unit)
    };
    // Lengths, times and energies of the experiments are of order 1; counters among the rows are numbers, too.
    record.figure(&path, row.measured, 1.0);
}

/// The channel is judged by `percussion reproduce --quick`.
fn assert_all_accepted(family: &str) {
    let ids = experiments().iter().map(|experiment| experiment.id);
    let own = ids.filter(|id| id.split('/').next() == Some(family) && *id != "granular/channel");
    // At once, because those of one family may take longer than all others together.
    thread::scope(|scope| {
        own.for_each(|id| {
            scope.spawn(move || assert_accepted(id));
        });
    });
}

#[test]
fn stewart_trinkle_is_accepted_and_repeats_bit_by_bit() {
    assert_all_accepted("stewart-trinkle");
    let id = "stewart-trinkle/two-balls-bounce";
    assert_eq!(run_quickly(id), run_quickly(id));
}

#[test]
fn plus_is_accepted() {
    assert_all_accepted("plus");
}

#[test]
fn set_valued_is_accepted() {
    assert_all_accepted("set-valued");
}

#[test]
fn maximum_dissipation_is_accepted() {
    assert_all_accepted("maximum-dissipation");
}

#[test]
fn propagative_is_accepted() {
    assert_all_accepted("propagative");
}

#[test]
fn restitution_is_accepted() {
    assert_all_accepted("restitution");
}

#[test]
fn ensembles_are_accepted() {
    assert_all_accepted("ensembles");
}

#[test]
fn event_driven_is_accepted() {
    assert_all_accepted("event-driven");
}

#[test]
fn robots_are_accepted() {
    assert_all_accepted("robots");
}

#[test]
fn constraints_are_accepted() {
    assert_all_accepted("constraints");
}

#[test]
fn bulk_is_accepted() {
    assert_all_accepted("bulk");
}

/// Steps until grains of the first layers have collided; later a change of `1e-12` grows in each collision.
#[test]
fn the_channel_begins_as_stored() {
    let mut channel = Channel::new(channel::parameters(1).unwrap().coarser(8.0)).unwrap();
    let mut record = Record::new("granular/channel, first steps");
    let (mut sweeps, mut contacts) = (0, 0);
    for step in 1..=60 {
        let report = channel.step().unwrap();
        sweeps += report.sweeps;
        contacts += report.contacts;
        if step % 20 == 0 {
            let (world, path) = (channel.world(), |name: &str| format!("step[{step}].{name}"));
            record.count(&path("grains"), world.grains().len());
            record.count(&path("sweeps up to here"), sweeps);
            record.count(&path("contacts up to here"), contacts);
            record.figure(&path("kinetic energy"), world.grains().kinetic_energy(), 0.0);
            let momentum = world.grains().momentum();
            record.figures(&path("momentum"), momentum.as_slice(), 0.0);
            record.figures(&path("first moment"), world.grains().first_moment().as_slice(), 0.0);
            record.figure(&path("overlap"), world.overlap(), world.grains().smallest_radius());
        }
    }
    assert_stored!("experiments", record);
}

#[test]
fn every_family_is_stored() {
    let tests = include_str!("experiments.rs");
    for id in experiments().iter().map(|experiment| experiment.id) {
        let family = id.split('/').next().unwrap();
        assert!(tests.contains(&format!("(\"{family}\")")) || family == "granular", "{id}");
    }
}
