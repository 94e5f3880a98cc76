//! Grains with shapes obey the laws of mechanics, between walls of every kind.

use nalgebra::Vector3;
use percussion_granular::{Collection, Domain};

use super::*;

/// A scene with one kind of grains; `more` are lines before its walls.
pub(super) fn scene(shape: &str, more: &str) -> String {
    format!(
        r#"title = "shapes"
duration = 1.0
friction = 0.5
step_size = 1e-3
steps = {{ tolerance = 1e-10, max_sweeps = 5000 }}
{more}
[[grains]]
density = 2500
{shape}
[[walls]]
name = "floor"
shape.plane = {{ point = [0, 0, 0], normal = [0, 0, 1] }}
"#
    )
}

const BRICK: &str = "shape.box = { size = [0.04, 0.02, 0.01] }";

/// A brick that lies on the floor; its middle is that of a ball around it.
const ON_FLOOR: &str = r"[[insert]]
lattice = { count = 1, shake = 0, pitch = 1 }
angle = 0
region.box = { low = [-0.0229128784747792, -0.0229128784747792, -0.0179128784747792], high = [0.03, 0.03, 0.03] }
";

pub(super) fn run(text: &str) -> Run<Collection> {
    Run::shaped(Scene::from_toml_str(text).unwrap(), here()).unwrap()
}

pub(super) fn make(run: &mut Run<Collection>, steps: usize) {
    for _ in 0..steps {
        run.step().unwrap();
    }
}

pub(super) fn first(run: &Run<Collection>) -> percussion_granular::Grain {
    run.world().grains().grain(0)
}

#[test]
fn a_brick_slides_as_far_as_friction_lets_it() {
    for (more, friction) in
        [("", 0.5), ("materials = [{ between = [\"grains\", \"floor\"], friction = 0.2 }]", 0.2)]
    {
        let text = scene(BRICK, more) + ON_FLOOR + "velocity = [0.8, 0, 0]\n";
        let mut run = run(&text);
        let start = first(&run).position;
        assert!((start - Vector3::z() * 0.005).norm() < 1e-15, "{start}");
        make(&mut run, 600);
        let way = (first(&run).position - start).x;
        // Steps take the speed at their end: half of the way of a step less.
        let expected = 0.64 / (2.0 * friction * 9.81) - 0.5 * 0.8 * 1e-3;
        assert!((way - expected).abs() < 1e-5, "{friction}: {way} and {expected}");
        assert!(first(&run).velocity.norm() < 1e-9);
    }
}

#[test]
fn a_brick_rests_on_slopes_up_to_its_friction_and_slides_on_steeper_ones() {
    for slope in [0.45_f64, 0.48] {
        let gravity = 9.81 * Vector3::new(slope.sin(), 0.0, -slope.cos());
        let more = format!("gravity = [{}, {}, {}]", gravity.x, gravity.y, gravity.z);
        let mut run = run(&(scene(BRICK, &more) + ON_FLOOR));
        make(&mut run, 100);
        // tan 0.45 = 0.483 and tan 0.48 = 0.521.
        let expected = 0.1 * (gravity.x + 0.5 * gravity.z).max(0.0);
        let speed = first(&run).velocity.x;
        assert!((speed - expected).abs() < 1e-8, "{slope}: {speed} and {expected}");
    }
}

#[test]
fn a_clump_rolls_down_as_a_rigid_body_and_a_tall_one_tips() {
    let slope: f64 = 0.2;
    let gravity = 9.81 * Vector3::new(slope.sin(), 0.0, -slope.cos());
    let more = format!("gravity = [{}, {}, {}]", gravity.x, gravity.y, gravity.z);
    // Two balls of 1 cm beside each other that touch, across the slope.
    let pair = "shape.clump = { balls = [[0, -0.01, 0, 0.01], [0, 0.01, 0, 0.01]] }";
    let place = "[[insert]]\nlattice = { count = 1, shake = 0, pitch = 1 }\nangle = 0\n\
                 region.box = { low = [0, 0, -0.01], high = [0.05, 0.05, 0.05] }\n";
    let mut rolling = run(&(scene(pair, &more) + place));
    assert!((first(&rolling).position.z - 0.01).abs() < 1e-15);
    make(&mut rolling, 200);
    // Of each ball I = 2/5 m r² about the common axis: a = 5/7 g sin θ.
    let expected = 0.2 * 5.0 / 7.0 * gravity.x;
    let grain = first(&rolling);
    assert!((grain.velocity.x - expected).abs() < 1e-6, "{} and {expected}", grain.velocity);
    assert!((grain.angular_velocity.y - expected / 0.01).abs() < 1e-4);

    // A tower of 2 by 2 by 8 cm tips about its lower edge: (I + m (a² + c²)) α = m g (c sin θ − a cos θ).
    let tower = "shape.box = { size = [0.02, 0.02, 0.08] }";
    let slope: f64 = 0.3;
    let gravity = 9.81 * Vector3::new(slope.sin(), 0.0, -slope.cos());
    let more = format!("gravity = [{}, {}, {}]", gravity.x, gravity.y, gravity.z);
    let (a, c): (f64, f64) = (0.01, 0.04);
    let around = f64::hypot(a.hypot(a), c);
    let place = format!(
        "[[insert]]\nlattice = {{ count = 1, shake = 0, pitch = 1 }}\nangle = 0\n\
         region.box = {{ low = [0, 0, {}], high = [0.1, 0.1, 0.1] }}\n",
        c - around
    );
    let mut tipping = run(&(scene(tower, &more) + &place));
    make(&mut tipping, 1);
    let about = (a * a + c * c) / 3.0 + a * a + c * c;
    let turning = 9.81 * (c * slope.sin() - a * slope.cos()) / about;
    let spin = first(&tipping).angular_velocity;
    assert!((spin - 1e-3 * turning * Vector3::y()).norm() < 1e-9, "{spin} and {turning}");
}

/// Bricks, clumps, pyramids and balls that fall into a cone with a hole above a turning drum.
const MIXTURE: &str = r#"title = "mixture"
duration = 1.0
friction = 0.4
steps.max_sweeps = 50
remove = [{ outside = { low = [-0.2, -0.2, -0.3], high = [0.2, 0.2, 0.5] } }]
[[grains]]
name = "bricks"
shape.box = { size = [2, 1, 0.7] }
diameter = 0.01
density = 2500
[[grains]]
name = "clumps"
shape.clump = { balls = [[0, 0, 0, 1], [1, 0, 0, 0.8], [0.3, 0.7, 0, 0.6]] }
sizes.uniform = [0.008, 0.012]
density = 2000
[[grains]]
name = "pyramids"
shape.polyhedron = { points = [[0, 0, 1], [1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]] }
diameter = 0.01
density = 2500
[[grains]]
name = "balls"
diameter = 0.01
density = 2500
[[materials]]
between = ["balls", "funnel"]
friction = 0.1
[[walls]]
name = "funnel"
shape.cone = { from = [0, 0, 0], to = [0, 0, 0.06], radii = [0.02, 0.08] }
[[walls]]
name = "side"
shape.cone = { from = [0, 0, 0.06], to = [0, 0, 0.5], radii = [0.08, 0.08] }
[[walls]]
name = "drum"
shape.tube = { point = [0, 0, -0.1], axis = [0, 1, 0], radius = 0.08 }
angular_velocity = [0, 3, 0]
[[walls]]
name = "lid"
shape.plane = { point = [0, 0.08, 0], normal = [0, -1, 0] }
[[walls]]
name = "back"
shape.plane = { point = [0, -0.08, 0], normal = [0, 1, 0] }
[[insert]]
grains = "bricks"
random.count = 60
region.cylinder = { from = [0, 0, 0.03], to = [0, 0, 0.2], radius = 0.07 }
[[insert]]
grains = "clumps"
random.count = 60
region.cylinder = { from = [0, 0, 0.03], to = [0, 0, 0.25], radius = 0.07 }
[[insert]]
grains = "pyramids"
random.count = 60
region.cylinder = { from = [0, 0, 0.03], to = [0, 0, 0.3], radius = 0.07 }
[[insert]]
grains = "balls"
stream.rate = 100
region.cylinder = { from = [0, 0, 0.3], to = [0, 0, 0.35], radius = 0.05 }
"#;

/// The same without the tube, which is around the funnel as well.
pub(super) fn mixture() -> String {
    let (before, rest) = MIXTURE.split_once("[[walls]]\nname = \"drum\"").unwrap();
    let (_, after) = rest.split_once("[[walls]]\n").unwrap();
    format!("{before}[[walls]]\n{after}")
}

#[test]
fn energy_never_grows_but_by_taking_back_overlaps_and_what_comes_in() {
    let text = mixture().replace("stream.rate = 100", "random.count = 40");
    let mut run = run(&text.replace("remove = ", "# "));
    let energy = |run: &Run<Collection>| run.parts().1.bodies().energy();
    let (mut before, mut most) = (energy(&run), 0.0_f64);
    let start = before;
    let mass: f64 = (0..220).map(|index| run.world().grains().mass(index)).sum();
    for _ in 0..1500 {
        let report = run.step().unwrap();
        let after = energy(&run);
        // Exactly, not more than what moving bodies apart adds; rounding of sums of that size.
        most = most.max(after - before - report.lifting);
        before = after;
    }
    // Free fall by steps that take the velocity at their end loses ½ m (g δt)² a step, and gains nothing.
    assert!(most <= 1e-9 * start, "{most} J of {start}");
    assert!(before < start - 0.05 * mass * 9.81, "they have fallen: {before} and {start}");
    let contacts = run.parts().1.bodies().touches().filter(|t| t.impulse.norm() > 0.0).count();
    assert!(contacts > 50, "{contacts} contacts");
}

#[test]
fn a_resumed_run_has_the_bits_of_one_that_was_not_interrupted() {
    let mut whole = run(&mixture());
    make(&mut whole, 150);
    let share = whole.domain().share();
    make(&mut whole, 350);
    let mut resumed = run(&mixture());
    resumed.domain().restore(share).unwrap();
    resumed.check_walls().unwrap();
    make(&mut resumed, 350);
    assert!(resumed.domain().share() == whole.domain().share(), "the same bits");
    assert!(whole.world().grains().len() > 150, "{}", whole.world().grains().len());
}

#[test]
fn orientations_follow_the_seed_and_can_be_fixed() {
    let text = |more: &str| {
        format!(
            "{}[[insert]]\nlattice.count = 1000\n{more}region.box = {{ low = [0, 0, 0], high = [0.6, 0.6, 0.6] }}\n",
            scene("shape.box = { size = [2, 1, 1] }\ndiameter = 0.01", "")
        )
    };
    let turns = |more: &str| {
        let run = run(&text(more));
        let grains = run.world().grains();
        (0..grains.len()).map(|k| grains.grain(k).orientation).collect::<Vec<_>>()
    };
    let random = turns("");
    assert_eq!((random.len(), &random), (1000, &turns("")));
    assert!(random != turns("seed = 2\n"), "another seed");
    // Of a uniform distribution the mean of each of nine cosines is 0 and of its square 1/3; five deviations of 1000.
    for (k, l) in (0..3).flat_map(|k| (0..3).map(move |l| (k, l))) {
        let cosines = random.iter().map(|turn| (turn * Vector3::ith(k, 1.0))[l]);
        let mean = cosines.clone().sum::<f64>() / 1000.0;
        let square = cosines.map(|cosine| cosine * cosine).sum::<f64>() / 1000.0;
        assert!(mean.abs() < 5.0 * (1.0_f64 / 3000.0).sqrt(), "{mean}");
        assert!((square - 1.0 / 3.0).abs() < 5.0 * (4.0_f64 / 45.0 / 1000.0).sqrt(), "{square}");
    }
    for turn in turns("axis = [0, 2, 0]\nangle = 0.5\n") {
        assert!((turn.scaled_axis() - Vector3::new(0.0, 0.5, 0.0)).norm() < 1e-15);
    }
}

#[test]
fn diameters_are_those_of_balls_of_equal_volume() {
    let text = "title = \"two\"\nduration = 1\nfriction = 0\n[[grains]]\ndiameter = 0.01\ndensity = 2500\n\
                shape.box = { size = [4, 1, 1] }\n[[insert]]\nlattice.count = 50\n\
                region.box = { low = [0, 0, 0], high = [0.2, 0.2, 0.2] }\n";
    let run = run(text);
    let mass = 2500.0 * std::f64::consts::PI / 6.0 * 1e-6;
    assert!((run.world().grains().mass(7) / mass - 1.0).abs() < 1e-12);
    let form = &run.parts().1.bodies().bodies()[7].form;
    // Edges 4 a, a, a with 4 a³ = π d³/6.
    let edge = (std::f64::consts::PI / 24.0).cbrt() * 0.01;
    assert!((form.radius() - 0.5 * 18_f64.sqrt() * edge).abs() < 1e-12);
    let inertia = mass * edge * edge / 6.0;
    assert!((form.inertia()[(0, 0)] / inertia - 1.0).abs() < 1e-12);
    // A factor on all lengths has no effect on velocities of free fall.
    let larger = Scene::from_toml_str(text).unwrap().scaled(3.0).unwrap();
    let larger = Run::shaped(larger, here()).unwrap();
    assert!((larger.world().grains().mass(7) / mass / 27.0 - 1.0).abs() < 1e-12);
    assert!((larger.parts().1.bounding_radius(3) / form.radius() - 3.0).abs() < 1e-12);
}

#[test]
fn belts_gates_and_lids_work_for_shapes() {
    let belt = scene(BRICK, "").replace(
        "name = \"floor\"",
        "name = \"floor\"\nvelocity = [0.5, 0, 0]\nuntil = 0.4\nvanishes = 0.6",
    );
    let mut run = run(&(belt + ON_FLOOR));
    make(&mut run, 300);
    assert!((first(&run).velocity - Vector3::new(0.5, 0.0, 0.0)).norm() < 1e-9, "on a belt");
    make(&mut run, 299);
    assert!(first(&run).velocity.norm() < 1e-9, "the belt has stopped");
    make(&mut run, 101);
    assert!((first(&run).velocity.z + 0.981).abs() < 1e-2, "through the gate");
    // A plane that moves into a brick carries it; the bodies removed are those behind a plane.
    let pushed = scene(
        BRICK,
        "remove = [{ behind = { point = [-1, 0, 0], normal = [1, 0, 0] }, time = 0.2 }]",
    ) + "[[walls]]\nname = \"pusher\"\nshape.box = { size = [0.1, 1, 1], position = [0.1, 0, 0] }\nvelocity = [-1, 0, 0]\n"
        + ON_FLOOR;
    let mut run = self::run(&pushed);
    make(&mut run, 199);
    assert!((first(&run).velocity.x + 1.0).abs() < 1e-6, "{}", first(&run).velocity);
    assert!((first(&run).position.x - (0.05 - 0.199 - 0.02)).abs() < 1e-4);
    let text = pushed.replace("[-1, 0, 0], normal", "[0, 0, 0], normal");
    let mut run = self::run(&text);
    make(&mut run, 201);
    assert_eq!(run.world().grains().len(), 0);
}

/// A cube of 2 m as a surface of triangles, with or without its last one.
#[cfg(feature = "urdf")]
fn cube_file(folder: &Path, triangles: usize) -> String {
    let corner = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { "1" } else { "-1" });
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let all = faces.iter().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]);
    let mut text = "solid cube\n".to_owned();
    for triangle in all.take(triangles) {
        text += "facet normal 0 0 0\nouter loop\n";
        for k in triangle {
            text += &format!("vertex {}\n", corner(k).join(" "));
        }
        text += "endloop\nendfacet\n";
    }
    std::fs::write(folder.join("cube.stl"), text + "endsolid cube\n").unwrap();
    scene("shape.polyhedron = { file = \"cube.stl\", scale = 0.01 }", "")
        + "[[insert]]\nlattice.count = 8\nregion.box = { low = [0, 0, 0], high = [0.2, 0.2, 0.2] }\n"
}

#[cfg(feature = "urdf")]
#[test]
fn a_surface_from_a_file_is_a_shape_if_it_is_closed() {
    let folder = std::env::temp_dir().join(format!("percussion-shapes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = cube_file(&folder, 12);
    let run = Run::shaped(Scene::from_toml_str(&text).unwrap(), &folder).unwrap();
    assert!((run.world().grains().mass(0) - 2500.0 * 8e-6).abs() < 1e-12);
    let cube = &run.parts().1.bodies().bodies()[0].form;
    assert!((cube.radius() - 0.01 * 3_f64.sqrt()).abs() < 1e-12);
    for (triangles, words) in [(11, "belongs to 1 triangles"), (0, "no triangles")] {
        let text = cube_file(&folder, triangles);
        let scene = Scene::from_toml_str(&text).unwrap();
        let error = Run::shaped(scene, &folder).unwrap_err().to_string();
        assert!(error.starts_with("line 9: `grains[0].shape.polyhedron.file`: "), "{error}");
        assert!(error.contains(words) && error.contains("closed surface"), "{error}");
    }
    let missing = text.replace("cube.stl", "rock.stl");
    let scene = Scene::from_toml_str(&missing).unwrap();
    let error = Run::shaped(scene, &folder).unwrap_err().to_string();
    assert!(error.contains("rock.stl"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}
