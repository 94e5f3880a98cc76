//! Reading of XML into a tree of [`Element`]s with line numbers, for robot descriptions and meshes.
//!
//! Entities of a document type are never expanded: a reference to one in an attribute is an error, and in
//! text it is ignored. Nesting is limited, so that dropping a tree needs little stack.

use std::sync::Arc;

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

/// Maximum nesting. URDF needs 5, settings of simulators inside it some more, and MJCF one level for each
/// link of a chain.
const DEEPEST: usize = 200;

/// Reason why a text is not well-formed XML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Line, from 1.
    pub(crate) line: usize,
    /// The message.
    pub(crate) message: String,
}

/// An element with everything in it.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    /// Names and values, in the order of the text.
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Self>,
    /// Whether there is text besides the elements.
    pub(crate) has_text: bool,
    /// This text; empty unless it was [kept](parse_with_text).
    pub(crate) text: String,
    /// Line of the opening tag, from 1.
    pub(crate) line: usize,
    /// The included file that contains it; `None` for the main file.
    #[cfg_attr(not(feature = "mjcf"), expect(dead_code, reason = "only MJCF includes files"))]
    pub(crate) file: Option<Arc<str>>,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    pub(crate) fn children_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// The outermost element of `text`, without the text inside it.
pub(crate) fn parse(text: &str) -> Result<Element, Malformed> {
    read(text, false)
}

/// The outermost element of `text`, with the text inside it.
pub(crate) fn parse_with_text(text: &str) -> Result<Element, Malformed> {
    read(text, true)
}

fn read(text: &str, keep: bool) -> Result<Element, Malformed> {
    let mut reader = Reader::from_str(text);
    let mut lines = Lines { text, counted: 0, line: 1 };
    let mut open: Vec<Element> = Vec::new();
    let mut outermost = None;
    loop {
        let line = lines.at(reader.buffer_position());
        let event = reader.read_event().map_err(|error| Malformed {
            line: lines.at(reader.error_position()),
            message: error.to_string(),
        })?;
        let refuse = |message: String| Err(Malformed { line, message });
        let mut closed = None;
        match event {
            Event::Eof => break,
            Event::Start(_) if open.len() == DEEPEST => {
                return refuse(format!("elements are nested more than {DEEPEST} deep"));
            }
            Event::Start(tag) => open.push(element(&tag, line)?),
            Event::Empty(tag) => closed = Some(element(&tag, line)?),
            Event::End(_) => closed = open.pop(),
            Event::Text(text) if text.iter().all(u8::is_ascii_whitespace) => {}
            Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => {
                let Some(parent) = open.last_mut() else {
                    return refuse("text outside of all elements".into());
                };
                parent.has_text = true;
                if keep && let Event::Text(text) = &event {
                    parent.text.push_str(&String::from_utf8_lossy(text));
                }
            }
            _ => {}
        }
        if let Some(element) = closed {
            match open.last_mut() {
                Some(parent) => parent.children.push(element),
                None if outermost.is_none() => outermost = Some(element),
                None => return refuse(format!("a second outermost element `{}`", element.name)),
            }
        }
    }
    if let Some(element) = open.pop() {
        let message = format!("element `{}` is not closed", element.name);
        return Err(Malformed { line: element.line, message });
    }
    outermost.ok_or_else(|| Malformed { line: 1, message: "there is no element".into() })
}

fn element(tag: &BytesStart<'_>, line: usize) -> Result<Element, Malformed> {
    let refuse = |message: String| Malformed { line, message };
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| refuse(error.to_string()))?;
        let value = attribute.unescape_value().map_err(|error| refuse(error.to_string()))?;
        attributes.push((text(attribute.key.as_ref()), value.into_owned()));
    }
    let name = text(tag.name().as_ref());
    let (children, text) = (Vec::new(), String::new());
    Ok(Element { name, attributes, children, has_text: false, text, line, file: None })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Counts lines up to positions that do not decrease.
struct Lines<'a> {
    text: &'a str,
    counted: usize,
    line: usize,
}

impl Lines<'_> {
    fn at(&mut self, position: u64) -> usize {
        let end = usize::try_from(position).unwrap_or(usize::MAX).min(self.text.len());
        if end > self.counted {
            let passed = &self.text.as_bytes()[self.counted..end];
            self.line += passed.iter().filter(|byte| **byte == b'\n').count();
            self.counted = end;
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_know_their_lines_and_texts() {
        let root = parse_with_text("<a>\n<b x=\"1\">2 3</b>\n\n<b/></a>").unwrap();
        let lines: Vec<_> = root.children_named("b").map(|b| b.line).collect();
        assert_eq!((root.line, lines, root.children[0].text.as_str()), (1, vec![2, 4], "2 3"));
        assert_eq!(root.child("b").unwrap().attribute("x"), Some("1"));
        assert!(parse("<a>2</a>").unwrap().text.is_empty());
    }

    /// Ten entities of ten references each would make 10¹⁰ characters.
    #[test]
    fn entities_are_not_expanded() {
        let bomb = |place: &str| {
            let define = (1..11)
                .map(|k| format!("<!ENTITY e{k} \"{}\">", format!("&e{};", k - 1).repeat(10)));
            let list: String = define.collect();
            format!("<!DOCTYPE a [<!ENTITY e0 \"lol\">{list}]><a {place}</a>")
        };
        let in_attribute = parse(&bomb("x=\"&e10;\">")).unwrap_err();
        assert!(in_attribute.message.contains("e10"), "{in_attribute:?}");
        let in_text = parse_with_text(&bomb(">&e10;")).unwrap();
        assert!(in_text.has_text && in_text.text.is_empty());
    }
}
