//! `percussion impact` and `percussion compare`.

mod document;
mod judgement;
mod text;

use anyhow::{Result, ensure};
use clap::ValueEnum;

use self::document::{Comparison, Document, Entry, Refused};
use crate::{
    arguments::{Compare, Impact, LawName, Which},
    input::{self, Subject},
    laws::{Chosen, settings_of},
    output::{Verdict, answer},
};

type Given = Vec<(String, String)>;

pub(super) fn impact(arguments: &Impact) -> Result<Verdict> {
    let subject = input::impact(&arguments.problem)?;
    let given = arguments.settings.settings.clone();
    match arguments.law {
        Which::One(name) => {
            let law = Chosen::new(name, given)?;
            let document = resolve(name, &law, &subject)?;
            answer(arguments.json, &document, || text::one(&subject, &document))?;
            Ok(verdict(document.is_resolved()))
        }
        Which::All => {
            let laws = chosen(LawName::value_variants(), given)?;
            side_by_side(&subject, &laws, arguments.json)
        }
    }
}

pub(super) fn compare(arguments: &Compare) -> Result<Verdict> {
    let subject = input::impact(&arguments.problem)?;
    let names = if arguments.laws.is_empty() { LawName::value_variants() } else { &arguments.laws };
    let laws = chosen(names, arguments.settings.settings.clone())?;
    side_by_side(&subject, &laws, arguments.json)
}

/// The laws called `names`, with settings given as `law.key=value`.
fn chosen(names: &[LawName], mut given: Given) -> Result<Vec<(LawName, Chosen)>> {
    let laws = names.iter().map(|&name| {
        let prefix = format!("{name}.");
        let own = given.extract_if(.., |(key, _)| key.starts_with(&prefix));
        let own = own.map(|(key, value)| (key[prefix.len()..].to_owned(), value)).collect();
        Ok((name, Chosen::new(name, own)?))
    });
    let laws = laws.collect::<Result<_>>()?;
    if let Some((key, value)) = given.first() {
        let list = names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let known = |name: &LawName| settings_of(*name).iter().any(|known| known.key == *key);
        let hint = match names.iter().find(|name| known(name)) {
            Some(name) => format!(", such as `{name}.{key}={value}`"),
            None => String::new(),
        };
        anyhow::bail!(
            "setting `{key}` belongs to none of the laws, expected LAW.KEY=VALUE with one of \
             {list}{hint}"
        );
    }
    Ok(laws)
}

fn resolve(name: LawName, law: &Chosen, subject: &Subject) -> Result<Document> {
    let problem = &subject.problem;
    tracing::info!(law = %name, contacts = problem.contacts().len(), "resolving");
    Document::new(name.to_string(), problem, law.answer(problem)?)
}

/// Answers by each of the laws that applies, and says why the others do not.
fn side_by_side(subject: &Subject, laws: &[(LawName, Chosen)], json: bool) -> Result<Verdict> {
    let entries = laws.iter().map(|(name, law)| match resolve(*name, law, subject) {
        Ok(document) => Entry::Answer(Box::new(document)),
        Err(error) => Entry::Refused(Refused { law: name.to_string(), error: error.to_string() }),
    });
    let comparison = Comparison { laws: entries.collect() };
    ensure!(comparison.answers().next().is_some(), "{}", text::refusals(&comparison));
    answer(json, &comparison, || text::comparison(subject, &comparison))?;
    Ok(verdict(comparison.answers().all(Document::is_resolved)))
}

fn verdict(met: bool) -> Verdict {
    if met { Verdict::Met } else { Verdict::Unmet }
}
