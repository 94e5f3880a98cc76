//! All mutants of a file in one text, of which one is on at a time.
//!
//! Compiling a crate and its tests takes much longer than running them. Each mutant becomes a branch,
//! `if crate::mutant::on(17) { l + r } else { l - r }`, so that one build has all of them and the environment
//! variable of [`SWITCH`] chooses one. Operands are computed once, before the branch, so that nested mutants do
//! not multiply the text.

use std::{collections::BTreeMap, fmt::Write, ops::Range};

use anyhow::Context;
use syn::{
    BinOp, Expr,
    spanned::Spanned,
    visit::{self, Visit},
};

use super::list::{Mutant, Place};

/// The environment variable with the number of the mutant that is on.
pub(super) const VARIABLE: &str = "PERCUSSION_MUTANT";

/// A module for the head of the crate; `on` says whether the mutant with a number is on.
///
/// The first panic ends a program with a mutant, because the other tests say nothing more. So a crate whose tests
/// expect panics, which these do not, would seem better tested than it is.
pub(super) const SWITCH: &str = r#"
#[doc(hidden)]
pub mod mutant {
    static ON: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| {
        let number = std::env::var("PERCUSSION_MUTANT").ok();
        let number = number.and_then(|number| number.parse().ok()).unwrap_or(0);
        if number > 0 {
            std::panic::set_hook(Box::new(|_| std::process::exit(101)));
        }
        number
    });
    #[inline]
    pub fn on(number: usize) -> bool {
        *ON == number
    }
}
"#;

/// A file with its mutants.
#[derive(Debug)]
pub(super) struct Woven {
    /// The text.
    pub(super) text: String,
    /// Numbers of the mutants in it.
    pub(super) mutants: Vec<usize>,
}

/// Code that is replaced, by byte ranges of the text.
struct Edit {
    range: Range<usize>,
    form: Form,
    /// Numbers and replacements.
    mutants: Vec<(usize, String)>,
}

enum Form {
    /// `left op right`.
    Binary { left: Range<usize>, right: Range<usize>, kind: Kind },
    /// An operator before an operand, which is left out.
    Unary { operand: Range<usize> },
    /// A whole expression.
    Whole,
    /// Returns at the begin of a function; the range is empty.
    Return,
}

#[derive(Clone, Copy)]
enum Kind {
    /// Takes its operands.
    Value,
    /// Compares places.
    Comparison,
    /// `&&` or `||`.
    Lazy,
    /// Writes to its left operand.
    Assignment,
}

/// Weaves `mutants`, all of one file, into its `text`. Mutants whose code is not found, such as those of constant
/// functions, are left out.
pub(super) fn weave(text: &str, mutants: &[Mutant]) -> anyhow::Result<Woven> {
    let file = syn::parse_file(text).context("parsing a file that compiles")?;
    let mut by_place: BTreeMap<Place, Vec<&Mutant>> = BTreeMap::new();
    for mutant in mutants {
        by_place.entry(mutant.start).or_default().push(mutant);
    }
    let mut finder = Finder { lines: Lines::of(text), by_place, edits: Vec::new() };
    finder.visit_file(&file);
    let mut edits = finder.edits;
    // Outer edits before the inner ones, and returns before the expressions that begin with them.
    edits.sort_by_key(|edit| {
        let Range { start, end } = edit.range;
        (start, end > start, std::cmp::Reverse(end))
    });
    let mut list: Vec<usize> =
        edits.iter().flat_map(|edit| edit.mutants.iter().map(|(id, _)| *id)).collect();
    list.sort_unstable();
    Ok(Woven { text: render(text, 0..text.len(), &edits), mutants: list })
}

/// The text of `range` with the edits within.
fn render(text: &str, range: Range<usize>, edits: &[Edit]) -> String {
    let mut out = String::new();
    let mut at = range.start;
    let mut index = 0;
    while let Some(edit) = edits.get(index) {
        index += 1;
        let inside = edit.range.start >= at && edit.range.end <= range.end;
        if !inside {
            continue;
        }
        out.push_str(&text[at..edit.range.start]);
        out.push_str(&edit.render(text, &edits[index..]));
        at = edit.range.end;
    }
    out.push_str(&text[at..range.end]);
    out
}

impl Edit {
    /// Each branch of a mutant begins a line with its number, which names it where it does not compile.
    fn render(&self, text: &str, inner: &[Self]) -> String {
        let part = |range: &Range<usize>| render(text, range.clone(), inner);
        let mut branches = String::new();
        let all: Vec<String> = self.mutants.iter().map(|(id, _)| id.to_string()).collect();
        let all = all.join(",");
        let mut add = |id: usize, code: &str| {
            let _ = write!(branches, "\nif crate::mutant::on({id}) {{\n/*m{id}*/ {code}\n}} else ");
        };
        let text = match &self.form {
            Form::Return => {
                let mut text = String::new();
                for (id, replacement) in &self.mutants {
                    let code = format!("return {replacement};");
                    let _ = write!(text, "\nif crate::mutant::on({id}) {{\n/*m{id}*/ {code}\n}}\n");
                }
                return text;
            }
            Form::Whole => {
                for (id, replacement) in &self.mutants {
                    add(*id, replacement);
                }
                format!("{branches}{{ {} }}", part(&self.range))
            }
            Form::Unary { operand } => {
                let operand_text = part(operand);
                for (id, _) in &self.mutants {
                    add(*id, &operand_text);
                }
                let operator = &text[self.range.start..operand.start];
                format!("{branches}{{ {operator}{operand_text} }}")
            }
            Form::Binary { left, right, kind } => {
                let operator = text[left.end..right.start].trim();
                let (left, right) = (part(left), part(right));
                let (head, l, r) = match kind {
                    Kind::Value => (format!("match ({left}, {right}) {{ (l, r) => "), "l", "r"),
                    Kind::Comparison => {
                        (format!("match (&({left}), &({right})) {{ (l, r) => "), "*l", "*r")
                    }
                    Kind::Lazy => (format!("match {left} {{ l => "), "l", &*right),
                    Kind::Assignment => (format!("match {right} {{ r => "), &*left, "r"),
                };
                for (id, replacement) in &self.mutants {
                    add(*id, &format!("{l} {replacement} {r}"));
                }
                format!("{head}{branches}{{ {l} {operator} {r} }} }}")
            }
        };
        format!("(/*e{all}*/ {text} /*x{all}*/)")
    }
}

/// Byte offsets of lines.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        Self { text, starts }
    }

    /// The offset of a place, whose column counts characters from 0.
    fn offset(&self, place: proc_macro2::LineColumn) -> usize {
        let start = self.starts[place.line - 1];
        let line = &self.text[start..];
        start + line.char_indices().nth(place.column).map_or(line.len(), |(offset, _)| offset)
    }

    fn range(&self, item: &impl Spanned) -> Range<usize> {
        let span = item.span();
        self.offset(span.start())..self.offset(span.end())
    }
}

/// Finds the code of the mutants.
struct Finder<'a> {
    lines: Lines<'a>,
    by_place: BTreeMap<Place, Vec<&'a Mutant>>,
    edits: Vec<Edit>,
}

impl Finder<'_> {
    /// The mutants of a kind at the begin of `item`, which are not given out again.
    fn take(&mut self, item: &impl Spanned, genre: &str) -> Vec<(usize, String)> {
        let start = item.span().start();
        let Some(here) = self.by_place.get_mut(&(start.line, start.column + 1)) else {
            return Vec::new();
        };
        let (taken, left) = std::mem::take(here).into_iter().partition(|m| m.genre == genre);
        *here = left;
        let taken: Vec<&Mutant> = taken;
        taken.into_iter().map(|mutant| (mutant.id, mutant.replacement.clone())).collect()
    }

    fn add(&mut self, range: Range<usize>, form: Form, mutants: Vec<(usize, String)>) {
        if !mutants.is_empty() {
            self.edits.push(Edit { range, form, mutants });
        }
    }

    /// The mutants of a function that replace its body; those of a constant function are not woven at all, and a function
    /// whose type follows from its body cannot return another one.
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let mut opaque = Opaque(false);
        opaque.visit_return_type(&signature.output);
        if let Some(first) = block.stmts.first().filter(|_| !opaque.0) {
            let mutants = self.take(first, "FnValue");
            let start = self.lines.range(first).start;
            self.add(start..start, Form::Return, mutants);
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if item.sig.constness.is_none() {
            self.function(&item.sig, &item.block);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.sig.constness.is_none() {
            self.function(&item.sig, &item.block);
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}

    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}

    fn visit_expr_binary(&mut self, item: &'ast syn::ExprBinary) {
        let has_let = contains_let(&item.left) || contains_let(&item.right);
        let mutants = if has_let { Vec::new() } else { self.take(&item.op, "BinaryOperator") };
        let kind = kind(&item.op);
        let (left, right) = (self.lines.range(&item.left), self.lines.range(&item.right));
        let form = Form::Binary { left, right, kind };
        self.add(self.lines.range(item), form, mutants);
        visit::visit_expr_binary(self, item);
    }

    fn visit_expr_unary(&mut self, item: &'ast syn::ExprUnary) {
        let mutants = self.take(&item.op, "UnaryOperator");
        let operand = self.lines.range(&item.expr);
        self.add(self.lines.range(item), Form::Unary { operand }, mutants);
        visit::visit_expr_unary(self, item);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = arm.guard.as_ref().filter(|(_, guard)| !contains_let(guard)) {
            let mutants = self.take(guard.as_ref(), "MatchArmGuard");
            self.add(self.lines.range(guard), Form::Whole, mutants);
        }
        visit::visit_arm(self, arm);
    }
}

/// Whether `impl Trait` occurs in a type.
struct Opaque(bool);

impl Visit<'_> for Opaque {
    fn visit_type_impl_trait(&mut self, _: &syn::TypeImplTrait) {
        self.0 = true;
    }
}

/// Whether a condition binds names, which a branch would take from the rest of it.
fn contains_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => contains_let(&binary.left) || contains_let(&binary.right),
        _ => false,
    }
}

fn kind(operator: &BinOp) -> Kind {
    match operator {
        BinOp::And(_) | BinOp::Or(_) => Kind::Lazy,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => {
            Kind::Comparison
        }
        BinOp::Add(_)
        | BinOp::Sub(_)
        | BinOp::Mul(_)
        | BinOp::Div(_)
        | BinOp::Rem(_)
        | BinOp::BitXor(_)
        | BinOp::BitAnd(_)
        | BinOp::BitOr(_)
        | BinOp::Shl(_)
        | BinOp::Shr(_) => Kind::Value,
        _ => Kind::Assignment,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(id: usize, genre: &str, replacement: &str, start: Place) -> Mutant {
        let [file, name] = ["src/x.rs", "a mutant"].map(str::to_owned);
        let (genre, replacement) = (genre.to_owned(), replacement.to_owned());
        Mutant { id, file, name, genre, replacement, start }
    }

    /// Without line breaks and the numbers of branches.
    fn plain(text: &str) -> String {
        let mut parts = text.split("/*");
        let first = parts.next().unwrap_or_default().to_owned();
        let code: String = parts.filter_map(|part| Some(part.split_once("*/")?.1)).collect();
        (first + &code).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn operands_are_computed_once_and_nested_mutants_stay() {
        let text = "fn f(a: f64) -> f64 { -a * (a + 1.0) }";
        let list = [
            mutant(1, "BinaryOperator", "/", (1, 26)),
            mutant(2, "BinaryOperator", "-", (1, 31)),
            mutant(3, "UnaryOperator", "", (1, 23)),
            mutant(4, "FnValue", "1.0", (1, 23)),
        ];
        let woven = weave(text, &list).unwrap();
        assert_eq!(woven.mutants, [1, 2, 3, 4]);
        let expected = "fn f(a: f64) -> f64 { if crate::mutant::on(4) { return 1.0; } \
            ( match (( if crate::mutant::on(3) { a } else { -a } ), \
            (( match (a, 1.0) { (l, r) => if crate::mutant::on(2) { l - r } else { l + r } } ))) \
            { (l, r) => if crate::mutant::on(1) { l / r } else { l * r } } ) }";
        assert_eq!(plain(&woven.text), plain(expected));
        assert!(syn::parse_file(&woven.text).is_ok(), "{}", woven.text);
    }

    #[test]
    fn lazy_operators_guards_and_assignments_keep_their_order() {
        let text =
            "fn f(a: bool, mut b: u8) { b += 1; match b { _ if a && b == 1 => {} _ => {} } }";
        let list = [
            mutant(1, "BinaryOperator", "-=", (1, 30)),
            mutant(2, "MatchArmGuard", "true", (1, 51)),
            mutant(3, "BinaryOperator", "||", (1, 53)),
            mutant(4, "BinaryOperator", "!=", (1, 58)),
        ];
        let woven = weave(text, &list).unwrap();
        assert_eq!(woven.mutants, [1, 2, 3, 4]);
        let text = plain(&woven.text);
        assert!(
            text.contains("match 1 { r => if crate::mutant::on(1) { b -= r } else { b += r } }"),
            "{text}"
        );
        assert!(text.contains("match a { l => if crate::mutant::on(3) { l || ("), "{text}");
        assert!(text.contains("match (&(b), &(1)) { (l, r) =>"), "{text}");
    }

    #[test]
    fn a_function_with_a_type_of_its_own_returns_nothing_else() {
        let text = "fn f() -> impl Iterator<Item = u8> { once(1) }";
        let list = [mutant(1, "FnValue", "std::iter::empty()", (1, 38))];
        assert!(weave(text, &list).unwrap().mutants.is_empty());
    }

    #[test]
    fn constant_functions_and_conditions_with_let_are_left_out() {
        let text = "const fn f() -> i8 { 1 + 1 }\nfn g(a: Option<u8>) -> bool { if let Some(b) = a && b > 1 { true } else { false } }";
        let list = [
            mutant(1, "BinaryOperator", "-", (1, 24)),
            mutant(2, "BinaryOperator", "||", (2, 50)),
            mutant(3, "BinaryOperator", "<", (2, 55)),
        ];
        let woven = weave(text, &list).unwrap();
        assert_eq!(woven.mutants, [3]);
    }
}
