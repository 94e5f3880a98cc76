//! The page that plays a [`View`].
//!
//! One file that holds its data, its style and its scripts: it can be opened from disk, sent by mail or
//! put on any server, and loads nothing. It is drawn by [three.js](https://threejs.org) (MIT license,
//! kept in the page); how that library is bundled is told in `assets/viewer/README.md`.

use std::path::{Path, PathBuf};

use percussion_scenarios::View;

use crate::{WriteError, atomic, escape};

const PAGE: &str = include_str!("../assets/viewer/viewer.html");
const STYLE: &str = include_str!("../assets/viewer/viewer.css");
const SCRIPT: &str = include_str!("../assets/viewer/viewer.js");
const THREE: &str = include_str!("../assets/viewer/three.min.js");
const THREE_LICENSE: &str = include_str!("../assets/viewer/three.LICENSE");

/// The page that plays `view`, about 650 kB and its data.
///
/// # Example
///
/// ```
/// use percussion_report::viewer;
/// use percussion_scenarios::{Scenario, view};
///
/// let mut scenario = Scenario::named("stewart-trinkle/rod-on-table")?;
/// scenario.duration = 0.1;
/// let view = view::of_trajectory(&scenario, &scenario.simulate(&mut |_fraction| ())?)?;
/// assert!(viewer::page(&view).contains("A spinning rod falls on a table"));
/// # Ok::<(), percussion_scenarios::Error>(())
/// ```
#[must_use]
pub fn page(view: &View) -> String {
    // In a script element `<` may begin its end or a comment; JSON can spell it otherwise.
    let data = json(view).replace('<', "\\u003c");
    let parts = [
        ("title", escape(&view.title)),
        ("caption", escape(&view.caption)),
        ("style", STYLE.to_owned()),
        ("license", THREE_LICENSE.to_owned()),
        ("three", THREE.to_owned()),
        ("script", SCRIPT.to_owned()),
        ("data", data),
    ];
    // Piece by piece, so that no part is searched for the places of others.
    let mut page = String::new();
    for (index, piece) in PAGE.split('@').enumerate() {
        let part = parts.iter().find(|(name, _)| index % 2 == 1 && *name == piece);
        page += part.map_or(piece, |(_, text)| text);
    }
    page
}

/// Writes `view.html`, the page, and `view.json`, its data, into `directory`, and returns their paths.
///
/// # Errors
///
/// [`WriteError`] names the file that cannot be written.
pub fn write(directory: &Path, view: &View) -> Result<[PathBuf; 2], WriteError> {
    let paths = ["view.html", "view.json"].map(|name| directory.join(name));
    atomic::write(&paths[0], page(view).as_bytes())?;
    atomic::write(&paths[1], json(view).as_bytes())?;
    Ok(paths)
}

/// Numbers side by side: with one a line the document would be several times as long.
fn json(view: &View) -> String {
    // A view has string keys only, which is all that serialisation can stumble over.
    serde_json::to_string(view).unwrap_or_default() + "\n"
}
