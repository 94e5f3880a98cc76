//! Tests of the laws by name.

use super::*;

fn settings(given: &[(&str, &str)]) -> Result<Settings, Error> {
    Settings::new(given.iter().map(|&(key, value)| (key.into(), value.into())).collect())
}

#[test]
fn what_is_given_is_taken_and_the_rest_is_by_default() {
    let mut given = settings(&[("steps", "7"), ("inner.step", "0.5"), ("draws", "b")]).unwrap();
    assert_eq!(given.count("steps", 3_usize, "a number").unwrap(), 7);
    let inner = given.within("inner.", |inner| inner.number("step", 1.0, "a number"));
    assert_eq!(inner.ok(), Some(0.5));
    assert_eq!(given.choice("draws", &[("a", 1), ("b", 2)]).unwrap(), 2);
    assert_eq!(given.number("step", 0.25, "a number").ok(), Some(0.25));
    let keys: Vec<_> = given.finish("law").unwrap().into_iter().map(|known| known.key).collect();
    assert_eq!(keys, ["steps", "inner.step", "draws", "step"]);
}

#[test]
fn complaints_name_the_key_the_value_and_what_was_expected() {
    let mut lines = Vec::new();
    let mut complain = |error: Error| lines.push(error.to_string());
    complain(settings(&[("a", "1"), ("a", "2")]).unwrap_err());
    for text in ["x", "", "nan", "inf", "1e999"] {
        let mut given = settings(&[("a", text)]).unwrap();
        complain(given.number("a", 1.0, "a number in (0, 1)").unwrap_err());
    }
    let mut given = settings(&[("in.n", "-1"), ("c", "red")]).unwrap();
    complain(given.within("in.", |given| given.count("n", 1_usize, "≥ 1")).unwrap_err());
    complain(given.choice("c", &[("green", 1), ("blue", 2)]).unwrap_err());
    let mut given = settings(&[("toleranse", "1")]).unwrap();
    given.within("lemke.", |given| given.number("tolerance", 1.0, "a number")).unwrap();
    given.number("directions", 8.0, "a number").unwrap();
    complain(given.finish("newton").unwrap_err());
    complain(settings(&[("x", "1")]).unwrap().finish("nothing").unwrap_err());
    insta::assert_snapshot!(lines.join("\n"), @r"
    setting `a` is given twice, expected one value
    setting `a` is `x`, expected a number in (0, 1)
    setting `a` is ``, expected a number in (0, 1)
    setting `a` is `nan`, expected a number in (0, 1)
    setting `a` is `inf`, expected a number in (0, 1)
    setting `a` is `1e999`, expected a number in (0, 1)
    setting `in.n` is `-1`, expected ≥ 1
    setting `c` is `red`, expected green or blue
    `newton` has no setting `toleranse`, expected one of lemke.tolerance, directions
    `nothing` has no setting `x`, it has none at all
    ");
}

#[test]
fn every_law_has_the_name_that_it_gives_itself() {
    for name in Name::ALL {
        assert_eq!(name.as_str().parse(), Ok(name));
        let json = serde_json::to_string(&name).unwrap();
        assert_eq!(json, format!("\"{name}\""));
        let given = match name {
            Name::SetValuedRouth => vec![("step".to_owned(), "1".to_owned())],
            _ => Vec::new(),
        };
        let law = Choice::new(name, given, None).unwrap().into_law().unwrap();
        assert_eq!(law.name(), name.as_str());
        assert!(!name.settings().is_empty(), "{name}");
    }
    let unknown = "newtom".parse::<Name>().unwrap_err().to_string();
    assert!(
        unknown.starts_with("`newtom` is not a law, expected one of newton, poisson, "),
        "{unknown}"
    );
}
