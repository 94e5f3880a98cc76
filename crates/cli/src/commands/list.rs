//! `percussion list`.

use anyhow::Result;
use percussion_collision::Shape;
use percussion_complementarity::friction;
use percussion_impact::settings::Setting;
use percussion_integrators::schemes;
use percussion_mechanism::laws::Name;
use percussion_report::Table;
use percussion_scenarios::{experiments, fixtures};
use serde::Serialize;

use crate::{
    arguments::{List, Solver},
    output::{Verdict, answer},
};

/// All built-in names.
#[derive(Debug, Serialize)]
struct Names {
    scenarios: Vec<Entry>,
    impacts: Vec<Entry>,
    designs: Vec<Entry>,
    experiments: Vec<Entry>,
    laws: Vec<Entry>,
    lcp_solvers: Vec<Entry>,
    friction_laws: Vec<Entry>,
    friction_solvers: Vec<Entry>,
    schemes: Vec<Entry>,
    shapes: Vec<&'static str>,
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
    let scenarios = fixtures::scenarios()
        .map(|name| Ok(Entry { name: name.to_owned(), title: fixtures::scenario(name)?.title }))
        .collect::<Result<_>>()?;
    let impacts = fixtures::IMPACTS
        .iter()
        .map(|name| Ok(Entry { name: (*name).to_owned(), title: fixtures::impact(name)?.title }))
        .collect::<Result<_>>()?;
    let designs = fixtures::DESIGNS
        .iter()
        .map(|name| Ok(Entry { name: (*name).to_owned(), title: fixtures::design(name)?.title }))
        .collect::<Result<_>>()?;
    let experiments = experiments()
        .iter()
        .map(|known| Entry { name: known.id.to_owned(), title: known.title.to_owned() })
        .collect();
    let laws = Name::ALL.into_iter().map(law_entry).collect();
    let entry =
        |(name, title): (&str, &str)| Entry { name: name.to_owned(), title: title.to_owned() };
    let friction_laws = friction::Law::all().map(|law| (law.name(), law.summary()));
    let friction_solvers = friction::Method::all().map(|one| (one.name(), one.summary()));
    let schemes = schemes::Name::ALL.map(|scheme| (scheme.as_str(), scheme.summary()));
    let names = Names {
        scenarios,
        impacts,
        designs,
        experiments,
        laws,
        lcp_solvers: Solver::list().map(entry).collect(),
        friction_laws: friction_laws.into_iter().map(entry).collect(),
        friction_solvers: friction_solvers.into_iter().map(entry).collect(),
        schemes: schemes.into_iter().map(entry).collect(),
        shapes: Shape::NAMES.to_vec(),
    };
    answer(arguments.json, &names, || text(&names))?;
    Ok(Verdict::Met)
}

fn law_entry(law: Name) -> Entry {
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
    let shapes =
        names.shapes.iter().map(|name| Entry { name: (*name).to_owned(), title: String::new() });
    [
        table("scenarios (percussion run NAME)", &names.scenarios),
        table("impacts (percussion impact NAME --law LAW)", &names.impacts),
        table("designs (percussion design NAME)", &names.designs),
        table("experiments (percussion reproduce ID)", &names.experiments),
        table("laws (percussion impact FILE --law NAME)", &names.laws),
        table("solvers (percussion solve lcp FILE --solver NAME)", &names.lcp_solvers),
        table("friction laws (percussion solve friction FILE --law NAME)", &names.friction_laws),
        table("solvers (percussion solve friction FILE --solver NAME)", &names.friction_solvers),
        table("schemes (percussion run NAME --integrator SCHEME)", &names.schemes),
        table("shapes of bodies", &shapes.collect::<Vec<_>>()),
    ]
    .join("\n")
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
