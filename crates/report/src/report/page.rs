//! The page of the report.

mod gallery;

use std::fmt::Write as _;

use percussion_record::{Against, Difference, ExperimentOutcome, Family, Figure, Play, Row};

use crate::{
    Report, Results, escape, film,
    number::{short, short_or_dash},
    paths::{figure_stem, folder},
    svg,
};

const STYLE: &str = include_str!("page.css");

/// The script of a fold, which runs when it is opened.
const LOAD: &str = "const frame = this.querySelector('iframe'); frame.src ||= frame.dataset.page";

/// Builds the page: a summary, the gallery of the families, the list of experiments, then for each experiment its
/// paragraph, its player, its figures and its table.
///
/// It contains its style and its figures, loads nothing, follows the reader's light or dark scheme, and links to the
/// files that [`Report::write`] writes next to it. Pages that play motions are only loaded when the reader opens
/// them.
pub(super) fn html(report: &Report<'_>) -> String {
    let parts = parts(report);
    let mut body =
        format!("{}<main>\n{}", head(report), gallery::html(report.families, report.outcomes));
    body += &contents(&parts);
    for (family, outcomes) in &parts {
        let heading = if family.is_some() { "h3" } else { "h2" };
        if let Some(family) = family {
            body += &format!(
                "<h2 id=\"family-{}\" class=\"family\">{}</h2>\n<p class=\"source\">{}</p>\n",
                escape(&family.id),
                escape(&family.title),
                escape(&family.source)
            );
        }
        body.extend(outcomes.iter().map(|outcome| section(outcome, heading)));
    }
    body += "</main>\n";
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>percussion: reproduction</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n{body}<script>\n{}</script>\n</body>\n</html>\n",
        film::SCRIPT
    )
}

/// The outcomes of each family, in the order of the families, then those of none.
fn parts<'a>(report: &Report<'a>) -> Vec<(Option<&'a Family>, Vec<&'a ExperimentOutcome>)> {
    let of = |family: &Family| report.outcomes.iter().filter(|one| family.has(&one.id)).collect();
    let mut parts: Vec<(Option<&Family>, Vec<&ExperimentOutcome>)> =
        report.families.iter().map(|family| (Some(family), of(family))).collect();
    let homeless =
        |one: &&ExperimentOutcome| !report.families.iter().any(|family| family.has(&one.id));
    parts.push((None, report.outcomes.iter().filter(homeless).collect()));
    parts.retain(|(_, outcomes)| !outcomes.is_empty());
    parts
}

/// The numbers of judged figures that hold and that fail, with a mark besides the color.
fn verdict(results: &Results) -> String {
    let (mark, sign) = if results.failed == 0 { ("good", "✓") } else { ("bad", "✗") };
    format!(
        "<span class=\"verdict {mark}\">{sign} {} passed, {} failed</span>",
        results.passed, results.failed
    )
}

fn head(report: &Report<'_>) -> String {
    let results = Results::new(report.outcomes);
    let provenance = report.provenance;
    let facts = [
        ("version", format!("percussion {}", provenance.version)),
        ("effort, seed", format!("{}, {}", provenance.effort, provenance.seed)),
        ("machine", provenance.machine.clone()),
        ("run", format!("{}, {:.1} s", provenance.started_utc(), provenance.elapsed.as_secs_f64())),
    ];
    let facts: String = facts
        .iter()
        .map(|(name, value)| format!("<dt>{name}</dt><dd>{}</dd>\n", escape(value)))
        .collect();
    format!(
        "<header>\n<h1>Published experiments, reproduced</h1>\n\
         <p>{}: {}.</p>\n\
         <details><summary>How to read this page, and how it was made</summary>\n\
         <p>Measured figures of this run stand beside the published ones and those of an independent \
         check. An underlined reference is the one that the tolerance applies to. Invariants hold whatever the \
         parameters are: only an error of the computation makes them fail. \
         All of them are in <a href=\"results.json\">results.json</a>.</p>\n\
         <dl>\n{facts}</dl>\n</details>\n</header>\n",
        verdict(&results),
        results.counts
    )
}

/// A list of the experiments of each family with their verdicts.
fn contents(parts: &[(Option<&Family>, Vec<&ExperimentOutcome>)]) -> String {
    let mut text =
        "<nav aria-label=\"Experiments\">\n<h2>Experiments</h2>\n<div class=\"contents\">\n"
            .to_owned();
    for (family, outcomes) in parts {
        let title = family.map_or("Others", |family| &family.title);
        let _ = writeln!(text, "<section>\n<h3>{}</h3>\n<ul>", escape(title));
        for outcome in outcomes {
            let results = Results::new(std::slice::from_ref(outcome));
            let _ = writeln!(
                text,
                "<li><a href=\"#{id}\">{title}</a><br><code>{id}</code> {}</li>",
                verdict(&results),
                id = escape(&outcome.id),
                title = escape(&outcome.title),
            );
        }
        text += "</ul>\n</section>\n";
    }
    text + "</div>\n</nav>\n"
}

/// An experiment with a heading of the given element.
fn section(outcome: &ExperimentOutcome, heading: &str) -> String {
    let mut text = format!(
        "<section class=\"experiment\" id=\"{}\">\n<{heading}>{}</{heading}>\n<p>{}</p>\n",
        escape(&outcome.id),
        escape(&outcome.title),
        escape(&outcome.summary)
    );
    if let Some(play) = &outcome.play {
        text += &player(&outcome.id, play);
    }
    if !outcome.figures.is_empty() {
        let figures = outcome.figures.iter().map(|each| figure(outcome, each));
        let _ = writeln!(text, "<div class=\"figures\">\n{}</div>", figures.collect::<String>());
    }
    if !outcome.rows.is_empty() {
        text += &table(&outcome.title, &outcome.rows);
    }
    if !outcome.notes.is_empty() {
        let items = outcome.notes.iter().map(|note| format!("<li>{}</li>\n", escape(note)));
        let _ = writeln!(text, "<ul class=\"notes\">\n{}</ul>", items.collect::<String>());
    }
    text + "</section>\n"
}

/// The page that plays an experiment, loaded when its fold is opened.
///
/// Browsers load frames in closed folds, even lazy ones, and loading a dozen players at once takes a minute. A frame
/// therefore gets its address only when its fold is opened.
fn player(id: &str, play: &Play) -> String {
    let (folder, title) = (folder(id), escape(&play.view.title));
    let command = play.command.as_ref().map_or_else(String::new, |arguments| {
        let command = format!("percussion {arguments} --out run && percussion view run");
        format!(" It is written by <code>{}</code>.", escape(&command))
    });
    format!(
        "<details class=\"player\" ontoggle=\"{LOAD}\">\n<summary>Play it</summary>\n\
         <iframe data-page=\"{folder}/view.html\" title=\"{title}\"></iframe>\n\
         <p class=\"muted\">The player <a href=\"{folder}/view.html\">on a page of its own</a>, its \
         <a href=\"{folder}/view.json\">data</a>.{command}</p>\n</details>\n"
    )
}

/// The rows of an experiment; the reference used for the verdict is underlined.
fn table(title: &str, rows: &[Row]) -> String {
    let mut text = format!(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Measurements: {}\">\n",
        escape(title)
    );
    text += "<table class=\"rows\">\n<thead><tr>\
        <th scope=\"col\">quantity</th>\
        <th scope=\"col\">unit</th><th scope=\"col\" class=\"number\">published</th>\
        <th scope=\"col\" class=\"number\">checked</th>\
        <th scope=\"col\" class=\"number\">measured</th>\
        <th scope=\"col\" class=\"number\">tolerance</th><th scope=\"col\">verdict</th>\
        <th scope=\"col\">fails with</th>\
        </tr></thead>\n<tbody>\n";
    for row in rows {
        let cell = |label: &str, class: &str, text: &str| {
            format!("<td class=\"{class}\" data-label=\"{label}\">{text}</td>")
        };
        let class = |counts| if counts { "number counts" } else { "number" };
        let by_check = matches!(row.against, Against::Checked | Against::Invariant);
        let tolerance = row.tolerance.map(|tolerance| format!("± {}", short(tolerance)));
        let (mark, verdict) = match (row.against, row.accepted) {
            (Against::Nothing, _) => ("muted", "shown only"),
            (Against::Invariant, true) => ("verdict good", "✓ invariant"),
            (Against::Invariant, false) => ("verdict bad", "✗ invariant failed"),
            (_, true) => ("verdict good", "✓ accepted"),
            (_, false) => ("verdict bad", "✗ failed"),
        };
        let cells = [
            cell("unit", "", &escape(&row.unit)),
            cell(
                "published",
                class(row.against == Against::Published),
                &short_or_dash(row.published),
            ),
            cell("checked", class(by_check), &short_or_dash(row.checked)),
            cell("measured", "number measured", &short(row.measured)),
            cell("tolerance", "number", &tolerance.unwrap_or_else(|| short_or_dash(None))),
            cell("verdict", mark, &format!("{verdict}{}", difference(row))),
            cell("fails with", "", &escape(row.fails_with.as_deref().unwrap_or("–"))),
        ];
        let quantity = escape(&row.quantity);
        let _ = writeln!(text, "<tr><th scope=\"row\">{quantity}</th>{}</tr>", cells.concat());
    }
    text + "</tbody>\n</table>\n</div>\n"
}

/// What the verdict of a row adds about a published value that does not judge it.
fn difference(row: &Row) -> String {
    match &row.difference {
        None => String::new(),
        Some(Difference::Agrees) if row.is_as_published() => ", as published".to_owned(),
        Some(Difference::Agrees) => ", not as published".to_owned(),
        Some(Difference::Input) => ", an input".to_owned(),
        Some(Difference::ShownBy(rows)) => {
            format!(", the difference is shown by: {}", escape(&rows.join("; ")))
        }
        Some(Difference::Open) => ", the difference is open".to_owned(),
    }
}

fn figure(outcome: &ExperimentOutcome, figure: &Figure) -> String {
    let stem = figure_stem(outcome, figure);
    let class = if figure.map.is_some() { " class=\"map\"" } else { "" };
    format!(
        "<figure{class}>\n{}<figcaption>{}\n(<a href=\"{stem}.svg\">SVG</a>, \
         <a href=\"{stem}.csv\">CSV</a>, <a href=\"{stem}.json\">JSON</a>)</figcaption>\n</figure>\n",
        svg::draw(figure),
        escape(&figure.caption),
    )
}
