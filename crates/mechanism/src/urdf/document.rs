//! Reading XML into a tree of [`Element`]s that know their lines.

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::Error;

/// Deepest nesting accepted. URDF needs 5; settings of simulators in between some more.
const DEEPEST: usize = 64;

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    /// Names and values, in the order of the text.
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Self>,
    /// Whether there is text besides the elements.
    pub(super) has_text: bool,
    /// Line of the opening tag, from 1.
    pub(super) line: usize,
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }
}

/// The outermost element of `text`.
pub(super) fn parse(text: &str) -> Result<Element, Error> {
    let mut reader = Reader::from_str(text);
    let mut lines = Lines { text, counted: 0, line: 1 };
    let mut open: Vec<Element> = Vec::new();
    let mut outermost = None;
    loop {
        let line = lines.at(reader.buffer_position());
        let event = reader.read_event().map_err(|error| Error::Xml {
            line: lines.at(reader.error_position()),
            message: error.to_string(),
        })?;
        let mut closed = None;
        match event {
            Event::Eof => break,
            Event::Start(_) if open.len() == DEEPEST => {
                let message = format!("elements are nested more than {DEEPEST} deep");
                return Err(Error::Xml { line, message });
            }
            Event::Start(tag) => open.push(element(&tag, line)?),
            Event::Empty(tag) => closed = Some(element(&tag, line)?),
            Event::End(_) => closed = open.pop(),
            Event::Text(text) if text.iter().all(u8::is_ascii_whitespace) => {}
            Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => match open.last_mut() {
                Some(parent) => parent.has_text = true,
                None => {
                    let message = "text outside of all elements".into();
                    return Err(Error::Xml { line, message });
                }
            },
            _ => {}
        }
        if let Some(element) = closed {
            match open.last_mut() {
                Some(parent) => parent.children.push(element),
                None if outermost.is_none() => outermost = Some(element),
                None => {
                    let message = format!("a second outermost element `{}`", element.name);
                    return Err(Error::Xml { line, message });
                }
            }
        }
    }
    if let Some(element) = open.pop() {
        let message = format!("element `{}` is not closed", element.name);
        return Err(Error::Xml { line: element.line, message });
    }
    outermost.ok_or_else(|| Error::Xml { line: 1, message: "there is no element".into() })
}

fn element(tag: &BytesStart<'_>, line: usize) -> Result<Element, Error> {
    let refuse = |message: String| Error::Xml { line, message };
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| refuse(error.to_string()))?;
        let value = attribute.unescape_value().map_err(|error| refuse(error.to_string()))?;
        attributes.push((text(attribute.key.as_ref()), value.into_owned()));
    }
    let name = text(tag.name().as_ref());
    Ok(Element { name, attributes, children: Vec::new(), has_text: false, line })
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
