//! Prints the mass matrix and the bias forces of a robot at random states, for comparison with other programs:
//! `verify/robots/compare.py` compares them with those of pinocchio and MuJoCo.
//!
//! `mass_matrices FILE STATES SEED [floating]` prints a line `joint NAME KIND COORDINATE VELOCITY` for each joint, the sizes,
//! for MJCF the numbers of geoms and of pairs of them that may touch, and for each state the lines `q`, `v`, `M` (by rows) and `h` (Coriolis forces and weight) with their numbers, and `link` and `J`, the velocity of the origin of a link by rows.
//! For MJCF it also prints which actuators are modeled, and for each state `u` (controls) and `f` (forces of the actuators).

#![expect(clippy::print_stdout, reason = "the output is the purpose")]

use std::{error::Error, path::Path};

use nalgebra::{DMatrix, DVector, Vector3};
use percussion_dynamics::{Articulated, JointKind, System};
use percussion_integrators::Actuator;
use percussion_mechanism::{mjcf, urdf};

/// A random number generator, whose quality does not matter here.
struct Numbers(u64);

impl Numbers {
    /// The next one in `[−1, 1)`.
    fn next(&mut self) -> f64 {
        let (a, c) = (6_364_136_223_846_793_005, 1_442_695_040_888_963_407);
        self.0 = self.0.wrapping_mul(a).wrapping_add(c);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// A joint with its name and the link that has its coordinates.
type Named = (String, usize);

/// The actuators of a model of MuJoCo, those that are not modeled as none.
type Actuators = Vec<Option<Actuator>>;

fn read(
    path: &str,
    floating: bool,
) -> Result<(Articulated, Vec<Named>, Actuators), Box<dyn Error>> {
    if Path::new(path).extension().is_some_and(|extension| extension == "xml") {
        let settings = mjcf::Settings { root: Some("/".into()), ..mjcf::Settings::default() };
        let model = mjcf::read_file(path, &settings)?;
        println!("geoms {}", model.geom_count);
        println!("pairs {}", model.pairs.len());
        let joints = model.joints.into_iter().map(|joint| (joint.name, joint.link)).collect();
        let laws = model.actuators.into_iter().map(|actuator| actuator.law).collect();
        return Ok((model.system, joints, laws));
    }
    let base = if floating { urdf::Base::Floating } else { urdf::Base::Fixed };
    let settings = urdf::Settings { base, ..urdf::Settings::default() };
    let robot = urdf::read_file(path, &settings)?;
    let joints = robot.joints.into_iter().map(|joint| (joint.name, joint.body)).collect();
    Ok((robot.system, joints, Vec::new()))
}

fn state(system: &Articulated, numbers: &mut Numbers) -> (Vec<f64>, Vec<f64>) {
    let mut q = Vec::new();
    for link in system.links() {
        let kind = link.joint.kind;
        let mut own: Vec<f64> = (0..kind.coordinate_count()).map(|_| numbers.next()).collect();
        if let Some(first) = kind.quaternion() {
            let norm = own[first..].iter().map(|c| c * c).sum::<f64>().sqrt();
            own[first..].iter_mut().for_each(|c| *c /= norm);
        }
        q.extend(own);
    }
    let v = (0..system.velocity_count()).map(|_| numbers.next()).collect();
    (q, v)
}

fn line(name: &str, numbers: &[f64]) -> String {
    let words: Vec<String> = numbers.iter().map(|number| format!("{number:e}")).collect();
    format!("{name} {}", words.join(" "))
}

/// Prints the states of a robot, and asserts that the mass matrix is that of the kinetic energy.
fn print(path: &str, states: usize, seed: u64, floating: bool) -> Result<(), Box<dyn Error>> {
    let (system, joints, actuators) = read(path, floating)?;
    for (name, link) in &joints {
        let kind = match system.links()[*link].joint.kind {
            JointKind::Fixed => "fixed",
            JointKind::Free => "free",
            JointKind::Spherical => "ball",
            JointKind::Planar => "planar",
            _ => "scalar",
        };
        let (q, v) = (system.coordinates_of(*link).start, system.velocities_of(*link).start);
        println!("joint {} {kind} {q} {v}", name.replace(' ', "_"));
    }
    println!("size {} {}", system.coordinate_count(), system.velocity_count());
    let modeled: Vec<f64> =
        actuators.iter().map(|law| f64::from(u8::from(law.is_some()))).collect();
    println!("{}", line("actuators", &modeled));
    println!("{}", line("gravity", system.gravity().as_slice()));
    let mut numbers = Numbers(seed);
    let n = system.velocity_count();
    let mut kinematics = system.kinematics();
    for number in 0..states {
        let (q, v) = state(&system, &mut numbers);
        let (mut matrix, mut bias) = (DMatrix::zeros(n, n), vec![0.0; n]);
        system.mass_matrix(&q, &mut matrix);
        kinematics.update(&q, &v)?;
        kinematics.bias(&mut bias)?;
        let rates = DVector::from_column_slice(&v);
        let (energy, by_matrix) =
            (kinematics.kinetic_energy(), 0.5 * rates.dot(&(&matrix * &rates)));
        // The terms of the product, of which each is known to some units of the last digit.
        let terms = 0.5 * rates.abs().dot(&(matrix.abs() * rates.abs()));
        assert!(
            (energy - by_matrix).abs() <= 1e-12 * terms,
            "{energy} J, by the matrix {by_matrix} J"
        );
        println!("{}", line("q", &q));
        println!("{}", line("v", &v));
        println!("{}", line("M", matrix.transpose().as_slice()));
        println!("{}", line("h", &bias));
        // The rows of the origin of one link after the other.
        let link = number % system.links().len();
        let origin = system.pose(&q, link).translation.vector;
        let mut rows = vec![0.0; 3 * n];
        for (axis, row) in rows.chunks_exact_mut(n.max(1)).enumerate() {
            system.add_point_row(&q, link, &origin, &Vector3::ith(axis, 1.0), 1.0, row);
        }
        println!("link {}", system.links()[link].name.replace(' ', "_"));
        println!("{}", line("J", &rows));
        let mut forces = vec![0.0; n];
        let mut controls = Vec::new();
        for law in &actuators {
            let control = 2.0 * numbers.next();
            controls.push(control);
            let Some(law) = law else { continue };
            let force = law.force(&q, &v, 0.0, Some(control));
            law.joints.iter().for_each(|joint| forces[joint.velocity] += joint.gear * force);
        }
        println!("{}", line("u", &controls));
        println!("{}", line("f", &forces));
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [path, states, seed, rest @ ..] => {
            print(path, states.parse()?, seed.parse()?, !rest.is_empty())
        }
        // Two robots of the repository.
        [] => ["quadruped.urdf", "walker.xml"].iter().try_for_each(|name| {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/robots");
            print(&format!("{folder}/{name}"), 3, 7, true)
        }),
        _ => Err("expected FILE STATES SEED [floating], or nothing".into()),
    }
}
