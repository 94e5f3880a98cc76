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
