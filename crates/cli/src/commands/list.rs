//! `percussion list`.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use percussion_collision::Shape;
use percussion_impact::settings::Setting;
use percussion_mechanism::laws::Name;
use percussion_report::Table;
use serde::Serialize;

use crate::{
    arguments::List,
    catalogue::{Entry, Shelf, shelves},
    likeness::did_you_mean,
    output::{Verdict, answer},
};

/// All built-in names.
#[derive(Debug, Serialize)]
struct Names {
    #[serde(flatten)]
    shelves: BTreeMap<&'static str, Vec<Entry>>,
    shapes: &'static [&'static str],
}

/// One law.
#[derive(Debug, Serialize)]
struct LawSheet {
    name: String,
    title: String,
    settings: Vec<Setting>,
}

/// Everything else that has a name.
#[derive(Debug, Serialize)]
struct NameSheet {
    name: String,
    /// A title for each thing of this name, without repetitions.
    titles: Vec<String>,
    /// The commands that take the name.
    commands: Vec<String>,
}

pub(super) fn execute(arguments: &List) -> Result<Verdict> {
    let List { name, json } = arguments;
    match name.as_ref().map(|name| (name, name.parse::<Name>())) {
        None => {
            let shelves = shelves()?;
            let text = text(&shelves);
            let shelves = shelves.into_iter().map(|shelf| (shelf.key, shelf.entries)).collect();
            answer(*json, &Names { shelves, shapes: &Shape::NAMES }, || text)?;
        }
        Some((name, Ok(law))) => {
            let (name, title) = (name.clone(), law.summary().to_owned());
            let sheet = LawSheet { name, title, settings: law.settings() };
            answer(*json, &sheet, || law_text(&sheet))?;
        }
        Some((name, Err(_))) => {
            let sheet = name_sheet(name)?;
            answer(*json, &sheet, || {
                format!("{}\n\n  {}\n", sheet.titles.join("\n"), sheet.commands.join("\n  "))
            })?;
        }
    }
    Ok(Verdict::Met)
}

fn name_sheet(name: &str) -> Result<NameSheet> {
    let shelves = shelves()?;
    let (mut titles, mut commands) = (Vec::new(), Vec::new());
    for shelf in &shelves {
        for entry in shelf.entries.iter().filter(|entry| entry.name == name) {
            if !titles.contains(&entry.title) {
                titles.push(entry.title.clone());
            }
            commands.push(shelf.command.replace("NAME", name));
        }
    }
    let known = shelves.iter().flat_map(|shelf| &shelf.entries).map(|entry| entry.name.as_str());
    ensure!(
        !commands.is_empty(),
        "`{name}` is not built in, expected a name that `percussion list` shows{}",
        did_you_mean(name, known)
    );
    Ok(NameSheet { name: name.to_owned(), titles, commands })
}

fn text(shelves: &[Shelf]) -> String {
    let of_shelf = |shelf: &Shelf| {
        let mut table = Table::new("<<", [&*format!("{} ({})", shelf.plural, shelf.command), ""]);
        for entry in &shelf.entries {
            table.push([entry.name.as_str(), entry.title.as_str()]);
        }
        table.to_string()
    };
    let mut shapes = Table::new("<", ["shapes of bodies"]);
    for name in Shape::NAMES {
        shapes.push([name]);
    }
    let tables = shelves.iter().map(of_shelf).chain([shapes.to_string()]);
    tables.collect::<Vec<_>>().join("\n")
}

fn law_text(sheet: &LawSheet) -> String {
    let LawSheet { name, title, settings } = sheet;
    let mut table = Table::new("<><", ["setting", "default", "values"]);
    for setting in settings {
        table.push([&setting.key, &setting.default, &setting.expected].map(String::as_str));
    }
    format!(
        "{name}: {title}\n\n{table}\nGiven as --set {}=VALUE\n",
        settings.first().map_or("KEY", |first| first.key.as_str())
    )
}
