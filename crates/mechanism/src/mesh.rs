//! Mesh files, of which only the vertices are used: STL (binary or ASCII), OBJ and COLLADA (DAE).
//!
//! | format | read | ignored |
//! | --- | --- | --- |
//! | STL | the corners of the triangles; a binary file may begin with `solid` | normals, colors |
//! | OBJ | `v`, without weights and colors | faces, normals, textures, materials |
//! | DAE | the positions of the geometries that the scene shows, placed by its nodes, in `meter` | `up_axis`, as tools of ROS do, pictures, skins |
//! | MSH, in models of MuJoCo | vertices and triangles | normals, texture coordinates |
//!
//! STL, OBJ and MSH have no unit: numbers are meters, multiplied by the scale of the description.

use std::{fs, path::Path};

use nalgebra::Vector3;
use percussion_collision::Shape;

mod dae;
#[cfg(feature = "mjcf")]
mod msh;
mod obj;
mod stl;

/// Maximum size of a file (bytes), about two million triangles.
const SIZE_LIMIT: u64 = 128 << 20;

/// The convex hull of the vertices in the file `path`, with each coordinate multiplied by that of `scale`, or a message why there is none.
pub(crate) fn hull(path: &Path, scale: &Vector3<f64>) -> Result<Shape, String> {
    let vertices = vertices(path)?;
    let points: Vec<_> = vertices.iter().map(|vertex| vertex.component_mul(scale)).collect();
    Shape::hull(&points).map_err(|error| format!("{}: {error}", path.display()))
}

/// Vertices (m), and triangles by the indices of their corners.
#[cfg(feature = "mjcf")]
pub(crate) type Surface = (Vec<Vector3<f64>>, Vec<[usize; 3]>);

/// The vertices and the triangles in the STL, OBJ or MSH file `path`, or a message why there are none.
#[cfg(feature = "mjcf")]
pub(crate) fn triangles(path: &Path) -> Result<Surface, String> {
    let is = |name: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(name));
    if is("msh") {
        let (vertices, triangles) =
            msh::read(&bytes(path)?).map_err(|reason| format!("{}: {reason}", path.display()))?;
        check_finite(path, &vertices)?;
        return Ok((vertices, triangles));
    }
    let (vertices, bytes) = read(path)?;
    let triangles = match () {
        () if is("stl") => (0..vertices.len() / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect(),
        () if is("obj") => obj::triangles(&bytes, vertices.len())
            .map_err(|reason| format!("{}: {reason}", path.display()))?,
        () => return Err(format!("{}: expected *.stl, *.obj or *.msh", path.display())),
    };
    Ok((vertices, triangles))
}

/// The vertices in the file `path` (m), or a message why there are none.
pub(crate) fn vertices(path: &Path) -> Result<Vec<Vector3<f64>>, String> {
    Ok(read(path)?.0)
}

/// A reader of one format.
type Reader = fn(&[u8]) -> Result<Vec<Vector3<f64>>, String>;

/// The vertices in the file `path` (m) and its bytes.
fn read(path: &Path) -> Result<(Vec<Vector3<f64>>, Vec<u8>), String> {
    let failed = |reason: String| format!("{}: {reason}", path.display());
    let is = |name: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(name));
    let read: Reader = match () {
        () if is("stl") => stl::read,
        () if is("obj") => obj::read,
        () if is("dae") => dae::read,
        () => {
            return Err(format!("{} is not read, expected *.stl, *.obj or *.dae", path.display()));
        }
    };
    let bytes = bytes(path)?;
    let vertices = read(&bytes).map_err(failed)?;
    check_finite(path, &vertices)?;
    Ok((vertices, bytes))
}

/// The content of the file.
fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |reason: String| format!("{}: {reason}", path.display());
    let about = fs::metadata(path).map_err(|error| failed(error.to_string()))?;
    if !about.is_file() || about.len() > SIZE_LIMIT {
        return Err(failed(format!("expected a file of at most {} MiB", SIZE_LIMIT >> 20)));
    }
    fs::read(path).map_err(|error| failed(error.to_string()))
}

fn check_finite(path: &Path, vertices: &[Vector3<f64>]) -> Result<(), String> {
    match vertices.iter().position(|vertex| !vertex.iter().all(|entry| entry.is_finite())) {
        Some(index) => Err(format!("{}: vertex {index} is not finite", path.display())),
        None => Ok(()),
    }
}

/// Three numbers from the texts, or `None`.
fn three<'a>(mut texts: impl Iterator<Item = &'a str>) -> Option<Vector3<f64>> {
    let mut next = || texts.next()?.parse::<f64>().ok();
    Some(Vector3::new(next()?, next()?, next()?))
}
