//! Every row of every experiment, quickly; and that the registry is complete.
//!
//! But for the channel of grains, which takes half a minute: `channel` tests what a short stream shows, and
//! `percussion reproduce --quick` judges its rows.

use super::*;
use crate::outcome::Against;

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
    let refused: Vec<_> = outcome.rows.iter().filter(|row| !row.accepted).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    for figure in &outcome.figures {
        assert!(!figure.series.is_empty(), "{} is empty", figure.id);
    }
}

#[test]
fn the_rod_is_accepted() {
    assert_accepted("stewart-trinkle/rod-on-table");
}

#[test]
fn the_direct_throw_is_accepted() {
    assert_accepted("stewart-trinkle/two-balls-direct");
}

#[test]
fn the_bouncing_throw_is_accepted() {
    assert_accepted("stewart-trinkle/two-balls-bounce");
}

#[test]
fn the_four_balls_are_accepted_and_repeat_bit_by_bit() {
    assert_accepted("stewart-trinkle/four-balls");
    let id = "stewart-trinkle/two-balls-bounce";
    assert_eq!(run_quickly(id), run_quickly(id));
}

#[test]
fn every_embedded_scenario_has_an_experiment_with_its_title() {
    for name in Scenario::names() {
        assert_eq!(Scenario::named(name).unwrap().title, experiment(name).unwrap().title);
    }
    for name in ["rocking-block", "compass-gait", "box-and-wall", "ramone", "disk-stack"] {
        let id = format!("set-valued/{name}");
        let impact = crate::ImpactScenario::named(name).unwrap();
        assert_eq!(impact.title, experiment(&id).unwrap().title);
    }
    for (name, id) in [("newtons-cradle", "cradle"), ("billiards", "billiards")] {
        let impact = crate::ImpactScenario::named(name).unwrap();
        assert_eq!(impact.title, experiment(&format!("propagative/{id}")).unwrap().title);
    }
}

#[test]
fn the_rocking_block_is_accepted() {
    assert_accepted("set-valued/rocking-block");
}

#[test]
fn the_zeno_block_is_accepted() {
    assert_accepted("set-valued/zeno");
}

#[test]
fn the_hinged_rods_are_accepted() {
    assert_accepted("propagative/integrators");
}

#[test]
fn the_walkers_are_accepted() {
    assert_accepted("set-valued/compass-gait");
    assert_accepted("set-valued/ramone");
}

#[test]
fn the_box_at_the_wall_is_accepted() {
    assert_accepted("set-valued/box-and-wall");
}

#[test]
fn the_disk_stack_is_accepted() {
    assert_accepted("set-valued/disk-stack");
}

#[test]
fn maximum_dissipation_is_accepted() {
    assert_accepted("maximum-dissipation/single-contact");
    assert_accepted("maximum-dissipation/painleve-rod");
    assert_accepted("maximum-dissipation/convergence");
}

#[test]
fn the_cradle_and_the_billiards_are_accepted() {
    assert_accepted("propagative/cradle");
    assert_accepted("propagative/billiards");
}

#[test]
fn trex_is_accepted() {
    assert_accepted("propagative/trex");
}

#[test]
fn the_brick_on_its_corner_is_accepted() {
    assert_accepted("plus/brick-corner");
}

#[test]
fn the_flat_brick_is_accepted() {
    assert_accepted("plus/brick-flat");
}

#[test]
fn the_row_of_balls_and_the_pendulum_are_accepted() {
    assert_accepted("plus/ball-row");
    assert_accepted("plus/triple-pendulum");
}

#[test]
fn contacts_that_cannot_hold_are_accepted() {
    assert_accepted("plus/tabletop");
}

#[test]
fn scenes_with_round_cones_are_accepted() {
    assert_accepted("maximum-dissipation/block-on-slope");
    assert_accepted("maximum-dissipation/stack");
    assert_accepted("maximum-dissipation/card-house");
    assert_accepted("maximum-dissipation/beside-stewart-trinkle");
}

#[test]
fn figures_of_an_experiment_have_different_names_fit_for_files() {
    let outcome = run_quickly("stewart-trinkle/rod-on-table");
    let mut ids: Vec<_> = outcome.figures.iter().map(|figure| figure.id.as_str()).collect();
    assert!(
        ids.concat().chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
        "{ids:?}"
    );
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn a_measurement_nobody_expects_is_an_error() {
    let scenario = Scenario::named("stewart-trinkle/rod-on-table").unwrap();
    let mut measurements = Measurements::new(&scenario.name, &scenario.expected);
    measurements.add("color", 1.0);
    let error = measurements.finish().unwrap_err();
    assert!(matches!(error, Error::Expectation { quantity, .. } if quantity == "color"));
}

#[test]
fn an_expected_figure_nobody_measures_is_an_error() {
    let scenario = Scenario::named("stewart-trinkle/rod-on-table").unwrap();
    let error = Measurements::new(&scenario.name, &scenario.expected).finish().unwrap_err();
    let first = scenario.expected[0].quantity.clone();
    assert!(matches!(error, Error::Expectation { quantity, .. } if quantity == first));
}

#[test]
fn a_measurement_that_is_not_a_number_is_not_accepted() {
    let scenario = Scenario::named("stewart-trinkle/rod-on-table").unwrap();
    let expected = scenario.expectation("first end touches").unwrap();
    assert_eq!(expected.against, Against::Checked);
    assert!(expected.row(&scenario.name, 0.3856).accepted);
    assert!(!expected.row(&scenario.name, f64::NAN).accepted);
}

#[test]
fn an_unknown_experiment_is_an_error_that_lists_the_known() {
    let error = experiment("stewart-trinkle/five-balls").unwrap_err();
    assert!(matches!(error, Error::UnknownScenario { known, .. } if known.contains("four-balls")));
}

#[test]
fn motions_from_event_to_event_are_accepted() {
    assert_accepted("event-driven/bouncing-ball");
    assert_accepted("event-driven/rocking-block");
    assert_accepted("event-driven/triple-pendulum");
}
