//! Rows that hold for all inputs are evidence only if a wrong computation makes them fail: each of them has to fail with the
//! fault that its fixture states, which is injected into what its experiment computes.
//!
//! The channel of grains is an exception, because it takes half a minute: a test beside its experiment injects the fault
//! into a short stream. Sets with more than two contacts, or with a draw among all solutions, are slow and need
//! `PERCUSSION_SLOW=1`. `cargo xtask reproduce --sensitivity` runs all of them as a whole.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::thread;

use percussion_record::Against;
use percussion_scenarios::{Options, experiment, experiments};

const SLOW: [&str; 3] = ["set-valued/disk-stack", "set-valued/compass-gait", "set-valued/ramone"];

fn assert_can_fail(family: &str) {
    let of_family = experiments().iter().filter(|one| one.id.split('/').next() == Some(family));
    let is_slow = std::env::var_os("PERCUSSION_SLOW").is_some_and(|value| value == "1");
    for experiment in of_family.filter(|one| is_slow || !SLOW.contains(&one.id)) {
        let standing = experiment.rows_that_stand(Against::Invariant, &Options::default()).unwrap();
        assert!(standing.is_empty(), "{}: no fault makes these fail: {standing:#?}", experiment.id);
    }
}

#[test]
fn stewart_trinkle_notices_faults() {
    assert_can_fail("stewart-trinkle");
}

#[test]
fn plus_notices_faults() {
    assert_can_fail("plus");
}

#[test]
fn set_valued_notices_faults() {
    assert_can_fail("set-valued");
}

#[test]
fn maximum_dissipation_notices_faults() {
    assert_can_fail("maximum-dissipation");
}

#[test]
fn propagative_notices_faults() {
    assert_can_fail("propagative");
}

#[test]
fn restitution_notices_faults() {
    assert_can_fail("restitution");
}

#[test]
fn ensembles_notice_faults() {
    assert_can_fail("ensembles");
}

#[test]
fn event_driven_notices_faults() {
    assert_can_fail("event-driven");
}

#[test]
fn robots_notice_faults() {
    assert_can_fail("robots");
}

#[test]
fn constraints_notice_faults() {
    assert_can_fail("constraints");
}

#[test]
fn bulk_notices_faults() {
    assert_can_fail("bulk");
}

/// The rows of grains in bulk that published figures judge.
#[test]
fn grains_in_bulk_notice_changed_inputs() {
    let bulk = experiments().iter().filter(|experiment| experiment.id.starts_with("bulk/"));
    thread::scope(|scope| {
        for experiment in bulk {
            scope.spawn(|| {
                for against in [Against::Published, Against::Checked] {
                    let standing =
                        experiment.rows_that_stand(against, &Options::default()).unwrap();
                    assert!(standing.is_empty(), "{}: {standing:#?}", experiment.id);
                }
            });
        }
    });
}

/// The other rows of the channel with a check; a run with steps four times as long takes a quarter of the time.
#[test]
fn the_channel_of_grains_notices_longer_steps() {
    let channel = experiment("granular/channel").unwrap();
    let standing = channel.rows_that_stand(Against::Checked, &Options::default()).unwrap();
    assert!(standing.is_empty(), "{standing:#?}");
}

#[test]
fn every_family_is_tested() {
    let tests = include_str!("invariants.rs");
    for experiment in experiments() {
        let family = experiment.id.split('/').next().unwrap();
        assert!(tests.contains(&format!("(\"{family}\")")) || family == "granular", "{family}");
    }
}
