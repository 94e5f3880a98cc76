//! Shapes from mesh files, beside the same shapes in the scenario.

use std::{fs, path::PathBuf};

use percussion_mechanism::scenario::{MeshFile, Scenario};

use crate::read;

/// A new folder with the scenario of the sliding box, in which `edit` has changed the text, and with `box.obj`: the corners
/// of that box in millimeters, with the origin in one of them.
fn scenario(name: &str, edit: impl Fn(&str) -> String) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("percussion-meshes-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let corner = |k: u32| [(k & 1) * 1000, (k >> 1 & 1) * 800, (k >> 2) * 200];
    let corners = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    fs::write(folder.join("box.obj"), corners.collect::<String>()).unwrap();
    let text = fs::read_to_string(crate::fixture("sliding-box.toml")).unwrap();
    let file = folder.join("scenario.toml");
    fs::write(&file, edit(&text)).unwrap();
    file
}

const BOX: &str = "shape.box.half_extents = [0.5, 0.4, 0.1]";
const MESH: &str = "mesh = { file = 'box.obj', scale = 1e-3 }";

#[test]
fn the_hull_of_a_mesh_moves_as_the_same_box() {
    let expected = read("sliding-box.toml").simulate(&mut |_| ()).unwrap();
    let ways = [
        ("body", format!("{MESH}\nrecenter = true")),
        ("part", format!("shapes = [{{ {MESH}, position = [-0.5, -0.4, -0.1] }}]")),
    ];
    for (name, mesh) in ways {
        let file = scenario(name, |text| {
            assert!(text.contains(BOX), "{text}");
            text.replace(BOX, &mesh)
        });
        let scenario = Scenario::from_path(&file).unwrap();
        assert!(scenario.bodies[0].mesh.is_none(), "what is saved needs no file");
        let found = scenario.simulate(&mut |_| ()).unwrap();
        let pairs = found.end().coordinates.iter().zip(&expected.end().coordinates);
        assert!(pairs.clone().all(|(one, other)| (one - other).abs() < 1e-9), "{name}: {pairs:?}");
    }
}

/// The box 0.1 m above the floor on a fixed box of the same size.
#[test]
fn fixed_meshes_carry() {
    let file = scenario("fixed", |text| {
        let text = text.replace("velocity = [3.0, 0.0, 0.0]", "");
        let text = text.replace("position = [0.0, 0.0, 0.1]", "position = [0.0, 0.0, 0.3]");
        format!("{text}\n[[fixed]]\nname = 'step'\n{MESH}\nposition = [-0.5, -0.4, 0.0]\n")
    });
    let end = Scenario::from_path(&file).unwrap().simulate(&mut |_| ()).unwrap();
    assert!((end.end().coordinates[2] - 0.3).abs() < 1e-8, "{:?}", end.end().coordinates);
}

#[test]
fn meshes_that_cannot_be_used_are_refused_by_their_field() {
    let refused = |name: &str, field: String| {
        let file = scenario(name, |text| text.replace(BOX, &field));
        Scenario::from_path(&file).unwrap_err().to_string()
    };
    let found = refused("missing", "mesh.file = 'bax.obj'".into());
    let place = "line 13: `bodies[0].mesh.file`: ";
    assert!(found.starts_with(place) && found.contains("bax.obj"), "{found}");
    let found = refused("format", "mesh.file = 'box.step'".into());
    assert!(found.contains("expected *.stl, *.obj or *.dae"), "{found}");
    let found = refused("scale", "mesh = { file = 'box.obj', scale = 0.0 }".into());
    assert!(found.contains("bodies[0].mesh.scale"), "{found}");
    let found = refused("both", format!("{MESH}\n{BOX}"));
    assert!(
        found.contains("bodies[0].mesh") && found.contains("no `mesh` beside `shape`"),
        "{found}"
    );
    let found = refused("neither", "shapes = [{ position = [0.0, 0.0, 0.0] }]".into());
    assert!(found.contains("bodies[0].shapes[0].shape"), "{found}");
    let mut unread = read("sliding-box.toml");
    unread.bodies[0].mesh = Some(MeshFile { file: "box.obj".into(), scale: 1.0 });
    assert!(unread.check().unwrap_err().to_string().contains("read_meshes"));
}
