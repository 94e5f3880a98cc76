//! Time to set up the contacts of a walking robot.
//!
//! There are two robots: a biped of seven links in the plane with two contacts, and a floating quadruped of
//! twelve joints with four contacts. Each bench visits 64 states in turn, so that nothing is reused from one
//! to the next. Before the timing starts everything is compared with its definition: the mass matrix with
//! columns of inverse dynamics, the Delassus operator with `J M⁻¹ Jᵀ` from a Cholesky factorization.
//!
//! - `setup` is the mass matrix, the bias and the contact Jacobian; `setup-and-delassus` adds the Delassus
//!   operator, and `through-system` is the same through the trait for all systems.
//! - `dense-product` is for scale: the product of two dense matrices of the size of the mass matrix.
//! - `diagonal` is `diag(M⁻¹)` from the coordinates, the one quantity of this kind that rapier's
//!   multibody provides (`diagonal-rapier`). It treats the mass matrix as dense, and computes the
//!   Jacobians of all bodies and its Coriolis matrices on the way.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use nalgebra::{DMatrix, DVector, Isometry3, Vector3};
use percussion_benches::residuals;
use percussion_dynamics::{
    Articulated, BlockSparse, Body, Contact, ContactFrame, ContactSet, FreeBodies, Joint,
    Kinematics, Link, MassProperties, System,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[path = "articulated/rapier.rs"]
mod rapier;

const SEED: u64 = 1;
const STATES: usize = 64;

/// Largest accepted error of a matrix relative to its largest entry: about a hundred rounding errors for a
/// mass matrix with a condition number below 1e4.
const ACCURACY: f64 = 1e-10;

/// A robot, states that it visits, and the points of its feet that touch the floor.
struct Robot {
    name: &'static str,
    system: Articulated,
    states: Vec<State>,
    /// Link and point in its frame (m).
    feet: Vec<(usize, Vector3<f64>)>,
    floor: ContactFrame,
}

struct State {
    coordinates: Vec<f64>,
    velocity: Vec<f64>,
    contacts: Vec<Contact>,
}

/// Mass (kg) and edges (m) of a solid box whose center is at `center` of its link.
fn solid(mass: f64, edges: [f64; 3], center: [f64; 3]) -> MassProperties {
    MassProperties::solid_box(mass, &edges.into())
        .expect("sizes are positive")
        .translated(&center.into())
}

fn biped() -> Robot {
    let turn = || Joint::revolute(Vector3::z());
    let torso = solid(30.0, [0.3, 0.6, 0.2], [0.0, 0.3, 0.0]);
    let mut links = vec![Link::new("torso", Joint::planar()).with_mass(torso)];
    for side in ["left", "right"] {
        let [thigh, shank, foot] = ["thigh", "shank", "foot"].map(|part| format!("{side} {part}"));
        let down = |length: f64| Isometry3::translation(0.0, -length, 0.0);
        links.extend([
            Link::new(&thigh, turn()).on("torso").with_mass(solid(
                7.0,
                [0.1, 0.4, 0.1],
                [0.0, -0.2, 0.0],
            )),
            Link::new(&shank, turn()).on(thigh).at(down(0.4)).with_mass(solid(
                3.0,
                [0.08, 0.4, 0.08],
                [0.0, -0.2, 0.0],
            )),
            Link::new(foot, turn()).on(shank).at(down(0.4)).with_mass(solid(
                1.0,
                [0.2, 0.05, 0.1],
                [0.05, -0.03, 0.0],
            )),
        ]);
    }
    let system = Articulated::new(links, Vector3::new(0.0, -9.81, 0.0)).expect("a valid tree");
    let floor = ContactFrame::planar(&Vector3::y()).expect("a direction");
    let toe = Vector3::new(0.15, -0.05, 0.0);
    Robot::new("biped", system, vec![(3, toe), (6, toe)], floor)
}

/// Positions of the joints of leg `leg` of the quadruped in the frames of their parents, their axes, and the
/// boxes that they carry: mass, edges and center.
type Limb = ([f64; 3], Vector3<f64>, (f64, [f64; 3], [f64; 3]));

const TRUNK: (f64, [f64; 3]) = (12.0, [0.6, 0.3, 0.15]);

fn limbs(leg: usize) -> [Limb; 3] {
    let x = if leg < 2 { 0.25 } else { -0.25 };
    let y = if leg.is_multiple_of(2) { 1.0 } else { -1.0 };
    let thin = [0.04, 0.04, 0.25];
    [
        ([x, 0.12 * y, 0.0], Vector3::x(), (0.8, [0.1, 0.06, 0.06], [0.0, 0.03 * y, 0.0])),
        ([0.0, 0.06 * y, 0.0], Vector3::y(), (1.0, thin, [0.0, 0.0, -0.12])),
        ([0.0, 0.0, -0.25], Vector3::y(), (0.3, thin, [0.0, 0.0, -0.12])),
    ]
}

fn quadruped() -> Robot {
    let (mass, edges) = TRUNK;
    let mut links = vec![Link::new("trunk", Joint::free()).with_mass(solid(mass, edges, [0.0; 3]))];
    for leg in 0..4 {
        let mut parent = "trunk".to_owned();
        for (k, (place, axis, (mass, edges, center))) in limbs(leg).into_iter().enumerate() {
            let name = format!("limb {k} of leg {leg}");
            let link = Link::new(&name, Joint::revolute(axis))
                .on(parent)
                .at(Isometry3::translation(place[0], place[1], place[2]))
                .with_mass(solid(mass, edges, center));
            links.push(link);
            parent = name;
        }
    }
    let system = Articulated::new(links, Vector3::new(0.0, 0.0, -9.81)).expect("a valid tree");
    let floor = ContactFrame::from_normal(&Vector3::z(), &Vector3::x()).expect("a direction");
    let feet = (1..=4).map(|leg| (3 * leg, Vector3::new(0.0, 0.0, -0.25))).collect();
    Robot::new("quadruped", system, feet, floor)
}

impl Robot {
    fn new(
        name: &'static str,
        system: Articulated,
        feet: Vec<(usize, Vector3<f64>)>,
        floor: ContactFrame,
    ) -> Self {
        let mut robot = Self { name, system, states: Vec::new(), feet, floor };
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let mut number = || random.random_range(-0.5..0.5);
        for _ in 0..STATES {
            let mut list = |n| (0..n).map(|_| number()).collect::<Vec<f64>>();
            let (tangent, velocity) = (list(robot.nv()), list(robot.nv()));
            let mut coordinates = robot.system.neutral_coordinates();
            let neutral = coordinates.clone();
            robot.system.retract(&neutral, &tangent, &mut coordinates);
            let contact = |&(link, foot): &(usize, Vector3<f64>)| {
                let point = robot.system.pose(&coordinates, link) * nalgebra::Point3::from(foot);
                Contact::new([Some(link), None], [point.coords; 2], robot.floor).with_friction(0.7)
            };
            let contacts = robot.feet.iter().map(contact).collect();
            robot.states.push(State { coordinates, velocity, contacts });
        }
        robot
    }

    fn nv(&self) -> usize {
        self.system.velocity_count()
    }

    fn bench(&self, what: &str) -> String {
        format!("articulated/{}/{what}", self.name)
    }

    fn workspace(&self) -> Workspace {
        let n = self.nv();
        Workspace {
            kinematics: self.system.kinematics(),
            contacts: ContactSet::for_system(&self.system),
            mass_matrix: DMatrix::zeros(n, n),
            bias: vec![0.0; n],
            delassus: DMatrix::zeros(0, 0),
        }
    }
}

/// The results of one setup.
struct Workspace {
    kinematics: Kinematics,
    contacts: ContactSet,
    mass_matrix: DMatrix<f64>,
    bias: Vec<f64>,
    delassus: DMatrix<f64>,
}

const VALID: &str = "shapes and contacts are valid";

impl Workspace {
    /// Mass matrix, bias and contact Jacobian.
    fn set_up(&mut self, state: &State) {
        self.kinematics.update(&state.coordinates, &state.velocity).expect(VALID);
        self.kinematics.mass_matrix(&mut self.mass_matrix).expect(VALID);
        self.kinematics.bias(&mut self.bias).expect(VALID);
        self.contacts.clear();
        for contact in &state.contacts {
            self.contacts.push_at(&self.kinematics, contact).expect(VALID);
        }
    }

    /// The Delassus operator of the setup.
    fn multiply(&mut self) {
        self.contacts.whiten(&mut self.kinematics).expect(VALID);
        self.contacts.delassus(&mut self.delassus).expect(VALID);
    }

    /// All of it through the trait [`System`], with forces of the opposite sign.
    fn set_up_and_multiply_through(&mut self, system: &dyn System, state: &State) {
        let q = &state.coordinates;
        system.mass_matrix(q, &mut self.mass_matrix);
        system.smooth_forces(q, &state.velocity, 0.0, &mut self.bias);
        self.contacts.clear();
        for contact in &state.contacts {
            self.contacts.push(system, q, contact).expect(VALID);
        }
        self.contacts.divide_by_mass(system, q).expect(VALID);
        self.contacts.delassus(&mut self.delassus).expect(VALID);
    }

    /// The worst relative error of mass matrix and bias at `state`, against inverse dynamics.
    fn dynamics_error(&mut self, state: &State) -> f64 {
        let n = self.bias.len();
        let mut kinematics = self.kinematics.clone();
        kinematics.update(&state.coordinates, &state.velocity).expect(VALID);
        let mut forces = DVector::zeros(n);
        let mut column = |k: Option<usize>| {
            let mut acceleration = vec![0.0; n];
            k.into_iter().for_each(|k| acceleration[k] = 1.0);
            kinematics.inverse_dynamics(&acceleration, forces.as_mut_slice()).expect(VALID);
            forces.clone()
        };
        let bias = column(None);
        let columns: Vec<_> = (0..n).map(|k| column(Some(k)) - &bias).collect();
        let of_mass = relative(&self.mass_matrix, &DMatrix::from_columns(&columns));
        let found = DMatrix::from_column_slice(n, 1, &self.bias);
        of_mass.max(relative(&found, &DMatrix::from_columns(&[bias])))
    }

    /// The relative error of the Delassus operator, against its definition.
    fn delassus_error(&self) -> f64 {
        let mut j = DMatrix::zeros(0, 0);
        self.contacts.contact_jacobian(&mut j);
        let factor = self.mass_matrix.clone().cholesky().expect("the mass matrix is positive");
        relative(&self.delassus, &(&j * factor.solve(&j.transpose())))
    }
}

fn relative(found: &DMatrix<f64>, expected: &DMatrix<f64>) -> f64 {
    (found - expected).amax() / expected.amax()
}

fn note(bench: &str, error: f64) {
    assert!(error <= ACCURACY, "{bench}: relative error {error}");
    residuals::note(bench, error).expect("the file of residuals can be written");
}

fn robots(criterion: &mut Criterion) {
    for robot in [biped(), quadruped()] {
        let mut workspace = robot.workspace();
        let (mut dynamics, mut delassus, mut through) = (0.0_f64, 0.0_f64, 0.0_f64);
        for state in &robot.states {
            workspace.set_up(state);
            workspace.multiply();
            dynamics = dynamics.max(workspace.dynamics_error(state));
            delassus = delassus.max(workspace.delassus_error());
            workspace.set_up_and_multiply_through(&robot.system, state);
            through = through.max(workspace.delassus_error());
        }

        let mut turn = robot.states.iter().cycle();
        let mut next = || black_box(turn.next().expect("a cycle never ends"));
        let name = robot.bench("setup");
        note(&name, dynamics);
        criterion.bench_function(&name, |bencher| bencher.iter(|| workspace.set_up(next())));
        let name = robot.bench("setup-and-delassus");
        note(&name, delassus.max(dynamics));
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| {
                workspace.set_up(next());
                workspace.multiply();
            });
        });
        let name = robot.bench("through-system");
        note(&name, through);
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| workspace.set_up_and_multiply_through(&robot.system, next()));
        });

        let n = robot.nv();
        let (a, mut product) = (workspace.mass_matrix.clone(), DMatrix::zeros(n, n));
        criterion.bench_function(&robot.bench("dense-product"), |bencher| {
            bencher.iter(|| product.gemm(1.0, black_box(&a), black_box(&a), 0.0));
        });
    }
}

/// `diag(M⁻¹)` of the quadruped, ours and rapier's.
fn inverse_inertias(criterion: &mut Criterion) {
    let robot = quadruped();
    let mut kinematics = robot.system.kinematics();
    let mut columns = DMatrix::identity(robot.nv(), robot.nv());
    let mut diagonal = DVector::zeros(robot.nv());
    let mut ours = |state: &State, diagonal: &mut DVector<f64>| {
        kinematics.update(&state.coordinates, &state.velocity).expect(VALID);
        columns.fill_with_identity();
        kinematics.whiten(&mut columns).expect(VALID);
        for (entry, column) in diagonal.iter_mut().zip(columns.column_iter()) {
            *entry = column.norm_squared();
        }
    };
    let mut peers: Vec<_> = robot
        .states
        .iter()
        .map(|state| rapier::Quadruped::new(TRUNK, limbs, &state.coordinates))
        .collect();
    let mut worst = 0.0_f64;
    for (state, peer) in robot.states.iter().zip(&mut peers) {
        ours(state, &mut diagonal);
        let theirs = peer.inverse_inertias();
        worst = worst.max((&theirs - &diagonal).amax() / diagonal.amax());
    }

    let name = robot.bench("diagonal");
    note(&name, worst);
    let mut turn = robot.states.iter().cycle();
    criterion.bench_function(&name, |bencher| {
        bencher.iter(|| ours(turn.next().expect("a cycle never ends"), &mut diagonal));
    });
    let name = robot.bench("diagonal-rapier");
    note(&name, worst);
    let mut index = 0;
    criterion.bench_function(&name, |bencher| {
        bencher.iter(|| {
            index = (index + 1) % peers.len();
            peers[index].inverse_inertias()
        });
    });
}

/// A row of balls on the floor, each touching the next: the block-sparse operator grows with their
/// number, the dense one with its square.
fn rows_of_balls(criterion: &mut Criterion) {
    let up = ContactFrame::from_normal(&Vector3::z(), &Vector3::x()).expect("a direction");
    let along = ContactFrame::from_normal(&-Vector3::x(), &Vector3::z()).expect("a direction");
    let solid = MassProperties::solid_sphere(1.0, 0.5).expect("sizes are positive");
    let mut group = criterion.benchmark_group("articulated/balls");
    for count in [20, 300] {
        let bodies = vec![Body::from_mass_properties(&solid); count];
        let system = FreeBodies::new(bodies, Vector3::new(0.0, 0.0, -9.81)).expect("valid");
        let place = |ball: usize| Vector3::new(ball as f64, 0.0, 0.5);
        let coordinates: Vec<f64> =
            (0..count).flat_map(|ball| [place(ball).x, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0]).collect();
        let mut features = Vec::new();
        for ball in 0..count {
            let foot = place(ball) - 0.5 * Vector3::z();
            features.push(Contact::new([Some(ball), None], [foot; 2], up));
            if ball + 1 < count {
                let side = place(ball) + 0.5 * Vector3::x();
                features.push(Contact::new([Some(ball), Some(ball + 1)], [side; 2], along));
            }
        }
        let mut contacts = ContactSet::for_system(&system);
        let fill = |contacts: &mut ContactSet| {
            contacts.clear();
            for contact in &features {
                contacts.push(&system, &coordinates, contact).expect(VALID);
            }
            contacts.divide_by_mass(&system, &coordinates).expect(VALID);
        };
        let (mut dense, mut blocks) = (DMatrix::zeros(0, 0), BlockSparse::default());
        fill(&mut contacts);
        contacts.delassus(&mut dense).expect(VALID);
        contacts.block_sparse_delassus(&mut blocks).expect(VALID);
        let mut from_blocks = DMatrix::zeros(0, 0);
        blocks.to_dense(&mut from_blocks);
        let name = |what: &str| format!("articulated/balls/{what}/{count}");
        note(&name("block-sparse"), relative(&from_blocks, &dense));
        group.bench_function(BenchmarkId::new("block-sparse", count), |bencher| {
            bencher.iter(|| {
                fill(&mut contacts);
                contacts.block_sparse_delassus(&mut blocks).expect(VALID);
            });
        });
        group.bench_function(BenchmarkId::new("dense", count), |bencher| {
            bencher.iter(|| {
                fill(&mut contacts);
                contacts.delassus(&mut dense).expect(VALID);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, robots, inverse_inertias, rows_of_balls);
criterion_main!(benches);
