//! `percussion grains`: long runs that may be stopped at any time.

use std::{fs, path::Path, process::Command, thread::sleep, time::Duration};

use serde_json::json;

use crate::common::{Finished, command, percussion};

/// A run whose table is flushed to the disk every 20 steps.
const CHANNEL: [&str; 7] =
    ["grains", "channel", "--factor", "8", "--checkpoint-every", "20", "--json"];

fn in_channel<'a>(directory: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    [&CHANNEL[..], &["--out", directory.to_str().unwrap()], more].concat()
}

fn channel(directory: &Path, more: &[&str]) -> Finished {
    percussion(&in_channel(directory, more))
}

#[test]
fn a_run_killed_again_and_again_ends_with_the_same_bits() {
    let directory = tempfile::tempdir().unwrap();
    let [whole, killed] = ["whole", "killed"].map(|name| directory.path().join(name));
    let whole_run = channel(&whole, &["--duration", "0.024"]);
    assert_eq!(whole_run.code, Some(0), "{whole_run:?}");
    assert_eq!(whole_run.json()["steps"], json!(300));

    let file = killed.join("grains.checkpoint");
    let more = || -> &[&str] {
        // A run that is killed between its two renames leaves only the previous checkpoint.
        let begun = file.exists() || killed.join("grains.checkpoint.previous").exists();
        if begun { &["--duration", "0.024", "--resume"] } else { &["--duration", "0.024"] }
    };
    let mut kills = 0;
    for attempt in 0..20 {
        let mut process = command(&in_channel(&killed, more())).spawn().unwrap();
        sleep(Duration::from_millis(30 + 37 * attempt % 90));
        kills += u32::from(process.try_wait().unwrap().is_none());
        process.kill().unwrap();
        process.wait().unwrap();
    }
    assert!(kills > 0, "the run was over at once");
    let last = channel(&killed, more());
    assert_eq!(last.code, Some(0), "{last:?}");
    for name in ["grains.checkpoint", "course.csv"] {
        let [ours, theirs] = [&whole, &killed].map(|path| fs::read(path.join(name)).unwrap());
        assert!(ours == theirs, "{name} differs after {kills} kills");
    }
}

#[test]
fn pictures_limits_and_refusals() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let run = channel(&out, &["--duration", "0.0016", "--vtk-every", "10"]);
    assert_eq!((run.code, &run.json()["steps"]), (Some(0), &json!(20)));
    let picture = fs::read(out.join("grains-000000020.vtk")).unwrap();
    assert!(picture.starts_with(b"# vtk DataFile Version 3.0\n"), "a picture");
    let course = fs::read_to_string(out.join("course.csv")).unwrap();
    assert_eq!(course.lines().count(), 21, "{course}");

    channel(&out, &[]).assert_refused(&["already contains a run", "--resume"]);
    channel(&out, &["--resume", "--seed", "3"])
        .assert_refused(&["belongs to another run", "seed 0"]);
    channel(&out, &["--resume", "--tolerance", "-1"]).assert_refused(&["--tolerance"]);
    for name in ["grains.checkpoint", "grains.checkpoint.previous"] {
        let mut bytes = fs::read(out.join(name)).unwrap();
        bytes.truncate(1000);
        fs::write(out.join(name), bytes).unwrap();
    }
    channel(&out, &["--resume"]).assert_refused(&["grains.checkpoint", "it has 1000 bytes"]);

    let run = channel(&directory.path().join("other"), &["--energy-limit", "1e-6"]);
    assert_eq!((run.code, &run.json()["status"]), (Some(1), &json!("limit-broken")));
    assert!(run.stderr.contains("kinetic energy"), "{run:?}");
}

#[test]
fn a_run_is_not_started_over_a_checkpoint_of_another() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let run = channel(&out, &["--duration", "0.0032"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    // A run that is killed between its two renames leaves only the previous checkpoint. Symptom: a start without `--resume` was
    // accepted there and overwrote the only one. Expected: it is refused.
    fs::remove_file(out.join("grains.checkpoint")).unwrap();
    let previous = fs::read(out.join("grains.checkpoint.previous")).unwrap();
    channel(&out, &[]).assert_refused(&[
        "already contains a run",
        "checkpoint.previous",
        "--resume",
    ]);
    assert!(fs::read(out.join("grains.checkpoint.previous")).unwrap() == previous, "untouched");
    let resumed = channel(&out, &["--duration", "0.0032", "--resume"]);
    assert_eq!((resumed.code, &resumed.json()["steps"]), (Some(0), &json!(40)), "{resumed:?}");
}

#[test]
fn a_damaged_checkpoint_does_not_replace_the_one_before() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    assert_eq!(channel(&out, &["--duration", "0.0032"]).code, Some(0));
    let [newer, older] =
        ["grains.checkpoint", "grains.checkpoint.previous"].map(|name| out.join(name));
    let (good, mut bytes) = (fs::read(&older).unwrap(), fs::read(&newer).unwrap());
    bytes[500] ^= 4;
    fs::write(&newer, &bytes).unwrap();
    let resumed = channel(&out, &["--duration", "0.0016", "--resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert!(resumed.stderr.contains("checksum"), "{resumed:?}");
    // Symptom: the damaged file became the previous checkpoint, so the next kill could lose both.
    let aside = fs::read(out.join("grains.checkpoint.damaged")).unwrap();
    assert!(aside == bytes, "the damaged file is kept");
    assert!(fs::read(&older).unwrap() == good, "the good one is still there");
}

#[test]
fn durations_that_no_run_reaches_are_refused() {
    for duration in ["1e300", "1e14"] {
        let refused = percussion(&["grains", "six-by-six-by-six", "--duration", duration]);
        refused.assert_refused(&["--duration", "expected at most", "2⁵³ steps"]);
    }
    for factor in ["1e-300", "1e300", "1e-3"] {
        percussion(&["grains", "channel", "--factor", factor]).assert_refused(&["expected"]);
        let column = ["grains", "column", "--factor", factor, "--duration", "1e-3"];
        if factor != "1e-3" {
            percussion(&column).assert_refused(&["expected a number from", "to 1e75"]);
        }
    }
}

#[test]
fn the_table_loses_lines_that_were_cut_off() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    assert_eq!(channel(&out, &["--duration", "0.0016"]).code, Some(0));
    let path = out.join("course.csv");
    let course = fs::read_to_string(&path).unwrap();
    // A killed run wrote the beginning of line 135, which looks like line 13.
    fs::write(&path, format!("{course}13")).unwrap();
    assert_eq!(channel(&out, &["--duration", "0.0016", "--resume"]).code, Some(0));
    assert_eq!(fs::read_to_string(&path).unwrap(), course);
}

#[test]
fn two_runs_cannot_write_to_one_directory() {
    let directory = tempfile::tempdir().unwrap();
    let [one, shared] = ["one", "shared"].map(|name| directory.path().join(name));
    assert_eq!(channel(&one, &["--duration", "0.016"]).code, Some(0));
    // Symptom: both ended with 0, and their lines of the table were mixed. Expected: one of them is refused and names the
    // directory and the other, whichever comes first.
    let start = || command(&in_channel(&shared, &["--duration", "0.016"])).spawn().unwrap();
    let processes = [start(), start(), start()];
    let ids = processes.each_ref().map(std::process::Child::id);
    let outputs = processes.map(|process| process.wait_with_output().unwrap());
    let winners = outputs.iter().filter(|output| output.status.code() == Some(0));
    assert_eq!(winners.count(), 1, "{outputs:?}");
    for output in outputs.iter().filter(|output| output.status.code() != Some(0)) {
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(shared.to_str().unwrap()), "{text}");
        let named = ids.iter().any(|id| text.contains(&format!("in use by process {id}")));
        // The running process may not have written its number yet.
        let unnamed = text.contains("in use by another process");
        assert!(named || unnamed || text.contains("already contains a run"), "{text}");
    }
    for name in ["grains.checkpoint", "course.csv"] {
        let [ours, theirs] = [&one, &shared].map(|path| fs::read(path.join(name)).unwrap());
        assert!(ours == theirs, "{name} differs");
    }
}

#[test]
fn temporary_files_of_killed_runs_are_removed_at_the_next_start() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    fs::create_dir(&out).unwrap();
    for name in [".percussion-a1B2c3", ".percussion-notes.txt"] {
        fs::write(out.join(name), "half a checkpoint").unwrap();
    }
    assert_eq!(channel(&out, &["--duration", "0.0008"]).code, Some(0));
    assert!(!out.join(".percussion-a1B2c3").exists(), "left by a killed run");
    assert!(out.join(".percussion-notes.txt").exists(), "not a name of ours");
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_a_run_in_words_and_loses_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let [whole, full] = ["whole", "full"].map(|name| directory.path().join(name));
    assert_eq!(channel(&whole, &["--duration", "0.008"]).code, Some(0));
    assert_eq!(channel(&full, &["--duration", "0.0032"]).code, Some(0));
    // The shell limits the size of files, in units of 512 bytes or 1 KiB, and ignores the signal for it.
    let resume = in_channel(&full, &["--duration", "0.008", "--resume"]);
    for limit in ["0", "1", "4", "16", "64"] {
        let script = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\" \"$@\"");
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", &script, env!("CARGO_BIN_EXE_percussion")]).args(&resume);
        let output = shell.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{limit}: {output:?}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("cannot"), "{limit}: {text}");
        assert!(!text.contains("panicked"), "{limit}: {text}");
    }
    assert_eq!(percussion(&resume).code, Some(0));
    for name in ["grains.checkpoint", "course.csv"] {
        let [ours, theirs] = [&whole, &full].map(|path| fs::read(path.join(name)).unwrap());
        assert!(ours == theirs, "{name} differs");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_writes_a_checkpoint() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let arguments = ["--duration", "1000"];
    let mut process = command(&in_channel(&out, &arguments)).spawn().unwrap();
    let reached = |steps: usize| {
        fs::read_to_string(out.join("course.csv")).is_ok_and(|text| text.lines().count() > steps)
    };
    while !reached(20) {
        assert!(process.try_wait().unwrap().is_none(), "it runs");
        sleep(Duration::from_millis(10));
    }
    let mut kill = Command::new("kill");
    assert!(kill.args(["-INT", &process.id().to_string()]).status().unwrap().success(), "sent");
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("--resume"), "{output:?}");
    assert!(out.join("grains.checkpoint").exists(), "a checkpoint");
}

/// The first scene of the chapter on scenes.
fn chapter() -> String {
    let chapter = include_str!("../../../../docs/src/grains.md");
    let text = chapter.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    text.to_owned()
}

#[test]
fn the_bin_of_the_book_has_twenty_lines_and_runs() {
    let directory = tempfile::tempdir().unwrap();
    let [file, out] = ["bin.toml", "bin"].map(|name| directory.path().join(name));
    let text = chapter();
    assert!(text.lines().filter(|line| !line.is_empty()).count() <= 20, "{text}");
    fs::write(&file, &text).unwrap();
    let [file, out] = [&file, &out].map(|path| path.to_str().unwrap());
    let check = percussion(&["grains", file, "--check", "--json"]);
    assert_eq!(check.code, Some(0), "{check:?}");
    assert_eq!([&check.json()["grains"], &check.json()["walls"]], [&json!(6000), &json!(2)]);
    assert_eq!(check.json()["overlap"], json!(0.0));

    // Few grains and many lines.
    let text = text
        .replace("count = 6000", "count = 300")
        .replace("to = [0, 0, 0.66]", "to = [0, 0, 0.06]");
    let text = text.replace("from = 1.0\n", "from = 0.05\nevery = 0.02\ncells = { low = [-0.08, -0.08, 0], high = [0.08, 0.08, 0.1], counts = [4, 4, 2] }\nradial = { low = [-0.08, -0.08, 0], high = [0.08, 0.08, 0.1], reach = 0.05, bins = 20 }\n");
    fs::write(file, &text).unwrap();
    let run = percussion(&["grains", file, "--out", out, "--duration", "0.2", "--json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let read = |name: &str| fs::read_to_string(Path::new(out).join(name)).unwrap();
    let table = read("statistics.csv");
    assert_eq!(table.lines().count(), 11, "{table}");
    let flow = run.json()["statistics"]["hole: mass flow"].as_f64().unwrap();
    assert!(flow > 0.05, "{flow} kg/s");
    assert_eq!(read("cells.csv").lines().count(), 33);
    assert_eq!(read("radial.csv").lines().count(), 21);
    assert!(read("figures/velocity-z.svg").starts_with("<svg"), "a profile");
    assert!(read("figures/mass-flow.svg").starts_with("<svg"), "a figure");
    assert!(read("view.json").contains("hole: mass flow"), "a curve of the page");
    let course = read("course.csv");
    assert!(course.lines().nth(1).unwrap().starts_with("1,0.001,300,"), "{course}");

    // Another text is another run, wherever its file lies.
    fs::write(file, text.replace("0.5", "0.4")).unwrap();
    percussion(&["grains", file, "--out", out, "--resume"])
        .assert_refused(&["belongs to another run"]);
}

#[test]
fn mistakes_in_scenes_are_refused_with_file_line_and_field() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("bin.toml");
    let name = file.to_str().unwrap();
    for (before, after, words) in [
        ("friction = 0.5", "friction = -0.5", ["line 3", "`friction` is -0.5", "at least 0"]),
        (
            "lattice.count = 6000",
            "lattice.count = 9000",
            ["line 7", "insert[0].lattice.count", "room"],
        ),
        ("radii = [0.03, 0.08]", "radii = [0.03]", ["walls[1].shape", "line 15", "radii"]),
        ("density", "densty", ["densty", "line 5", "density"]),
    ] {
        fs::write(&file, chapter().replace(before, after)).unwrap();
        percussion(&["grains", name, "--check"]).assert_refused(&[&[name], &words[..]].concat());
    }
    percussion(&["grains", "hoper"]).assert_refused(&["`hoper`", "did you mean `hopper`"]);
}

#[test]
fn a_resumed_run_plays_and_sums_up_all_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| directory.path().join(name));
    let drum = |out: &Path, more: &[&str]| {
        let out = out.to_str().unwrap();
        percussion(
            &[&["grains", "drum", "--json", "--checkpoint-every", "20", "--out", out], more]
                .concat(),
        )
    };
    let expected = drum(&whole, &["--duration", "0.1"]);
    assert_eq!(expected.code, Some(0), "{expected:?}");
    // A line of the statistics is due every 20 steps.
    drum(&parts, &["--duration", "0.06"]);
    let resumed = drum(&parts, &["--duration", "0.1", "--resume"]);
    // Symptom: a run that had nothing to do summed up nothing and played one time.
    let again = drum(&parts, &["--duration", "0.1", "--resume"]);
    for run in [resumed, again] {
        for key in [
            "status",
            "contacts_per_grain",
            "mean_sweeps",
            "largest_overlap",
            "largest_relative_residual",
            "steps_over_tolerance",
        ] {
            assert_eq!(run.json()[key], expected.json()[key], "{key}");
        }
    }
    for name in ["course.csv", "view.json", "grains.checkpoint", "statistics.csv"] {
        let [ours, theirs] = [&whole, &parts].map(|path| fs::read(path.join(name)).unwrap());
        assert!(ours == theirs, "{name} differs");
    }
}

/// Statistics go on where a run is resumed, between two lines of the table too.
#[test]
fn a_resumed_run_measures_what_an_uninterrupted_one_does() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("bin.toml");
    let text = chapter()
        .replace("count = 6000", "count = 300")
        .replace("to = [0, 0, 0.66]", "to = [0, 0, 0.06]")
        .replace(
            "from = 1.0\n",
            "from = 0.02\nevery = 0.02\ncells = { low = [-0.08, -0.08, 0], high = [0.08, 0.08, 0.1], counts = [4, 4, 2] }\n\
             radial = { low = [-0.08, -0.08, 0], high = [0.08, 0.08, 0.1], reach = 0.05, bins = 20 }\n",
        );
    fs::write(&file, text).unwrap();
    let run = |name: &str, duration: &str, more: &[&str]| {
        let out = directory.path().join(name);
        let words =
            [file.to_str().unwrap(), "--out", out.to_str().unwrap(), "--duration", duration];
        let run = percussion(&[&["grains", "--json"], &words[..], more].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        run
    };
    let read = |name: &str, file: &str| fs::read(directory.path().join(name).join(file)).unwrap();
    let whole = run("whole", "0.2", &[]);
    run("parts", "0.067", &[]);
    run("parts", "0.118", &["--resume"]);
    let parts = run("parts", "0.2", &["--resume"]);
    assert_eq!(parts.json()["statistics"], whole.json()["statistics"]);
    assert!(!parts.stderr.contains("begin anew"), "{parts:?}");
    let all = [
        "statistics.csv",
        "cells.csv",
        "radial.csv",
        "grains.statistics",
        "figures/force-distribution.csv",
    ];
    for name in all {
        assert!(read("parts", name) == read("whole", name), "{name} differs");
    }

    // Without what was added up, or with a file of another step or a damaged one, the run says so and goes on.
    run("lost", "0.067", &[]);
    let sums = directory.path().join("lost/grains.statistics");
    let good = fs::read(&sums).unwrap();
    run("later", "0.068", &[]);
    let later = read("later", "grains.statistics");
    let mut damaged = good.clone();
    damaged[100] ^= 1;
    for (bytes, why) in [
        (None, "cannot access"),
        (Some(later), "belongs to step 68, expected step 67"),
        (Some(damaged), "its checksum is"),
    ] {
        for name in ["grains.statistics", "grains.statistics.previous"] {
            let _ = fs::remove_file(directory.path().join("lost").join(name));
        }
        if let Some(bytes) = bytes {
            fs::write(&sums, bytes).unwrap();
        }
        let resumed = run("lost", "0.067", &["--resume"]);
        for words in ["grains.statistics", why, "begin anew"] {
            assert!(resumed.stderr.contains(words), "{words}: {resumed:?}");
        }
    }
    // The newer file is of a checkpoint that was never written: the run was killed in between.
    fs::write(&sums, read("later", "grains.statistics")).unwrap();
    fs::write(directory.path().join("lost/grains.statistics.previous"), good).unwrap();
    // It is killed there again before it writes its next checkpoint.
    let checkpoint = directory.path().join("lost/grains.checkpoint");
    let state = fs::read(&checkpoint).unwrap();
    run("lost", "0.068", &["--resume"]);
    fs::write(&checkpoint, state).unwrap();
    let last = run("lost", "0.2", &["--resume"]);
    assert!(!last.stderr.contains("begin anew"), "{last:?}");
    assert!(read("lost", "cells.csv") == read("whole", "cells.csv"), "cells differ");
}

#[test]
fn a_run_that_did_not_converge_says_so() {
    let arguments = ["grains", "column", "--duration", "0.3", "--max-sweeps", "2", "--json"];
    let run = percussion(&arguments);
    assert_eq!((run.code, &run.json()["status"]), (Some(0), &json!("unconverged")), "{run:?}");
    assert!(run.stderr.contains("not converged: in "), "{run:?}");
    assert!(run.json()["steps_over_tolerance"].as_u64().unwrap() > 10);
    let free = percussion(&["grains", "column", "--duration", "0.01", "--json"]);
    assert_eq!(free.json()["status"], json!("completed"));
}
