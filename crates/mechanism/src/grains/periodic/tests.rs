//! Scenes that repeat themselves do so in every part.

use std::path::Path;

use percussion_granular::decomposition::{Partition, Subdomain, in_process};

use crate::grains::{Measures, Run, Scene};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Grains of 1 cm in a box of 0.2 m × 0.1 m that repeats itself along `x` and `y`.
const HEAD: &str = r#"title = "box"
duration = 1.0
friction = 0.5
periodic = { x = [-0.1, 0.1], y = [0, 0.1] }
grains = [{ diameter = 0.01, density = 2500.0 }]
"#;

fn run_of(head: &str, more: &str) -> Run {
    Run::new(Scene::from_toml_str(&format!("{head}{more}")).unwrap(), here()).unwrap()
}

fn make_steps(run: &mut Run, count: usize) {
    for _ in 0..count {
        run.step().unwrap();
    }
}

#[test]
fn what_does_not_fit_a_period_is_refused_with_line_field_and_expectation() {
    let with = |more: &str| format!("{HEAD}{more}");
    let wall = |more: &str| format!("{HEAD}[[walls]]\nname = 'w'\n{more}\n");
    let cases = [
        (
            HEAD.replace("[0, 0.1]", "[0, 0.015]"),
            &["line 4", "periodic.y", "twice the largest"][..],
        ),
        (HEAD.replace("[0, 0.1]", "[0.1, 0]"), &["line 4", "periodic.y", "begin and end"]),
        (HEAD.replace("y = [0, 0.1]", "w = [0, 1]"), &["line 4", "unknown field `w`"]),
        (HEAD.replace("[0, 0.1]", "[0, nan]"), &["line 4", "periodic.y[1]", "finite"]),
        (
            with(
                "[[insert]]\nlattice = {}\nregion.box = { low = [0, 0, 0], high = [0.2, 0.1, 0.1] }",
            ),
            &["line 8", "insert[0].region` is [0.0, 0.2]", "within the box"],
        ),
        (
            with(
                "[statistics]\ncells = { low = [0, -1, 0], high = [0.1, 0.1, 0.1], counts = [1, 1, 1] }",
            ),
            &["line 7", "statistics.cells", "within the box"],
        ),
        (
            with("[statistics]\nplanes = [{ name = 'p', point = [0, 0, 0], normal = [1, 0, 1] }]"),
            &["line 7", "planes[0].normal", "along an axis"],
        ),
        (with("[statistics]\nsurface = {}"), &["line 7", "statistics.surface", "no surface"]),
        (
            wall("shape.plane = { point = [0, 0, 0], normal = [0.1, 0, 1] }"),
            &["line 8", "walls[0].shape", "across the axes"],
        ),
        (
            wall("shape.tube = { point = [0, 0, 0], axis = [0, 1, 0], radius = 0.05 }"),
            &["line 8", "walls[0].shape", "a tube along"],
        ),
        (
            wall("shape.cylinder = { point = [0, 0, 0], axis = [1, 1, 0], radius = 0.05 }"),
            &["line 8", "walls[0].shape", "along or across"],
        ),
        (
            wall("shape.box = { size = [0.3, 0.1, 0.1] }"),
            &["line 8", "walls[0].shape", "not longer than the period"],
        ),
        (
            wall("shape.box = { size = [0.1, 0.1, 0.1] }\nvelocity = [0.1, 0, 0]"),
            &["line 9", "walls[0].velocity", "leave the box"],
        ),
        (
            wall("shape.spheres = { diameter = 0.01, low = [0, 0, 0], high = [0.1, 0.1, 0] }"),
            &["line 8", "spheres.high[2]", "more than"],
        ),
        (
            wall("shape.spheres = { diameter = 1e-5, low = [-0.1, 0, 0], high = [0.1, 0.1, 0.1] }"),
            &["line 8", "spheres", "at most 100 000 balls"],
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
fn ranks_that_divide_an_axis_that_repeats_are_refused() {
    let scene = Scene::from_toml_str(HEAD).unwrap();
    let mut exchanges = in_process(2);
    let made = Run::with(scene, here(), |settings, walls| {
        let partition = Partition::new([vec![0.0], vec![], vec![]])?;
        Subdomain::new(settings, walls, partition, exchanges.remove(0))
    });
    let message = made.unwrap_err().to_string();
    assert!(message.contains("`boxes along x` is 2"), "{message}");
    assert_eq!(Scene::from_toml_str(HEAD).unwrap().repeats(), [true, true, false]);
}

#[test]
fn grains_that_pass_through_faces_are_counted_in_cells_and_by_planes() {
    let mut run = run_of(
        HEAD,
        "gravity = [0, 0, 0]\n[[insert]]\nlattice = { shake = 0, pitch = 1.5 }\nvelocity = [0.5, -0.25, 0]\n\
         region.box = { low = [-0.1, 0, 0], high = [0.1, 0.1, 0.05] }\n\
         [statistics]\nfrom = 0\nevery = 0.1\ncells = { low = [-0.1, 0, 0], high = [0.1, 0.1, 0.05], counts = [1, 2, 1] }\n\
         planes = [{ name = 'along', point = [0.07, 0, 0], normal = [1, 0, 0] }, { name = 'back', point = [9, 9, 9], normal = [0, -2, 0] }, { name = 'up', point = [0, 0, 0.02], normal = [0, 0, 1] }]\n",
    );
    // 13 × 6 × 3 places: the lattice is as wide as the period.
    assert_eq!(run.world().grains().len(), 13 * 6 * 3);
    let mut measures = Measures::new(&run).unwrap();
    for _ in 0..1000 {
        run.step_watched(&mut |world, _| drop(measures.look(world).unwrap().map(<[f64]>::to_vec)))
            .unwrap();
    }
    let names: Vec<String> = measures.columns().into_iter().map(|(name, _)| name).collect();
    let last = measures.rows().last().unwrap();
    let of = |wanted: &str| last[names.iter().position(|name| name == wanted).unwrap()];
    let mass = 234.0 * 2500.0 * std::f64::consts::PI / 6.0 * 1e-6;
    // Each passes 2.5 times in 1 s, up to one column of grains.
    assert!(
        (of("along: mass passed") / mass - 2.5).abs() < 0.5 / 13.0,
        "{}",
        of("along: mass passed")
    );
    assert!(
        (of("back: mass passed") / mass - 2.5).abs() < 0.5 / 6.0,
        "{}",
        of("back: mass passed")
    );
    assert!(of("up: mass passed") == 0.0);
    let filled: f64 = measures.cells().map(|cell| cell.solid_fraction * 0.5).sum();
    let expected = mass / 2500.0 / (0.2 * 0.1 * 0.05);
    assert!((filled - expected).abs() < 1e-12, "{filled} and {expected}");
}

#[test]
fn the_stress_of_a_layer_at_rest_is_that_of_its_weight() {
    let mut run = run_of(
        HEAD,
        "[[insert]]\nlattice = {}\nregion.box = { low = [-0.1, 0, 0], high = [0.1, 0.1, 0.06] }\n\
         [[walls]]\nname = 'floor'\nshape.plane = { point = [0, 0, 0], normal = [0, 0, 1] }\n\
         [statistics]\nevery = 0.05\nfrom = 0.6\n",
    );
    let mut measures = Measures::new(&run).unwrap();
    for _ in 0..1000 {
        run.step_watched(&mut |world, _| drop(measures.look(world).unwrap().map(<[f64]>::to_vec)))
            .unwrap();
    }
    let names: Vec<String> = measures.columns().into_iter().map(|(name, _)| name).collect();
    let means = measures.means();
    let mean = |wanted: &str| means[names.iter().position(|name| name == wanted).unwrap() - 1];
    // At rest Σ f l of all contacts is Σ m g z, and its volume is that of the period up to the highest grain.
    let grains = run.world().grains();
    let heights = grains.positions().iter().map(|at| at.z);
    let [low, high] =
        [heights.clone().fold(1.0, f64::min) - 0.005, heights.fold(0.0, f64::max) + 0.005];
    let expected = 9.81 * grains.first_moment().z / (0.2 * 0.1 * (high - low));
    assert!(
        (mean("stress zz") / expected - 1.0).abs() < 0.02,
        "{} of {expected}",
        mean("stress zz")
    );
}

#[test]
fn a_wall_across_a_face_carries_grains_on_both_sides() {
    let mut run = run_of(
        HEAD,
        "[[walls]]\nname = 'shelf'\nshape.box = { size = [0.1, 0.1, 0.02], position = [0.1, 0.05, -0.01] }\n\
         [[insert]]\nlattice = {}\nregion.box = { low = [-0.1, 0, 0], high = [0.1, 0.1, 0.011] }\n\
         [[remove]]\nbehind = { point = [0, 0, -0.1], normal = [0, 0, 1] }\n",
    );
    let before = run.world().grains().len();
    make_steps(&mut run, 500);
    let places = run.world().grains().positions();
    // On the shelf from x = 0.05 to 0.15 lie those of half of the box.
    let after = places.len();
    assert!((0.45..0.6).contains(&(after as f64 / before as f64)), "{after} of {before}");
    let sides = [-1.0, 1.0].map(|side| places.iter().filter(|at| side * at.x > 0.03).count());
    assert!(sides[0].min(sides[1]) > after / 3 && sides[0] + sides[1] == after, "{sides:?}");
}

#[test]
fn grains_come_in_across_faces_without_overlaps_and_stay_there() {
    let mut run = run_of(
        HEAD,
        "gravity = [0, 0, 0]\n[[insert]]\nrandom.count = 180\nregion.box = { low = [-0.1, 0, 0], high = [0.1, 0.1, 0.03] }\n\
         [[insert]]\nrandom.count = 60\nseed = 5\ntime = 0.01\nregion.box = { low = [-0.1, 0, 0], high = [0.1, 0.1, 0.03] }\n\
         [[remove]]\noutside = { low = [-0.1, 0, -1], high = [0.1, 0.1, 1] }\n",
    );
    let across = |run: &Run| {
        let places = run.world().grains().positions().iter();
        places.filter(|at| at.x.abs() > 0.095 || (at.y - 0.05).abs() > 0.045).count()
    };
    // Of the area 1 − 0.95 · 0.9 is nearer to a face than a radius.
    assert!((15..40).contains(&across(&run)), "{} across", across(&run));
    make_steps(&mut run, 12);
    assert_eq!(run.world().grains().len(), 240);
    assert!(run.world().overlap() <= 0.0, "{} m", run.world().overlap());
}

#[test]
fn ground_of_spheres_fits_the_period_and_holds_a_layer_on_a_slope() {
    let slope = 14.0_f64.to_radians();
    let [along, down] = [9.81 * slope.sin(), -9.81 * slope.cos()];
    let speed = |ground: &str| {
        let head =
            HEAD.replace("[-0.1, 0.1]", "[0, 0.05]").replace("y = [0, 0.1]", "y = [0, 0.04]");
        let mut run = run_of(
            &head,
            &format!(
                "gravity = [{along}, 0, {down}]\n[[walls]]\nname = 'ground'\nshape.{ground}\n\
                 [[insert]]\nlattice = {{}}\nregion.box = {{ low = [0, 0, 0.003], high = [0.05, 0.04, 0.08] }}\n"
            ),
        );
        let walls = run.world().walls().len();
        make_steps(&mut run, 800);
        let grains = run.world().grains();
        let mass: f64 = (0..grains.len()).map(|index| grains.mass(index)).sum();
        (grains.momentum().x / mass, walls)
    };
    let (smooth, _) = speed("plane = { point = [0, 0, 0], normal = [0, 0, 1] }");
    let (rough, walls) =
        speed("spheres = { diameter = 0.01, low = [0, 0, -0.01], high = [0.05, 0.04, 0] }");
    // 5 × 4 balls, each with its images up to half of a period beyond the faces.
    assert!((60..=100).contains(&walls), "{walls}");
    assert!(rough < 0.01 && smooth > 0.2, "{rough} and {smooth} m/s");
}

#[test]
fn a_scaled_scene_repeats_itself_as_much_larger() {
    let text = format!(
        "{HEAD}[[walls]]\nname = 'ground'\nshape.spheres = {{ diameter = 0.01, low = [-0.1, 0, -0.01], high = [0.1, 0.1, 0] }}\n"
    );
    let scene = Scene::from_toml_str(&text).unwrap();
    let run = Run::new(scene.clone(), here()).unwrap();
    let twice = Run::new(scene.scaled(2.0).unwrap(), here()).unwrap();
    let edges = |run: &Run| run.world().periods().unwrap().edges;
    assert_eq!(edges(&twice), [Some(0.4), Some(0.2), None]);
    assert_eq!(edges(&run), [Some(0.2), Some(0.1), None]);
    let [small, large] = [&run, &twice].map(|run| run.world().walls().to_vec());
    let apart = |(a, b): (&percussion_granular::Wall, &percussion_granular::Wall)| {
        let [a, b] = [a, b].map(|wall| wall.surface.bounds().unwrap()[0]);
        (2.0 * a - b).norm()
    };
    assert_eq!(small.len(), large.len());
    assert!(small.iter().zip(&large).map(apart).fold(0.0, f64::max) < 1e-12);
    // A world of other periods does not continue it.
    let message = run.resume(twice.world().clone()).unwrap_err().to_string();
    assert!(message.contains("periodic"), "{message}");
}
