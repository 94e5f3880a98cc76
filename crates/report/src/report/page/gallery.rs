//! The gallery at the top of the page: for each family a picture that moves, two sentences and the verdict.

use percussion_record::{ExperimentOutcome, Family};

use super::verdict;
use crate::{Results, escape, film, paths::folder, svg};

/// What the page is about, for a reader who has ten seconds.
const LEAD: &str = "<p class=\"lead\">Bodies often strike at several points at the same instant: a block lands flat, \
    a ball meets two others. The equations of motion then do not say in which order the contacts act, and the motion \
    after the impact depends on it. Five papers answer this in five ways. This page is one run of their \
    experiments, with our figures beside theirs.</p>\n";

/// The gallery; empty without families.
pub(super) fn html(families: &[Family], outcomes: &[ExperimentOutcome]) -> String {
    let cards: String = families.iter().filter_map(|family| card(family, outcomes)).collect();
    if cards.is_empty() {
        return String::new();
    }
    format!("{LEAD}<div class=\"gallery\">\n{cards}</div>\n")
}

/// The card of a family that has outcomes.
fn card(family: &Family, outcomes: &[ExperimentOutcome]) -> Option<String> {
    let own: Vec<ExperimentOutcome> =
        outcomes.iter().filter(|outcome| family.has(&outcome.id)).cloned().collect();
    let star = own.iter().find(|outcome| family.star.as_ref() == Some(&outcome.id));
    let star = star.or_else(|| own.first())?;
    let (id, title) = (escape(&family.id), escape(&family.title));
    Some(format!(
        "<article class=\"card\">\n{}<h2><a href=\"#family-{id}\">{title}</a></h2>\n\
         <p class=\"source\">{}</p>\n<p>{}</p>\n<p>{}</p>\n</article>\n",
        picture(star),
        escape(&family.source),
        escape(&family.summary),
        verdict(&Results::new(&own)),
    ))
}

/// The film of an experiment, or its first figure.
fn picture(star: &ExperimentOutcome) -> String {
    let link = format!(
        "<a href=\"{}/view.html\" aria-label=\"Player of {}\">player</a>",
        folder(&star.id),
        escape(&star.title)
    );
    let reel = star.play.as_ref().and_then(|play| film::reel(&play.view, &link));
    reel.unwrap_or_else(|| {
        let figure = star.figures.first().map(svg::draw).unwrap_or_default();
        format!("<div class=\"still\">{figure}</div>\n")
    })
}
