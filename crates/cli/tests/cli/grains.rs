//! `percussion grains`: long runs that may end at any moment.

use std::{fs, path::Path, process::Command, thread::sleep, time::Duration};

use serde_json::json;

use crate::common::{Finished, command, percussion};

/// With a table that reaches the disk every 20 steps.
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
        // Killed between its two renames, a run leaves only the checkpoint before.
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

    channel(&out, &[]).assert_refused(&["holds a run already", "--resume"]);
    channel(&out, &["--resume", "--seed", "3"]).assert_refused(&["is of another run", "seed 0"]);
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
