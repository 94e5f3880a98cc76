//! Models of robots from their descriptions.

use std::{path::PathBuf, sync::Arc};

use percussion_integrators::schemes::Name;
use percussion_mechanism::{
    Error,
    scenario::{Base, Plane, Robot, Scenario},
};
use pyo3::prelude::*;
use serde_json::{Map, Value};

use super::{ModelCore, Source};
use crate::errors::{checked, refused};

impl ModelCore {
    /// The model of a robot, with options that are not fields of `[robot]` taken out of `options`.
    pub(super) fn robot(
        py: Python<'_>,
        path: PathBuf,
        gravity: Option<[f64; 3]>,
        friction: Option<f64>,
        mut options: Map<String, Value>,
    ) -> PyResult<Self> {
        let text = Value::Object(options.clone()).to_string();
        let fixed_base = options.remove("fixed_base");
        let Some(address) = path.to_str() else {
            return Err(refused(format!("`path` is {}, expected Unicode", path.display())));
        };
        let is_mjcf =
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"));
        let scheme = match options.remove("scheme") {
            Some(Value::String(name)) => Some(checked(name.parse::<Name>())?),
            _ => None,
        };
        let stands = options.remove("on_floor");
        let touches = options.remove("self_contacts");
        let ground = number(&mut options, "ground")?;
        let restitution = number(&mut options, "restitution")?;
        options.insert("urdf".to_owned(), address.into());
        let mut robot: Robot = serde_json::from_value(Value::Object(options)).map_err(|error| {
            refused(error.to_string().replace("unknown field", "unknown argument"))
        })?;
        if fixed_base == Some(Value::Bool(true)) {
            robot.base = Some(Base::Fixed);
        }
        let yes = |value: &Option<Value>, default| match value {
            Some(Value::Bool(yes)) => *yes,
            _ => default,
        };
        let made = py.detach(|| {
            let mut scenario = Scenario::of_robot_in(robot, gravity)?;
            scenario.friction = friction.or(scenario.friction);
            scenario.restitution = restitution.or(scenario.restitution);
            scenario.integrator.method = scheme.unwrap_or(scenario.integrator.method);
            if let Some(ground) = ground {
                scenario.planes = vec![floor(&scenario.gravity, ground)];
            }
            let has_floor = !scenario.planes.is_empty();
            if let Some(robot) = &mut scenario.robot {
                // A model of MuJoCo is where its file says, unless it has a height.
                let is_put = robot.on_floor || robot.height.is_some();
                robot.on_floor =
                    yes(&stands, has_floor && (is_put || (ground.is_some() && !is_mjcf)));
                robot.self_contacts = yes(&touches, robot.self_contacts);
            }
            let setup = scenario.build()?;
            Ok((setup.mechanism.warnings.clone(), setup))
        });
        let (warnings, setup) = checked::<_, Error>(made)?;
        let source = Source::Robot(path, gravity, friction, text);
        Ok(Self { setup: Arc::new(setup), warnings, source })
    }
}

/// Takes an optional number out of the options.
fn number(options: &mut Map<String, Value>, name: &str) -> PyResult<Option<f64>> {
    match options.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64() {
            Some(value) => Ok(Some(value)),
            None => Err(refused(format!("`{name}` is {value}, expected a number"))),
        },
    }
}

/// A floor at a height (m) above the origin, perpendicular to gravity.
fn floor(gravity: &[f64], height: f64) -> Plane {
    let size = gravity.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    let last = gravity.len() - 1;
    let up = |(row, entry): (usize, &f64)| match size > 0.0 {
        true => -entry / size,
        false => f64::from(u8::from(row == last)),
    };
    let normal: Vec<f64> = gravity.iter().enumerate().map(up).collect();
    let point = normal.iter().map(|entry| height * entry).collect();
    Plane { name: "floor".to_owned(), point, normal, tangent: None }
}
