//! Models of several files.

use std::{fs, path::PathBuf};

use nalgebra::DMatrix;
use percussion_dynamics::System as _;

use crate::mjcf::{Settings, read_file};

/// A new empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("percussion-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn includes_are_put_in_place_and_not_in_circles() {
    let folder = folder("mjcf");
    let main = "<mujoco><include file=\"body.xml\"/></mujoco>";
    fs::write(folder.join("main.xml"), main).unwrap();
    let body = "<mujoco><worldbody><body name=\"b\"><freejoint/>\n<geom size=\"0.1\" rgba=\"1 0 0 1\"/></body>\
                </worldbody></mujoco>";
    fs::write(folder.join("body.xml"), body).unwrap();
    let model = read_file(folder.join("main.xml"), &Settings::default()).unwrap();
    assert_eq!(model.system.velocity_count(), 6);
    assert!(model.warnings[0].to_string().starts_with("body.xml line 2: `rgba`"));
    let circle = "<mujocoinclude><include file=\"body.xml\"/></mujocoinclude>";
    fs::write(folder.join("body.xml"), circle).unwrap();
    let error = read_file(folder.join("main.xml"), &Settings::default()).unwrap_err().to_string();
    assert!(error.contains("included twice"), "{error}");
    fs::remove_dir_all(folder).unwrap();
}

/// What an included file names is looked for below the model, meshes in their folder, and then beside the file itself, as by
/// MuJoCo 4.0 for absolute paths. The mass tells which cube of density 1000 was read.
#[test]
fn files_that_an_included_file_names_may_be_beside_it() {
    let folder = folder("mjcf-meshes");
    let cube = |half: f64| {
        let corners = (0..8).map(|i| {
            let side = |bit: u8| if i >> bit & 1 == 1 { half } else { -half };
            format!("v {} {} {}\n", side(0), side(1), side(2))
        });
        let faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
        corners.collect::<String>() + faces
    };
    let part = "<mujoco><compiler meshdir=\"assets\"/><asset><mesh name=\"m\" file=\"x/a.obj\"/></asset>\
                <worldbody><body><freejoint/><geom type=\"mesh\" mesh=\"m\"/></body></worldbody></mujoco>";
    for (name, text) in [
        ("main.xml", "<mujoco><include file=\"sub/whole.xml\"/></mujoco>".to_owned()),
        ("sub/whole.xml", "<mujoco><include file=\"part.xml\"/></mujoco>".to_owned()),
        ("sub/part.xml", part.to_owned()),
        ("x/a.obj", cube(0.3)),
        ("sub/assets/x/a.obj", cube(0.4)),
    ] {
        fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
        fs::write(folder.join(name), text).unwrap();
    }
    let main = folder.join("main.xml");
    let mass = || {
        let model = read_file(&main, &Settings::default())?;
        let mut matrix = DMatrix::zeros(6, 6);
        model.system.mass_matrix(&model.start, &mut matrix);
        Ok::<_, crate::mjcf::Error>(matrix[(0, 0)])
    };
    let error = mass().unwrap_err().to_string();
    assert!(error.contains("assets/x/a.obj"), "{error}");
    fs::create_dir_all(folder.join("sub/x")).unwrap();
    fs::write(folder.join("sub/x/a.obj"), cube(0.05)).unwrap();
    assert!((mass().unwrap() - 1.0).abs() < 1e-12);
    fs::create_dir_all(folder.join("assets/x")).unwrap();
    fs::write(folder.join("assets/x/a.obj"), cube(0.1)).unwrap();
    assert!((mass().unwrap() - 8.0).abs() < 1e-12);
    fs::remove_dir_all(folder).unwrap();
}
