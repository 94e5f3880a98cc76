//! Shapes from mesh files: [`MeshFile`].

use std::path::{Path, PathBuf};

use percussion_collision::Shape;
use serde::{Deserialize, Serialize};

use super::Scenario;
use crate::{Error, rules::positive};

/// A file of which the convex hull is a shape: STL (binary or ASCII), OBJ or COLLADA, with the feature `urdf`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshFile {
    /// The file; a relative path is relative to the folder of the scenario file.
    pub file: PathBuf,
    /// Meters in one unit of the file, positive; default 1.
    #[serde(default = "one")]
    pub scale: f64,
}

const fn one() -> f64 {
    1.0
}

impl Scenario {
    /// Reads the files of all `mesh` fields and puts their hulls into the fields `shape`, which must be empty. Relative
    /// paths are relative to `folder`.
    ///
    /// # Errors
    ///
    /// [`Error::Mesh`] for a file that cannot be read or has no hull, [`Error::Value`] for a wrong scale or for a `shape`
    /// beside a `mesh`.
    pub fn read_meshes(&mut self, folder: &Path) -> Result<(), Error> {
        for (i, body) in self.bodies.iter_mut().enumerate() {
            let path = format!("bodies[{i}]");
            read(&path, &mut body.mesh, &mut body.shape, folder)?;
            for (k, part) in body.shapes.iter_mut().enumerate() {
                read(&format!("{path}.shapes[{k}]"), &mut part.mesh, &mut part.shape, folder)?;
            }
        }
        for (i, fixed) in self.fixed.iter_mut().enumerate() {
            read(&format!("fixed[{i}]"), &mut fixed.mesh, &mut fixed.shape, folder)?;
        }
        Ok(())
    }
}

/// Moves the hull of `mesh` into `shape`.
fn read(
    path: &str,
    mesh: &mut Option<MeshFile>,
    shape: &mut Option<Shape>,
    folder: &Path,
) -> Result<(), Error> {
    let Some(MeshFile { file, scale }) = mesh else { return Ok(()) };
    if shape.is_some() {
        return crate::rules::refuse(&format!("{path}.mesh"), &file, "no `mesh` beside `shape`");
    }
    positive(&format!("{path}.mesh.scale"), *scale, "a positive finite number (m per unit)")?;
    let failed = |reason| Error::Mesh { path: format!("{path}.mesh.file"), reason };
    *shape = Some(hull(&folder.join(&*file), *scale).map_err(failed)?);
    *mesh = None;
    Ok(())
}

#[cfg(feature = "urdf")]
fn hull(file: &Path, scale: f64) -> Result<Shape, String> {
    crate::mesh::hull(file, &nalgebra::Vector3::repeat(scale))
}

#[cfg(not(feature = "urdf"))]
fn hull(file: &Path, _: f64) -> Result<Shape, String> {
    Err(format!("{}: built without the feature `urdf`, which reads meshes", file.display()))
}
