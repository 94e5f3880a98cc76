//! The files of an ensemble: tables, figures and pages.

use std::path::{Path, PathBuf};

use anyhow::Result;
use percussion_integrators::ensemble::Point;
use percussion_mechanism::{ensemble::Ensemble, scenario::Setup, view};
use percussion_record::{Axis, Column, Figure, Mark, Series};
use percussion_report::{
    atomic, csv,
    number::exact,
    plain_page::{PlainPage, PlainTable, Player},
    viewer, write_figure,
};

use super::{Outcome, text};
use crate::output::name_of;

/// Writes `bands.csv`, `shares.csv`, `members.csv`, a figure for the band of each quantity, the page that plays the member
/// `played`, and `index.html` with all of it; returns their paths.
pub(super) fn write(
    directory: &Path,
    setup: &Setup,
    ensemble: &Ensemble,
    played: u32,
) -> Result<Vec<PathBuf>> {
    let outcome = Outcome::new(setup, ensemble);
    let mut files = Vec::new();
    let mut table = |name: &str, text: String| -> Result<()> {
        let file = directory.join(name);
        atomic::write(&file, text.as_bytes())?;
        files.push(file);
        Ok(())
    };
    let bands = ensemble.table();
    let heading = |column: &Column| csv::heading(&column.name, &column.unit);
    let headings: Vec<_> = bands.columns.iter().map(heading).collect();
    table("bands.csv", csv::table(&headings, bands.rows))?;
    table("shares.csv", shares_csv(&outcome))?;
    table("members.csv", members_csv(ensemble))?;
    let figures: Vec<_> =
        (0..ensemble.quantities.len()).filter_map(|k| figure(setup, ensemble, k)).collect();
    for figure in &figures {
        files.extend(write_figure(&directory.join(&figure.id), figure)?);
    }
    let motion = setup.simulate_member(ensemble.settings.law, played, &mut |_| ())?;
    let view = view::of_event_motion(setup, &motion);
    files.extend(viewer::write(directory, &view)?);
    let player = Player {
        title: format!("Member {played}"),
        view,
        address: "view.html".to_owned(),
        link: format!("Play member {played}"),
    };
    let page = page(setup, ensemble, &outcome, figures, player);
    let file = directory.join("index.html");
    atomic::write(&file, page.html().as_bytes())?;
    files.push(file);
    Ok(files)
}

fn shares_csv(outcome: &Outcome) -> String {
    let columns = ["of", "value", "members", "probability from", "probability to"];
    let mut text = csv::line(columns.map(str::to_owned));
    for (of, rows) in text::shares(outcome) {
        for row in rows {
            let [low, high] = row.probability.map(exact);
            text += &csv::line([of.to_owned(), row.name, row.count.to_string(), low, high]);
        }
    }
    text
}

fn members_csv(ensemble: &Ensemble) -> String {
    let names = ensemble.quantities.iter().map(|column| csv::heading(&column.name, &column.unit));
    let first = ["member", "status", "time at the end (s)", "impacts"].map(str::to_owned);
    let mut text = csv::line(first.into_iter().chain(names));
    for member in &ensemble.result.members {
        let first = [
            member.number.to_string(),
            name_of(&member.status),
            exact(member.state.time),
            member.counters.impacts.to_string(),
        ];
        let values = member.state.coordinates.iter().chain([&member.energy.end]);
        text += &csv::line(first.into_iter().chain(values.map(|value| exact(*value))));
    }
    text
}

/// The band of a quantity over time; none if no member has left its start.
fn figure(setup: &Setup, ensemble: &Ensemble, quantity: usize) -> Option<Figure> {
    let Column { name, unit } = &ensemble.quantities[quantity];
    let points = &ensemble.result.bands.get(quantity)?.points;
    let line = |label: String, mark: Mark, value: &dyn Fn(&Point) -> f64| Series {
        label,
        mark,
        points: points.iter().map(|point| [point.time, value(point)]).collect(),
    };
    let all = "least and greatest".to_owned();
    let mut series = vec![
        line(all.clone(), Mark::Outline, &|point| point.least),
        line(all, Mark::Outline, &|point| point.greatest),
    ];
    for (k, p) in ensemble.settings.quantiles.iter().enumerate() {
        series.push(line(format!("quantile {p}"), Mark::Line, &|point| point.quantiles[k]));
    }
    let id: String = name
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    Some(Figure {
        id: format!("band-{quantity}-{id}"),
        title: format!("{}: {name}", setup.scenario.title),
        caption: format!(
            "Quantiles of {name} over {} members, and the least and the greatest value of all.",
            ensemble.settings.members
        ),
        x: Axis::new("time", "s"),
        y: Axis::new(name, unit),
        equal_aspect: false,
        map: None,
        series,
    })
}

fn page(
    setup: &Setup,
    ensemble: &Ensemble,
    outcome: &Outcome,
    figures: Vec<Figure>,
    player: Player,
) -> PlainPage {
    let settings = &ensemble.settings;
    let header =
        |first: &str| [first, "members", "share", "probability"].map(str::to_owned).to_vec();
    let tables = text::shares(outcome).into_iter().map(|(title, rows)| PlainTable {
        title: title.to_owned(),
        header: header(title),
        rows: rows.into_iter().map(|row| row.cells(settings.members).to_vec()).collect(),
    });
    PlainPage {
        title: setup.scenario.title.clone(),
        paragraphs: vec![
            format!(
                "{} motions from one start; each impact draws its outcome, seed {}.",
                settings.members, settings.law.seed
            ),
            format!(
                "Probabilities are those of the draws. Each interval leaves out its probability with a chance of at \
                 most {}.",
                settings.failure
            ),
        ],
        tables: tables.collect(),
        figures,
        player: Some(player),
        notes: Vec::new(),
    }
}
