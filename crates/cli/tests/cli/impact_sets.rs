//! `percussion impact` with a law whose answer is a set of outcomes.

use std::collections::BTreeSet;

use crate::{
    common::percussion,
    impact::{BLOCK, answer, impact, keys},
};

/// An independent program found a mean of 2.48 LCPs for this block, to 0.01.
#[test]
fn the_set_of_outcomes_is_told_by_statistics_bounds_modes_and_guarantees() {
    let document = answer("rocking-block", "set-valued-routh", &["--samples", "4096"]);
    let expected = [
        "asked",
        "bounds",
        "extremes",
        "files",
        "friction_cone",
        "guarantee",
        "law",
        "modes",
        "outer_bounds",
        "planes",
        "restitution",
        "statistics",
        "status",
        "step",
        "velocities",
    ];
    assert_eq!(keys(&document), BTreeSet::from(expected));
    let statistics = &document["statistics"];
    assert_eq!((&statistics["samples"], &statistics["terminated"]), (&4096.into(), &4096.into()));
    let mean = statistics["mean_lcps"].as_f64().unwrap();
    assert!((mean / 2.48 - 1.0).abs() < 0.02, "{mean}");
    assert_eq!(document["velocities"].as_array().unwrap().len(), 4096);
    assert_eq!(document["friction_cone"]["verdict"], "pointed");
    assert!((document["friction_cone"]["constant"].as_f64().unwrap() - 1.0).abs() < 1e-5);
    // Sixteen sides of three velocities, four contact velocities and the energy: P(Bin(4096, ε) ≤ 15) = 1e-6.
    let outside = document["guarantee"]["outside_bounds"].as_f64().unwrap();
    assert!((outside / 0.010_369_216_077 - 1.0).abs() < 1e-9, "{outside}");
    let counts = document["modes"]["joint"].as_array().unwrap().iter();
    assert_eq!(counts.map(|mode| mode["count"].as_u64().unwrap()).sum::<u64>(), 4096);
    assert!(statistics["figures"]["energy_gain"].as_f64().unwrap() < 1e-15);
}

/// By hand for three balls of 1 kg: `W` has the eigenvalue 3 and the diagonal 2. Few samples of many draws make a net of
/// the diameter `√12 · 0.3 √(6 · 3)`, and the last step of 0.3 N·s moves by `0.3 · 2 √2` at most.
#[test]
fn the_distance_of_outcomes_counts_the_last_step_and_needs_samples_that_end() {
    let radius = |step: &str| {
        let set =
            ["--samples", "512", "--set", "steps=6", "--set", "closing_step=1", "--set", step];
        let document =
            impact("newtons-cradle", "set-valued-routh", &[&set[..], &["--json"]].concat()).json();
        let samples = document["statistics"].clone();
        (document["guarantee"]["radius_of_outcomes"].as_f64(), samples)
    };
    let (all_end, samples) = radius("step=0.3");
    assert!(samples["closed"].as_u64().unwrap() > 0 && samples["limit"] == 0, "{samples}");
    let expected = 0.3 * (12.0_f64.sqrt() * 18.0_f64.sqrt() + 2.0 * 2.0_f64.sqrt());
    assert!((all_end.unwrap() / expected - 1.0).abs() < 1e-12, "{all_end:?}");
    let (some_end, samples) = radius("step=0.2");
    assert!(samples["limit"].as_u64().unwrap() > 0 && some_end.is_none(), "{samples}");
}

#[test]
fn draws_depend_on_the_seed_and_samples_on_what_is_asked() {
    let draw =
        |more: &[&str]| answer("rocking-block", "set-valued-routh", more)["velocities"].clone();
    let few = ["--samples", "32", "--seed", "7"];
    assert_eq!(draw(&few), draw(&few));
    assert_ne!(draw(&few), draw(&["--samples", "32", "--seed", "8"]));
    let kept = draw(&["--set", "samples=32", "--set", "seed=7", "--set", "keep=3"]);
    assert_eq!(kept.as_array().unwrap()[..], draw(&few).as_array().unwrap()[..3]);
    assert_ne!(draw(&few), draw(&["--samples", "32", "--set", "draws=sobol"]));

    let refused = |more: &[&str], words: &[&str]| {
        impact(BLOCK, "set-valued-routh", more).assert_refused(words);
    };
    refused(&["--set", "step=0"], &["`step` is 0"]);
    refused(&["--set", "step=-1"], &["`step` is -1"]);
    refused(&["--set", "step=1", "--set", "samples=0"], &["`samples` is 0"]);
    refused(&["--set", "step=1", "--samples", "0"], &["--samples", "an integer from 1"]);
    refused(&["--set", "step=1", "--set", "steps=0"], &["`steps` is 0"]);
    refused(&["--set", "step=1", "--set", "failure=2"], &["`failure` is `2`"]);
    refused(&["--samples", "9", "--set", "samples=9"], &["`samples` is given twice"]);
    impact(BLOCK, "newton", &["--samples", "9"]).assert_refused(&["no setting `samples`"]);
    impact(BLOCK, "newton", &["--out", "x"]).assert_refused(&["`--out`", "set-valued-routh"]);
    percussion(&["compare", BLOCK, "--laws", "newton", "--seed", "1"])
        .assert_refused(&["`--seed`", "draws samples"]);
}

/// The block of 1 kg falls at 0.443 m/s: at rest each corner has stopped half of it, in the inelastic impact.
#[test]
fn the_default_step_is_what_stops_the_block() {
    let set = answer(BLOCK, "set-valued-routh", &["--samples", "256"]);
    let expected = 0.5 * (2.0 * 9.81 * 0.01_f64).sqrt();
    assert!((set["step"].as_f64().unwrap() - expected).abs() < 1e-9, "{}", set["step"]);
    assert_eq!(set["statistics"]["terminated"], 256);
}

#[test]
fn a_comparison_places_the_laws_relative_to_the_set_and_to_the_compliant_outcome() {
    let laws = ["--laws", "anitescu-potra,poisson,compliant,set-valued-routh", "--samples", "4096"];
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("block");
    let finished = percussion(
        &[&["compare", "rocking-block", "--json", "--out", out.to_str().unwrap()], &laws[..]]
            .concat(),
    );
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let document = finished.json();
    let places = document["places"].as_array().unwrap();
    let names: Vec<_> = places.iter().map(|place| place["law"].as_str().unwrap()).collect();
    assert_eq!(names, ["anitescu-potra", "poisson", "compliant"]);
    // The block stops: an outcome with the least energy, and what rates alike lead to.
    for place in &places[..2] {
        assert_eq!(place["set"]["verdict"], "boundary", "{place}");
        assert_eq!(place["set"]["extreme"], "least-energy", "{place}");
        assert!(place["set"]["distance"].as_f64().unwrap() < 1e-6, "{place}");
    }
    let from = |law: usize| places[law]["from_compliant"].as_f64().unwrap();
    assert!((from(0) - from(1)).abs() < 1e-9 && from(2).abs() < 1e-15, "{places:?}");
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    assert!(page.contains("boundary: least energy") && page.contains("view.html"), "{page}");
    for title in ["What the laws say", "Velocities after", "Impulses of the contacts", "<svg"] {
        assert!(page.contains(title), "{title}: {page}");
    }
    // Both laws stop the block: they share a dot in the figures.
    assert!(page.contains("anitescu-potra, poisson"), "{page}");

    let text = percussion(&[&["compare", "rocking-block"], &laws[..]].concat()).stdout;
    assert!(text.contains("distance from compliant") && text.contains("least energy"), "{text}");
    // Matrices have a set, but no compliant contacts.
    let laws = ["--laws", "newton,set-valued-routh", "--json"];
    let document = percussion(&[&["compare", BLOCK], &laws[..]].concat()).json();
    let [place] = &document["places"].as_array().unwrap()[..] else { panic!("{document}") };
    assert!(place["from_compliant"].is_null() && place["set"]["tolerance"].is_f64(), "{place}");
}

#[test]
fn figures_and_tables_of_a_set_are_written() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("block");
    let more = ["--samples", "64", "--out", out.to_str().unwrap()];
    let document = answer("rocking-block", "set-valued-routh", &more);
    // A table, a figure for each of two contacts in three forms, and the page that plays outcomes.
    assert_eq!(document["files"].as_array().unwrap().len(), 1 + 2 * 3 + 2);
    let table = std::fs::read_to_string(out.join("velocities.csv")).unwrap();
    assert_eq!(table.lines().count(), 65);
    assert!(table.starts_with("block x (m/s),"), "{table}");
    let figure = std::fs::read_to_string(out.join("contact-1.svg")).unwrap();
    assert!(figure.contains("right corner"), "the contact is named");
}

/// A law whose setting is out of its range has no answer, and the others must not hide that.
#[test]
fn a_comparison_with_a_wrong_setting_fails() {
    let given = ["compare", "rocking-block", "--laws", "newton,plus", "--set"];
    let wrong = percussion(&[&given[..], &["plus.theta_max=9"]].concat());
    assert_eq!(wrong.code, Some(1), "{}", wrong.stdout);
    assert!(
        wrong.stdout.contains("plus does not apply: setting `theta_max` is 9"),
        "{}",
        wrong.stdout
    );
    assert!(wrong.stderr.contains("a setting of plus is out of its range"), "{}", wrong.stderr);
    let right = percussion(&[&given[..], &["plus.theta_max=0.1"]].concat());
    assert_eq!(right.code, Some(0), "{}", right.stderr);
    // Routh's law takes one contact only, which is no fault of the user.
    let other = percussion(&["compare", "rocking-block", "--laws", "newton,routh"]);
    assert_eq!(other.code, Some(0), "{}", other.stderr);
}
