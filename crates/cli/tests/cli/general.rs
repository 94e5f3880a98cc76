//! Tests of help, wrong usage, and closed pipes.

use std::process::Command;

use crate::common::{command, percussion};

#[test]
fn without_a_command_the_first_steps_are_printed() {
    let finished = percussion(&[]);
    assert_eq!(finished.code, Some(0));
    for name in ["Try first", "compare", "run", "reproduce", "new", "percussion --help"] {
        assert!(finished.stdout.contains(name), "{name} is missing in {}", finished.stdout);
    }
    let help = percussion(&["--help"]);
    assert_eq!(help.code, Some(0));
    let finished = help;
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
        "a finite number of at least 0",
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
fn names_values_and_places_are_refused_with_what_was_expected() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let [file, folder] = [&*file, directory.path()].map(|path| path.to_str().unwrap());
    let a_file = &["is a directory", "expected a", "file"][..];
    let whole = &["expected an integer from 0"][..];
    let built_in = &["neither a file nor built in", "expected a TOML file or one of"][..];
    let cases: [(&[&str], &[&str]); 20] = [
        (&["run", "nothing"], built_in),
        (&["run", "nothing.toml"], &["there is no file `nothing.toml`, expected a TOML file"]),
        (&["inspect", "nothing"], built_in),
        (&["design", "nothing"], &["expected a TOML file or one of trex"]),
        (&["design", "trx"], &["did you mean `trex`?"]),
        (&["run", "rocking-blok"], &["did you mean `rocking-block`?"]),
        (
            &["impact", "nothing.toml", "--law", "plus"],
            &["there is no file `nothing.toml`", "expected a JSON or TOML file"],
        ),
        (&["run", folder], a_file),
        (&["inspect", folder], a_file),
        (&["design", folder], a_file),
        (&["compare", folder], a_file),
        (&["view", "nothing"], &["cannot read `nothing`"]),
        (&["view", folder, "--port", "-1"], whole),
        (&["reproduce", "--seed", "-1"], whole),
        (&["grains", "column", "--seed", "1.5"], whole),
        (&["compare", "rocking-block", "--seed", "x"], whole),
        (&["compare", "rocking-block", "--samples", "0"], &["expected an integer from 1"]),
        (&["grains", "column", "--max-sweeps", "0"], &["expected an integer from 1"]),
        (&["run", "stewart-trinkle/two-balls-direct", "--out", file], &["expected a directory"]),
        (&["reproduce", "--quick", "--out", file], &["is a file", "expected a directory"]),
    ];
    for (arguments, words) in cases {
        percussion(arguments).assert_refused(words);
    }
}

#[test]
fn shells_learn_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let finished = percussion(&["completions", shell]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert!(finished.stdout.contains("reproduce"), "{shell} does not know a command");
    }
}

/// The output of `program` in a shell that has read our script; `None` if the shell is not installed.
fn completed(shell: &str, program: &str) -> Option<String> {
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("percussion");
    std::fs::write(&script, percussion(&["completions", shell]).stdout).unwrap();
    let output = Command::new(shell).args(["-c", program, shell]).arg(&script).output().ok()?;
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn shells_complete_commands_and_values() {
    let bash = r#"source "$1"
        COMP_WORDS=(percussion rep); COMP_CWORD=1; _percussion percussion rep percussion
        echo "${COMPREPLY[@]}"
        COMP_WORDS=(percussion run x --integrator mo); COMP_CWORD=4; _percussion percussion mo --integrator
        echo "${COMPREPLY[@]}""#;
    let fish = r#"source $argv[2]
        complete -C 'percussion rep' | string split -f1 \t
        complete -C 'percussion run x --integrator mo' | string split -f1 \t"#;
    for (shell, program) in [("bash", bash), ("fish", fish)] {
        match completed(shell, program) {
            Some(found) => assert_eq!(found, "reproduce\nmoreau-jean\n", "{shell}"),
            None => eprintln!("{shell} is not installed here; its completions are not tried"),
        }
    }
    // zsh shows completions only at a terminal; here it only reads the functions.
    let zsh = "autoload -U compinit; compinit -D; source $1; whence -w _percussion";
    match completed("zsh", zsh) {
        Some(found) => assert_eq!(found, "_percussion: function\n"),
        None => eprintln!("zsh is not installed here; its completions are not tried"),
    }
}

/// Colors are only for terminals: a pipe has none, and no environment variable enables them.
#[test]
fn a_pipe_gets_no_colors() {
    for arguments in
        [&["--help"][..], &["dance"], &["-vv", "run", "rocking-block", "--law", "plus"]]
    {
        let finished = percussion(arguments);
        for text in [&finished.stdout, &finished.stderr] {
            assert!(!text.contains('\u{1b}'), "{arguments:?}: {text}");
        }
    }
}

/// Every command has its own help with an example of its use.
#[test]
fn every_help_has_examples() {
    let mut commands = vec![vec!["solve", "lcp"], vec!["solve", "friction"], vec!["solve"]];
    for name in [
        "list",
        "inspect",
        "run",
        "impact",
        "compare",
        "design",
        "reproduce",
        "grains",
        "view",
        "completions",
    ] {
        commands.push(vec![name]);
    }
    let listed = percussion(&["--help"]).stdout;
    for mut arguments in commands {
        let name = arguments.join(" ");
        assert!(listed.contains(&format!("\n  {} ", arguments[0])), "{name} is not listed");
        arguments.push("--help");
        let help = percussion(&arguments).stdout;
        let examples = help.split_once("Examples:\n").map(|(_, examples)| examples);
        let shown = examples.is_some_and(|text| text.contains(&format!("  percussion {name} ")));
        assert!(shown, "{name} shows no example of itself: {help}");
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

/// A reader that closes the pipe early, such as `head`, must neither cause a panic nor change the exit code.
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
