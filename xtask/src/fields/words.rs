//! Types and documentation in words.

use anyhow::bail;
use syn::{Expr, GenericArgument, Lit, PathArguments, Type as Syntax};

use super::types::{Pool, Type};

/// A value in a file.
pub(super) struct Words<'a> {
    /// The words, with `{}` for the name of `part`.
    pub(super) text: String,
    pub(super) part: Option<&'a Type>,
    /// Whether it may be left out.
    pub(super) is_optional: bool,
}

impl Words<'_> {
    fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), part: None, is_optional: false }
    }
}

/// The words for a value of the type `syntax` in the file `module`.
pub(super) fn of<'a>(pool: &'a Pool, module: &str, syntax: &Syntax) -> anyhow::Result<Words<'a>> {
    match syntax {
        Syntax::Array(array) => {
            let Expr::Lit(literal) = &array.len else { bail!("an array of unknown length") };
            let Lit::Int(length) = &literal.lit else { bail!("an array of unknown length") };
            let inner = of(pool, module, &array.elem)?;
            Ok(Words { text: format!("{length} {}", plural(&inner.text)), ..inner })
        }
        Syntax::Path(path) => {
            let Some(last) = path.path.segments.last() else { bail!("a type without a name") };
            let inner = match &last.arguments {
                PathArguments::AngleBracketed(arguments) => {
                    arguments.args.iter().rev().find_map(|argument| match argument {
                        GenericArgument::Type(inner) => Some(inner),
                        _ => None,
                    })
                }
                _ => None,
            };
            let name = last.ident.to_string();
            match (name.as_str(), inner) {
                ("f64" | "f32", _) => Ok(Words::plain("number")),
                ("usize" | "u64" | "u32" | "u16" | "u8" | "i16", _) => {
                    Ok(Words::plain("whole number"))
                }
                ("bool", _) => Ok(Words::plain("true or false")),
                ("String" | "PathBuf", _) => Ok(Words::plain("text")),
                ("Table" | "Value", _) => Ok(Words::plain("table")),
                ("Hull", _) => Ok(Words::plain("`points`, a list of 3 numbers")),
                ("Vector3", _) => Ok(Words::plain("3 numbers")),
                ("Vector2", _) => Ok(Words::plain("2 numbers")),
                ("Option", Some(inner)) => {
                    Ok(Words { is_optional: true, ..of(pool, module, inner)? })
                }
                ("Box" | "Arc" | "Object", Some(inner)) => of(pool, module, inner),
                ("Vec", Some(inner)) => {
                    let inner = of(pool, module, inner)?;
                    Ok(Words { text: format!("list of {}", plural(&inner.text)), ..inner })
                }
                ("BTreeMap", Some(inner)) => {
                    let inner = of(pool, module, inner)?;
                    Ok(Words { text: format!("{} by name", plural(&inner.text)), ..inner })
                }
                _ => match pool.find(module, &path.path) {
                    Some(part) if part.serde.try_from.as_deref() == Some("String") => {
                        Ok(Words::plain("text"))
                    }
                    Some(part) => {
                        Ok(Words { text: "{}".to_owned(), part: Some(part), is_optional: false })
                    }
                    None => bail!("the type `{name}` of `{module}` is in none of the sources"),
                },
            }
        }
        _ => bail!("a type that has no words"),
    }
}

fn plural(text: &str) -> String {
    match text {
        "number" | "whole number" | "text" | "table" => format!("{text}s"),
        text if text.starts_with("list of") => text.replacen("list", "lists", 1),
        text if text.starts_with(|first: char| first.is_ascii_digit()) => {
            format!("lists of {text}")
        }
        text => text.to_owned(),
    }
}

/// Documentation without links to items of the crate, as a cell of a table.
pub(super) fn cell(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let Some(close) = rest[open..].find(']').map(|at| open + at) else { break };
        let (label, after) = (&rest[open + 1..close], &rest[close + 1..]);
        let target = after.strip_prefix('(').and_then(|after| after.split_once(')'));
        let is_item = label.starts_with('`') && label.ends_with('`');
        plain += &rest[..open];
        rest = match target {
            Some((_, after)) => {
                plain += label;
                after
            }
            None if is_item => {
                plain += label;
                after
            }
            None => {
                plain += &rest[open..=close];
                after
            }
        };
    }
    plain += rest;
    plain.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_items_become_their_labels() {
        let text = "a [`Shape`], the [module head](self), or `[0, 1]` in [a, b]";
        let expected = "a `Shape`, the module head, or `[0, 1]` in [a, b]";
        assert_eq!(cell(text), expected);
    }

    #[test]
    fn lists_have_plurals() {
        assert_eq!(plural("number"), "numbers");
        assert_eq!(plural("3 numbers"), "lists of 3 numbers");
        assert_eq!(plural("list of numbers"), "lists of numbers");
    }
}
