//! Writes the whole report as a directory.

mod page;

use std::path::{Path, PathBuf};

use percussion_record::{ExperimentOutcome, Family, Figure, view::View};

use crate::{
    Provenance, Results,
    atomic::{self, WriteError},
    csv,
    paths::{figure_stem, folder},
    results::json,
    svg, viewer,
};

/// Outcomes of experiments and their provenance.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The outcomes, in the order of the report.
    pub outcomes: &'a [ExperimentOutcome],
    /// The families by which the page groups them; it has a gallery if there are any.
    pub families: &'a [Family],
    /// Their provenance.
    pub provenance: &'a Provenance,
}

/// The directory of the files that the pages with players share.
const ASSETS: &str = "viewer";

impl<'a> Report<'a> {
    /// Writes the report into `directory`, which is created if it is missing, and returns the path of its page.
    ///
    /// | file | holds |
    /// | --- | --- |
    /// | `index.html` | the page, which contains the figures and, with families, a gallery of moving pictures |
    /// | `results.json` | [`Results`] |
    /// | `<experiment>/<figure>.svg`, `.csv`, `.json` | each figure as drawing, table and [`Figure`] |
    /// | `<experiment>/view.html`, `view.json` | the page that plays the experiment and its data |
    /// | `viewer/` | what these pages share |
    ///
    /// Files of earlier reports are replaced one by one, each atomically, the page last.
    ///
    /// # Errors
    ///
    /// [`WriteError`] names the first file or directory that cannot be written.
    pub fn write(&self, directory: &Path) -> Result<PathBuf, WriteError> {
        atomic::prepare_directory(directory)?;
        for outcome in self.outcomes {
            for figure in &outcome.figures {
                let stem = directory.join(figure_stem(outcome, figure));
                atomic::prepare_directory(stem.parent().unwrap_or(directory))?;
                write_figure(&stem, figure)?;
            }
        }
        let plays = || {
            let play = |outcome: &'a ExperimentOutcome| Some((&outcome.id, outcome.play.as_ref()?));
            self.outcomes.iter().filter_map(play)
        };
        if plays().next().is_some() {
            let assets = directory.join(ASSETS);
            atomic::prepare_directory(&assets)?;
            viewer::write_assets(&assets)?;
        }
        for (id, play) in plays() {
            write_view(directory, id, &play.view)?;
        }
        let results = Results::new(self.outcomes);
        atomic::write(&directory.join("results.json"), results.to_json().as_bytes())?;
        let index = directory.join("index.html");
        atomic::write(&index, page::html(self).as_bytes())?;
        Ok(index)
    }
}

/// Writes `figure` as `<stem>.svg`, `<stem>.csv` and `<stem>.json`, and returns their paths.
///
/// # Errors
///
/// [`WriteError`] names the first file that cannot be written.
pub fn write_figure(stem: &Path, figure: &Figure) -> Result<[PathBuf; 3], WriteError> {
    let paths = ["svg", "csv", "json"].map(|extension| stem.with_extension(extension));
    let texts = [svg::draw(figure), csv::figure(figure), json(figure)];
    for (path, text) in paths.iter().zip(texts) {
        atomic::write(path, text.as_bytes())?;
    }
    Ok(paths)
}

/// Writes the page that plays an experiment and its data.
fn write_view(directory: &Path, id: &str, view: &View) -> Result<(), WriteError> {
    let folder = folder(id);
    let up = "../".repeat(1 + folder.matches('/').count());
    let target = directory.join(&folder);
    atomic::prepare_directory(&target)?;
    let page = viewer::page_with_assets(view, &format!("{up}{ASSETS}"));
    atomic::write(&target.join("view.html"), page.as_bytes())?;
    atomic::write(&target.join("view.json"), viewer::json(view).as_bytes())
}

#[cfg(test)]
mod tests {
    use percussion_record::{
        Axis, Mark, Play, Series,
        view::{Dimension, FORMAT},
    };

    use super::*;

    fn outcome() -> ExperimentOutcome {
        let axis = |label: &str| Axis::new(label, "m");
        ExperimentOutcome {
            id: "family/one".into(),
            title: "One".into(),
            summary: "What happens.".into(),
            rows: Vec::new(),
            figures: vec![Figure {
                id: "../figure 2".into(),
                title: "Two".into(),
                caption: "Caption.".into(),
                x: axis("x"),
                y: axis("y"),
                equal_aspect: true,
                map: None,
                series: vec![Series {
                    label: "path".into(),
                    mark: Mark::Line,
                    points: vec![[0.0, 0.0], [1.0, 1.0]],
                }],
            }],
            notes: Vec::new(),
            play: None,
        }
    }

    fn playing(id: &str, command: Option<&str>) -> ExperimentOutcome {
        let play = Play { view: view(), command: command.map(str::to_owned) };
        ExperimentOutcome { id: id.into(), play: Some(play), ..outcome() }
    }

    #[test]
    fn every_link_of_the_page_leads_to_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("new").join("report");
        let outcomes = [playing("family/one", Some("run one")), playing("family/two", None)];
        let provenance = Provenance::of_this_run("quick", 1);
        let family = Family {
            id: "family".into(),
            title: "A <family>".into(),
            source: "A paper".into(),
            summary: "A question. An answer.".into(),
            star: None,
        };
        let families = [family];
        let report = Report { outcomes: &outcomes, families: &families, provenance: &provenance };
        let page = std::fs::read_to_string(report.write(&target).unwrap()).unwrap();
        let written =
            "written by <code>percussion run one --out run &amp;&amp; percussion view run<";
        assert_eq!(page.matches(written).count(), 1, "one of two players has a command");
        let mut links = links_of(&page);
        let expected =
            ["family/one/---figure-2.csv", "family/one/view.html", "family/two/view.html"];
        assert!(expected.iter().all(|link| links.contains(link)), "{links:?}");
        let player = std::fs::read_to_string(target.join("family/two/view.html")).unwrap();
        let shared = links_of(&player);
        assert!(shared.contains(&"../../viewer/three.min.js"), "{shared:?}");
        links.extend(shared.iter().filter_map(|link| link.strip_prefix("../../")));
        let inside = |link: &&str| link.starts_with('#') || link.starts_with("data:");
        for link in links.into_iter().filter(|link| !inside(link)) {
            assert!(target.join(link).is_file(), "{link} does not exist");
        }
    }

    fn links_of(page: &str) -> Vec<&str> {
        let links = page.split("href=\"").skip(1).chain(page.split("src=\"").skip(1));
        links.filter_map(|rest| rest.split('"').next()).collect()
    }

    fn view() -> View {
        View {
            format: FORMAT.into(),
            title: "A view".into(),
            caption: "Of nothing.".into(),
            dimension: Dimension::Plane,
            bodies: Vec::new(),
            planes: Vec::new(),
            contacts: Vec::new(),
            motions: Vec::new(),
            sets: Vec::new(),
        }
    }

    #[test]
    fn a_figure_reads_back_from_its_json() {
        let directory = tempfile::tempdir().unwrap();
        let figure = outcome().figures.remove(0);
        write_figure(&directory.path().join("figure"), &figure).unwrap();
        let text = std::fs::read_to_string(directory.path().join("figure.json")).unwrap();
        assert_eq!(serde_json::from_str::<Figure>(&text).unwrap(), figure);
    }

    #[test]
    fn the_report_is_refused_where_a_file_has_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("taken");
        std::fs::write(&path, "").unwrap();
        let provenance = Provenance::of_this_run("quick", 1);
        let report = Report { outcomes: &[], families: &[], provenance: &provenance };
        assert!(report.write(&path).unwrap_err().to_string().contains("taken"));
    }
}
