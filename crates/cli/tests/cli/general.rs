//! Help, wrong usage, and the other ends of the pipes.

use crate::common::{command, percussion};

#[test]
fn without_a_command_the_help_is_printed() {
    let finished = percussion(&[]);
    assert_eq!(finished.code, Some(0));
    for name in ["list", "run", "solve", "reproduce", "Exit codes"] {
        assert!(finished.stdout.contains(name), "{name} is missing in {}", finished.stdout);
    }
}

#[test]
fn wrong_usage_is_refused() {
    for arguments in [
        &["dance"][..],
        &["solve"],
        &["solve", "lcp"],
        &["solve", "lcp", "file", "--solver", "oracle"],
        &["solve", "lcp", "file", "--tolerance", "-1"],
        &["solve", "lcp", "file", "--tolerance", "nan"],
        &["completions", "fishy"],
        &["solve", "friction"],
        &["solve", "friction", "file", "--law", "newton"],
        &["solve", "friction", "file", "--tolerance", "nan"],
        &["run", "stewart-trinkle/rod-on-table", "--step-size", "0"],
        &["run", "stewart-trinkle/rod-on-table", "--duration", "inf"],
        &["run", "stewart-trinkle/rod-on-table", "--integrator", "euler"],
        &["reproduce", "--quick", "--full"],
    ] {
        percussion(arguments).assert_refused(&["error"]);
    }
}

#[test]
fn negative_numbers_with_an_exponent_are_refused_as_numbers() {
    percussion(&["solve", "lcp", "file", "--tolerance", "-1e-300"]).assert_refused(&[
        "--tolerance",
        "-1e-300",
        "a finite number from 0 on",
    ]);
}

#[test]
fn misspelled_names_are_understood() {
    percussion(&["run", "rod-on-tabel"])
        .assert_refused(&["did you mean `stewart-trinkle/rod-on-table`?"]);
    percussion(&["impact", "rockingblock", "--law", "newton"])
        .assert_refused(&["did you mean `rocking-block`?"]);
    percussion(&["reproduce", "stewart-trinkle/four-bals"])
        .assert_refused(&["did you mean `stewart-trinkle/four-balls`?"]);
}

#[test]
fn shells_learn_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let finished = percussion(&["completions", shell]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert!(finished.stdout.contains("reproduce"), "{shell} does not know a command");
    }
}

#[test]
fn the_list_names_scenarios_and_experiments() {
    let text = percussion(&["list"]);
    assert_eq!(text.code, Some(0));
    assert!(text.stdout.contains("stewart-trinkle/four-balls"), "{}", text.stdout);
    let document = percussion(&["list", "--json"]).json();
    for kind in ["scenarios", "experiments"] {
        let first = &document[kind][0];
        assert!(first["name"].is_string() && first["title"].is_string(), "{first}");
    }
}

/// A reader that goes away, as `head` does, must neither cause a panic nor change the exit code.
#[test]
fn a_closed_pipe_is_no_error() {
    for arguments in [&["list"][..], &["list", "--json"], &[]] {
        let mut child = command(arguments).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command(&["list"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("cannot write to standard output"), "{stderr}");
}
