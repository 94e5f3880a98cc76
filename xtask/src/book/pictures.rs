//! Pictures and players of the chapters, from the results of the experiments in their quick form.
//!
//! A chapter has a line `<!-- figure EXPERIMENT FIGURE -->` where a figure of an experiment belongs, and
//! `<!-- player EXPERIMENT -->` where its motion or its set of outcomes is played. Title and caption are those of the
//! figure, so that the book and the report say the same.

use std::{fs, path::Path};

use anyhow::{Context, bail};
use serde_json::Value;

/// Folder of the report in the book.
pub(super) const REPORT: &str = "report";

/// Puts the pictures into the chapters below `part`; `results` is the folder that `percussion reproduce` wrote.
pub(super) fn fill_in(part: &mut Value, results: &Path) -> anyhow::Result<()> {
    match part {
        Value::Array(parts) => parts.iter_mut().try_for_each(|part| fill_in(part, results)),
        Value::Object(fields) => {
            let path = fields.get("path").and_then(Value::as_str).unwrap_or_default().to_owned();
            if let Some(Value::String(content)) = fields.get_mut("content") {
                *content = drawn(content, &path, results).with_context(|| path.clone())?;
            }
            fields.values_mut().try_for_each(|part| fill_in(part, results))
        }
        _ => Ok(()),
    }
}

/// The chapter `text`, which is at `path` below the root of the book, with its pictures.
pub(super) fn drawn(text: &str, path: &str, results: &Path) -> anyhow::Result<String> {
    let to_report = format!("{}{REPORT}", "../".repeat(path.matches('/').count()));
    let mut out = String::new();
    for line in text.lines() {
        let place = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        match place.map(|place| place.split(' ').collect::<Vec<_>>()).as_deref() {
            Some(["figure", experiment, figure]) => {
                out += &picture(experiment, figure, &to_report, results)?;
            }
            Some(["player", experiment]) => out += &player(experiment, &to_report, results)?,
            Some(["figure" | "player", ..]) => {
                bail!("`{line}`: expected `figure EXPERIMENT FIGURE` or `player EXPERIMENT`");
            }
            _ => out += line,
        }
        out.push('\n');
    }
    Ok(out)
}

/// A figure with its title and caption.
fn picture(experiment: &str, figure: &str, report: &str, results: &Path) -> anyhow::Result<String> {
    let file = results.join(experiment).join(figure).with_extension("json");
    let document: Value = serde_json::from_str(&existing(&file)?)
        .with_context(|| format!("reading {}", file.display()))?;
    let text = |name: &str| document.get(name).and_then(Value::as_str).map(escaped);
    let (Some(title), Some(caption)) = (text("title"), text("caption")) else {
        bail!("{}: expected a title and a caption", file.display());
    };
    existing(&file.with_extension("svg"))?;
    let address = format!("{report}/{experiment}/{figure}.svg");
    Ok(format!(
        "<figure class=\"picture\"><a href=\"{address}\"><img src=\"{address}\" alt=\"{title}. {caption}\" \
         loading=\"lazy\"></a><figcaption><strong>{title}.</strong> {caption} <code>{experiment}</code></figcaption></figure>"
    ))
}

/// The player of an experiment, with a link to its own page.
fn player(experiment: &str, report: &str, results: &Path) -> anyhow::Result<String> {
    existing(&results.join(experiment).join("view.html"))?;
    let address = format!("{report}/{experiment}/view.html");
    Ok(format!(
        "<figure class=\"picture\"><iframe src=\"{address}\" title=\"Player of {experiment}\" loading=\"lazy\"></iframe>\
         <figcaption>Play it here, or <a href=\"{address}\">on its own page</a>. <code>{experiment}</code></figcaption></figure>"
    ))
}

fn existing(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| {
        format!(
            "no such picture: {}; `percussion reproduce --quick` writes those that there are",
            file.display()
        )
    })
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `look` with a folder of results that has one figure and one player.
    fn with_results(name: &str, look: impl FnOnce(&Path)) {
        let folder =
            std::env::temp_dir().join(format!("percussion-pictures-{name}-{}", std::process::id()));
        let experiment = folder.join("plus/brick");
        fs::create_dir_all(&experiment).unwrap();
        fs::write(experiment.join("path.svg"), "<svg/>").unwrap();
        fs::write(experiment.join("path.json"), r#"{"title": "a < b", "caption": "It turns."}"#)
            .unwrap();
        fs::write(experiment.join("view.html"), "").unwrap();
        look(&folder);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn figures_and_players_are_found_from_the_folder_of_the_chapter() {
        with_results("found", |results| {
            let text = "text\n<!-- figure plus/brick path -->\n<!-- another comment -->\n";
            let page = drawn(text, "systems/plus.md", results).unwrap();
            assert!(page.contains("src=\"../report/plus/brick/path.svg\""), "{page}");
            assert!(page.contains("<strong>a &lt; b.</strong> It turns."), "{page}");
            assert!(page.starts_with("text\n"), "{page}");
            assert!(page.ends_with("\n<!-- another comment -->\n"), "{page}");
            let page = drawn("<!-- player plus/brick -->", "plus.md", results).unwrap();
            assert!(page.contains("<iframe src=\"report/plus/brick/view.html\""), "{page}");
        });
    }

    #[test]
    fn pictures_that_do_not_exist_are_refused() {
        with_results("refused", |results| {
            for place in ["figure plus/brick pat", "figure plus/brick", "player plus/bric"] {
                let text = format!("<!-- {place} -->");
                assert!(drawn(&text, "plus.md", results).is_err(), "{place}");
            }
        });
    }
}
