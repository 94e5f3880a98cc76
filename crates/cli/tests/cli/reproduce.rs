//! `percussion reproduce`.

use std::{collections::BTreeSet, fs, process::Stdio, time::Duration};

use crate::common::{command, percussion};

const ONE: &str = "stewart-trinkle/two-balls-direct";

#[test]
fn the_verdict_is_on_standard_output_and_in_the_report() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("report");
    let arguments = ["reproduce", ONE, "--quick", "--out", out.to_str().unwrap(), "--json"];
    let finished = percussion(&arguments);
    let document = finished.json();
    let results = document["results"].as_array().unwrap();
    assert!(!results.is_empty(), "{document}");
    for row in results {
        let keys: BTreeSet<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = [
            "accepted",
            "against",
            "checked",
            "difference",
            "experiment",
            "fails_with",
            "measured",
            "published",
            "quantity",
            "tolerance",
            "unit",
        ];
        assert_eq!(keys, BTreeSet::from(expected));
        assert_eq!(row["experiment"], ONE);
    }
    let failed = document["failed"].as_u64().unwrap();
    assert_eq!(finished.code, Some(if failed == 0 { 0 } else { 1 }));
    let judged = results.iter().filter(|row| row["against"] != "nothing").count() as u64;
    assert_eq!(document["passed"].as_u64().unwrap() + failed, judged);

    assert_eq!(fs::read_to_string(out.join("results.json")).unwrap(), finished.stdout);
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(page.contains(ONE) && page.contains("<svg"), "the page lacks the experiment");
    assert!(!page.contains("src=\"http") && !page.contains("@import"), "the page loads something");
    // The played data comes from the run itself.
    assert!(
        page.contains(&format!("percussion run {ONE} --out run")),
        "the page lacks the command"
    );
    let view = fs::read_to_string(out.join(ONE).join("view.json")).unwrap();
    assert!(view.contains("ball 1–table"), "the player lacks a contact");
}

#[test]
fn a_prefix_selects_a_family_and_people_read_tables() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let finished = percussion(&["reproduce", "stewart-trinkle", "--quick", "--out", out]);
    let ids =
        ["rod-on-table", "two-balls-direct", "two-balls-bounce", "four-balls", "bounded-friction"];
    for id in ids {
        assert!(finished.stdout.contains(&format!("(stewart-trinkle/{id})")), "{id} is missing");
    }
    assert!(finished.stdout.contains("index.html"), "{}", finished.stdout);
    let last = finished.stdout.lines().last().unwrap();
    let counts: Vec<&str> = last.split(", ").collect();
    assert!(counts[0].ends_with(" passed") && counts[1].ends_with(" failed"), "{last}");
    assert_eq!(finished.code, Some(if counts[1] == "0 failed" { 0 } else { 1 }));
}

/// For the quick experiments: the fixtures say what makes their rows fail.
#[test]
fn fixtures_say_what_makes_rows_fail() {
    let directory = tempfile::tempdir().unwrap();
    let quick =
        [ONE, "plus/tabletop", "event-driven/bouncing-ball", "maximum-dissipation/single-contact"];
    let out = ["--sensitivity", "--out", directory.path().to_str().unwrap()];
    let finished = percussion(&[&["reproduce"], &quick[..], &out[..]].concat());
    assert_eq!(finished.code, Some(0), "{}", finished.stdout);
    assert!(!finished.stdout.contains("cannot fail"), "{}", finished.stdout);
    assert!(!finished.stdout.contains("not as stated"), "{}", finished.stdout);
    let tables = fs::read_to_string(directory.path().join("sensitivity.md")).unwrap();
    assert_eq!(tables.matches("### ").count(), quick.len());
}

#[test]
fn two_runs_give_the_same_results() {
    let run = || {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().to_str().unwrap().to_owned();
        percussion(&["reproduce", ONE, "--quick", "--out", &out, "--json"]).stdout
    };
    assert_eq!(run(), run());
}

#[test]
fn unknown_experiments_are_refused_with_the_known_ones() {
    let finished = percussion(&["reproduce", ONE, "stewart"]);
    finished.assert_refused(&["`stewart`", "stewart-trinkle/four-balls"]);
}

#[test]
fn an_output_directory_that_cannot_be_made_is_refused_before_the_experiments() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let out = file.path().to_str().unwrap();
    percussion(&["reproduce", "--out", out]).assert_refused(&["cannot write", out]);
}

/// However early a run is stopped, the files that it leaves are complete.
#[test]
fn a_killed_run_leaves_no_half_file() {
    for delay in [0, 20, 40, 80, 160] {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().to_str().unwrap();
        let mut child = command(&["reproduce", ONE, "--quick", "--out", out])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().unwrap();
        child.wait().unwrap();
        for entry in [directory.path().to_path_buf(), directory.path().join(ONE)]
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flatten()
        {
            let path = entry.unwrap().path();
            let ending = match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.file_name().unwrap().to_str().unwrap().starts_with(".percussion-") => {
                    continue;
                }
                Some("svg") => "</svg>\n",
                Some("html") => "</html>\n",
                Some("json") => "}\n",
                Some("csv") => "\n",
                _ => continue,
            };
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.ends_with(ending), "{} is not complete", path.display());
        }
    }
}
