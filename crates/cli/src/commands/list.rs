//! `percussion list`.

use anyhow::Result;
use percussion_report::Table;
use percussion_scenarios::{Scenario, experiments};
use serde::Serialize;

use crate::output::{Verdict, answer};

#[derive(Debug, Serialize)]
struct List {
    scenarios: Vec<Entry>,
    experiments: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Entry {
    name: String,
    title: String,
}

pub(super) fn execute(json: bool) -> Result<Verdict> {
    let scenarios = Scenario::names()
        .map(|name| Ok(Entry { name: name.to_owned(), title: Scenario::named(name)?.title }))
        .collect::<Result<_>>()?;
    let experiments = experiments()
        .iter()
        .map(|known| Entry { name: known.id.to_owned(), title: known.title.to_owned() })
        .collect();
    let list = List { scenarios, experiments };
    answer(json, &list, || text(&list))?;
    Ok(Verdict::Met)
}

fn text(list: &List) -> String {
    let table = |kind: &str, entries: &[Entry]| {
        let mut table = Table::new("<<", [kind, ""]);
        for entry in entries {
            table.push([entry.name.as_str(), entry.title.as_str()]);
        }
        table.to_string()
    };
    format!(
        "{}\n{}",
        table("scenarios (percussion run NAME)", &list.scenarios),
        table("experiments (percussion reproduce ID)", &list.experiments),
    )
}
