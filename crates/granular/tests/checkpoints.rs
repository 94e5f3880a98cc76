//! A world that is saved and restored continues with the same bits, and nothing damaged is taken for a world.

use std::{fs, path::Path};

use nalgebra::{Isometry3, Vector3};
use percussion_collision::Shape;
use percussion_granular::{
    Settings, Wall, World,
    checkpoint::{self, Checkpoint, Error, Fault},
    scenes,
};

/// A drum, whose walls are of two shapes and move, and a hopper, which has boxes.
fn worlds() -> Vec<World> {
    let mut drum = scenes::drum(0.1, 0.4, 2, 1.0).expect("a valid scene");
    let mut hopper = scenes::hopper(0.1, 0.3, [6, 2, 4]).expect("a valid scene");
    for _ in 0..100 {
        drum.step().expect("slow grains");
        hopper.step().expect("slow grains");
    }
    vec![drum, hopper]
}

fn checkpoint_of(world: &World) -> Checkpoint {
    Checkpoint { note: "a sçene".into(), state: world.state() }
}

#[test]
fn a_restored_world_continues_with_the_same_bits() {
    for mut world in worlds() {
        let bytes = checkpoint::encode(&checkpoint_of(&world));
        let read = checkpoint::decode(&bytes).expect("a whole file");
        assert_eq!(read.note, "a sçene");
        let mut twin = World::from_state(read.state).expect("a valid state");
        for _ in 0..30 {
            let (ours, theirs) = (world.step(), twin.step());
            assert_eq!(ours.expect("slow"), theirs.expect("slow"));
        }
        assert_eq!(
            checkpoint::encode(&checkpoint_of(&world)),
            checkpoint::encode(&checkpoint_of(&twin))
        );
    }
}

#[test]
fn solid_walls_of_every_shape_come_back_with_every_bit() {
    let corners =
        [[0.1, 0.2, 0.3], [1.0, 0.0, 0.1], [0.0, 1.3, 0.0], [0.2, 0.1, 1.7], [0.9, 0.8, 0.7]];
    let hull = Shape::hull(&corners.map(Vector3::from)).expect("a solid");
    let shapes = [
        Shape::Sphere { radius: 0.3 },
        Shape::HalfSpace { normal: Vector3::new(0.1, 0.0, 2.0) },
        Shape::Box { half_extents: Vector3::new(0.1, 0.2, 0.3) },
        Shape::Capsule { half_length: 0.2, radius: 0.1 },
        Shape::Cylinder { half_height: 0.2, radius: 0.1 },
        Shape::Rod { length: 0.2, radius: 0.1 },
        hull,
    ];
    let pose = |k: f64| Isometry3::new(Vector3::new(3.0 * k, 1.0, -4.0), Vector3::repeat(0.3));
    let walls = (0_u8..).zip(shapes).map(|(k, shape)| Wall::solid(shape, pose(k.into()), 0.4));
    let world = World::new(Settings::default(), walls.collect()).expect("valid walls");
    let read =
        checkpoint::decode(&checkpoint::encode(&checkpoint_of(&world))).expect("a whole file");
    assert_eq!(World::from_state(read.state).expect("a valid state").walls(), world.walls());
}

#[test]
fn files_cut_anywhere_are_refused() {
    let bytes = checkpoint::encode(&checkpoint_of(&scenes::column(0.1, 1, 2).expect("valid")));
    for length in 0..bytes.len() {
        assert!(checkpoint::decode(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(checkpoint::decode(&longer), Err(Fault::Length { .. })));
}

#[test]
fn every_changed_bit_is_noticed() {
    let bytes = checkpoint::encode(&checkpoint_of(&scenes::column(0.1, 1, 2).expect("valid")));
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        assert!(checkpoint::decode(&damaged).is_err(), "byte {place}");
    }
}

#[test]
fn entries_that_make_no_sense_are_named_even_under_a_right_checksum() {
    let bytes = checkpoint::encode(&checkpoint_of(&scenes::column(0.1, 1, 2).expect("valid")));
    let (head, entries) = (&bytes[..20], &bytes[20..bytes.len() - 4]);
    let mut refused = 0;
    for place in 0..entries.len() {
        let mut changed = entries.to_vec();
        changed[place] = 0xff;
        let sum = crc32fast::hash(&changed).to_le_bytes();
        match checkpoint::decode(&[head, &changed, &sum].concat()) {
            Err(Fault::Entry { .. }) => refused += 1,
            Err(fault) => panic!("{fault}"),
            // A changed number is for the world to judge; it must not panic.
            Ok(checkpoint) => {
                if let Ok(mut world) = World::from_state(checkpoint.state) {
                    let _ = world.step();
                }
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn a_damaged_file_is_passed_over_for_the_one_before() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("world.checkpoint");
    let mut world = scenes::column(0.1, 1, 2).expect("valid");
    checkpoint::save(&path, &checkpoint_of(&world)).expect("writable");
    let first = world.state();
    world.step().expect("slow");
    checkpoint::save(&path, &checkpoint_of(&world)).expect("writable");
    assert_eq!(names(directory.path()), ["world.checkpoint", "world.checkpoint.previous"]);

    let restored = checkpoint::restore(&path).expect("whole");
    assert_eq!((restored.checkpoint.state, restored.file), (world.state(), path.clone()));

    let mut bytes = fs::read(&path).expect("readable");
    bytes[100] ^= 1;
    fs::write(&path, bytes).expect("writable");
    let restored = checkpoint::restore(&path).expect("the one before");
    assert_eq!(restored.checkpoint.state, first);
    let refused = restored.refused.expect("a reason");
    assert!(matches!(refused, Error::Damaged { fault: Fault::Checksum { .. }, .. }), "{refused}");

    // A run killed between the two renames leaves only the one before.
    fs::remove_file(&path).expect("there");
    assert_eq!(checkpoint::restore(&path).expect("the one before").checkpoint.state, first);
    fs::remove_file(checkpoint::previous(&path)).expect("there");
    let error = checkpoint::restore(&path).expect_err("nothing is there");
    assert!(error.to_string().contains("world.checkpoint`"), "{error}");
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("readable");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry.expect("readable").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}
