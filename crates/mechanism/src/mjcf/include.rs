//! Files of a model and their includes: [`Files`].

use std::{
    cell::Cell,
    collections::BTreeSet,
    fs,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

#[cfg(test)]
mod tests;

use super::{Error, label, place};
use crate::xml::{self, Element, Malformed};

/// Maximum total length of the texts of a model (bytes).
const TEXT_LIMIT: u64 = 64 << 20;

/// Maximum number of files that a model includes.
const FILE_LIMIT: usize = 1000;

/// The folder to which the paths of a model are relative, and the one that they must not leave.
#[derive(Debug)]
pub(super) struct Files {
    folder: PathBuf,
    root: PathBuf,
    read: Cell<u64>,
}

impl Files {
    pub(super) fn new(folder: &Path, root: Option<&Path>) -> Self {
        let root = root.unwrap_or(folder).to_path_buf();
        Self { folder: folder.to_path_buf(), root, read: Cell::new(0) }
    }

    /// The existing file at the path `address` of `element`, in `folder` of the model or, if there is none, beside the
    /// included file that names it. MuJoCo takes the second place only if the path of the model is absolute.
    pub(super) fn find(
        &self,
        element: &Element,
        folder: &str,
        address: &str,
    ) -> Result<PathBuf, Error> {
        self.find_in(element, folder, address).or_else(|error| {
            let included = element.file.as_deref().map(Path::new).and_then(Path::parent);
            let Some(beside) = included.and_then(Path::to_str) else { return Err(error) };
            self.find_in(element, beside, address).map_err(|_| error)
        })
    }

    fn find_in(&self, element: &Element, folder: &str, address: &str) -> Result<PathBuf, Error> {
        let refused = |reason: String| Error::Address {
            place: place(element),
            element: label(element),
            file: address.to_owned(),
            reason,
        };
        if Path::new(address).is_absolute() || Path::new(folder).is_absolute() {
            return Err(refused("has an absolute address, expected one below the model".into()));
        }
        let path = self.folder.join(folder).join(address);
        let is_below = match (path.canonicalize(), self.root.canonicalize()) {
            // A symbolic link may lead out of the folder, or into it.
            (Ok(file), Ok(root)) => file.starts_with(root),
            _ => {
                let outside = plain(&Path::new(folder).join(address)).starts_with("..");
                !(outside && self.root == self.folder)
            }
        };
        if !is_below {
            return Err(Error::Outside {
                place: place(element),
                element: label(element),
                file: address.to_owned(),
                root: if self.root.as_os_str().is_empty() { ".".into() } else { self.root.clone() },
            });
        }
        if !path.is_file() {
            return Err(refused(format!("does not exist at {}", path.display())));
        }
        Ok(path)
    }

    fn text(&self, element: &Element, path: &Path) -> Result<String, Error> {
        let failed = |source| Error::File { path: path.to_path_buf(), source };
        let length = self.read.get() + fs::metadata(path).map_err(failed)?.len();
        if length > TEXT_LIMIT {
            let most = TEXT_LIMIT >> 20;
            let reason = format!("the files of the model are longer than {most} MiB together");
            return Err(Error::unsupported(element, reason));
        }
        self.read.set(length);
        fs::read_to_string(path).map_err(failed)
    }
}

/// The path without `.` and, as far as possible without file access, without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain: Vec<Component<'_>> = Vec::new();
    for component in path.components() {
        match (component, plain.last()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => drop(plain.pop()),
            _ => plain.push(component),
        }
    }
    plain.into_iter().collect()
}

/// The model in `text` with all includes expanded.
pub(super) fn expanded(text: &str, files: &Files) -> Result<Element, Error> {
    let mut root = xml::parse(text).map_err(|error| malformed(None, error))?;
    if root.name != "mujoco" {
        return Err(Error::NotModel { found: root.name });
    }
    let mut included = BTreeSet::new();
    expand(&mut root, files, &mut included)?;
    Ok(root)
}

fn malformed(file: Option<&str>, Malformed { line, message }: Malformed) -> Error {
    let place = match file {
        Some(file) => format!("{file} line {line}"),
        None => format!("line {line}"),
    };
    Error::Xml { place, message }
}

fn expand(
    element: &mut Element,
    files: &Files,
    included: &mut BTreeSet<PathBuf>,
) -> Result<(), Error> {
    let mut children = Vec::with_capacity(element.children.len());
    for mut child in std::mem::take(&mut element.children) {
        if child.name != "include" {
            expand(&mut child, files, included)?;
            children.push(child);
            continue;
        }
        let address = child.attribute("file").unwrap_or_default().to_owned();
        let path = files.find(&child, "", &address)?;
        // A file that includes itself is included twice.
        if !included.insert(path.clone()) || included.len() > FILE_LIMIT {
            let (place, element) = (place(&child), label(&child));
            let reason = "is included twice, expected once".to_owned();
            return Err(Error::Address { place, element, file: address, reason });
        }
        let text = files.text(&child, &path)?;
        let mut root = xml::parse(&text).map_err(|error| malformed(Some(&address), error))?;
        if root.name != "mujoco" && root.name != "mujocoinclude" {
            return Err(Error::NotModel { found: root.name });
        }
        let own = path.strip_prefix(&files.folder).unwrap_or(&path).to_string_lossy();
        name_file(&mut root, &Arc::from(&*own));
        expand(&mut root, files, included)?;
        children.append(&mut root.children);
    }
    element.children = children;
    Ok(())
}

fn name_file(element: &mut Element, file: &Arc<str>) {
    element.file = Some(Arc::clone(file));
    element.children.iter_mut().for_each(|child| name_file(child, file));
}
