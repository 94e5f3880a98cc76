//! Lists the files of the workspace, in the same order everywhere.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;

/// Every file below `folder`, sorted; without build products, hidden folders and links to folders.
pub(crate) fn all(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let kind = entry.file_type()?;
            let name = entry.file_name();
            let hidden = name.to_string_lossy().starts_with('.');
            if kind.is_dir() && !hidden && name != "target" {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The files of [`all`] with this extension.
pub(crate) fn with_extension(folder: &Path, extension: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = all(folder)?;
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_file_is_found_and_build_products_are_not() {
        let files = all(&crate::shell::root()).unwrap();
        assert!(files.iter().any(|path| path.ends_with("xtask/src/tidy/files.rs")), "this file");
        let target = crate::shell::root().join("target");
        assert!(!files.iter().any(|path| path.starts_with(&target)), "build products");
    }
}
