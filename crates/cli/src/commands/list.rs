//! `percussion list`.

use anyhow::Result;
use clap::ValueEnum;
use percussion_impact::laws::Setting;
use percussion_report::Table;
use percussion_scenarios::{Design, ImpactScenario, Scenario, design, experiments, impacts};
use serde::Serialize;

use crate::{
    arguments::List,
    laws::LawName,
    output::{Verdict, answer},
};

/// What is built in.
#[derive(Debug, Serialize)]
struct Names {
    scenarios: Vec<Entry>,
    impacts: Vec<Entry>,
    designs: Vec<Entry>,
    experiments: Vec<Entry>,
    laws: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Entry {
    name: String,
    title: String,
}

/// One law.
#[derive(Debug, Serialize)]
struct LawSheet {
    #[serde(flatten)]
    entry: Entry,
    settings: Vec<Setting>,
}

pub(super) fn execute(arguments: &List) -> Result<Verdict> {
    if let Some(law) = arguments.law {
        let sheet = LawSheet { entry: law_entry(law), settings: law.settings() };
        answer(arguments.json, &sheet, || sheet_text(&sheet))?;
        return Ok(Verdict::Met);
    }
    let scenarios = Scenario::names()
        .map(|name| Ok(Entry { name: name.to_owned(), title: Scenario::named(name)?.title }))
        .collect::<Result<_>>()?;
    let impacts = impacts::NAMES
        .iter()
        .map(|name| {
            Ok(Entry { name: (*name).to_owned(), title: ImpactScenario::named(name)?.title })
        })
        .collect::<Result<_>>()?;
    let designs = design::NAMES
        .iter()
        .map(|name| Ok(Entry { name: (*name).to_owned(), title: Design::named(name)?.title }))
        .collect::<Result<_>>()?;
    let experiments = experiments()
        .iter()
        .map(|known| Entry { name: known.id.to_owned(), title: known.title.to_owned() })
        .collect();
    let laws = LawName::value_variants().iter().map(|law| law_entry(*law)).collect();
    let names = Names { scenarios, impacts, designs, experiments, laws };
    answer(arguments.json, &names, || text(&names))?;
    Ok(Verdict::Met)
}

fn law_entry(law: LawName) -> Entry {
    Entry { name: law.to_string(), title: law.summary().to_owned() }
}

fn text(names: &Names) -> String {
    let table = |kind: &str, entries: &[Entry]| {
        let mut table = Table::new("<<", [kind, ""]);
        for entry in entries {
            table.push([entry.name.as_str(), entry.title.as_str()]);
        }
        table.to_string()
    };
    format!(
        "{}\n{}\n{}\n{}\n{}",
        table("scenarios (percussion run NAME)", &names.scenarios),
        table("impacts (percussion impact NAME --law LAW)", &names.impacts),
        table("designs (percussion design NAME)", &names.designs),
        table("experiments (percussion reproduce ID)", &names.experiments),
        table("laws (percussion impact FILE --law NAME)", &names.laws),
    )
}

fn sheet_text(sheet: &LawSheet) -> String {
    let Entry { name, title } = &sheet.entry;
    let mut table = Table::new("<><", ["setting", "default", "values"]);
    for setting in &sheet.settings {
        table.push([&setting.key, &setting.default, &setting.expected].map(String::as_str));
    }
    format!(
        "{name}: {title}\n\n{table}\nGiven as --set {}=VALUE\n",
        sheet.settings.first().map_or("KEY", |first| first.key.as_str())
    )
}
