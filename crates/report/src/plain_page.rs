//! A page with text, tables and figures of one run: [`PlainPage`].

use percussion_record::Figure;

use crate::{escape, svg};

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
    /// Tables below them.
    pub tables: Vec<PlainTable>,
    /// Figures below these.
    pub figures: Vec<Figure>,
    /// Address of a page that plays a motion, and the text of the link, if there is one.
    pub player: Option<[String; 2]>,
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
        if let Some([address, text]) = &self.player {
            body += &format!("<p><a href=\"{}\">{}</a></p>\n", escape(address), escape(text));
        }
        body += "</header>\n";
        body += &self.tables.iter().map(PlainTable::html).collect::<String>();
        for figure in &self.figures {
            body += &format!(
                "<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n",
                svg::draw(figure),
                escape(&figure.caption)
            );
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
             </head>\n<body>\n{body}</body>\n</html>\n"
        )
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
