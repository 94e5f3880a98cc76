//! The same run over MPI, over threads, with other partitions and in one process.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    thread,
};

use clap::Parser;
use percussion_cli::grains;
use percussion_granular::decomposition::in_process;
use percussion_mpi::Ranks;

use crate::common::{column, finished, folder, run};

/// The arguments of a run.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(flatten)]
    grains: grains::Arguments,
}

/// Runs on ranks that are threads of this process.
fn on_threads(count: usize, arguments: &str) {
    let words = std::iter::once("grains").chain(arguments.split_whitespace());
    let Arguments { grains } = Arguments::try_parse_from(words).unwrap();
    let (grains, still) = (&grains, &AtomicBool::new(false));
    thread::scope(|scope| {
        for exchange in in_process(count) {
            scope.spawn(move || {
                grains::execute(grains, &mut Ranks::new(exchange, None), still).unwrap()
            });
        }
    });
}

/// The files of a run that must have the same bytes: all but its speed and the names of its pages.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if !path.ends_with("ranks.csv") && !path.ends_with("percussion.lock") {
            files.push((path.strip_prefix(folder).unwrap().into(), fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}

#[test]
fn ranks_and_threads_write_the_same_bytes_on_every_repetition() {
    let folder = folder();
    let place = |name: &str| folder.path().join(name);
    for (scene, count) in [("bin", 1), ("bin", 2), ("bin", 4), ("layer", 1), ("layer", 2)] {
        let arguments = "--duration 0.12 --checkpoint-every 40 --vtk-every 60";
        let threads = place(&format!("threads-{scene}-{count}"));
        let file = place(&format!("{scene}.toml"));
        on_threads(count, &format!("{} {arguments} --out {}", file.display(), threads.display()));
        for repetition in 0..2 {
            let out = format!("ranks-{scene}-{count}-{repetition}");
            let command = format!("--ranks {count} {} {arguments} --out {out}", file.display());
            finished(folder.path(), &command);
            let (ours, theirs) = (files(&place(&out)), files(&threads));
            let names = |files: &[(PathBuf, Vec<u8>)]| -> Vec<PathBuf> {
                files.iter().map(|(name, _)| name.clone()).collect()
            };
            assert_eq!(names(&ours), names(&theirs), "{scene}, {count} ranks");
            for ((name, one), (_, other)) in ours.iter().zip(&theirs) {
                assert!(one == other, "{scene}, {count} ranks: {} differs", name.display());
            }
        }
    }
}

#[test]
fn other_partitions_have_the_same_statistics_and_even_work() {
    let folder = folder();
    let passed = |name: &str| {
        *column(&folder.path().join(name).join("statistics.csv"), "hole: mass passed")
            .last()
            .unwrap()
    };
    let run =
        |name: &str, how: &str| finished(folder.path(), &format!("{how} bin.toml --out {name}"));
    let one = run("one", "--ranks 1");
    for (name, how) in [
        ("two", "--ranks 2"),
        ("along-x", "--ranks 3 --partition 3x1x1"),
        ("in-three", "--ranks 8 --partition 2x2x2"),
    ] {
        let many = run(name, how);
        let number = |key: &str| [one[key].as_f64().unwrap(), many[key].as_f64().unwrap()];
        let [a, b] = number("grains");
        // Some 450 of 600 grains stay; the paths of grains are chaotic, and of the 150 that have left so many leave in
        // the last hundredth of a second that the number may differ by four of its deviations.
        assert!((a - b).abs() <= 4.0 * (600.0 - a).sqrt(), "{how}: {a} and {b} grains");
        let share = (passed("one") - passed(name)).abs() / passed("one");
        assert!(share <= 4.0 / (600.0 - a).sqrt(), "{how}: {share}");
        let [a, b] = number("contacts_per_grain");
        assert!((a - b).abs() < 0.1 * a, "{how}: {a} and {b} contacts a grain");

        let table = folder.path().join(name).join("ranks.csv");
        let (imbalance, divided) = (column(&table, "imbalance"), column(&table, "divided"));
        assert!(divided.contains(&1.0), "{how}: grains leave, so that the work was divided anew");
        // Within the ten steps between two looks the grains fall by up to a diameter, a tenth of the height of a box of
        // two or three; a box of eight has some 50 grains, of which a few are a tenth.
        let most = imbalance[1..].iter().copied().fold(1.0, f64::max);
        assert!(most < if how.contains("2x2x2") { 1.8 } else { 1.4 }, "{how}: {imbalance:?}");
        assert!(column(&table, "particle updates").iter().all(|speed| *speed > 0.0));
    }
}

#[test]
fn any_number_of_ranks_continues_a_run_and_one_process_too() {
    let folder = folder();
    let out = "--out run --checkpoint-every 50";
    finished(folder.path(), &format!("--ranks 3 bin.toml {out} --duration 0.1"));
    for (ranks, duration, steps) in [(2, "0.15", 150), (1, "0.2", 200), (4, "0.25", 250)] {
        let arguments = format!("--ranks {ranks} bin.toml {out} --duration {duration} --resume");
        let summary = finished(folder.path(), &arguments);
        assert_eq!(summary["steps"], steps, "{summary}");
    }
    let course = column(&folder.path().join("run/course.csv"), "step");
    assert!(course.iter().copied().eq((1..=250).map(f64::from)), "every step once");
    // The mass that has passed goes on over all resumptions.
    let passed = column(&folder.path().join("run/statistics.csv"), "hole: mass passed");
    assert!(passed.windows(2).all(|pair| pair[0] <= pair[1] + 1e-3), "{passed:?}");
    assert!(passed.len() >= 10, "{passed:?}");
}

/// With nothing left to do, a run writes what was added up by the ranks of the former one: the same bytes with as many ranks,
/// and the same sums up to rounding with others.
#[test]
fn statistics_go_on_where_a_run_is_resumed() {
    let folder = folder();
    let bin = |ranks: usize, more: &str| {
        finished(
            folder.path(),
            &format!("--ranks {ranks} bin.toml --out run --duration 0.2 {more}"),
        );
    };
    let file = |name: &str| folder.path().join("run").join(name);
    let bytes =
        || ["statistics.csv", "cells.csv", "radial.csv"].map(|name| fs::read(file(name)).unwrap());
    let numbers = || {
        let columns =
            ["solid fraction", "velocity x", "velocity z"].map(|name| (name, "cells.csv"));
        let all = columns.into_iter().chain([("radial distribution", "radial.csv")]);
        all.flat_map(|(name, table)| column(&file(table), name)).collect::<Vec<f64>>()
    };
    bin(2, "");
    let (written, expected) = (bytes(), numbers());
    bin(2, "--resume");
    assert!(bytes() == written, "as many ranks");
    for ranks in [3, 1] {
        bin(ranks, "--resume");
        let pairs = expected.iter().zip(numbers());
        let off = pairs.map(|(a, b)| (a - b).abs() / a.abs().max(1e-3)).fold(0.0, f64::max);
        assert!(off < 1e-12, "{ranks} ranks: {off:e}");
    }
}

/// As many ranks as before continue with the same bits, in the midst of a run too.
#[test]
fn a_run_in_two_parts_is_the_same_as_one_without_a_pause() {
    let [whole, parts] = [folder(), folder()];
    finished(whole.path(), "--ranks 2 bin.toml --out run --duration 0.2");
    finished(parts.path(), "--ranks 2 bin.toml --out run --duration 0.1");
    finished(parts.path(), "--ranks 2 bin.toml --out run --duration 0.2 --resume");
    for name in ["course.csv", "statistics.csv", "cells.csv", "radial.csv"] {
        let [a, b] = [&whole, &parts].map(|f| fs::read(f.path().join("run").join(name)).unwrap());
        assert!(a == b, "{name}");
    }
}

#[test]
fn a_picture_has_a_piece_of_each_rank_and_all_grains() {
    let folder = folder();
    let summary =
        finished(folder.path(), "--ranks 3 bin.toml --duration 0.01 --vtk-every 10 --out run");
    let list = fs::read_to_string(folder.path().join("run/grains-000000010.pvtk")).unwrap();
    let names: Vec<&str> = list
        .lines()
        .filter_map(|line| line.trim().strip_prefix("<Piece fileName=\"")?.strip_suffix("\"/>"))
        .collect();
    assert_eq!(names.len(), 3, "{list}");
    let count = |name: &&str| -> u64 {
        let bytes = fs::read(folder.path().join("run").join(name)).unwrap();
        let text = String::from_utf8_lossy(&bytes[..200]).into_owned();
        let line = text.lines().find(|line| line.starts_with("POINTS")).unwrap().to_owned();
        line.split(' ').nth(1).unwrap().parse().unwrap()
    };
    assert_eq!(names.iter().map(count).sum::<u64>(), summary["grains"].as_u64().unwrap());
}

#[test]
fn a_channel_agrees_with_one_process() {
    let folder = folder();
    let channel =
        |how: &str| finished(folder.path(), &format!("{how} channel --factor 8 --duration 0.02"));
    let (one, two) = (channel("--ranks 1"), channel("--ranks 2"));
    for key in ["grains", "solid_fraction", "kinetic_energy"] {
        let [a, b] = [&one, &two].map(|summary| summary[key].as_f64().unwrap());
        // Collisions make paths chaotic; sums over all grains differ by a few of them.
        assert!((a - b).abs() < 0.02 * a, "{key}: {a} and {b}");
    }
}

#[test]
fn mistakes_are_told_once_with_exit_code_2() {
    let folder = folder();
    for (arguments, part) in [
        ("--ranks 2 no-such-scene", "no-such-scene"),
        ("--ranks 2 bin.toml --tolerance -1", "--tolerance"),
        ("--ranks 2 bin.toml --partition 3x1x1", "partition has 3 entries, expected 2"),
        ("--ranks 2 bin.toml --partition 3", "--partition"),
        ("--ranks 2 bin.toml --patience 0", "--patience"),
    ] {
        let output = run(folder.path(), arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {text}");
        assert!(text.contains(part), "{arguments}: {text}");
        let lines = text.lines().filter(|line| line.starts_with("error:")).count();
        assert_eq!(lines, 1, "{arguments}: {text}");
    }
    let check = finished(folder.path(), "--ranks 2 bin.toml --check");
    assert_eq!(check["grains"], 600);
}
