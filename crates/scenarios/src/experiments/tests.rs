//! Tests that the registry is complete, and of the data that experiments return; `tests/stored` runs and
//! judges every one of them.

use std::{fs, path::Path};

use percussion_record::{Against, Difference};

use super::*;
use crate::{fixtures, perturbation::perturbations};

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

#[test]
fn every_embedded_scenario_has_an_experiment_with_its_title() {
    for name in fixtures::scenarios() {
        assert_eq!(fixtures::scenario(name).unwrap().title, experiment(name).unwrap().title);
    }
    for name in ["rocking-block", "compass-gait", "box-and-wall", "ramone", "disk-stack"] {
        let id = format!("set-valued/{name}");
        let impact = fixtures::impact(name).unwrap();
        assert_eq!(impact.title, experiment(&id).unwrap().title);
    }
    for (name, id) in [("newtons-cradle", "cradle"), ("billiards", "billiards")] {
        let impact = fixtures::impact(name).unwrap();
        assert_eq!(impact.title, experiment(&format!("propagative/{id}")).unwrap().title);
    }
}

/// Every fixture of a family belongs to one of its experiments; the compiler checks that each experiment has its file.
#[test]
fn fixtures_have_the_names_of_their_experiments() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut families: Vec<_> =
        experiments().iter().filter_map(|one| one.id.split('/').next()).collect();
    families.dedup();
    for family in families {
        for entry in fs::read_dir(fixtures.join(family)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                let id = format!("{family}/{}", path.file_stem().unwrap().to_str().unwrap());
                assert!(experiment(&id).is_ok(), "{id} is no experiment");
            }
        }
    }
}

#[test]
fn every_module_of_a_family_is_an_experiment_or_shared_by_several() {
    // Helper modules, each used by more than one experiment or as large as one.
    let shared = [
        "boxes", "held", "impulses", "inexact", "judge", "planes", "raster", "tangents", "thrown",
        "walkers",
    ];
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/experiments");
    for family in fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path()) {
        for entry in fs::read_dir(&family).into_iter().flatten() {
            let path = entry.unwrap().path();
            let [family, name] =
                [&family, &path].map(|path| path.file_stem().unwrap().to_str().unwrap());
            let id = format!("{family}/{name}").replace('_', "-");
            assert!(shared.contains(&name) || experiment(&id).is_ok(), "{id} is no experiment");
        }
    }
}

/// `percussion reproduce --sensitivity` finds whether it is true.
#[test]
fn every_judged_row_says_what_makes_it_fail() {
    for experiment in experiments() {
        let document: toml::Table = toml::from_str(experiment.text).unwrap();
        for row in document["expected"].as_array().unwrap() {
            let text = |field: &str| row.get(field).and_then(toml::Value::as_str);
            let Some(fails_with) = text("fails_with") else {
                assert_eq!(text("against"), Some("nothing"), "{}: {row}", experiment.id);
                continue;
            };
            let known = perturbations().iter().find(|one| one.what() == fails_with);
            let known = known.unwrap_or_else(|| panic!("{}: {row}", experiment.id));
            // A fault is no change of the problem; only invariants may need one.
            let is_evidence = !known.is_fault() || text("against") == Some("invariant");
            assert!(is_evidence, "{}: {row}", experiment.id);
        }
    }
}

/// A file is refused in which a published figure neither judges its row nor has a `difference`.
#[test]
fn every_published_figure_judges_its_row_or_its_difference_is_known() {
    let mut open = 0;
    for experiment in experiments() {
        let expected = experiment.expected().unwrap_or_else(|error| panic!("{error}"));
        open += expected.iter().filter(|row| row.difference == Some(Difference::Open)).count();
    }
    assert_eq!(open, 18, "published figures whose difference is open");
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
    let scenario = fixtures::scenario("stewart-trinkle/rod-on-table").unwrap();
    let mut measurements = Measurements::new(&scenario.name, &scenario.expected);
    measurements.add("color", 1.0);
    let error = measurements.finish().unwrap_err();
    assert!(matches!(error, Error::Expectation { quantity, .. } if quantity == "color"));
}

#[test]
fn an_expected_figure_nobody_measures_is_an_error() {
    let scenario = fixtures::scenario("stewart-trinkle/rod-on-table").unwrap();
    let error = Measurements::new(&scenario.name, &scenario.expected).finish().unwrap_err();
    let first = scenario.expected[0].quantity.clone();
    assert!(matches!(error, Error::Expectation { quantity, .. } if quantity == first));
}

#[test]
fn a_measurement_that_is_not_a_number_is_not_accepted() {
    let scenario = fixtures::scenario("stewart-trinkle/rod-on-table").unwrap();
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
