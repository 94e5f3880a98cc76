//! A page with text, tables and figures of one run: [`PlainPage`].

use percussion_record::{Figure, view::View};

use crate::{escape, film, svg};

const STYLE: &str = include_str!("report/page.css");

/// The content of a page.
///
/// # Example
///
/// ```
/// use percussion_report::plain_page::{PlainPage, PlainTable};
///
/// let table = PlainTable {
///     title: "ends".into(),
///     header: vec!["status".into(), "members".into()],
///     rows: vec![vec!["end-reached".into(), "7".into()]],
/// };
/// let page = PlainPage { title: "A < B".into(), tables: vec![table], ..PlainPage::default() };
/// let html = page.html();
/// assert!(html.contains("<h1>A &lt; B</h1>") && html.contains("<td class=\"number\">7</td>"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlainPage {
    /// Title.
    pub title: String,
    /// Paragraphs below it.
    pub paragraphs: Vec<String>,
    /// The motions that the page begins with, as a small moving picture if they have one, and a link to their player.
    pub player: Option<Player>,
    /// Figures below these.
    pub figures: Vec<Figure>,
    /// Tables below them.
    pub tables: Vec<PlainTable>,
    /// Paragraphs at the end.
    pub notes: Vec<String>,
}

/// Motions and the page that plays them.
#[derive(Clone, Debug, PartialEq)]
pub struct Player {
    /// Title of the picture.
    pub title: String,
    /// The motions.
    pub view: View,
    /// Address of the page that plays them.
    pub address: String,
    /// Text of the link to this page.
    pub link: String,
}

/// A table of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlainTable {
    /// Title.
    pub title: String,
    /// Names of the columns.
    pub header: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
}

impl PlainPage {
    /// The page as HTML. It contains its style and figures and loads nothing; it follows the light or dark scheme of the reader.
    #[must_use]
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut body = format!("<header>\n<h1>{title}</h1>\n");
        for paragraph in &self.paragraphs {
            body += &format!("<p>{}</p>\n", escape(paragraph));
        }
        body += "</header>\n";
        body += &self.player.as_ref().map(Player::html).unwrap_or_default();
        body += &self.figures();
        body += &self.tables.iter().map(PlainTable::html).collect::<String>();
        if !self.notes.is_empty() {
            let notes = self.notes.iter().map(|note| format!("<p>{}</p>\n", escape(note)));
            body +=
                &format!("<section>\n<h2>Notes</h2>\n{}</section>\n", notes.collect::<String>());
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
             </head>\n<body>\n{body}</body>\n</html>\n"
        )
    }

    fn figures(&self) -> String {
        let figure = |figure: &Figure| {
            let caption = escape(&figure.caption);
            format!(
                "<figure>\n{}<figcaption>{caption}</figcaption>\n</figure>\n",
                svg::draw(figure)
            )
        };
        match self.figures.len() {
            0 => String::new(),
            _ => format!(
                "<div class=\"figures\">\n{}</div>\n",
                self.figures.iter().map(figure).collect::<String>()
            ),
        }
    }
}

impl Player {
    /// The moving picture, or a link alone if the motions have none.
    fn html(&self) -> String {
        let title = escape(&self.title);
        let link = format!("<a href=\"{}\">{}</a>", escape(&self.address), escape(&self.link));
        match film::reel(&self.view, &link) {
            Some(reel) => format!(
                "<article class=\"card alone\">\n{reel}<h2>{title}</h2>\n</article>\n\
                 <script>\n{}</script>\n",
                film::SCRIPT
            ),
            None => format!("<p>{link}</p>\n"),
        }
    }
}

impl PlainTable {
    fn html(&self) -> String {
        let head =
            self.header.iter().map(|name| format!("<th scope=\"col\">{}</th>", escape(name)));
        let cell = |text: &String| match text.replace('−', "-").parse::<f64>() {
            Ok(_) => format!("<td class=\"number\">{}</td>", escape(text)),
            Err(_) => format!("<td>{}</td>", escape(text)),
        };
        let row =
            |row: &Vec<String>| format!("<tr>{}</tr>\n", row.iter().map(cell).collect::<String>());
        format!(
            "<section>\n<h2>{title}</h2>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" \
             aria-label=\"{title}\">\n<table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table>\n\
             </div>\n</section>\n",
            head.collect::<String>(),
            self.rows.iter().map(row).collect::<String>(),
            title = escape(&self.title),
        )
    }
}
