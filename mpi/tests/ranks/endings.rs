//! Ranks that are killed, stopped or cannot write: all end with a message and code 1, and the run can be continued.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::{column, command, finished, folder, run};

/// Long enough that no rank reaches its end before it is killed.
const ENDLESS: &str = "bin.toml --out run --checkpoint-every 20 --duration 1000";

/// The processes of the ranks below a process that was started here.
fn ranks_below(parent: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let list = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
    for child in list.unwrap_or_default().split_whitespace().filter_map(|id| id.parse().ok()) {
        let name = fs::read_to_string(format!("/proc/{child}/comm")).unwrap_or_default();
        if name.starts_with("percussion-grai") {
            found.push(child);
        }
        found.extend(ranks_below(child));
    }
    found
}

fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").args([name, &process.to_string()]).status();
    assert!(sent.unwrap().success(), "{name} to {process}");
}

/// Starts a run and waits until its first checkpoint is there.
fn start(folder: &Path, arguments: &str) -> Child {
    let mut child = command(folder, arguments);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !folder.join("run/grains.checkpoint").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "the first checkpoint takes too long");
        thread::sleep(Duration::from_millis(5));
    }
    child
}

/// The exit code and what was printed to standard error.
fn end(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Continues by one step more than the table has, on another number of ranks.
fn continues(folder: &Path, ranks: u32) {
    let steps = column(&folder.join("run/course.csv"), "step").last().copied().unwrap_or(0.0);
    let duration = 1e-3 * (steps + 30.0);
    let summary = finished(
        folder,
        &format!("--ranks {ranks} bin.toml --out run --resume --duration {duration}"),
    );
    let course = column(&folder.join("run/course.csv"), "step");
    let count = course.len();
    assert!(course.into_iter().eq((1..=count).map(|k| k as f64)), "every step once");
    assert_eq!(summary["steps"], count, "{summary}");
}

/// A number that differs at every call, from the clock.
fn draw() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    u64::from(now.subsec_nanos()).wrapping_mul(6_364_136_223_846_793_005) >> 33
}

#[test]
fn a_rank_that_is_killed_at_any_moment_ends_all_and_others_continue() {
    // Three in CI; `PERCUSSION_KILLS=20` for the full test.
    let kills = std::env::var("PERCUSSION_KILLS").ok().and_then(|count| count.parse().ok());
    for kill in 0..kills.unwrap_or(3) {
        let folder = folder();
        let count = 2 + kill % 3;
        let child = start(folder.path(), &format!("--ranks {count} {ENDLESS}"));
        thread::sleep(Duration::from_millis(draw() % 700));
        let ranks = ranks_below(child.id());
        assert_eq!(ranks.len(), count as usize, "{ranks:?}");
        signal(ranks[usize::try_from(draw()).unwrap() % ranks.len()], "-KILL");
        let (code, text) = end(child);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("a rank has died") && text.contains("--resume"), "{text}");
        for other in ranks {
            assert!(!Path::new(&format!("/proc/{other}/exe")).exists(), "rank {other} still lives");
        }
        continues(folder.path(), 1 + kill % 4);
    }
}

#[test]
fn a_rank_that_does_not_answer_ends_all() {
    let folder = folder();
    let child = start(folder.path(), &format!("--ranks 2 --patience 2 {ENDLESS}"));
    let ranks = ranks_below(child.id());
    signal(ranks[1], "-STOP");
    let (code, text) = end(child);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("no answer") && text.contains("--resume"), "{text}");
    continues(folder.path(), 3);
}

#[test]
fn a_rank_that_cannot_write_ends_all_and_the_last_checkpoint_loads() {
    let folder = folder();
    finished(folder.path(), "--ranks 2 bin.toml --out run --duration 0.03");
    // Where the part of rank 1 would be are folders that are not empty, as if its disk were full.
    for name in ["1-1/x", "1-1.previous/x"] {
        fs::create_dir_all(folder.path().join("run/grains.checkpoint.parts").join(name)).unwrap();
    }
    let output = run(folder.path(), "--ranks 2 bin.toml --out run --duration 0.06 --resume");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("error: rank"), "{text}");
    fs::remove_dir_all(folder.path().join("run/grains.checkpoint.parts/1-1")).unwrap();
    fs::remove_dir_all(folder.path().join("run/grains.checkpoint.parts/1-1.previous")).unwrap();
    continues(folder.path(), 3);
}

#[test]
fn a_run_that_is_interrupted_saves_and_goes_on() {
    let folder = folder();
    let child = start(folder.path(), &format!("--ranks 2 {ENDLESS} --json"));
    // As by the terminal or a batch system: `mpirun` passes it on to all ranks.
    let list = format!("/proc/{0}/task/{0}/children", child.id());
    let mpirun: u32 = fs::read_to_string(list).unwrap().trim().parse().unwrap();
    signal(mpirun, "-TERM");
    let (code, text) = end(child);
    assert_eq!(code, Some(1), "{text}");
    continues(folder.path(), 4);
}
