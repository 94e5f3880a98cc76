//! Numbers of the caller beside a checkpoint: [`save_sums`] and [`restore_sums`].

use std::{fs, path::Path};

use super::{
    Error, Fault, access,
    bytes::{Reader, Writer},
    entries, entry, pack, previous, replace,
};

const SUMS: u32 = 5;

/// Writes what each rank has added up until this number of `steps` to `path`, and keeps the file that was there as
/// `….previous`.
///
/// Called before the checkpoint of the same step is written, so that whatever checkpoint a killed run leaves has its sums in
/// one of the two files. The format is that of [`checkpoint`](super) with version 5: the number of steps, and the list of the
/// lists of numbers.
///
/// # Errors
///
/// [`Error::Access`].
///
/// # Example
///
/// ```
/// use percussion_granular::checkpoint::{restore_sums, save_sums};
///
/// let directory = tempfile::tempdir()?;
/// let file = directory.path().join("sums");
/// save_sums(&file, 20, &[vec![0.5]])?;
/// save_sums(&file, 40, &[vec![1.5]])?;
/// assert_eq!(restore_sums(&file, 20)?, [[0.5]]);
/// let error = restore_sums(&file, 30).unwrap_err().to_string();
/// assert!(error.ends_with("it belongs to step 40, expected step 30"), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn save_sums(path: &Path, steps: u64, ranks: &[Vec<f64>]) -> Result<(), Error> {
    let mut bytes = Writer::default();
    bytes.put(steps.to_le_bytes());
    bytes.list(ranks, |bytes, sums| bytes.list(sums, |bytes, sum| bytes.number(*sum)));
    replace(path, &pack(SUMS, &bytes.0)).map_err(|source| access(path, source))
}

/// Reads what each rank had added up until this number of `steps` from `path` or, if that is missing, damaged or of another
/// step, from the previous file.
///
/// # Errors
///
/// [`Error`] of the newer file if neither is usable.
pub fn restore_sums(path: &Path, steps: u64) -> Result<Vec<Vec<f64>>, Error> {
    read(path, steps).or_else(|error| read(&previous(path), steps).map_err(|_| error))
}

fn read(path: &Path, steps: u64) -> Result<Vec<Vec<f64>>, Error> {
    let file = fs::read(path).map_err(|source| access(path, source))?;
    decode(&file, steps).map_err(|fault| Error::Damaged { path: path.into(), fault })
}

fn decode(file: &[u8], steps: u64) -> Result<Vec<Vec<f64>>, Fault> {
    let bytes = &mut Reader(entries(file, SUMS)?);
    let found = entry("steps", bytes.long())?;
    if found != steps {
        return Err(Fault::Step { found, expected: steps });
    }
    entry("sums", bytes.list(8, |bytes| bytes.list(8, Reader::number)))
}
