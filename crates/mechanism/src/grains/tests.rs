//! Scenes do what their files say.

use percussion_granular::scenes;

use super::*;

mod changes;
mod materials;
mod servo;
mod shapes;
mod shapes_bounce;
mod shapes_refused;
mod shapes_servo;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn built_in_scenes_are_those_that_were_code() {
    let diameter = 0.01;
    let former = [
        ("column", scenes::column(diameter, 10, 40)),
        ("drum", scenes::drum(diameter, 10.0 * diameter, 4, 3.0)),
        ("hopper", scenes::hopper(diameter, 5.0 * diameter, [20, 4, 40])),
        ("dam-break", scenes::dam_break(diameter, [20, 5, 20])),
        ("six-by-six-by-six", scenes::six_by_six_by_six()),
    ];
    for (name, world) in former {
        let mut world = world.unwrap();
        let mut run = Run::new(Scene::built_in(name).unwrap(), here()).unwrap();
        assert_eq!(run.world().settings(), world.settings(), "{name}");
        assert_eq!(run.world().walls(), world.walls(), "{name}");
        let [ours, theirs] = [run.world(), &world].map(|world| world.grains().positions().to_vec());
        assert_eq!(ours.len(), theirs.len(), "{name}");
        if name == "six-by-six-by-six" {
            // Its places were counted from the first center, now from the corner of a box.
            let apart = ours.iter().zip(&theirs).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            assert!(apart < 1e-15, "{apart} m");
            continue;
        }
        for _ in 0..20 {
            run.step().unwrap();
            world.step().unwrap();
        }
        assert!(run.world().state() == world.state(), "{name}: the same bits");
    }
}

/// A bin with one grain kind, to which tests add.
const BIN: &str = r#"title = "bin"
duration = 0.5
friction = 0.5
[[grains]]
diameter = 0.01
density = 2500.0
[[walls]]
name = "floor"
shape.plane = { point = [0, 0, 0], normal = [0, 0, 1] }
"#;

fn make_steps(run: &mut Run, count: usize) {
    for _ in 0..count {
        run.step().unwrap();
    }
}

fn run_of(more: &str) -> Run {
    Run::new(Scene::from_toml_str(&format!("{BIN}{more}")).unwrap(), here()).unwrap()
}

#[test]
fn what_cannot_be_done_is_refused_with_line_field_and_expectation() {
    let wall = |line: &str| format!("{BIN}[[walls]]\nname = 'w'\n{line}\n");
    let plane = "shape.plane = { point = [0, 0, 0], normal = [1, 0, 0] }";
    let block = "shape.box = { size = [1, 1, 1] }";
    let cases = [
        (
            wall(&format!("{block}\nangular_velocity = [0, 0, 1]")),
            &["line 13", "walls[1].angular_velocity", "maps the wall onto itself"][..],
        ),
        (
            wall(&format!("{plane}\nangular_velocity = [0, 0, 1]")),
            &["line 13", "maps the wall onto itself"],
        ),
        (wall(&format!("{plane}\nservo = 3.0")), &["line 13", "servo", "3.0"]),
        (
            wall(&format!(
                "{plane}\nservo = {{ direction = [1, 0, 0], force = 3, mass = 0, speed = 1 }}"
            )),
            &["line 13", "`walls[1].servo.mass` is 0", "positive finite mass"],
        ),
        (
            wall(&format!(
                "{plane}\nvelocity = [1, 0, 0]\nservo = {{ direction = [1, 0, 0], force = 3, mass = 1, speed = 1 }}"
            )),
            &["line 13", "walls[1].velocity", "by the `servo` alone"],
        ),
        (
            wall(&format!("{plane}\nfriction = -1")),
            &["line 13", "walls[1].friction` is -1", "at least 0"],
        ),
        (
            wall("shape.cone = { from = [0,0,0], to = [0,0,0], radii = [1, 1] }"),
            &["line 12", "radii", "inner one first"],
        ),
        (wall("shape.ball = { radius = 1.0 }"), &["line 12", "ball", "plane"]),
        (wall(&format!("{plane}\nspeed = 1")), &["speed", "line 13"]),
        (
            format!("{BIN}[[materials]]\nbetween = ['grains', 'flor']\nfriction = 0.2"),
            &["line 11", "flor", "floor, grains"],
        ),
        (format!("{BIN}[[insert]]\nlattice = {{}}"), &["region", "missing"]),
        (
            format!(
                "{BIN}[statistics]\nradial = {{ low = [0, 0, 0], high = [1, 2, 3], reach = 1.5 }}"
            ),
            &["line 11", "radial.reach` is 1.5", "shortest edge"],
        ),
        (
            format!(
                "{BIN}[statistics]\nradial = {{ low = [0, 0, 0], high = [1, 2, 3], reach = 1, bins = 0 }}"
            ),
            &["line 11", "radial.bins` is 0", "from 1 to 10 000"],
        ),
        (
            format!(
                "{BIN}[[insert]]\nlattice = {{ shake = 0.5 }}\nregion.box = {{ low = [0,0,0], high = [1,1,1] }}"
            ),
            &["line 11", "shake", "no grains overlap"],
        ),
        (wall(&format!("{plane}\nappears = 0.2\nvanishes = 0.1")), &["line 14", "after `appears`"]),
        (format!("{BIN}[[remove]]\ntime = 0.2"), &["line 10", "either `behind` or `outside`"]),
        (
            format!("{BIN}[[changes]]\ntime = 0\ngravity = [0, 0, 1]"),
            &["line 11", "changes[0].time` is 0", "above 0"],
        ),
    ];
    for (text, words) in cases {
        let scene = Scene::from_toml_str(&text).and_then(|scene| Run::new(scene, here()));
        let message = scene.unwrap_err().to_string();
        for word in words {
            assert!(message.contains(word), "`{message}` lacks `{word}`");
        }
    }
}

#[test]
fn grains_without_room_are_refused_with_how_many_have_it() {
    let text = format!(
        "{BIN}[[insert]]\nrandom.count = 100\nregion.box = {{ low = [0, 0, 0], high = [0.03, 0.03, 0.03] }}\n"
    );
    let error = Run::new(Scene::from_toml_str(&text).unwrap(), here()).unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with("line 11: `insert[0].random.count` is 100, expected at most"),
        "{message}"
    );
}

#[test]
fn materials_and_walls_have_their_friction() {
    let run = run_of(
        "[[walls]]\nname = 'chute'\nmaterial = 'steel'\nshape.plane = { point = [0, 0, 0], normal = [1, 0, 0] }\n\
         [[materials]]\nbetween = ['steel', 'grains']\nfriction = 0.2\n\
         [[materials]]\nbetween = ['grains', 'grains']\nfriction = 0.7\n",
    );
    let frictions: Vec<f64> = run.world().walls().iter().map(|wall| wall.friction).collect();
    assert_eq!((frictions, run.world().settings().friction), (vec![0.5, 0.2], 0.7));
}

#[test]
fn random_grains_lie_apart_and_inside_and_streams_pour_as_many_as_they_say() {
    let mut run = run_of(
        "[[insert]]\nrandom.count = 200\nregion.cylinder = { from = [0, 0, 0.2], to = [0.1, 0, 0.3], radius = 0.05 }\n\
         [[insert]]\nstream = { rate = 250.0, until = 0.3 }\ntime = 0.1\nvelocity = [0, 0, -1]\n\
         region.box = { low = [0.3, 0.3, 0.4], high = [0.4, 0.4, 0.45] }\n",
    );
    let world = run.world();
    let places = world.grains().positions();
    assert_eq!(places.len(), 200);
    assert!(world.overlap() <= 0.0, "{} m", world.overlap());
    let axis = Vector3::new(1.0, 0.0, 1.0).normalize();
    for place in places {
        let from = place - Vector3::new(0.0, 0.0, 0.2);
        let along = from.dot(&axis);
        assert!((from - along * axis).norm() <= 0.045 + 1e-12, "{place}");
        assert!((0.005 - 1e-12..=0.02_f64.sqrt() - 0.005 + 1e-12).contains(&along), "{place}");
    }
    for _ in 0..400 {
        run.step().unwrap();
    }
    // 250 a second for 0.2 s.
    assert_eq!(run.world().grains().len() as u64 + run.turned_away(), 250);
    assert_eq!(run.turned_away(), 0);
}

#[test]
fn a_resumed_run_pours_and_vibrates_with_the_same_bits() {
    let text = "[[insert]]\nstream.rate = 900.0\nregion.box = { low = [0, 0, 0.1], high = [0.1, 0.1, 0.2] }\n\
         [[walls]]\nname = 'side'\nshape.plane = { point = [-0.02, 0, 0], normal = [1, 0, 0] }\n\
         vibration = { amplitude = [0.005, 0, 0], frequency = 20 }\nfrom = 0.02\n\
         [[insert]]\nrandom.count = 20\ntime = 0.08\nregion.box = { low = [0, 0, 0.3], high = [0.1, 0.1, 0.4] }\n";
    let mut whole = run_of(text);
    make_steps(&mut whole, 50);
    let state = percussion_granular::World::from_state(whole.world().state()).unwrap();
    let mut resumed = run_of(text).resume(state).unwrap();
    for _ in 0..70 {
        whole.step().unwrap();
        resumed.step().unwrap();
    }
    assert!(whole.world().state() == resumed.world().state(), "the same bits");
    // 900 a second in 0.12 s, and 20 at 0.08 s.
    assert_eq!(whole.world().next_identity(), 128);
    let place = |run: &Run| match run.world().walls()[1].surface {
        percussion_granular::Surface::Plane { point, .. } => point.x,
        _ => f64::NAN,
    };
    let expected = -0.02 + 0.005 * (std::f64::consts::TAU * 20.0 * 0.1).sin();
    assert!((place(&whole) - expected).abs() < 1e-12, "{} m", place(&whole));
}

#[test]
fn a_gate_slides_within_its_times() {
    let mut run = run_of(
        "[[walls]]\nname = 'gate'\nshape.box = { size = [0.1, 0.1, 0.01] }\nvelocity = [0.5, 0, 0]\nfrom = 0.1\nuntil = 0.2\n",
    );
    make_steps(&mut run, 300);
    let percussion_granular::Surface::Solid { pose, .. } = &run.world().walls()[1].surface else {
        panic!("a solid");
    };
    assert!((pose.translation.x - 0.05).abs() < 1e-12, "{}", pose.translation.x);
}

#[cfg(feature = "urdf")]
#[test]
fn a_floor_of_triangles_carries_like_a_plane() {
    let folder = std::env::temp_dir().join(format!("percussion-scene-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut text = String::from("solid floor\n");
    for (i, j) in (-5..5).flat_map(|i| (-5..5).map(move |j| (i, j))) {
        for corners in [[(i, j), (i + 1, j), (i + 1, j + 1)], [(i, j), (i + 1, j + 1), (i, j + 1)]]
        {
            text += "facet normal 0 0 1\nouter loop\n";
            corners.iter().for_each(|(x, y)| text += &format!("vertex {x} {y} 0\n"));
            text += "endloop\nendfacet\n";
        }
    }
    std::fs::write(folder.join("floor.stl"), text + "endsolid\n").unwrap();
    let scene = |wall: &str| {
        let text = format!(
            "title = 't'\nduration = 1.0\nfriction = 0.4\n[[grains]]\ndiameter = 0.01\ndensity = 2500.0\n\
             [[walls]]\nname = 'floor'\n{wall}\n\
             [[insert]]\nlattice = {{ shake = 0, count = 1 }}\nvelocity = [0.7, 0.1, 0]\n\
             region.box = {{ low = [-0.4, -0.033, -0.00025], high = [0.4, 0.4, 0.4] }}\n"
        );
        let mut run = Run::new(Scene::from_toml_str(&text).unwrap(), &folder).unwrap();
        make_steps(&mut run, 1000);
        (run.world().grains().positions()[0], run.world().grains().velocity(0))
    };
    let (plane, _) = scene("shape.plane = { point = [0, 0, 0], normal = [0, 0, 1] }");
    let (mesh, speed) = scene("shape.mesh = { file = 'floor.stl', scale = 0.1 }");
    std::fs::remove_dir_all(&folder).unwrap();
    // It rolls at 5/7 of its speed; edges of the mesh would brake it.
    assert!((speed.x - 0.5).abs() < 1e-9, "{} m/s", speed.x);
    assert!((plane - mesh).norm() < 1e-9, "{plane} and {mesh}");
}

#[test]
fn a_bed_at_rest_is_measured_with_its_weight() {
    let mut run = run_of(
        "[[insert]]\nlattice = {}\nregion.box = { low = [0, 0, 0], high = [0.05, 0.05, 0.04] }\n\
         [[walls]]\nname = 'side'\nshape.cone = { from = [0.025, 0.025, -0.1], to = [0.025, 0.025, 1], radii = [0.04, 0.04] }\n\
         [statistics]\nevery = 0.01\nfrom = 0.5\n",
    );
    let mut measures = Measures::new(&run).unwrap();
    for _ in 0..1000 {
        run.step_watched(&mut |world, _| drop(measures.look(world).unwrap().map(<[f64]>::to_vec)))
            .unwrap();
    }
    assert_eq!(measures.rows().len(), 100);
    let names: Vec<String> = measures.columns().into_iter().map(|(name, _)| name).collect();
    let means = measures.means();
    let mean = |wanted: &str| means[names.iter().position(|name| name == wanted).unwrap() - 1];
    let grains = run.world().grains();
    let weight: f64 = 9.81 * (0..grains.len()).map(|index| grains.mass(index)).sum::<f64>();
    let carried = mean("floor: force z") + mean("side: force z");
    // Every step is a sample, so that impulses add up to the weight but for the last motion.
    assert!((carried / weight - 1.0).abs() < 0.01, "{carried} N of {weight} N");
    assert!(mean("side: force x").abs() < 0.05 * weight, "the side pushes from all around");
    assert!(mean("coordination") > 2.0 && mean("coordination") < 8.0);
    let trace: f64 = ["xx", "yy", "zz"].map(|name| mean(&format!("fabric {name}"))).iter().sum();
    assert!((trace - 1.0).abs() < 1e-9, "{trace}");
    assert!(mean("stress zz") > mean("stress xx"), "gravity acts along z");
    assert!(measures.figures().iter().any(|figure| figure.id == "force-distribution"));
}

#[test]
fn profiles_and_the_radial_distribution_are_those_of_a_falling_lattice() {
    // Four layers of grains, 12.5 mm apart, which fall freely side by side through layers of cells as high.
    let mut run = run_of(
        "[[insert]]\nlattice = { pitch = 1.25, shake = 0 }\nregion.box = { low = [0, 0, 1], high = [0.05, 0.05, 1.05] }\n\
         [statistics]\nevery = 0.01\nfrom = 0\n\
         cells = { low = [0, 0, 0.9875], high = [0.05, 0.05, 1.05], counts = [1, 2, 5] }\n\
         radial = { low = [0, 0, 0.9], high = [0.05, 0.05, 1.05], reach = 0.05, bins = 25 }\n",
    );
    assert_eq!(run.world().grains().len(), 64);
    let mut measures = Measures::new(&run).unwrap();
    for _ in 0..10 {
        run.step_watched(&mut |world, _| drop(measures.look(world).unwrap().map(<[f64]>::to_vec)))
            .unwrap();
    }
    measures.unite(&mut run.world().clone()).unwrap();

    let figures = measures.figures();
    let points = |id: &str, series: usize| {
        let figure = figures.iter().find(|figure| figure.id == id);
        figure.unwrap_or_else(|| panic!("no {id}")).series[series].points.clone()
    };
    assert!(figures.iter().all(|figure| figure.id != "solid-fraction-x"), "one cell along x");
    // The lowest layer of cells is empty, every other has a layer of 16 grains.
    let fraction = 16.0 * std::f64::consts::PI / 6.0 * 1e-6 / (0.05 * 0.05 * 0.0125);
    let profile = points("solid-fraction-z", 0);
    assert_eq!(profile.len(), 5);
    assert!((profile[0][0] - 0.99375).abs() < 1e-12 && profile[0][1] == 0.0, "{profile:?}");
    assert!(profile[1..].iter().all(|[_, value]| (value - fraction).abs() < 1e-12), "{profile:?}");
    assert!(
        points("solid-fraction-y", 0)
            .iter()
            .all(|[_, value]| (value - 0.8 * fraction).abs() < 1e-12)
    );
    // The mean of the velocities −0.00981 k m/s after the steps k = 1 to 10.
    let velocity = points("velocity-z", 2);
    assert!(velocity[0][1] == 0.0, "no grains");
    assert!(
        velocity[1..].iter().all(|[_, value]| (value + 5.5 * 0.00981).abs() < 1e-12),
        "{velocity:?}"
    );

    // Neighbors are 12.5 mm and 17.7 mm apart: the classes from 12 to 14 mm and from 16 to 18 mm.
    let radial = measures.radial();
    assert_eq!(points("radial-distribution", 0), radial);
    let filled: Vec<bool> = radial.iter().map(|[_, value]| *value > 0.0).collect();
    assert!(filled[6] && filled[8] && !filled[7] && !filled[..6].contains(&true), "{radial:?}");
    // 3 · 2 · 4 · 4 · 3 ordered pairs of nearest neighbors with the weights of the box, of 64 · 63.
    let weight = |cut: f64| 1.0 / (1.0 - 0.0125 / cut);
    let pairs = 96.0 * (2.0 * weight(0.05) + weight(0.15));
    let shell = 4.0 / 3.0 * std::f64::consts::PI * (0.014_f64.powi(3) - 0.012_f64.powi(3));
    let expected = pairs / (64.0 * 63.0 * shell / (0.05 * 0.05 * 0.15));
    assert!((radial[6][1] / expected - 1.0).abs() < 1e-9, "{} and {expected}", radial[6][1]);
}
