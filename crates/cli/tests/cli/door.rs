//! What a newcomer meets: every written file is named, and every error says its sentence once.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;

use crate::{common::percussion, impact::given};

/// The names of the files in `directory`.
fn present(directory: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_comparison_names_every_file_that_it_writes() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("block");
    let laws = "newton,set-valued-routh";
    let more = ["--laws", laws, "--samples", "64", "--out", out.to_str().unwrap()];
    let compared = percussion(&[&["compare", "rocking-block", "--json"][..], &more].concat());
    let files = compared.json()["files"].clone();
    let names = files.as_array().unwrap().iter().map(|file| {
        let name = Path::new(file.as_str().unwrap()).file_name().unwrap();
        name.to_str().unwrap().to_owned()
    });
    let names: BTreeSet<String> = names.collect();
    // A table, a figure for each of two contacts in three forms, the player and its data, and the page of tables.
    assert_eq!((names.len(), &names), (1 + 2 * 3 + 3, &present(&out)));
    let text = percussion(&[&["compare", "rocking-block"][..], &more].concat()).stdout;
    assert!(names.iter().all(|name| text.contains(name)), "{text}");
}

#[test]
fn a_refused_law_gives_its_reason_once() {
    let more = ["--laws", "newton,compliant", "--set", "compliant.depth=1e300", "--json"];
    let compared = percussion(&[&["compare", "newtons-cradle"][..], &more].concat()).json();
    let refused = compared["laws"].as_array().unwrap().iter().find_map(|law| law["error"].as_str());
    let refused = refused.expect("a depth of 1e300 m leaves no stiffness");
    assert_eq!(refused.matches("stiffness is").count(), 1, "{refused}");
}

#[test]
fn a_contact_that_can_do_nothing_is_not_accepted_silently() {
    let contact = |contact: &str| {
        format!(r#"{{"mass_matrix": [[1]], "velocity": [-1], "contacts": [{contact}]}}"#)
    };
    let zero = given(&contact(r#"{"normal": [0]}"#), "newton", &[]);
    zero.assert_refused(&["`contacts[0].normal` is zero"]);
    let idle = given(&contact(r#"{"normal": [1], "friction": 0.5}"#), "newton", &["--json"]);
    assert_eq!(idle.json()["status"], Value::from("resolved"));
    let words = ["warning", "`contacts[0].friction` is 0.5", "`tangents`"];
    assert!(words.iter().all(|word| idle.stderr.contains(word)), "{idle:?}");
    let smooth = given(&contact(r#"{"normal": [1]}"#), "newton", &["--json"]);
    assert_eq!(smooth.stderr, "");
}

/// The word that introduces an expectation occurs once in each error.
#[test]
fn a_body_that_stays_in_the_plane_is_refused_in_space_with_one_expectation() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("hinge.toml");
    let text = r#"
        name = "hinge"
        title = "A hinge"
        source = "none"
        dimension = "space"
        [[bodies]]
        name = "door"
        mass = 1.0
        inertia = 0.1
        joint = "revolute"
        [[planes]]
        name = "floor"
        point = [0.0, 0.0, 0.0]
        normal = [0.0, 0.0, 1.0]
        [[contacts]]
        name = "edge"
        sphere = { body = "door" }
        on.plane = "floor"
        friction = 0.5
    "#;
    fs::write(&file, text).unwrap();
    let refused = percussion(&["impact", file.to_str().unwrap(), "--law", "newton"]);
    refused.assert_refused(&["`dimension` is \"space\"", "\"plane\""]);
    assert_eq!(refused.stderr.matches("expected").count(), 1, "{refused:?}");
}

#[test]
fn every_start_is_new_and_runs() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    for (kind, command, more) in [
        ("scenario", "run", &["--duration", "0.1", "--json"][..]),
        ("impact", "compare", &["--laws", "newton,plus", "--json"]),
        ("scene", "grains", &["--duration", "0.01", "--json"]),
    ] {
        let path = file(kind) + ".toml";
        let made = percussion(&["new", kind, &path]);
        assert_eq!(made.code, Some(0), "{made:?}");
        assert!(made.stdout.contains(&format!("percussion {command} {path}")), "{made:?}");
        let ran = percussion(&[&[command, &path][..], more].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
        let text = fs::read_to_string(&path).unwrap();
        percussion(&["new", kind, &path]).assert_refused(&["new file"]);
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "the file is as it was");
    }
    let law = file("law.rs");
    assert_eq!(percussion(&["new", "law", &law]).code, Some(0));
    assert!(fs::read_to_string(law).unwrap().contains("impl Law for InTurn"));
}

/// The program that `new law` writes, compiled as it is.
#[expect(clippy::print_stdout, reason = "it is a program of its own")]
mod law {
    include!("../../templates/law.rs.txt");

    #[test]
    fn the_start_of_a_law_runs() {
        main().unwrap();
    }
}

#[test]
fn a_name_of_another_command_is_refused_with_that_command() {
    for (arguments, command) in [
        (&["run", "trex"][..], "percussion design trex"),
        (&["impact", "trex", "--law", "newton"], "percussion design trex"),
        (&["compare", "set-valued/zeno"], "percussion reproduce set-valued/zeno"),
        (&["design", "ramone"], "percussion compare ramone"),
        (&["reproduce", "rocking-block"], "percussion compare rocking-block"),
        (&["grains", "event-driven/bouncing-ball"], "percussion run event-driven/bouncing-ball"),
        (&["run", "moreau-jean"], "percussion run FILE --integrator moreau-jean"),
        (&["run", "drum"], "percussion grains drum"),
    ] {
        percussion(arguments).assert_refused(&["built-in", &format!("`{command}` takes it")]);
    }
}

/// A scene of grains given to the commands for scenarios; a box larger than its region; a step beyond the end.
#[test]
fn what_a_newcomer_mistakes_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (scene, scenario) = (file("scene.toml"), file("mine.toml"));
    assert_eq!(percussion(&["new", "scene", &scene]).code, Some(0));
    assert_eq!(percussion(&["new", "scenario", &scenario]).code, Some(0));
    for command in ["run", "inspect"] {
        percussion(&[command, &scene])
            .assert_refused(&["is a scene of grains", &format!("percussion grains {scene}")]);
    }
    let text = fs::read_to_string(&scene).unwrap();
    let large = text.replacen("diameter = 0.0", "diameter = 2.0", 1);
    assert_ne!(large, text);
    fs::write(&scene, large).unwrap();
    percussion(&["grains", &scene]).assert_refused(&["insert[0]", "fits into the region"]);
    percussion(&["run", &scenario, "--step-size", "3"]).assert_refused(&[
        "step_size",
        "3",
        "at most the duration",
    ]);
    let deep = percussion(&["run", &scenario, "--step-size", "0.5"]);
    assert!(deep.stderr.contains("`box` overlaps `floor` by 0.72"), "{deep:?}");
    let usual = percussion(&["run", &scenario]);
    assert_eq!((usual.code, usual.stderr.as_str()), (Some(0), ""), "{usual:?}");
}

/// Whatever their names, files are known by their content.
#[test]
fn a_file_of_another_kind_is_refused_with_the_command_that_takes_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let scene = file("scene.toml", "grains = []\nduration = 1.0");
    let scenario = file("scenario.toml", "gravity = [0, -9.81]\nbodies = []");
    let impact = file("impact.toml", "bodies = []\ncontacts = []");
    let design = file("design.toml", "name = 'x'\nvariables = []");
    let matrices = file("matrices.json", "{\"mass_matrix\": [[1]], \"velocity\": [1]}");
    let lcp = file("lcp.json", "{\"matrix\": [[1]], \"vector\": [1]}");
    let friction = file("friction.json", "{\"delassus\": {\"dense\": []}}");
    let urdf =
        file("robot.txt", "<?xml version=\"1.0\"?>\n<robot name=\"r\"><link name=\"a\"/></robot>");
    let urdf_as_xml = file("robot.xml", "<robot name=\"r\"><link name=\"a\"/></robot>");
    let mjcf = file("model.urdf", "<mujoco/>");
    for (command, path, taker) in [
        ("run", &scene, "grains"),
        ("inspect", &scene, "grains"),
        ("compare", &scene, "grains"),
        ("grains", &scenario, "run"),
        ("grains", &impact, "compare"),
        ("design", &scenario, "run"),
        ("compare", &design, "design"),
        ("run", &matrices, "compare"),
        ("compare", &lcp, "solve lcp"),
        ("compare", &friction, "solve friction"),
        ("solve lcp", &matrices, "compare"),
        ("solve lcp", &scenario, "run"),
        ("solve friction", &lcp, "solve lcp"),
        ("run", &urdf, "run"),
        ("run", &urdf_as_xml, "run"),
        ("run", &mjcf, "run"),
    ] {
        let arguments: Vec<&str> = command.split(' ').chain([path.as_str()]).collect();
        let taken = format!("`percussion {taker} {path}` takes it");
        percussion(&arguments).assert_refused(&["expected", &taken]);
    }
    percussion(&["run", &urdf]).assert_refused(&["a robot in URDF", "under a name `*.urdf`"]);
    percussion(&["run", &mjcf]).assert_refused(&["a model in MJCF", "under a name `*.xml`"]);
    percussion(&["new", "scenario", "throw.txt"])
        .assert_refused(&["`throw.txt`", "`scenario.toml`"]);
}

/// A ball of 4 cm at 30 m/s before a wall of 1 cm: within a step of 2 ms it moves 6 cm.
#[test]
fn a_body_that_passes_through_a_wall_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("thin.toml");
    let text = "name = 'thin'\ntitle = 'A thin wall'\nsource = 'own'\ndimension = 'space'\n\
        duration = 0.05\ngravity = [0, 0, 0]\nfriction = 0.3\nrestitution = 0\n\
        integrator = { method = 'impulse-velocity', step_size = 0.002 }\n\
        [[bodies]]\nname = 'ball'\nmass = 0.1\nposition = [-0.392, 0, 0]\nvelocity = [30, 0, 0]\n\
        shape = { sphere = { radius = 0.02 } }\n\
        [[fixed]]\nname = 'wall'\nshape = { box = { half_extents = [0.005, 0.5, 0.5] } }\nposition = [0, 0, 0]\n";
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let passed = percussion(&["run", path]);
    assert!(
        passed.stderr.contains("`ball` passes through `wall` in the step at 0.012 s"),
        "{passed:?}"
    );
    let short = percussion(&["run", path, "--step-size", "0.0005"]);
    assert_eq!((short.code, short.stderr.as_str()), (Some(0), ""), "{short:?}");
}

#[test]
fn the_list_says_which_commands_take_a_name() {
    for (name, commands) in [
        ("stewart-trinkle/four-balls", &["percussion run ", "percussion reproduce "][..]),
        ("rocking-block", &["percussion compare "]),
        ("drum", &["percussion grains "]),
        ("channel", &["percussion grains "]),
        ("interior-point", &["percussion solve friction FILE --solver "]),
    ] {
        let sheet = percussion(&["list", name, "--json"]).json();
        let listed = sheet["commands"].as_array().unwrap();
        let commands: Vec<_> = commands.iter().map(|command| format!("{command}{name}")).collect();
        assert_eq!(listed, &commands, "{sheet}");
        let text = percussion(&["list", name]).stdout;
        assert!(commands.iter().all(|command| text.contains(command)), "{text}");
    }
    percussion(&["list", "rocking-blok"]).assert_refused(&["not built in", "`rocking-block`?"]);
}

#[test]
fn a_comparison_names_velocities_and_contacts() {
    let document = percussion(&["compare", "ramone", "--laws", "newton", "--json"]).json();
    let count = |value: &Value| value.as_array().unwrap().len();
    assert_eq!(count(&document["velocities"]), count(&document["before"]));
    assert_eq!(count(&document["velocities"]), count(&document["laws"][0]["velocity"]));
    assert_eq!(count(&document["contacts"]), count(&document["laws"][0]["impulses"]));
    let block = percussion(&["compare", "rocking-block", "--laws", "newton", "--json"]).json();
    assert_eq!(block["velocities"][2], "block angle (rad/s)");
    assert_eq!(block["contacts"][1], "right corner");
}

#[test]
fn work_ends_in_order_when_its_time_is_over() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let limit = ["--time-limit", "1e-9"];
    let reproduced = percussion(&[&["reproduce", "plus", "--out", out][..], &limit].concat());
    assert_eq!(reproduced.code, Some(1), "{reproduced:?}");
    assert!(reproduced.stderr.contains("5 of 5 experiments were not run"), "{reproduced:?}");
    assert!(directory.path().join("index.html").is_file(), "what is finished is written");
    let grains = percussion(&[&["grains", "column", "--json"][..], &limit].concat());
    assert_eq!((grains.code, &grains.json()["status"]), (Some(1), &Value::from("time-limit")));
    assert!(grains.stderr.contains("time limit"), "{grains:?}");
    let set = ["impact", "rocking-block", "--law", "set-valued-routh", "--samples", "20000"];
    let set = percussion(&[&set[..], &["--json"], &limit].concat());
    assert_eq!((set.code, &set.json()["status"]), (Some(1), &Value::from("time-limit")));
    assert_eq!(set.json()["statistics"]["samples"], 2048);
    assert_eq!(set.json()["asked"], 20_000);
    assert!(set.stderr.contains("set-valued-routh has only 2048 samples"), "{set:?}");
    let laws = ["compare", "rocking-block", "--laws", "newton,poisson,plus", "--json"];
    let laws = percussion(&[&laws[..], &limit].concat());
    let statuses = laws.json()["laws"].as_array().unwrap().clone();
    let statuses: Vec<_> = statuses.iter().map(|law| law["status"].as_str().unwrap()).collect();
    assert_eq!(
        (laws.code, &statuses[..]),
        (Some(1), &["resolved", "time-limit", "time-limit"][..])
    );
    assert!(laws.stderr.contains("before poisson, plus"), "{laws:?}");
    let given = ["reproduce", "plus", "--sensitivity", "--time-limit", "1"];
    percussion(&given).assert_refused(&["--sensitivity", "--time-limit"]);
    percussion(&["grains", "column", "--time-limit", "0"]).assert_refused(&["above 0"]);
}

#[test]
fn a_run_ends_in_order_when_its_time_is_over() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let limit = ["--time-limit", "1e-9", "--json", "--out", out];
    let rod = ["run", "stewart-trinkle/rod-on-table"];
    let run = percussion(&[&rod[..], &limit].concat());
    let document = run.json();
    assert_eq!((run.code, &document["status"]), (Some(1), &Value::from("time-limit")));
    assert_eq!(document["steps"], 1, "the first step is always made");
    assert!(run.stderr.contains("after 1 of"), "{run:?}");
    let files: BTreeSet<String> = present(directory.path());
    assert_eq!(document["files"].as_array().unwrap().len(), files.len(), "{files:?}");

    let ball = ["run", "event-driven/bouncing-ball"];
    let run = percussion(&[&ball[..], &limit].concat());
    let document = run.json();
    assert_eq!((run.code, &document["status"]), (Some(1), &Value::from("time-limit")));
    assert_eq!(document["ending"], "interrupted");
    assert_eq!(document["counters"]["steps"], 1, "the first step is always made");
    assert!(run.stderr.contains("the time limit was reached at"), "{run:?}");
    let many = [&ball[..], &["--ensemble", "65", "--duration", "0.1"], &limit].concat();
    let ended = percussion(&many);
    let document = ended.json();
    assert_eq!((ended.code, &document["status"]), (Some(1), &Value::from("time-limit")));
    assert_eq!((&document["members"], &document["statuses"][0]["count"]), (&64.into(), &64.into()));
    assert!(ended.stderr.contains("64 of 65 motions"), "{ended:?}");
}
