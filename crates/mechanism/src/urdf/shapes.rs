//! Collision shapes of links, as plain data: [`Collision`] and [`Geometry`].

use std::path::{Component, Path, PathBuf};

use nalgebra::{Isometry3, Vector3};
use percussion_collision::Shape;

use super::{Error, Settings, isometry};

/// A collision shape of a link, in the frame of the link.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Collision {
    /// Number of the body that carries it.
    pub body: usize,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Pose of the shape's frame in the frame of the body (m).
    pub placement: Isometry3<f64>,
    /// The geometry.
    pub geometry: Geometry,
}

/// The geometry of a collision shape, centered at the origin of its frame. Axes of revolution are **`z`**, as in URDF.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Geometry {
    /// A box, a cylinder, a capsule or a sphere.
    Shape(Shape),
    /// A mesh in a file, which exists but has not been read.
    Mesh {
        /// The file.
        path: PathBuf,
        /// Scale along each axis, not 0.
        scale: Vector3<f64>,
    },
    /// A mesh that has no file, if the [settings](super::Settings::allow_missing_meshes) accept it.
    Missing {
        /// The reason.
        reason: String,
    },
}

/// The collision shapes of `link`, which is the body `body`.
pub(super) fn collisions<'a>(
    link: &'a urdf_rs::Link,
    body: usize,
    settings: &'a Settings,
) -> impl Iterator<Item = Result<Collision, Error>> + 'a {
    link.collision.iter().map(move |collision| {
        Ok(Collision {
            body,
            name: collision.name.clone(),
            placement: isometry(&collision.origin),
            geometry: geometry(&link.name, &collision.geometry, settings)?,
        })
    })
}

fn geometry(
    link: &str,
    geometry: &urdf_rs::Geometry,
    settings: &Settings,
) -> Result<Geometry, Error> {
    let positive = |field, value: f64| {
        if value > 0.0 { Ok(value) } else { Err(Error::Size { link: link.into(), field, value }) }
    };
    let shape = match geometry {
        urdf_rs::Geometry::Box { size } => {
            size.iter().try_for_each(|&edge| positive("size", edge).map(drop))?;
            Shape::Box { half_extents: 0.5 * Vector3::from(size.0) }
        }
        urdf_rs::Geometry::Cylinder { radius, length } => {
            let radius = positive("radius", *radius)?;
            Shape::Cylinder { half_height: 0.5 * positive("length", *length)?, radius }
        }
        urdf_rs::Geometry::Capsule { radius, length } => {
            let radius = positive("radius", *radius)?;
            Shape::Capsule { half_length: 0.5 * positive("length", *length)?, radius }
        }
        urdf_rs::Geometry::Sphere { radius } => {
            Shape::Sphere { radius: positive("radius", *radius)? }
        }
        urdf_rs::Geometry::Mesh { filename, scale } => {
            let scale = scale.map_or_else(|| Vector3::repeat(1.0), |scale| Vector3::from(scale.0));
            // A negative scale mirrors the mesh; tools that split a model at its plane of symmetry use it.
            scale.iter().try_for_each(|&s| positive("scale", s.abs()).map(drop))?;
            return match existing_file(link, filename, settings) {
                Ok(path) => Ok(Geometry::Mesh { path, scale }),
                Err(error) if settings.allow_missing_meshes => {
                    Ok(Geometry::Missing { reason: error.to_string() })
                }
                Err(error) => Err(error),
            };
        }
    };
    Ok(Geometry::Shape(shape))
}

/// The folders above the description, its own first.
fn above(settings: &Settings) -> Option<PathBuf> {
    settings.directory.as_deref().unwrap_or_else(|| Path::new(".")).canonicalize().ok()
}

/// The file `inside` a package that is one of the folders above the description, or lies in one of them.
fn nearby(package: &str, inside: &str, settings: &Settings) -> Option<PathBuf> {
    let directory = above(settings)?;
    let mut folders = directory.ancestors().flat_map(|folder| {
        let itself = folder.ends_with(package).then(|| folder.to_owned());
        itself.into_iter().chain([folder.join(package)])
    });
    folders.find_map(|folder| Some(folder.join(inside)).filter(|file| file.is_file()))
}

/// The file at a relative address, relative to the folder of the description, or else to the nearest folder above it in which it exists.
fn relative(address: &str, settings: &Settings) -> PathBuf {
    let first = settings.directory.as_deref().unwrap_or_else(|| Path::new("")).join(address);
    if first.is_file() || Path::new(address).is_absolute() {
        return first;
    }
    let directory = above(settings);
    let mut folders = directory.iter().flat_map(|directory| directory.ancestors().skip(1));
    let found = folders.find_map(|folder| Some(folder.join(address)).filter(|file| file.is_file()));
    found.unwrap_or(first)
}

/// Whether a path leaves its base folder.
fn leaves(path: &str) -> bool {
    let mut depth = 0_usize;
    Path::new(path).components().any(|component| match component {
        Component::ParentDir => {
            let outside = depth == 0;
            depth = depth.saturating_sub(1);
            outside
        }
        Component::Normal(_) => {
            depth += 1;
            false
        }
        Component::CurDir => false,
        Component::RootDir | Component::Prefix(_) => true,
    })
}

/// The existing file at the address of a mesh.
fn existing_file(link: &str, uri: &str, settings: &Settings) -> Result<PathBuf, Error> {
    let (link, refused) = (|| link.to_owned(), || uri.to_owned());
    let path = if let Some(rest) = uri.strip_prefix("package://") {
        // Some files have three slashes, as in an address without a host.
        let rest = rest.trim_start_matches('/');
        let (package, inside) = rest.split_once('/').unwrap_or((rest, ""));
        let unknown =
            || Error::UnknownPackage { link: link(), uri: refused(), package: package.into() };
        // The name of a package is that of a folder.
        if leaves(inside) || package.is_empty() || package == ".." || package == "." {
            return Err(Error::OutsidePackage { link: link(), uri: refused() });
        }
        match settings.packages.get(package) {
            Some(folder) => folder.join(inside),
            None => nearby(package, inside, settings).ok_or_else(unknown)?,
        }
    } else if let Some(path) = uri.strip_prefix("file://") {
        PathBuf::from(path)
    } else if uri.contains("://") || uri.is_empty() {
        return Err(Error::MeshAddress { link: link(), uri: refused() });
    } else {
        relative(uri, settings)
    };
    if path.is_file() {
        Ok(path)
    } else {
        Err(Error::MissingMesh { link: link(), uri: refused(), path })
    }
}
