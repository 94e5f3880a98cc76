//! Meshes of robots, of which the convex hull is taken: STL (binary or ASCII) and OBJ.

use std::path::Path;

use mesh_loader::Loader;
use nalgebra::Vector3;
use percussion_collision::Shape;

/// The convex hull of the vertices in the file `path`, each coordinate times that of `scale`, or why
/// there is none.
pub(super) fn hull(path: &Path, scale: &Vector3<f64>) -> Result<Shape, String> {
    let is = |name: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(name));
    if !(is("stl") || is("obj")) {
        return Err(format!("{} is not read, expected *.stl or *.obj", path.display()));
    }
    // Materials in other files are of no interest, so that every other file is empty.
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let scene = Loader::default()
        .load_from_slice_with_reader(&bytes, path, |_| Ok(Vec::new()))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let mut points: Vec<Vector3<f64>> = Vec::new();
    for mesh in &scene.meshes {
        let vertices = mesh.vertices.iter().map(|vertex| Vector3::from(vertex.map(f64::from)));
        points.extend(vertices.map(|vertex| vertex.component_mul(scale)));
    }
    Shape::hull(&points).map_err(|error| format!("{}: {error}", path.display()))
}
