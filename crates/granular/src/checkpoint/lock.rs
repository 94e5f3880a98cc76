//! A lock of a directory for one process: [`Lock`].
//!
//! Two runs that write to one directory would mix their tables and checkpoints. A [`Lock`] is an advisory
//! lock of the operating system on the file `percussion.lock` in the directory. The system releases it when
//! the process ends in any way, so that a killed run never blocks the next one; the file itself remains and
//! has no meaning by itself.
//!
//! - **Does not** stop programs that do not use the lock, and works across machines only if the shared file
//!   system supports locks.

use std::{
    fs::{self, DirEntry, File, OpenOptions, TryLockError},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    process,
};

use super::{Error, access};

/// Prefix of the names of temporary files; the constant below is the number of letters and digits that
/// follow.
pub(super) const TEMPORARY: &str = ".percussion-";
const RANDOM: usize = 6;

/// A directory to which no other holder of a lock writes while this value exists.
///
/// # Example
///
/// ```
/// use percussion_granular::checkpoint::{Error, Lock};
///
/// let directory = tempfile::tempdir()?;
/// let lock = Lock::take(directory.path())?;
/// let second = Lock::take(directory.path());
/// assert!(matches!(second, Err(Error::InUse { .. })));
/// drop(lock);
/// assert!(Lock::take(directory.path()).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Lock {
    directory: PathBuf,
    /// Open for as long as the lock is held.
    _file: File,
}

impl Lock {
    /// Name of the file in the directory that carries the lock.
    pub const FILE: &str = "percussion.lock";

    /// Takes the lock of the existing `directory`, without waiting.
    ///
    /// # Errors
    ///
    /// [`Error::InUse`] when another process, or another lock of this one, holds it. [`Error::Access`] when
    /// the file cannot be opened, or, of kind [`Unsupported`](std::io::ErrorKind::Unsupported), when the file
    /// system has no locks.
    pub fn take(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(Self::FILE);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(|source| access(&path, source))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let process = holder(&mut file);
                return Err(Error::InUse { directory: directory.into(), process });
            }
            Err(TryLockError::Error(source)) => return Err(access(&path, source)),
        }
        // The number is only used in messages, so a full disk is no reason to refuse.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", process::id()));
        Ok(Self { directory: directory.into(), _file: file })
    }

    /// Removes the temporary files that killed runs left in the directory, and returns their number.
    ///
    /// These are the regular files with a name such as `.percussion-a1B2c3` that no process is writing.
    ///
    /// # Errors
    ///
    /// [`Error::Access`] when the directory cannot be read or a file cannot be removed.
    pub fn remove_leftovers(&self) -> Result<usize, Error> {
        let entries = fs::read_dir(&self.directory).map_err(|e| access(&self.directory, e))?;
        let mut count = 0;
        for entry in entries {
            let entry = entry.map_err(|source| access(&self.directory, source))?;
            if is_temporary(&entry) && !is_written(&entry.path()) {
                fs::remove_file(entry.path()).map_err(|source| access(&entry.path(), source))?;
                count += 1;
            }
        }
        Ok(count)
    }
}

/// The process that wrote its number into the lock file; unknown where locks prevent others from reading.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Whether a directory entry is a regular file with the name of a temporary one.
fn is_temporary(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let random = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY));
    let ours = |random: &str| {
        random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    random.is_some_and(ours) && entry.file_type().is_ok_and(|kind| kind.is_file())
}

/// Whether a process holds the lock of a temporary file, as every process does while it writes one.
fn is_written(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_holder_is_refused_and_told_which_process_is_the_first() {
        let directory = tempfile::tempdir().unwrap();
        let lock = Lock::take(directory.path()).unwrap();
        let refused = Lock::take(directory.path()).unwrap_err();
        let Error::InUse { directory: named, process } = &refused else { panic!("{refused}") };
        assert_eq!((named.as_path(), *process), (directory.path(), Some(process::id())));
        let text = refused.to_string();
        assert!(text.contains(directory.path().to_str().unwrap()), "{text}");
        drop(lock);
        // The number of an earlier holder is overwritten.
        fs::write(directory.path().join(Lock::FILE), "12345678901234\nrest").unwrap();
        let lock = Lock::take(directory.path()).unwrap();
        let content = fs::read_to_string(directory.path().join(Lock::FILE)).unwrap();
        assert_eq!(content, format!("{}\n", process::id()));
        drop(lock);
    }

    #[test]
    fn a_missing_directory_is_no_reason_to_make_one() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("missing");
        let error = Lock::take(&missing).unwrap_err();
        assert!(matches!(error, Error::Access { .. }), "{error}");
        assert!(!missing.exists());
    }

    #[test]
    fn only_temporary_files_of_ours_that_nobody_writes_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let kept = [
            "course.csv",
            ".percussion-notes",
            ".percussion-a1B2c",
            ".percussion-a1B2c3.txt",
            "x.percussion-a1B2c3",
        ];
        for name in kept.iter().chain(&[".percussion-a1B2c3", ".percussion-zzzzzz"]) {
            fs::write(path(name), "").unwrap();
        }
        fs::create_dir(path(".percussion-folder")).unwrap();
        let written = File::create(path(".percussion-inuse1")).unwrap();
        written.lock().unwrap();
        let lock = Lock::take(directory.path()).unwrap();
        assert_eq!(lock.remove_leftovers().unwrap(), 2);
        for name in kept.iter().chain(&[".percussion-folder", ".percussion-inuse1"]) {
            assert!(path(name).exists(), "{name}");
        }
        drop(written);
        assert_eq!(lock.remove_leftovers().unwrap(), 1);
    }
}
