//! The page of the report.

use std::fmt::Write as _;

use percussion_record::{Against, ExperimentOutcome, Figure, Play, Row};

use crate::{
    Report, Results, escape,
    number::{short, short_or_dash},
    paths::{figure_stem, folder},
    svg,
};

const STYLE: &str = include_str!("page.css");

/// The script of a fold, which runs when it is opened.
const LOAD: &str = "const frame = this.querySelector('iframe'); frame.src ||= frame.dataset.page";

/// Builds the page: a summary, then for each experiment its paragraph, its table and its figures.
///
/// It contains its style and its figures, loads nothing, follows the reader's light or dark scheme, and links to the
/// files that [`Report::write`] writes next to it. Pages that play motions are only loaded when the reader opens
/// them.
pub(super) fn html(report: &Report<'_>) -> String {
    let mut body = head(report);
    body += &contents(report.outcomes);
    for outcome in report.outcomes {
        body += &section(outcome);
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>percussion: reproduction</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n{body}</body>\n</html>\n"
    )
}

fn head(report: &Report<'_>) -> String {
    let results = Results::new(report.outcomes);
    let provenance = report.provenance;
    let mark = if results.failed == 0 { "good" } else { "bad" };
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
         <p>Measured figures of this run beside the published ones and those of an independent \
         check. An underlined reference is the one that the tolerance applies to. Invariants hold whatever the \
         parameters are: only an error of the computation makes them fail.</p>\n\
         <p>{}.</p>\n\
         <p><span class=\"verdict {mark}\">{} passed, {} failed</span>; \
         all of them are in <a href=\"results.json\">results.json</a>.</p>\n\
         <dl>\n{facts}</dl>\n</header>\n",
        results.counts, results.passed, results.failed
    )
}

/// A row for each experiment with its verdict.
fn contents(outcomes: &[ExperimentOutcome]) -> String {
    let mut rows = String::new();
    for outcome in outcomes {
        let results = Results::new(std::slice::from_ref(outcome));
        let mark = if results.failed == 0 { "good" } else { "bad" };
        let _ = writeln!(
            rows,
            "<tr><th scope=\"row\"><a href=\"#{id}\">{title}</a><br>\
             <code class=\"muted\">{id}</code></th>\
             <td class=\"verdict {mark}\">{} passed, {} failed</td></tr>",
            results.passed,
            results.failed,
            id = escape(&outcome.id),
            title = escape(&outcome.title),
        );
    }
    format!(
        "<nav class=\"scroll\" aria-label=\"Experiments\">\n<table>\n<thead><tr>\
         <th scope=\"col\">experiment</th><th scope=\"col\">verdict</th>\
         </tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</nav>\n"
    )
}

fn section(outcome: &ExperimentOutcome) -> String {
    let mut text = format!(
        "<section id=\"{}\">\n<h2>{}</h2>\n<p>{}</p>\n",
        escape(&outcome.id),
        escape(&outcome.title),
        escape(&outcome.summary)
    );
    if let Some(play) = &outcome.play {
        text += &player(&outcome.id, play);
    }
    if !outcome.rows.is_empty() {
        text += &table(&outcome.rows);
    }
    if !outcome.notes.is_empty() {
        let items = outcome.notes.iter().map(|note| format!("<li>{}</li>\n", escape(note)));
        let _ = writeln!(text, "<ul class=\"notes\">\n{}</ul>", items.collect::<String>());
    }
    for each in &outcome.figures {
        text += &figure(outcome, each);
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
fn table(rows: &[Row]) -> String {
    let mut text = "<div class=\"scroll\">\n<table class=\"rows\">\n<thead><tr>\
        <th scope=\"col\">quantity</th>\
        <th scope=\"col\">unit</th><th scope=\"col\" class=\"number\">published</th>\
        <th scope=\"col\" class=\"number\">checked</th>\
        <th scope=\"col\" class=\"number\">measured</th>\
        <th scope=\"col\" class=\"number\">tolerance</th><th scope=\"col\">verdict</th>\
        <th scope=\"col\">fails with</th>\
        </tr></thead>\n<tbody>\n"
        .to_owned();
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
            cell("verdict", mark, verdict),
            cell("fails with", "", &escape(row.fails_with.as_deref().unwrap_or("–"))),
        ];
        let quantity = escape(&row.quantity);
        let _ = writeln!(text, "<tr><th scope=\"row\">{quantity}</th>{}</tr>", cells.concat());
    }
    text + "</tbody>\n</table>\n</div>\n"
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
