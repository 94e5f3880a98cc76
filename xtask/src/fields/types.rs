//! The types of a file format, as serde reads them.

use std::fs;

use anyhow::{Context, bail};
use syn::{
    Attribute, Expr, Fields, Item, Lit, LitStr, Meta, Path, Token, meta::ParseNestedMeta,
    punctuated::Punctuated,
};

use crate::shell;

/// The types of some source files.
pub(super) struct Pool {
    types: Vec<Type>,
}

/// One of them.
pub(super) struct Type {
    /// The stem of its file, or the module in it.
    pub(super) module: String,
    /// Its file.
    source: String,
    pub(super) name: String,
    /// The first paragraph of its documentation.
    pub(super) about: String,
    pub(super) serde: Serde,
    pub(super) content: Content,
}

pub(super) enum Content {
    Fields(Vec<Field>),
    /// A structure of one unnamed field.
    Wrapped(Box<syn::Type>),
    Variants(Vec<Variant>),
}

pub(super) struct Field {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) value: syn::Type,
    pub(super) serde: Serde,
}

pub(super) struct Variant {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) content: Option<Content>,
}

/// What the attributes of serde say.
#[derive(Clone, Debug, Default)]
pub(super) struct Serde {
    pub(super) rename: Option<String>,
    pub(super) rename_all: Option<String>,
    pub(super) tag: Option<String>,
    pub(super) try_from: Option<String>,
    pub(super) is_optional: bool,
    pub(super) is_untagged: bool,
    pub(super) is_flat: bool,
    pub(super) is_skipped: bool,
}

impl Pool {
    pub(super) fn read(sources: &[&str]) -> anyhow::Result<Self> {
        let mut types = Vec::new();
        for source in sources {
            let path = shell::root().join(source);
            let text = fs::read_to_string(&path).with_context(|| (*source).to_owned())?;
            let file = syn::parse_file(&text).with_context(|| (*source).to_owned())?;
            let module = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            add((source, &module), &file.items, &mut types)?;
        }
        Ok(Self { types })
    }

    /// The type that is read in place of `one`, itself unless it is converted from another one of the pool.
    pub(super) fn read_as<'a>(&'a self, one: &'a Type) -> &'a Type {
        let path = one.serde.try_from.as_deref().and_then(|path| path.rsplit_once("::"));
        let is = |other: &&Type| path == Some((&*other.module, &*other.name));
        self.types.iter().find(is).unwrap_or(one)
    }

    /// The type that `path` names in the file `module`: of two with one name that of the module in the path, or of the same
    /// file, or of a folder of that name, or the first.
    pub(super) fn find(&self, module: &str, path: &Path) -> Option<&Type> {
        let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
        let (name, within) = (names.next()?, names.next());
        let named = || self.types.iter().filter(|one| one.name == name);
        let wanted = within.as_deref().unwrap_or(module);
        let folder = format!("/{wanted}/");
        named()
            .find(|one| one.module == wanted)
            .or_else(|| named().find(|one| one.source.contains(&folder)))
            .or_else(|| named().next())
    }

    /// Whether another type has the name of `one`.
    pub(super) fn is_ambiguous(&self, one: &Type) -> bool {
        self.types.iter().filter(|other| other.name == one.name).count() > 1
    }

    pub(super) fn named(&self, name: &str) -> anyhow::Result<&Type> {
        self.types.iter().find(|one| one.name == name).with_context(|| format!("no type `{name}`"))
    }
}

/// The types of a file or a module in it.
fn add(
    (source, module): (&str, &str),
    items: &[Item],
    types: &mut Vec<Type>,
) -> anyhow::Result<()> {
    for item in items {
        match item {
            Item::Mod(inner) => {
                let items = inner.content.as_ref().map_or(&[][..], |(_, items)| items);
                add((source, &inner.ident.to_string()), items, types)?;
            }
            _ => types.extend(of_item((source, module), item)?),
        }
    }
    Ok(())
}

fn of_item((source, module): (&str, &str), item: &Item) -> anyhow::Result<Option<Type>> {
    let (name, attributes) = match item {
        Item::Struct(item) => (&item.ident, &item.attrs),
        Item::Enum(item) => (&item.ident, &item.attrs),
        _ => return Ok(None),
    };
    let serde = Serde::of(attributes)?;
    let content = match item {
        Item::Struct(item) => content(&item.fields, &serde)?,
        Item::Enum(item) => {
            let variants = item.variants.iter().map(|variant| {
                let own = Serde::of(&variant.attrs)?;
                let name = variant.ident.to_string();
                Ok(Variant {
                    name: own.rename.clone().unwrap_or_else(|| renamed(&name, &serde)),
                    about: about(&variant.attrs),
                    content: content(&variant.fields, &own)?,
                })
            });
            Some(Content::Variants(variants.collect::<anyhow::Result<_>>()?))
        }
        _ => None,
    };
    Ok(content.map(|content| Type {
        module: module.to_owned(),
        source: source.to_owned(),
        name: name.to_string(),
        about: about(attributes),
        serde,
        content,
    }))
}

fn content(fields: &Fields, of_all: &Serde) -> anyhow::Result<Option<Content>> {
    match fields {
        Fields::Unit => Ok(None),
        Fields::Unnamed(fields) => match fields.unnamed.first() {
            Some(first) if fields.unnamed.len() == 1 => {
                Ok(Some(Content::Wrapped(Box::new(first.ty.clone()))))
            }
            _ => bail!("a tuple of several fields has no words"),
        },
        Fields::Named(fields) => {
            let fields = fields.named.iter().map(|field| {
                let mut serde = Serde::of(&field.attrs)?;
                serde.is_optional |= of_all.is_optional;
                let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
                let name = name.trim_start_matches("r#").to_owned();
                let name = serde.rename.clone().unwrap_or(name);
                Ok(Field { name, about: about(&field.attrs), value: field.ty.clone(), serde })
            });
            Ok(Some(Content::Fields(fields.collect::<anyhow::Result<_>>()?)))
        }
    }
}

impl Serde {
    fn of(attributes: &[Attribute]) -> anyhow::Result<Self> {
        let mut serde = Self::default();
        for attribute in attributes {
            if attribute.path().is_ident("serde") {
                attribute.parse_nested_meta(|meta| serde.take(&meta))?;
            } else if attribute.path().is_ident("cfg_attr") {
                let parts =
                    attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
                for part in parts.iter().filter(|part| part.path().is_ident("serde")) {
                    part.require_list()?.parse_nested_meta(|meta| serde.take(&meta))?;
                }
            }
        }
        Ok(serde)
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        let text = match meta.input.peek(Token![=]) {
            true => match meta.value()?.parse::<Expr>()? {
                Expr::Lit(literal) => match literal.lit {
                    Lit::Str(text) => Some(LitStr::value(&text)),
                    _ => None,
                },
                _ => None,
            },
            false => None,
        };
        match name.as_str() {
            "rename" => self.rename = text,
            "rename_all" => self.rename_all = text,
            "tag" => self.tag = text,
            "try_from" => self.try_from = text,
            "default" | "skip_serializing_if" => self.is_optional = true,
            "untagged" => self.is_untagged = true,
            "flatten" => self.is_flat = true,
            "skip" => self.is_skipped = true,
            _ => {}
        }
        Ok(())
    }
}

/// The first paragraph of the documentation, on one line.
fn about(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The name of a variant in files.
fn renamed(name: &str, serde: &Serde) -> String {
    let separator = match serde.rename_all.as_deref() {
        Some("kebab-case") => "-",
        Some("snake_case") => "_",
        Some("lowercase") => "",
        _ => return name.to_owned(),
    };
    let mut text = String::new();
    for (at, letter) in name.char_indices() {
        if letter.is_uppercase() && at > 0 {
            text += separator;
        }
        text.extend(letter.to_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_files() {
        let serde = |rule: &str| Serde { rename_all: Some(rule.to_owned()), ..Serde::default() };
        assert_eq!(renamed("HalfSpace", &serde("kebab-case")), "half-space");
        assert_eq!(renamed("HalfSpace", &serde("snake_case")), "half_space");
        assert_eq!(renamed("HalfSpace", &serde("lowercase")), "halfspace");
        assert_eq!(renamed("HalfSpace", &Serde::default()), "HalfSpace");
    }
}
