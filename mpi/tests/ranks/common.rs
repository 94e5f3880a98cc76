//! Starting ranks, reading what they wrote.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_percussion-grains-mpi");

/// A small bin with a hole, from which grains fall and leave.
pub(crate) const BIN: &str = r#"
title = "A bin runs out through a round hole"
duration = 0.3
friction = 0.5
step_size = 1e-3
steps.max_sweeps = 20
grains = [{ sizes.uniform = [0.009, 0.011], density = 2500.0 }]
remove = [{ behind = { point = [0, 0, -0.1], normal = [0, 0, 1] } }]
insert = [{ lattice.count = 600, lattice.shake = 0.02, region.cylinder = { from = [0, 0, 0], to = [0, 0, 0.3], radius = 0.06 } }]

[[walls]]
name = "side"
shape.cone = { from = [0, 0, 0], to = [0, 0, 1], radii = [0.06, 0.06] }

[[walls]]
name = "floor"
shape.cone = { from = [0, 0, 0], to = [0, 0, 0], radii = [0.03, 0.06] }

[statistics]
from = 0.1
every = 0.02
planes = [{ name = "hole", point = [0, 0, 0], normal = [0, 0, -1] }]
surface = {}
cells = { low = [-0.06, -0.06, 0], high = [0.06, 0.06, 0.3], counts = [2, 2, 3] }
radial = { low = [-0.06, -0.06, 0], high = [0.06, 0.06, 0.3], reach = 0.05, bins = 20 }
"#;

/// A layer that flows down rough ground and repeats itself along both axes of the ground.
pub(crate) const LAYER: &str = r#"
title = "A layer flows down rough ground"
duration = 0.12
friction = 0.5
step_size = 1e-3
steps.max_sweeps = 20
gravity = [4.30, 0, -8.817]
periodic = { x = [0, 0.1], y = [0, 0.08] }
grains = [{ sizes.uniform = [0.009, 0.011], density = 2500.0 }]
insert = [{ lattice.pitch = 1.05, region.box = { low = [0, 0, 0.002], high = [0.1, 0.08, 0.1] } }]

[[walls]]
name = "ground"
shape.spheres = { diameter = 0.01, low = [0, 0, -0.01], high = [0.1, 0.08, 0] }

[statistics]
planes = [{ name = "slope", point = [0.05, 0, 0], normal = [1, 0, 0] }]
"#;

/// The program with these arguments, separated by spaces, in `folder`.
pub(crate) fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments.split_whitespace()).current_dir(folder);
    // Containers run as root, which `mpirun` refuses otherwise.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

/// What the program printed.
pub(crate) fn run(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().unwrap()
}

/// The document that a run printed that reached its end.
pub(crate) fn finished(folder: &Path, arguments: &str) -> Value {
    let output = run(folder, &format!("{arguments} --json"));
    assert_eq!(output.status.code(), Some(0), "{arguments}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A folder with the bin and the layer.
pub(crate) fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bin.toml"), BIN).unwrap();
    fs::write(folder.path().join("layer.toml"), LAYER).unwrap();
    folder
}

/// The numbers of a column of a table, by the beginning of its heading.
pub(crate) fn column(file: &Path, name: &str) -> Vec<f64> {
    let text = fs::read_to_string(file).unwrap();
    let heads: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let index = heads.iter().position(|head| head.starts_with(name)).unwrap();
    text.lines().skip(1).map(|line| line.split(',').nth(index).unwrap().parse().unwrap()).collect()
}
