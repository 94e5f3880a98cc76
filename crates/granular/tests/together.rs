//! Ranks that divide their work anew, and that save and restore together, continue the same motion.

use std::{fs, path::Path};

use nalgebra::Vector3;
use percussion_granular::{
    Domain, Error, Grain, Settings, Wall, World,
    checkpoint::{self, restore_together, save_together},
    decomposition::{InProcess, Partition, Subdomain, in_process},
};

const VALID: &str = "valid input and living ranks";

/// Balls that fall and collide, most of them at one side.
fn balls() -> Vec<Grain> {
    let ball = |k: u32| {
        let node = Vector3::new(k % 10, k / 10 % 5, k / 50).map(f64::from);
        let part = |prime: u32| f64::from(k * prime % 1009) / 1009.0 - 0.5;
        let shake = Vector3::new(part(797), part(613), part(431));
        let mut ball = Grain::at(0.104 * node + Vector3::repeat(0.054) + 0.004 * shake, 0.048, 1.0);
        ball.velocity = Vector3::new(part(571), part(239), part(881));
        ball
    };
    (0..300).filter(|k| k % 10 + k / 50 <= 8).map(ball).collect()
}

fn subdomain(exchange: InProcess, counts: [usize; 3]) -> Subdomain<InProcess> {
    let corners = [Vector3::zeros(), Vector3::repeat(1.0)];
    let plane = |normal| Wall::plane(Vector3::zeros(), normal, 0.5);
    let walls = vec![plane(Vector3::z()), plane(Vector3::x()), plane(Vector3::y())];
    let settings = Settings { tolerance: 1e-9, max_sweeps: 3000, ..Settings::default() };
    let partition = Partition::even(counts, corners).expect(VALID);
    Subdomain::new(settings, walls, partition, exchange).expect(VALID)
}

/// What the work returns on each rank.
fn on_ranks<T: Send>(
    counts: [usize; 3],
    work: impl Fn(&mut Subdomain<InProcess>) -> T + Sync,
) -> Vec<T> {
    let work = &work;
    std::thread::scope(|scope| {
        let all: Vec<_> = in_process(counts.iter().product())
            .into_iter()
            .map(|rank| scope.spawn(move || work(&mut subdomain(rank, counts))))
            .collect();
        all.into_iter().map(|thread| thread.join().expect(VALID)).collect()
    })
}

/// All grains by identity.
fn sorted(parts: Vec<Vec<(u64, Grain)>>) -> Vec<(u64, Grain)> {
    let mut grains: Vec<_> = parts.into_iter().flatten().collect();
    grains.sort_unstable_by_key(|(identity, _)| *identity);
    grains
}

fn fill(part: &mut Subdomain<InProcess>) {
    for ball in balls() {
        part.add(&ball).expect(VALID);
    }
}

fn steps(part: &mut Subdomain<InProcess>, count: usize) {
    (0..count).for_each(|_| _ = part.step().expect(VALID));
}

fn grains(part: &Subdomain<InProcess>) -> Vec<(u64, Grain)> {
    part.grains().collect()
}

fn farthest(one: &[(u64, Grain)], other: &[(u64, Grain)]) -> f64 {
    assert!(one.iter().map(|grain| grain.0).eq(other.iter().map(|grain| grain.0)), "no grain lost");
    let distance = |(a, b): (&(u64, Grain), &(u64, Grain))| (a.1.position - b.1.position).norm();
    one.iter().zip(other).map(distance).fold(0.0, f64::max)
}

#[test]
fn work_is_even_after_it_was_divided_and_the_motion_the_same() {
    for counts in [[3, 1, 1], [2, 2, 1], [2, 1, 2]] {
        let ends = on_ranks(counts, |part| {
            fill(part);
            steps(part, 40);
            let before = part.balance(1.1).expect(VALID);
            assert!(before.moved && before.imbalance > 1.1, "{before:?}");
            assert_eq!(part.ghost_count(), 0, "copies are renewed by the next step");
            steps(part, 1);
            let after = part.balance(1.1).expect(VALID);
            assert!(!after.moved && after.imbalance <= 1.1, "{after:?}");
            steps(part, 19);
            grains(part)
        });
        let still = on_ranks([1, 1, 1], |part| {
            fill(part);
            steps(part, 60);
            grains(part)
        });
        let apart = farthest(&sorted(ends), &sorted(still));
        assert!(apart < 1e-7, "{counts:?}: {apart} m");
    }
}

#[test]
fn any_number_of_ranks_continues_what_another_has_saved() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = &directory.path().join("grains.checkpoint");
    let counts = [2, 2, 1];
    let saved = |at: usize, path: &Path| {
        let path = path.to_owned();
        on_ranks(counts, move |part| {
            fill(part);
            steps(part, at);
            save_together(&path, "a note", part).expect("a writable directory");
            steps(part, 25);
            grains(part)
        })
    };
    let _ = saved(20, path);
    let expected = sorted(saved(30, path));
    let resumed = |counts: [usize; 3]| {
        sorted(on_ranks(counts, |part| {
            let partition = part.partition();
            let restored = restore_together(path, &partition, part).expect("whole");
            assert_eq!(restored.note, "a note");
            assert!(restored.refused.is_none(), "{:?}", restored.refused);
            part.restore(restored.share).expect("a valid share");
            steps(part, 25);
            grains(part)
        }))
    };
    assert!(resumed(counts) == expected, "the same bits on the same ranks");
    for counts in [[1, 1, 1], [2, 1, 1], [1, 3, 1], [3, 2, 1], [4, 1, 1]] {
        let apart = farthest(&resumed(counts), &expected);
        // Paths of colliding balls part exponentially: few enough steps that residuals of 1e-9 stay small.
        assert!(apart < 1e-7, "{counts:?}: {apart} m");
    }
    // A world alone continues, and ranks continue a world.
    let mut world = World::new(Settings::default(), Vec::new()).expect(VALID);
    let restored = restore_together(path, &Partition::whole(), &mut world).expect("whole");
    world.restore(restored.share).expect("a valid share");
    assert_eq!((world.steps(), world.grains().len()), (30, balls().len()));
    save_together(path, "a note", &mut world).expect("a writable directory");
    let apart = farthest(&resumed([2, 1, 1]), &expected);
    assert!(apart < 1e-7, "{apart} m");
}

#[test]
fn a_damaged_part_is_passed_over_for_the_list_before_on_all_ranks() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = &directory.path().join("grains.checkpoint");
    on_ranks([2, 1, 1], |part| {
        fill(part);
        for _ in 0..3 {
            steps(part, 5);
            save_together(path, "", part).expect("a writable directory");
        }
    });
    let folder = directory.path().join("grains.checkpoint.parts");
    let mut names: Vec<_> = fs::read_dir(&folder)
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    assert_eq!(names, ["1-0", "1-1", "2-0", "2-1"], "parts of two checkpoints are kept");
    let file = folder.join("2-1");
    let mut bytes = fs::read(&file).expect("readable");
    bytes[300] ^= 8;
    fs::write(&file, bytes).expect("writable");
    for counts in [[2, 1, 1], [1, 1, 1], [3, 1, 1]] {
        let met = on_ranks(counts, |part| {
            let partition = part.partition();
            let restored = restore_together(path, &partition, part).expect("the one before");
            assert_eq!(restored.share.state.steps, 10);
            restored.refused.expect("a reason").to_string()
        });
        assert!(met.iter().any(|reason| reason.contains("checksum")), "{met:?}");
    }
    fs::remove_file(folder.join("1-0")).expect("there");
    for reason in on_ranks([2, 1, 1], |part| {
        let partition = part.partition();
        restore_together(path, &partition, part).expect_err("neither is whole").to_string()
    }) {
        assert!(reason.contains("checksum") || reason.contains("another rank"), "{reason}");
    }
}

#[test]
fn a_part_cut_anywhere_or_with_any_changed_bit_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = &directory.path().join("grains.checkpoint");
    on_ranks([2, 1, 1], |part| {
        for ball in balls().into_iter().take(10) {
            part.add(&ball).expect(VALID);
        }
        steps(part, 1);
        save_together(path, "", part).expect("a writable directory");
    });
    let file = directory.path().join("grains.checkpoint.parts/0-0");
    let good = fs::read(&file).expect("readable");
    let restore = || {
        let mut parts =
            on_ranks([1, 1, 1], |part| restore_together(path, &Partition::whole(), part).err());
        parts.pop().flatten()
    };
    assert!(restore().is_none(), "whole");
    for place in (0..good.len()).step_by(7) {
        fs::write(&file, &good[..place]).expect("writable");
        assert!(matches!(restore(), Some(checkpoint::Error::Damaged { .. })), "{place} bytes");
        let mut damaged = good.clone();
        damaged[place] ^= 1 << (place % 8);
        fs::write(&file, damaged).expect("writable");
        assert!(matches!(restore(), Some(checkpoint::Error::Damaged { .. })), "byte {place}");
    }
}

#[test]
fn a_full_disk_on_one_rank_is_an_error_on_all() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = &directory.path().join("grains.checkpoint");
    on_ranks([2, 1, 1], |part| {
        fill(part);
        save_together(path, "first", part).expect("a writable directory");
    });
    // Folders that are not empty are where the part of rank 1 would be.
    for name in ["1-1/x", "1-1.previous/x"] {
        let folder = directory.path().join("grains.checkpoint.parts").join(name);
        fs::create_dir_all(folder).expect("writable");
    }
    let ends = on_ranks([2, 1, 1], |part| {
        fill(part);
        steps(part, 1);
        save_together(path, "second", part).expect_err("one cannot write").to_string()
    });
    assert!(ends[0].contains("another rank"), "{ends:?}");
    assert!(ends[1].contains("1-1"), "{ends:?}");
    let notes = on_ranks([2, 1, 1], |part| {
        let partition = part.partition();
        let restored = restore_together(path, &partition, part).expect("the first is whole");
        restored.note
    });
    assert_eq!(notes, ["first", "first"]);
}

#[test]
fn a_velocity_out_of_range_ends_all_ranks() {
    let ends = on_ranks([2, 1, 1], |part| {
        let mut ball = Grain::at(Vector3::new(1e4, 0.0, 0.0), 1e3, 1.0);
        ball.angular_velocity.x = 1e74 / 1e3;
        part.add(&ball).expect(VALID);
        part.add(&Grain::at(Vector3::new(-1e4, 0.0, 0.0), 1e3, 1.0)).expect(VALID);
        let settings = Settings { step_size: 1e5, ..Settings::default() };
        let settings = Settings { gravity: Vector3::zeros(), ..settings };
        part.set_settings(settings).expect(VALID);
        let end = part.step().map(|_| ());
        (part.rank(), end)
    });
    assert!(matches!(ends[0].1, Err(Error::DivergedElsewhere)), "{ends:?}");
    assert!(matches!(ends[1].1, Err(Error::Diverged { .. })), "{ends:?}");
}

#[test]
fn momentum_is_kept_over_every_partition() {
    for counts in [[1, 1, 1], [2, 1, 1], [2, 2, 1], [2, 2, 2], [5, 1, 1]] {
        let sums = on_ranks(counts, |part| {
            let settings = Settings { gravity: Vector3::zeros(), ..*part.world().settings() };
            part.set_settings(Settings { tolerance: 1e-3, max_sweeps: 20, ..settings })
                .expect(VALID);
            for ball in balls() {
                // Far from the walls, toward each other.
                let position = ball.position + Vector3::repeat(0.2);
                let velocity = ball.velocity - 4.0 * (ball.position - Vector3::repeat(0.4));
                part.add(&Grain { position, velocity, ..ball }).expect(VALID);
            }
            let momentum = |part: &mut Subdomain<InProcess>| {
                let own: Vector3<f64> =
                    part.grains().map(|(_, ball)| ball.mass * ball.velocity).sum();
                let mut sum = [own.x, own.y, own.z];
                part.sum(&mut sum).expect(VALID);
                Vector3::from(sum)
            };
            let size = part.grains().map(|(_, ball)| ball.mass * ball.velocity.norm()).sum();
            let mut size = [size];
            part.sum(&mut size).expect(VALID);
            let before = momentum(part);
            let mut contacts = 0;
            for _ in 0..40 {
                contacts += part.step().expect(VALID).contacts;
            }
            (contacts, (momentum(part) - before).norm() / size[0])
        });
        assert!(sums.iter().map(|(contacts, _)| contacts).sum::<usize>() > 1000, "{counts:?}");
        let worst = sums.iter().map(|(_, change)| *change).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{counts:?}: {worst} of the sum of |m v|");
    }
}
