//! Writes the page that plays a [`View`].
//!
//! The page can be opened from disk, sent by mail or put on any server, and loads nothing from elsewhere. It is
//! drawn by [three.js](https://threejs.org) (MIT license, included); `assets/viewer/README.md` describes how that
//! library is bundled. [`page`] is one file that contains its data, its style and its scripts. Several pages in one
//! directory can share the files that [`write_assets`] writes, by [`page_with_assets`].

use std::path::{Path, PathBuf};

use percussion_record::view::View;

use crate::{
    atomic::{self, WriteError},
    escape,
};

const PAGE: &str = include_str!("../assets/viewer/viewer.html");
const STYLE: &str = include_str!("../assets/viewer/viewer.css");
/// One script in several files: the first opens the function that the last one closes.
const SCRIPT: &str = concat!(
    include_str!("../assets/viewer/data.js"),
    include_str!("../assets/viewer/room.js"),
    include_str!("../assets/viewer/stage.js"),
    include_str!("../assets/viewer/bodies.js"),
    include_str!("../assets/viewer/contacts.js"),
    include_str!("../assets/viewer/panels.js"),
    include_str!("../assets/viewer/share.js"),
    include_str!("../assets/viewer/controls.js"),
);
const THREE: &str = include_str!("../assets/viewer/three.min.js");
const THREE_LICENSE: &str = include_str!("../assets/viewer/three.LICENSE");

/// The page that plays `view`; its size is about 650 kB plus the data.
///
/// # Example
///
/// ```
/// use percussion_record::view::{BodyView, Dimension, FORMAT, Motion, Solid, View};
/// use percussion_report::viewer;
///
/// let ball = Solid::Ball { center: [0.0; 3], radius: 0.1 };
/// let motion = Motion {
///     name: "fall".into(),
///     times: vec![0.0, 0.1],
///     // x, y, z and a quaternion: after 0.1 s a ball has fallen by 0.049 m.
///     poses: vec![vec![0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], vec![0.0, 0.0, 0.951, 1.0, 0.0, 0.0, 0.0]],
///     touches: vec![Vec::new(); 2],
///     ..Motion::default()
/// };
/// let view = View {
///     format: FORMAT.into(),
///     title: "A ball falls".into(),
///     caption: "Without air.".into(),
///     dimension: Dimension::Space,
///     bodies: vec![BodyView { name: "ball".into(), solids: vec![ball] }],
///     planes: Vec::new(),
///     contacts: Vec::new(),
///     motions: vec![motion],
///     sets: Vec::new(),
/// };
/// assert!(viewer::page(&view).contains("<title>A ball falls</title>"));
/// ```
#[must_use]
pub fn page(view: &View) -> String {
    let scripts = [three(), SCRIPT.to_owned()].map(|text| format!("<script>\n{text}</script>\n"));
    filled(view, &format!("<style>\n{STYLE}</style>"), &scripts.concat())
}

/// The page that plays `view`, with the style and the scripts that [`write_assets`] wrote into the directory
/// `assets`, a path relative to the page such as `../viewer`.
#[must_use]
pub fn page_with_assets(view: &View, assets: &str) -> String {
    let assets = escape(assets);
    // Classic scripts: browsers do not load modules from disk.
    let scripts = ["three.min.js", "viewer.js"]
        .map(|name| format!("<script src=\"{assets}/{name}\"></script>\n"));
    let style = format!("<link rel=\"stylesheet\" href=\"{assets}/viewer.css\">");
    filled(view, &style, &scripts.concat())
}

fn filled(view: &View, style: &str, scripts: &str) -> String {
    // In a script element `<` could begin its end or a comment; JSON allows another encoding of it.
    let data = json(view).replace('<', "\\u003c");
    let (title, caption) = (escape(&view.title), escape(&view.caption));
    let parts = [
        ("title", title.as_str()),
        ("caption", &caption),
        ("style", style),
        ("data", &data),
        ("scripts", scripts),
    ];
    // The template is filled piece by piece, so that no inserted part is searched for placeholders.
    let mut page = String::new();
    for (index, piece) in PAGE.split('@').enumerate() {
        let part = parts.iter().find(|(name, _)| index % 2 == 1 && *name == piece);
        page += part.map_or(piece, |(_, text)| text);
    }
    page
}

/// The library with its license.
fn three() -> String {
    format!("/*\nthree.js\n{THREE_LICENSE}*/\n{THREE}")
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

/// Writes the files that pages of [`page_with_assets`] share into `directory`: `three.min.js`, `viewer.js`,
/// `viewer.css`.
///
/// # Errors
///
/// [`WriteError`] names the file that cannot be written.
pub fn write_assets(directory: &Path) -> Result<(), WriteError> {
    atomic::write(&directory.join("three.min.js"), three().as_bytes())?;
    atomic::write(&directory.join("viewer.js"), SCRIPT.as_bytes())?;
    atomic::write(&directory.join("viewer.css"), STYLE.as_bytes())
}

/// The data of the page. Several numbers share a line: with one per line the document would be several times as
/// long.
pub(crate) fn json(view: &View) -> String {
    // Serialization only fails for keys that are not strings, and a view has none.
    serde_json::to_string(view).unwrap_or_default() + "\n"
}
