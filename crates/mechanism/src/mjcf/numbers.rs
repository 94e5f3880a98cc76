//! Numbers and words in attributes: [`Attributes`].

use std::collections::BTreeMap;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::{Error, error::short};
use crate::xml::Element;

/// The attributes of an element, where its own come before those of its class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attributes<'a> {
    pub(super) element: &'a Element,
    pub(super) class: Option<&'a BTreeMap<String, String>>,
}

impl<'a> Attributes<'a> {
    pub(super) fn own(element: &'a Element) -> Self {
        Self { element, class: None }
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        let of_class = || self.class?.get(name).map(String::as_str);
        self.element.attribute(name).or_else(of_class)
    }

    pub(super) fn refuse(&self, name: &str, expected: String) -> Error {
        match Error::value(self.element, name, expected) {
            Error::Value { place, element, attribute, expected, .. } => {
                let value = short(self.text(name).unwrap_or_default());
                Error::Value { place, element, attribute, value, expected }
            }
            other => other,
        }
    }

    /// All numbers of an attribute, `least` to `most` of them.
    pub(super) fn numbers(
        &self,
        name: &str,
        [least, most]: [usize; 2],
    ) -> Result<Option<Vec<f64>>, Error> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let numbers: Option<Vec<f64>> =
            text.split_whitespace().map(|word| word.parse().ok()).collect();
        match numbers {
            Some(numbers)
                if (least..=most).contains(&numbers.len())
                    && numbers.iter().all(|number| number.is_finite()) =>
            {
                Ok(Some(numbers))
            }
            _ if least == most => Err(self.refuse(name, format!("{least} finite numbers"))),
            _ => Err(self.refuse(name, format!("{least} to {most} finite numbers"))),
        }
    }

    pub(super) fn number(&self, name: &str, default: f64) -> Result<f64, Error> {
        Ok(self.numbers(name, [1, 1])?.map_or(default, |numbers| numbers[0]))
    }

    /// A number of at least 0.
    pub(super) fn not_negative(&self, name: &str, default: f64) -> Result<f64, Error> {
        match self.number(name, default)? {
            number if number < 0.0 => {
                Err(self.refuse(name, "a finite number of at least 0".to_owned()))
            }
            number => Ok(number),
        }
    }

    pub(super) fn integer(&self, name: &str, default: i64) -> Result<i64, Error> {
        let Some(text) = self.text(name) else { return Ok(default) };
        text.trim().parse().map_err(|_| self.refuse(name, "an integer".to_owned()))
    }

    pub(super) fn vector(&self, name: &str) -> Result<Option<Vector3<f64>>, Error> {
        Ok(self.numbers(name, [3, 3])?.map(|n| Vector3::new(n[0], n[1], n[2])))
    }

    /// One of the words; `default` if it is not given.
    pub(super) fn word(
        &self,
        name: &str,
        words: &[&'static str],
        default: &'static str,
    ) -> Result<&'static str, Error> {
        let Some(text) = self.text(name) else { return Ok(default) };
        let known = words.iter().find(|word| **word == text.trim());
        known.copied().ok_or_else(|| self.refuse(name, format!("one of {}", words.join(", "))))
    }

    /// `true` or `false`; `None` for `auto` and if it is not given.
    pub(super) fn choice(&self, name: &str) -> Result<Option<bool>, Error> {
        Ok(match self.word(name, &["true", "false", "auto"], "auto")? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        })
    }
}

/// The unit quaternion `w, x, y, z` of any length but zero.
pub(super) fn quaternion(n: &[f64]) -> Option<UnitQuaternion<f64>> {
    let quaternion = nalgebra::Quaternion::new(n[0], n[1], n[2], n[3]);
    UnitQuaternion::try_new(quaternion, 1e-14)
}

/// The smallest rotation that takes `z` to the unit vector `axis`.
pub(super) fn onto_z(axis: &Vector3<f64>) -> UnitQuaternion<f64> {
    let half_turn = || UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    UnitQuaternion::rotation_between(&Vector3::z(), axis).unwrap_or_else(half_turn)
}

/// A point as the translation to it.
pub(super) fn shift(point: Vector3<f64>) -> Isometry3<f64> {
    Isometry3::translation(point.x, point.y, point.z)
}
