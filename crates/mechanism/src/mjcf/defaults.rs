//! Default attributes by class: [`Defaults`].

use std::collections::BTreeMap;

use super::{Error, numbers::Attributes};
use crate::xml::Element;

/// Attributes by the name of an element.
type Class = BTreeMap<String, BTreeMap<String, String>>;

/// The classes of a model, each with everything that it inherits.
#[derive(Debug, Default)]
pub(super) struct Defaults {
    classes: BTreeMap<String, Class>,
}

/// Name of the outermost class.
const MAIN: &str = "main";

impl Defaults {
    pub(super) fn of(root: &Element) -> Result<Self, Error> {
        let mut defaults = Self::default();
        defaults.classes.insert(MAIN.to_owned(), Class::new());
        for element in root.children_named("default") {
            let name = element.attribute("class").unwrap_or(MAIN);
            // Several outermost elements add to one class.
            let inherited = defaults.classes.get(MAIN).cloned().unwrap_or_default();
            defaults.read(element, name, inherited)?;
        }
        Ok(defaults)
    }

    fn read(&mut self, element: &Element, name: &str, inherited: Class) -> Result<(), Error> {
        let mut class = inherited;
        for child in element.children.iter().filter(|child| child.name != "default") {
            let own = class.entry(child.name.clone()).or_default();
            for (attribute, value) in &child.attributes {
                // One form of orientation replaces any other form.
                if ORIENTATIONS.contains(&attribute.as_str()) {
                    ORIENTATIONS.iter().for_each(|form| drop(own.remove(*form)));
                }
                own.insert(attribute.clone(), value.clone());
            }
            share(&mut class, child);
        }
        self.classes.insert(name.to_owned(), class.clone());
        for child in element.children_named("default") {
            let Some(name) = child.attribute("class") else {
                return Err(Error::missing(child, "class", "the name of a class inside another"));
            };
            if name != MAIN && self.classes.contains_key(name) {
                return Err(Error::name(child, name, "a class that is defined once"));
            }
            self.read(child, name, class.clone())?;
        }
        Ok(())
    }

    /// The attributes of `element`, with its own class, or else the `inherited` one, or else the outermost one.
    pub(super) fn attributes<'a>(
        &'a self,
        element: &'a Element,
        inherited: Option<&str>,
    ) -> Result<Attributes<'a>, Error> {
        self.attributes_of(&element.name, element, inherited)
    }

    /// The same with the defaults of the elements called `kind`.
    pub(super) fn attributes_of<'a>(
        &'a self,
        kind: &str,
        element: &'a Element,
        inherited: Option<&str>,
    ) -> Result<Attributes<'a>, Error> {
        let name = element.attribute("class").or(inherited).unwrap_or(MAIN);
        let Some(class) = self.classes.get(name) else {
            return Err(Error::name(element, name, "a class of `default`"));
        };
        Ok(Attributes { element, class: class.get(kind) })
    }
}

/// Gives what all actuators have in common to the defaults of each of their kinds.
fn share(class: &mut Class, child: &Element) {
    if !ACTUATORS.contains(&child.name.as_str()) {
        return;
    }
    for (attribute, value) in &child.attributes {
        if COMMON.contains(&attribute.as_str()) {
            for kind in ACTUATORS {
                class.entry(kind.to_owned()).or_default().insert(attribute.clone(), value.clone());
            }
        }
    }
}

/// The kinds of actuators, whose defaults are one in MuJoCo.
pub(super) const ACTUATORS: [&str; 4] = ["general", "motor", "position", "velocity"];

/// What actuators of all kinds have.
const COMMON: [&str; 5] = ["gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited"];

const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];
