//! Motions and outcomes as a [`View`](percussion_record::view::View), the data of a page that plays them.
//!
//! [`of_trajectory`] converts a simulation by any time-stepping scheme, [`of_event_motion`] an event-driven
//! simulation, [`ImpactStage`] the outcomes of an impact, and [`GrainFilm`] a run of thousands of grains. For
//! an integrator of your own, fill the fields directly; [`pose`] helps with this.
//!
//! Pages stay small. Of a long motion only every second, third, … time is kept, so that there are at most
//! [`FRAME_LIMIT`] times and [`ENTRY_LIMIT`] poses of bodies and contacts; the impulses of the omitted steps
//! are added up. For grains there are at most [`GRAIN_FRAME_LIMIT`] times and [`GRAIN_LIMIT`] grains.
//!
//! # Example
//!
//! ```
//! use percussion_mechanism::{scenario::Scenario, view};
//!
//! let mut scenario = Scenario::from_path("fixtures/compat/scenarios/rod-on-table.toml")?;
//! scenario.duration = 0.1;
//! let setup = scenario.build()?;
//! let trajectory = setup.simulate(&mut |_fraction| ())?;
//! let view = view::of_trajectory(&setup, &trajectory);
//! let motion = &view.motions[0];
//! assert_eq!(motion.times.first(), Some(&0.0));
//! assert!((f64::from(motion.poses[0][1]) - 1.0).abs() < 1e-6); // the rod starts 1 m up
//! # Ok::<(), percussion_mechanism::Error>(())
//! ```

use nalgebra::{Isometry3, Vector3};
use percussion_dynamics::{Dimension, System};
use percussion_record::view::{self, PlaneView};

use crate::scenario::Space;

mod answers;
mod bones;
mod grains;
mod impact;
mod solids;
mod trajectory;

pub use answers::Played;
pub use grains::{GRAIN_FRAME_LIMIT, GRAIN_LIMIT, GrainFilm};
pub use impact::ImpactStage;
pub use trajectory::{ENTRY_LIMIT, FRAME_LIMIT, of_event_motion, of_trajectory};

impl From<Space> for view::Dimension {
    fn from(space: Space) -> Self {
        match space {
            Space::Plane => Self::Plane,
            Space::Space => Self::Space,
        }
    }
}

/// Appends the pose of every body of `system` at `coordinates`: `x`, `y`, angle in the plane; `x`, `y`,
/// `z` and the unit quaternion, `w` first, in space.
#[must_use]
pub fn pose(system: &dyn System, coordinates: &[f64]) -> Vec<f32> {
    let all = (0..system.body_count()).map(|body| system.pose(coordinates, body));
    all.flat_map(|pose| pose_of(&pose, system.dimension())).collect()
}

/// One pose as [`pose`] writes it.
fn pose_of(pose: &Isometry3<f64>, dimension: Dimension) -> Vec<f32> {
    let (place, turn) = (pose.translation.vector, pose.rotation);
    match dimension {
        Dimension::Plane => {
            let angle = 2.0 * f64::atan2(turn.k, turn.w);
            vec![single(place.x), single(place.y), single(angle)]
        }
        Dimension::Space => {
            [place.x, place.y, place.z, turn.w, turn.i, turn.j, turn.k].map(single).to_vec()
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "seven digits are enough to draw")]
fn single(value: f64) -> f32 {
    value as f32
}

fn singles(vector: &Vector3<f64>) -> [f32; 3] {
    [single(vector.x), single(vector.y), single(vector.z)]
}

/// Converts a vector of the plane or of space to one of space.
fn triple(vector: &[f64]) -> [f64; 3] {
    let entry = |index: usize| vector.get(index).copied().unwrap_or_default();
    [entry(0), entry(1), entry(2)]
}

fn plane_view(plane: &crate::scenario::Plane) -> PlaneView {
    let normal = Vector3::from(triple(&plane.normal));
    // Scaled first so that no square overflows or underflows.
    let normal = (normal / normal.amax()).normalize();
    PlaneView { name: plane.name.clone(), point: triple(&plane.point), normal: normal.into() }
}
