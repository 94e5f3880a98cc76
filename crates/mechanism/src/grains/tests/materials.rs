//! Friction that differs among grains, and restitution.

use percussion_granular::World;

use super::*;

/// A stony and a smooth kind of grains beside each other on one floor.
const TWO_KINDS: &str = r#"title = "two kinds"
duration = 0.5
friction = 0.5
[[grains]]
name = "stone"
diameter = 0.01
density = 2500.0
[[grains]]
name = "bead"
material = "glass"
diameter = 0.01
density = 2500.0
[[walls]]
name = "floor"
shape.plane = { point = [0, 0, 0], normal = [0, 0, 1] }
[[materials]]
between = ["glass", "floor"]
friction = 0.1
[[insert]]
grains = "stone"
lattice = { pitch = 1, shake = 0, count = 1 }
velocity = [1, 0, 0]
region.box = { low = [0, 0, 0], high = [0.02, 0.02, 0.02] }
[[insert]]
grains = "bead"
lattice = { pitch = 1, shake = 0, count = 1 }
velocity = [1, 0, 0]
region.box = { low = [0, 1, 0], high = [0.02, 1.02, 0.02] }
"#;

fn run(text: &str) -> Run {
    Run::new(Scene::from_toml_str(text).unwrap(), here()).unwrap()
}

fn speeds(run: &Run) -> Vec<f64> {
    let grains = run.world().grains();
    let mut all: Vec<_> =
        (0..grains.len()).map(|k| (grains.identities()[k], grains.velocity(k).x)).collect();
    all.sort_by_key(|(identity, _)| *identity);
    all.into_iter().map(|(_, speed)| speed).collect()
}

#[test]
fn grains_of_each_kind_slide_by_their_own_friction() {
    let mut run = run(TWO_KINDS);
    make_steps(&mut run, 50);
    for (found, friction) in speeds(&run).into_iter().zip([0.5, 0.1]) {
        let expected = 1.0 - friction * 9.81 * 0.05;
        assert!((found - expected).abs() < 1e-9, "{friction}: {found} and {expected} m/s");
    }
}

#[test]
fn a_wall_keeps_the_friction_of_its_own_among_materials() {
    let text = TWO_KINDS
        .replace("name = \"floor\"\n", "name = \"floor\"\nfriction = 0.2\n")
        .replace("[\"glass\", \"floor\"]", "[\"glass\", \"stone\"]");
    let mut run = run(&text);
    make_steps(&mut run, 50);
    for found in speeds(&run) {
        assert!((found - 1.0 + 0.2 * 9.81 * 0.05).abs() < 1e-9, "{found} m/s");
    }
}

#[test]
fn scenes_that_settings_and_walls_describe_have_no_table() {
    let plain =
        TWO_KINDS.replace("[\"glass\", \"floor\"]\nfriction = 0.1", "[\"glass\", \"floor\"]");
    assert!(run(&plain).world().materials().is_empty());
    assert_eq!(run(TWO_KINDS).world().materials().len(), 3);
}

/// A bead falls by `h` beside a stone; only the bead bounces, by `e² h`.
#[test]
fn a_grain_bounces_by_the_restitution_of_its_materials() {
    let text = TWO_KINDS
        .replace("friction = 0.1", "restitution = 0.9")
        .replace(
            "low = [0, 0, 0], high = [0.02, 0.02, 0.02]",
            "low = [0, 0, 0.2], high = [0.02, 0.02, 0.22]",
        )
        .replace(
            "low = [0, 1, 0], high = [0.02, 1.02, 0.02]",
            "low = [0, 1, 0.2], high = [0.02, 1.02, 0.22]",
        );
    let mut run = run(&text);
    let below = run.world().materials().inelastic_below;
    assert!((below - 5.0 * 9.81e-3).abs() < 1e-15, "{below} m/s");
    let mut highest = [0.0_f64; 2];
    // It arrives after 0.202 s and is at its highest 0.182 s later.
    for step in 0..450 {
        run.step().unwrap();
        let grains = run.world().grains();
        for (identity, place) in grains.identities().iter().zip(grains.positions()) {
            let highest = &mut highest[usize::from(*identity == 1)];
            *highest = if step < 215 { 0.0 } else { highest.max(place.z - 0.005) };
        }
    }
    // Within the way of a step, 2 mm, of which e² keeps a fifth; as a test of the steps derives.
    assert!((highest[1] - 0.81 * 0.2).abs() < 0.19 * 0.002 + 1e-4, "{highest:?}");
    assert!(highest[0] < 1e-6, "{highest:?}");
}

/// The bead rolls at 5/7 of its speed when it no longer slides, and slows by `(5/7) μ_ρ g/R` from then on; the stone does not.
#[test]
fn a_grain_that_resists_rolling_comes_to_rest() {
    let text = TWO_KINDS.replace("friction = 0.1", "friction = 0.5\nrolling_friction = 1e-4");
    let mut run = run(&text);
    make_steps(&mut run, 200);
    let [_, begin] = speeds(&run)[..] else { panic!("two grains") };
    make_steps(&mut run, 100);
    let [stone, bead] = speeds(&run)[..] else { panic!("two grains") };
    let slowed = 5.0 / 7.0 * 1e-4 * 9.81 / 0.005 * 0.1;
    assert!((begin - bead - slowed).abs() < 1e-9, "{begin} to {bead} m/s, {slowed} less");
    assert!((stone - 5.0 / 7.0).abs() < 1e-9, "{stone} m/s");
    make_steps(&mut run, 5000);
    assert!(speeds(&run)[1].abs() < 1e-12, "{} m/s", speeds(&run)[1]);
    let larger = Scene::from_toml_str(&text).unwrap().scaled(3.0).unwrap();
    let length = larger.materials[0].rolling_friction.unwrap();
    assert!((length - 3e-4).abs() < 1e-18, "{length} m");
}

#[test]
fn a_run_with_materials_is_resumed_with_the_same_bits() {
    let text = format!(
        "restitution = 0.5\nrolling_friction = 1e-4\n{TWO_KINDS}[[insert]]\ngrains = 'bead'\nstream.rate = 500.0\n\
         region.box = {{ low = [0, 0, 0.1], high = [0.1, 0.1, 0.2] }}\n"
    );
    let mut whole = run(&text);
    make_steps(&mut whole, 60);
    let state = World::from_state(whole.world().state()).unwrap();
    let mut resumed = run(&text).resume(state).unwrap();
    for run in [&mut whole, &mut resumed] {
        make_steps(run, 60);
    }
    assert!(whole.world().state() == resumed.world().state(), "the same bits");
    assert!(whole.world().state().grain_materials.contains(&1));
}

#[test]
fn wrong_coefficients_are_refused_with_their_line() {
    let pair = |line: &str| format!("{BIN}[[materials]]\nbetween = ['grains', 'floor']\n{line}\n");
    let twice = "[[materials]]\nbetween = ['floor', 'grains']\nfriction = 0.2\n";
    let cases = [
        (
            pair("restitution = 1.5"),
            &["line 12", "materials[0].restitution` is 1.5", "from 0 to 1"][..],
        ),
        (pair("restitution = nan"), &["line 12", "restitution", "from 0 to 1"]),
        (pair("friction = -0.5"), &["line 12", "materials[0].friction` is -0.5", "at least 0"]),
        (pair(twice), &["line 13", "materials[1].between", "without an entry before"]),
        (
            format!("rolling_friction = -1\n{BIN}"),
            &["line 1", "rolling_friction` is -1", "length of at least 0 (m)"],
        ),
        (
            pair("spinning_friction = inf"),
            &["line 12", "materials[0].spinning_friction` is inf", "length of at least 0"],
        ),
        (format!("restitution = -1\n{BIN}"), &["line 1", "restitution` is -1", "from 0 to 1"]),
        (
            format!("steps.inelastic_below = -1\n{BIN}"),
            &["line 1", "steps.inelastic_below` is -1", "at least 0 (m/s)"],
        ),
    ];
    for (text, words) in cases {
        let message = Scene::from_toml_str(&text).unwrap_err().to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}
