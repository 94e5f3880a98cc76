//! The file format of a document, including the older one with the law among the settings of the method.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, Error, IntoDeserializer, MapAccess, Visitor, value::MapAccessDeserializer,
    },
};

use super::{
    super::{
        Law, Method, alternating_directions, block_gauss_seidel, interior_point, method::Combined,
        mixed, projected_gradient, proximal_newton,
    },
    Document, Operator,
};

/// The fields of a [`Document`] in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stated {
    delassus: Operator,
    free_velocity: Vec<f64>,
    #[serde(default)]
    friction: Option<Vec<f64>>,
    #[serde(default)]
    blocks: Option<Vec<mixed::Block>>,
    #[serde(default)]
    compliance: Option<Vec<f64>>,
    #[serde(default)]
    model: Option<mixed::Model>,
    #[serde(default)]
    law: Option<Law>,
    #[serde(default)]
    start: Option<Vec<f64>>,
    #[serde(default)]
    method: Option<StatedMethod>,
}

/// A [`Method`]. In older files those with two laws have the law among their settings.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StatedMethod {
    Combined(WithLaw<Combined>),
    BlockGaussSeidel(WithLaw<block_gauss_seidel::Settings>),
    InteriorPoint(interior_point::Settings),
    ProximalNewton(proximal_newton::Settings),
    AlternatingDirections(alternating_directions::Settings),
    ProjectedGradient(projected_gradient::Settings),
}

impl StatedMethod {
    fn split(self) -> (Option<Law>, Method) {
        match self {
            Self::Combined(stated) => (stated.law, Method::Combined(stated.settings)),
            Self::BlockGaussSeidel(stated) => {
                (stated.law, Method::BlockGaussSeidel(stated.settings))
            }
            Self::InteriorPoint(settings) => (None, Method::InteriorPoint(settings)),
            Self::ProximalNewton(settings) => (None, Method::ProximalNewton(settings)),
            Self::AlternatingDirections(settings) => {
                (None, Method::AlternatingDirections(settings))
            }
            Self::ProjectedGradient(settings) => (None, Method::ProjectedGradient(settings)),
        }
    }
}

impl TryFrom<Stated> for Document {
    type Error = String;

    fn try_from(stated: Stated) -> Result<Self, String> {
        let (of_method, method) = stated.method.map(StatedMethod::split).unzip();
        let law = match (stated.law, of_method.flatten()) {
            (Some(law), Some(other)) if law != other => {
                return Err(format!(
                    "`law` is {law}, expected {other} as the settings of `method` have it, or no law there"
                ));
            }
            (law, other) => law.or(other).unwrap_or_default(),
        };
        let Stated { delassus, free_velocity, friction, blocks, compliance, model, start, .. } =
            stated;
        if blocks.is_none() {
            let only = [("compliance", compliance.is_some()), ("model", model.is_some())];
            if let Some((field, _)) = only.into_iter().find(|(_, given)| *given) {
                return Err(format!("`{field}` is given, expected `blocks` beside it"));
            }
            match &friction {
                None => return Err("missing field `friction`".to_owned()),
                Some(list) if list.is_empty() => {
                    return Err(
                        "`friction` is empty, expected a coefficient for each contact".to_owned()
                    );
                }
                Some(_) => {}
            }
        }
        let (friction, model) = (friction.unwrap_or_default(), model.unwrap_or_default());
        Ok(Self {
            delassus,
            free_velocity,
            friction,
            blocks,
            compliance,
            model,
            law,
            start,
            method,
        })
    }
}

/// Settings, and the law among them, if any.
struct WithLaw<T> {
    law: Option<Law>,
    settings: T,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for WithLaw<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object(PhantomData))
    }
}

/// Reads an object of settings without its law.
struct Object<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
    type Value = WithLaw<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WithLaw<T>, A::Error> {
        let mut law = None;
        let settings = T::deserialize(MapAccessDeserializer::new(Apart { map, law: &mut law }))?;
        Ok(WithLaw { law, settings })
    }
}

/// A map whose entry `law` is stored separately.
struct Apart<'a, A> {
    map: A,
    law: &'a mut Option<Law>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Apart<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.map.next_key::<String>()? {
            if key != "law" {
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
            if self.law.replace(self.map.next_value()?).is_some() {
                return Err(A::Error::duplicate_field("law"));
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}
