//! Reading of TOML documents, with a limit on their length and errors that name the place.

mod line;

use std::{fs::File, io::Read, path::Path};

use serde::de::DeserializeOwned;

use crate::Error;

/// Maximum length of a text (bytes), far more than the largest accepted number of bodies needs.
pub const TEXT_LIMIT: usize = 1 << 20;

/// The content of a TOML text; `root` is the name of the document in errors about its own missing fields.
///
/// # Errors
///
/// [`Error::TooLarge`], [`Error::Syntax`] and [`Error::Format`], with the position in the text.
///
/// # Example
///
/// ```
/// #[derive(serde::Deserialize)]
/// struct Fall {
///     height: f64,
/// }
///
/// let fall: Fall = percussion_mechanism::document::parse("height = 2.0", "fall")?;
/// assert_eq!(fall.height, 2.0);
/// let error = percussion_mechanism::document::parse::<Fall>("height = 'high'", "fall").err();
/// assert!(error.is_some_and(|error| error.to_string().starts_with("`height`: ")));
/// # Ok::<(), percussion_mechanism::Error>(())
/// ```
pub fn parse<T: DeserializeOwned>(text: &str, root: &str) -> Result<T, Error> {
    if text.len() > TEXT_LIMIT {
        return Err(Error::TooLarge { limit: TEXT_LIMIT });
    }
    let deserializer = toml::Deserializer::parse(text)
        .map_err(|error| Error::Syntax { message: one_line(&error) })?;
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let place = error.path().to_string();
        let path = if place == "." { root.to_owned() } else { place };
        let message = in_words(&one_line(error.inner()));
        Error::Format { path, message }
    })
}

/// The error with the line of its field, where `text` has it.
pub(crate) fn located(text: &str, error: Error) -> Error {
    match error.path().and_then(|path| line::of(text, path)) {
        Some(line) => Error::AtLine { line, source: Box::new(error) },
        None => error,
    }
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    let failed = |source| Error::Read { file: path.to_owned(), source };
    let mut text = String::new();
    // Reading one byte more than accepted suffices to detect a file that is too large.
    let limit = TEXT_LIMIT as u64 + 1;
    File::open(path).map_err(failed)?.take(limit).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

/// The message with words for the types of the parser.
fn in_words(message: &str) -> String {
    let words = [
        ("expected f64", "expected a number"),
        ("expected u64", "expected a nonnegative integer"),
        ("expected usize", "expected a nonnegative integer"),
        ("expected u32", "expected a nonnegative integer"),
        (
            "invalid type: map, expected a sequence",
            "invalid type: one table, expected a list, in TOML `[[…]]`",
        ),
        ("expected a sequence", "expected a list"),
    ];
    words.iter().fold(message.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// A message of the TOML parser with its position, without the excerpt of the text.
fn one_line(error: &toml::de::Error) -> String {
    let text = error.to_string();
    let place = text.lines().next().and_then(|line| line.strip_prefix("TOML parse error at "));
    match place {
        Some(place) => format!("{} ({place})", error.message()),
        None => error.message().to_owned(),
    }
}
