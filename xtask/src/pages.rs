//! The pages as readers see them: `cargo xtask pages`.
//!
//! Makes the report, players, a comparison, grains and the book, and measures them in headless Chromium: text that
//! overlaps or is cut off, overflow, messages, first paint, accessibility, and stored pictures. The measurements are
//! those of `xtask/pages/measure.py`, which playwright and axe-core need Python for.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context;
use serde_json::{Value, json};

use crate::{
    apt, book,
    python::{self, Environment},
    reproduce,
    shell::{self, NotChecked, Refusal},
};

/// Packages for the measurements, installed by pip; they bring no browser.
const TOOLS: [&str; 3] = ["playwright>=1.50,<2", "axe-playwright-python>=0.1.4,<1", "pillow>=12.1"];

/// What is needed beside Rust.
const NEEDED: &str = "Chromium, Python 3.10 or newer with venv and pip, and the font DejaVu Sans";

/// The packages of Debian; on Ubuntu, Chromium is a snap.
const PACKAGES: [&str; 4] = ["chromium", "fonts-dejavu-core", "python3", "python3-venv"];

/// Programs that are Chromium, by name.
const BROWSERS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Folder of the font of the stored pictures, as Debian and Ubuntu install it.
const FONTS: &str = "/usr/share/fonts/truetype/dejavu";

/// Chapters of the book that are measured: one with players, one with formulas, one with wide tables and listings.
const CHAPTERS: [&str; 5] =
    ["introduction", "getting-started", "systems/set-valued", "certificate", "file-formats"];

/// What to measure and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Whether pictures that differ replace the stored ones.
    accept: bool,
    /// Whether the pages of the last run are measured instead of new ones.
    kept: bool,
}

impl Options {
    /// Reads the arguments of the command.
    pub(crate) fn parse(arguments: &[&str]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        for argument in arguments {
            match *argument {
                "--accept" => options.accept = true,
                "--kept" => options.kept = true,
                unknown => return Err(Refusal::new(format!("unknown: {unknown}")).into()),
            }
        }
        Ok(options)
    }
}

/// Makes the pages and measures them.
pub(crate) fn run(options: Options) -> anyhow::Result<()> {
    let (Some(browser), Some(python)) = (browser(), python::interpreter()) else {
        return Err(Refusal::missing(NEEDED, &apt::line(&PACKAGES)).into());
    };
    let out = shell::target().join("pages");
    fs::create_dir_all(out.join("pictures")).context("making the folder of the pages")?;
    if !options.kept {
        make(&out)?;
    }
    let environment = Environment::in_folder(&out)?;
    environment.make(&python, &TOOLS)?;
    let fonts = fonts(&out)?;
    if fonts.is_none() {
        println!(
            "pages: {FONTS} does not exist: no pictures are compared ({})",
            apt::line(&["fonts-dejavu-core"])
        );
    }
    let folder = shell::root().join("xtask/pages");
    let config = json!({
        "chromium": browser,
        "fonts": fonts,
        "out": out.join("pictures"),
        "references": folder.join("pictures"),
        "accept": options.accept,
        "pages": pages(&out),
    });
    let settings = out.join("measure.json");
    fs::write(&settings, serde_json::to_string_pretty(&config)?).context("writing the settings")?;
    let mut measure = environment.tool("python");
    // Nothing is written beside the sources.
    measure.env("PYTHONDONTWRITEBYTECODE", "1");
    shell::run(measure.arg(folder.join("measure.py")).arg(settings))
}

/// The same in `ci --full`: installs what is missing where that is allowed, and is [`NotChecked`] where it is not.
pub(crate) fn in_ci() -> anyhow::Result<()> {
    let is_there = browser().is_some() && python::interpreter().is_some();
    if !is_there && !apt::install("pages", &PACKAGES)? {
        return Err(NotChecked(format!(
            "{NEEDED} are not installed here and may not be installed ({}): the pages were not measured",
            apt::line(&PACKAGES)
        ))
        .into());
    }
    if !has_font() {
        // Where that is not allowed, pictures are not compared, which the run says.
        apt::install("pages", &["fonts-dejavu-core"])?;
    }
    run(Options::default())
}

fn has_font() -> bool {
    Path::new(FONTS).join("DejaVuSans.ttf").is_file()
}

/// The program that is Chromium: the one given by the environment, or the first that answers.
fn browser() -> Option<PathBuf> {
    let chosen = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let named = BROWSERS.iter().filter_map(|name| on_path(name));
    chosen
        .into_iter()
        .chain(named)
        .find(|path| shell::succeeds(Command::new(path).arg("--version")))
}

/// The full path of a program, as playwright needs it.
fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// A configuration of fontconfig with one font, so that lines break alike on all machines; `None` where that font is
/// not installed.
fn fonts(out: &Path) -> anyhow::Result<Option<PathBuf>> {
    if !has_font() {
        return Ok(None);
    }
    let names = [
        ("sans-serif", "DejaVu Sans"),
        ("system-ui", "DejaVu Sans"),
        ("monospace", "DejaVu Sans Mono"),
        ("ui-monospace", "DejaVu Sans Mono"),
    ];
    let alias = |(general, name): (&str, &str)| {
        format!(
            "<alias binding=\"same\"><family>{general}</family><prefer><family>{name}</family></prefer></alias>\n"
        )
    };
    let text = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE fontconfig SYSTEM \"fonts.dtd\">\n<fontconfig>\n<dir>{FONTS}</dir>\n\
         <selectfont><rejectfont><glob>*Serif*</glob><glob>*Math*</glob></rejectfont></selectfont>\n\
         <cachedir>{}</cachedir>\n{}</fontconfig>\n",
        out.join("fonts").display(),
        names.map(alias).concat()
    );
    let path = out.join("fonts.conf");
    fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
    Ok(Some(path))
}

/// Makes all pages: the report in its quick form, the book if mdBook is installed, and pages of single commands.
fn make(out: &Path) -> anyhow::Result<()> {
    reproduce::quick()?;
    match book::build_if_installed() {
        Err(error) if error.is::<NotChecked>() => println!("pages: {error}"),
        built => built?,
    }
    let command = shell::tested("percussion")?;
    let made = [
        ("run", ["run", "stewart-trinkle/two-balls-bounce"]),
        ("comparison", ["compare", "rocking-block"]),
        ("grains", ["grains", "six-by-six-by-six"]),
    ];
    for (folder, arguments) in made {
        let folder = out.join(folder);
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("removing {}", folder.display()))?;
        }
        let mut command = Command::new(command.get_program());
        shell::run(command.args(arguments).arg("--out").arg(folder))?;
    }
    Ok(())
}

/// The pages that exist, as `measure.py` reads them.
fn pages(out: &Path) -> Vec<Value> {
    let report = reproduce::quick_results();
    let picture = |name: &str, width: u32, scheme: &str, element: Option<&str>| json!({"name": name, "width": width, "scheme": scheme, "element": element});
    let page = |name: &str, path: PathBuf, player: bool, pictures: Vec<Value>| json!({"name": name, "path": path, "player": player, "pictures": pictures});
    let section = "[id='set-valued/rocking-block'] .figures";
    let mut pages = vec![
        page(
            "report",
            report.join("index.html"),
            false,
            vec![
                picture("report-360", 360, "light", None),
                picture("report-1400-dark", 1400, "dark", None),
                picture("report-figures", 768, "light", Some(section)),
            ],
        ),
        page(
            "player of a set",
            report.join("set-valued/rocking-block/view.html"),
            true,
            vec![
                picture("player-360-dark", 360, "dark", None),
                picture("player-1400", 1400, "light", None),
            ],
        ),
        page("player of a run", out.join("run/view.html"), true, Vec::new()),
        page("comparison", out.join("comparison/index.html"), false, Vec::new()),
        page(
            "grains",
            out.join("grains/view.html"),
            true,
            vec![picture("grains-768", 768, "light", None)],
        ),
    ];
    for chapter in CHAPTERS {
        let path = shell::target().join("book").join(chapter).with_extension("html");
        let pictures = match chapter {
            "introduction" => vec![picture("book-768", 768, "light", None)],
            _ => Vec::new(),
        };
        if path.is_file() {
            pages.push(page(&format!("book: {chapter}"), path, false, pictures));
        }
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_others_refused() {
        assert_eq!(Options::parse(&[]).ok(), Some(Options::default()));
        let both = Options::parse(&["--accept", "--kept"]).ok();
        assert_eq!(both, Some(Options { accept: true, kept: true }));
        assert!(Options::parse(&["--acept"]).is_err_and(|error| error.is::<Refusal>()), "refused");
    }

    #[test]
    fn chapters_exist() {
        for chapter in CHAPTERS {
            let path = shell::root().join("docs/src").join(chapter).with_extension("md");
            assert!(path.is_file(), "{}", path.display());
        }
    }
}
