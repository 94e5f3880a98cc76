//! Prints a number for each MJCF file that changes when something changes that is read from the file or reported by
//! a warning: `verify/robots/attributes.py` changes attributes one by one and looks for those that change neither.
//!
//! `model_digest FILE...` prints a line `digest NUMBER ELEMENT:LINE...` for each file, with the elements of the file itself that
//! are ignored as a whole and named by a warning, or `refused MESSAGE`.

#![expect(clippy::print_stdout, reason = "the output is the purpose")]

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
};

use percussion_mechanism::{
    mjcf,
    urdf::{Subject, Warning},
};

/// The name of the element that a warning concerns, without its own name and what contains it.
fn element(warning: &Warning) -> &str {
    let own = warning.element.rsplit(" > ").next().unwrap_or_default();
    own.split(' ').next().unwrap_or_default()
}

fn line(path: &str) -> String {
    let settings = mjcf::Settings { root: Some("/".into()), ..mjcf::Settings::default() };
    let model = match mjcf::read_file(path, &settings) {
        Ok(model) => model,
        Err(error) => return format!("refused {}", error.to_string().replace('\n', " ")),
    };
    let mut hasher = DefaultHasher::new();
    format!("{model:?}").hash(&mut hasher);
    let whole = model.warnings.iter().filter(|warning| warning.subject == Subject::Element);
    let own = whole.filter(|warning| warning.file.is_none());
    let ignored: BTreeSet<String> =
        own.map(|warning| format!("{}:{}", element(warning), warning.line)).collect();
    let ignored: Vec<String> = ignored.into_iter().collect();
    format!("digest {:016x} {}", hasher.finish(), ignored.join(" "))
}

fn main() {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        paths.push(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/robots/walker.xml").to_owned());
    }
    for path in paths {
        println!("{}", line(&path));
    }
}
