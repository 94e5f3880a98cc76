//! Arithmetic in files: expressions such as `4/3 * pi * r^3`.
//!
//! Supported are `+ − * / ^`, parentheses, numbers as in TOML, names, `pi`, and the functions `sqrt`, `sin`,
//! `cos`, `tan`, `asin`, `acos`, `atan`, `exp`, `ln` and `abs`, with the usual precedence of mathematics:
//! `-x^2` is `−(x²)` and `2^3^2` is `2^9`. The parser is our own, because existing packages read `-x^2` as
//! `(−x)²` or do not support `1e-3`.

/// A compiled expression: operations on a stack.
#[derive(Clone, Debug)]
pub(crate) struct Expression(Vec<Operation>);

#[derive(Clone, Copy, Debug)]
enum Operation {
    Number(f64),
    /// Value of the name with this index.
    Name(usize),
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Negate,
    Function(Function),
}

type Function = fn(f64) -> f64;

const FUNCTIONS: [(&str, Function); 10] = [
    ("sqrt", f64::sqrt),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("asin", f64::asin),
    ("acos", f64::acos),
    ("atan", f64::atan),
    ("exp", f64::exp),
    ("ln", f64::ln),
    ("abs", f64::abs),
];

/// Maximum nesting of parentheses, signs and powers: more than anyone writes, and small enough for the stack
/// of the thread.
const DEPTH: usize = 100;

impl Expression {
    /// Compiles `text`, in which `names` may occur, or describes the error in it.
    pub(crate) fn new(text: &str, names: &[&str]) -> Result<Self, String> {
        let mut parser = Parser { text, place: 0, names, depth: 0, operations: vec![] };
        parser.sum()?;
        match parser.peek() {
            None => Ok(Self(parser.operations)),
            Some(found) => Err(parser.unexpected(found, "an operator or the end")),
        }
    }

    /// Its value, with `values` in the order of the names with which it was compiled.
    pub(crate) fn value(&self, values: &[f64]) -> f64 {
        let mut stack: Vec<f64> = Vec::with_capacity(self.0.len());
        for operation in &self.0 {
            let value = match *operation {
                Operation::Number(number) => number,
                // The parser has put operands before their operations and checked the names.
                Operation::Name(index) => values.get(index).copied().unwrap_or(f64::NAN),
                Operation::Negate => -stack.pop().unwrap_or(f64::NAN),
                Operation::Function(function) => function(stack.pop().unwrap_or(f64::NAN)),
                binary => {
                    let right = stack.pop().unwrap_or(f64::NAN);
                    let left = stack.pop().unwrap_or(f64::NAN);
                    match binary {
                        Operation::Add => left + right,
                        Operation::Subtract => left - right,
                        Operation::Multiply => left * right,
                        Operation::Divide => left / right,
                        _ => left.powf(right),
                    }
                }
            };
            stack.push(value);
        }
        stack.pop().unwrap_or(f64::NAN)
    }
}

/// Whether `text` can be the name of a value.
pub(crate) fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
        && text != "pi"
        && FUNCTIONS.iter().all(|(name, _)| *name != text)
}

struct Parser<'a> {
    text: &'a str,
    place: usize,
    names: &'a [&'a str],
    depth: usize,
    operations: Vec<Operation>,
}

impl Parser<'_> {
    /// `product {(+|−) product}`
    fn sum(&mut self) -> Result<(), String> {
        self.product()?;
        while let Some(sign @ ('+' | '-')) = self.peek() {
            self.advance(sign);
            self.product()?;
            self.operations.push(if sign == '+' { Operation::Add } else { Operation::Subtract });
        }
        Ok(())
    }

    /// `signed {(*|/) signed}`
    fn product(&mut self) -> Result<(), String> {
        self.signed()?;
        while let Some(sign @ ('*' | '/')) = self.peek() {
            self.advance(sign);
            self.signed()?;
            self.operations.push(if sign == '*' { Operation::Multiply } else { Operation::Divide });
        }
        Ok(())
    }

    /// `[−] atom [^ signed]`
    fn signed(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(format!("nested deeper than {DEPTH} at position {}", self.place + 1));
        }
        match self.peek() {
            Some('-') => {
                self.advance('-');
                self.signed()?;
                self.operations.push(Operation::Negate);
            }
            Some('+') => {
                self.advance('+');
                self.signed()?;
            }
            _ => {
                self.atom()?;
                if self.peek() == Some('^') {
                    self.advance('^');
                    self.signed()?;
                    self.operations.push(Operation::Power);
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Number, name, call, or an expression in parentheses.
    fn atom(&mut self) -> Result<(), String> {
        match self.peek() {
            Some('(') => self.parentheses(),
            Some(first) if first.is_ascii_digit() || first == '.' => self.number(),
            Some(first) if first.is_alphabetic() || first == '_' => {
                let name = self.take(|letter| letter.is_alphanumeric() || letter == '_');
                if let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
                    self.parentheses()?;
                    self.operations.push(Operation::Function(*function));
                } else if name == "pi" {
                    self.operations.push(Operation::Number(std::f64::consts::PI));
                } else if let Some(index) = self.names.iter().position(|known| *known == name) {
                    self.operations.push(Operation::Name(index));
                } else {
                    let known = self.names.join(", ");
                    return Err(format!(
                        "`{name}` is unknown, expected pi, a function or one of: {known}"
                    ));
                }
                Ok(())
            }
            Some(found) => Err(self.unexpected(found, "a number, a name or `(`")),
            None => Err("ends where a number, a name or `(` is expected".to_owned()),
        }
    }

    fn parentheses(&mut self) -> Result<(), String> {
        for expected in ['(', ')'] {
            match self.peek() {
                Some(found) if found == expected => self.advance(expected),
                Some(found) => return Err(self.unexpected(found, &format!("`{expected}`"))),
                None => return Err(format!("ends where `{expected}` is expected")),
            }
            if expected == '(' {
                self.sum()?;
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), String> {
        let mut last = ' ';
        // A sign belongs to the number only after the letter of an exponent.
        let text = self.take(|letter| {
            let exponent = matches!(last, 'e' | 'E') && matches!(letter, '+' | '-');
            last = letter;
            exponent || letter.is_alphanumeric() || letter == '.' || letter == '_'
        });
        // Only digits begin a number, so `inf` and `nan` are names.
        let value = text.replace('_', "").parse::<f64>();
        let value = value.map_err(|_| format!("`{text}` is not a number"))?;
        self.operations.push(Operation::Number(value));
        Ok(())
    }

    /// The next character that is not a space.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.place..];
        let trimmed = rest.trim_start();
        self.place += rest.len() - trimmed.len();
        trimmed.chars().next()
    }

    const fn advance(&mut self, over: char) {
        self.place += over.len_utf8();
    }

    fn take(&mut self, mut belongs: impl FnMut(char) -> bool) -> String {
        let rest = &self.text[self.place..];
        let end = rest.find(|letter| !belongs(letter)).unwrap_or(rest.len());
        self.place += end;
        rest[..end].to_owned()
    }

    fn unexpected(&self, found: char, expected: &str) -> String {
        let position = self.text[..self.place].chars().count() + 1;
        format!("has `{found}` at position {position}, expected {expected}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<f64, String> {
        Ok(Expression::new(text, &["r", "long_name", "φ"])?.value(&[2.0, 3.0, 0.5]))
    }

    #[test]
    fn expressions_have_the_values_of_mathematics() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("-r^2", -4.0),
            ("2^3^2", 512.0),
            ("2^-1", 0.5),
            ("8 / 4 / 2", 1.0),
            ("1 - 2 - 3", -4.0),
            ("1e-3*r", 2e-3),
            ("1_000.5", 1000.5),
            ("2*-3", -6.0),
            ("--r", 2.0),
            (" sqrt( long_name + 1 ) ", 2.0),
            ("4/3*pi*r^3", 32.0 * std::f64::consts::PI / 3.0),
            ("cos(0) + sin(φ) - sin(φ)", 1.0),
            (".5", 0.5),
        ] {
            let found = value(text).unwrap();
            assert!((found - expected).abs() <= 1e-15 * expected.abs(), "{text}: {found}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused_with_its_place() {
        for (text, hint) in [
            ("", "ends"),
            ("1 +", "ends"),
            ("(1", "`)`"),
            ("sqrt 2", "`(`"),
            ("2 r", "position 3"),
            ("r // 2", "position 4"),
            ("x + 1", "`x` is unknown"),
            ("inf", "`inf` is unknown"),
            ("1e", "`1e`"),
            ("1.2.3", "`1.2.3`"),
            ("{", "position 1"),
            ("1)", "position 2"),
            ("φφ", "`φφ`"),
        ] {
            let message = value(text).unwrap_err();
            assert!(message.contains(hint), "{text}: {message}");
        }
        for deep in ["(".repeat(100_000), "-".repeat(100_000), "2^".repeat(100_000)] {
            assert!(value(&deep).unwrap_err().contains("nested deeper"));
        }
    }

    #[test]
    fn names_are_words_that_mean_nothing_else() {
        for name in ["r1", "_x", "φ_R"] {
            assert!(is_name(name), "{name}");
        }
        for text in ["", "1r", "pi", "sqrt", "a b", "a-b"] {
            assert!(!is_name(text), "{text}");
        }
    }
}
