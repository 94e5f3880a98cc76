//! Files that are either complete or absent.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// The reason why a file or directory could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{}`: {source}", path.display())]
#[non_exhaustive]
pub struct WriteError {
    /// The file or directory.
    pub path: PathBuf,
    /// The error of the operating system.
    pub source: std::io::Error,
}

/// Writes `bytes` to the file `path`, replacing it as a whole.
///
/// The bytes are written to a temporary file in the same directory, which is flushed to the disk and then renamed.
/// At any moment, also after an interrupted run, the path holds the complete old file or the complete new one. A
/// killed run may leave the temporary file, named `.percussion-…`; while it is written it has an advisory lock.
///
/// # Errors
///
/// [`WriteError`] if the directory does not exist or is not writable, if `path` is a directory, or if the disk is
/// full; an existing file is then unchanged.
///
/// # Example
///
/// ```
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("answer.txt");
/// percussion_report::atomic::write(&path, b"42\n")?;
/// assert_eq!(std::fs::read_to_string(&path)?, "42\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    replace(path, bytes).map_err(|source| WriteError { path: path.to_owned(), source })
}

/// Ensures that files can be written into the directory `path`, and creates it and its parents if they are missing.
///
/// Meant to be called before a long computation whose results are written there.
///
/// # Errors
///
/// [`WriteError`] if a directory cannot be created, for example because a file has its name, or if it is not
/// writable.
pub fn prepare_directory(path: &Path) -> Result<(), WriteError> {
    std::fs::create_dir_all(path)
        .and_then(|()| tempfile::tempfile_in(path))
        .map(drop)
        .map_err(|source| WriteError { path: path.to_owned(), source })
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".percussion-");
    // A temporary file is private by default, but the report should be readable for others too; the user's umask
    // still applies.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(directory)?;
    // Marks the file as being written, so that it is not taken for one left by a killed run.
    let _ = file.as_file().try_lock();
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_no_temporary_file_stays() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.json");
        write(&path, b"a longer first version").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_directory_and_a_directory_in_the_way_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("missing").join("file");
        let error = write(&missing, b"").unwrap_err();
        assert!(error.to_string().contains("missing"), "{error}");
        let error = write(directory.path(), b"").unwrap_err();
        assert_eq!(error.path, directory.path());
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_the_file_as_far_as_the_umask_lets_them() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let ours = directory.path().join("ours");
        let plain = directory.path().join("plain");
        write(&ours, b"").unwrap();
        std::fs::write(&plain, b"").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
