//! A stream through a channel: what comes in, what goes out, and its averages.

use nalgebra::Vector3;
use percussion_granular::{
    Error, Grain, Settings, World,
    channel::{Channel, Parameters},
    limits::Limits,
    statistics::{CellAverages, RadialDistribution, SolidProfile},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A channel of the shape of the paper's with some hundred grains.
fn parameters() -> Parameters {
    Parameters {
        size: Vector3::new(0.15, 0.065, 0.02),
        obstacle: [0.04, 0.04],
        obstacle_radius: 0.01,
        radius: 0.47e-3,
        density: 2650.0,
        spacing: 1e-3,
        speed: 1.0,
        perturbation: 0.5,
        settings: Settings { step_size: 1e-5, ..Settings::default() },
        seed: 1,
    }
    .coarser(8.0)
}

#[test]
fn every_two_radii_a_layer_comes_in_and_nothing_leaves_but_through_the_end() {
    let mut channel = Channel::new(parameters()).expect("valid");
    let (filled, layer) = (channel.world().next_identity(), 8 * 2);
    assert!(channel.world().overlap() <= 0.0, "of {filled} grains");
    let mut most = 0.0_f64;
    for step in 1..=1000_u64 {
        let report = channel.step().expect("slow grains");
        most = most.max(report.overlap);
        // 94 steps of 10 µs at 1 m/s are 0.94 mm.
        let layers = (step - 1) / 94;
        assert_eq!(channel.world().next_identity(), filled + layers * layer, "step {step}");
        let size = channel.parameters().size;
        for x in channel.world().grains().positions() {
            assert!(x.x > 0.0 && x.x <= size.x && x.y > 0.0 && x.y < size.y, "{x}");
            assert!(x.z > 0.0 && x.z < size.z, "{x}");
        }
    }
    let out = channel.world().next_identity() - channel.world().grains().len() as u64;
    assert!(out > 10, "{out} have left after 0.08 s");
    // A tenth of the diameter, also where the plane pushes against an arch of a few grains.
    assert!(most < 0.2 * channel.parameters().radius, "{most}");
}

#[test]
fn a_resumed_channel_continues_with_the_same_bits() {
    let mut channel = Channel::new(parameters()).expect("valid");
    for _ in 0..150 {
        channel.step().expect("slow grains");
    }
    let world = World::from_state(channel.world().state()).expect("valid");
    let mut twin = Channel::resume(parameters(), world).expect("valid");
    for _ in 0..100 {
        assert_eq!(channel.step().expect("slow"), twin.step().expect("slow"));
    }
    assert_eq!(channel.world().state(), twin.world().state());
}

#[test]
fn parameters_out_of_range_are_named() {
    let cases: [(&str, Parameters); 4] = [
        ("spacing", Parameters { spacing: 1e-3, ..parameters() }),
        ("speed", Parameters { speed: f64::NAN, ..parameters() }),
        ("size.y", Parameters { size: Vector3::new(1.0, 0.0, 1.0), ..parameters() }),
        ("perturbation", Parameters { perturbation: -1.0, ..parameters() }),
    ];
    for (expected, parameters) in cases {
        match Channel::new(parameters) {
            Err(Error::Setting { name, .. }) => assert_eq!(name, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
    let nothing = World::new(Settings::default(), vec![]).expect("valid");
    let error = Channel::resume(parameters(), nothing).expect_err("no walls");
    assert!(error.to_string().contains("walls"), "{error}");
}

#[test]
fn places_without_order_have_a_radial_distribution_of_one() {
    let mut world = World::new(Settings::default(), vec![]).expect("valid");
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..1500 {
        let place = Vector3::from_fn(|k, _| [2.0, 1.0, 0.5][k] * random.random::<f64>());
        world.add(&Grain::at(place, 1e-3, 1.0)).expect("valid");
    }
    let corners = [Vector3::zeros(), Vector3::new(2.0, 1.0, 0.5)];
    let mut distribution = RadialDistribution::new(corners, 0.4, 8).expect("valid");
    distribution.add(world.grains());
    let values = distribution.values();
    for (k, [r, g]) in values.iter().enumerate() {
        assert!((r - 0.05 * (k as f64 + 0.5)).abs() < 1e-12, "{r}");
        // About 10³ pairs in the first bin, 10⁵ in the last.
        let deviation = if k < 2 { 0.1 } else { 0.03 };
        assert!((g - 1.0).abs() < deviation, "{values:?}");
    }
}

#[test]
fn cells_hold_the_averages_of_their_grains() {
    let mut world = World::new(Settings::default(), vec![]).expect("valid");
    for (x, speed) in [(0.5, 1.0), (0.6, 3.0), (1.5, 5.0), (7.0, 9.0)] {
        let mut grain = Grain::at(Vector3::new(x, 0.5, 0.0), 0.1, 1.0);
        grain.velocity.x = speed;
        grain.angular_velocity.y = -speed;
        world.add(&grain).expect("valid");
    }
    let mut averages = CellAverages::new([2.0, 1.0], [2, 1]);
    averages.add(world.grains());
    averages.add(world.grains());
    let cells: Vec<_> = averages.iter().collect();
    assert_eq!((cells[0].count, cells[0].velocity.x, cells[0].at), (4, 2.0, [0.5, 0.5]));
    assert!((cells[0].spin - 2.0).abs() < 1e-15, "{:?}", cells[0]);
    assert_eq!((cells[1].count, cells[1].velocity.x, cells.len()), (2, 5.0, 2));
}

#[test]
fn a_broken_limit_is_named_with_its_step() {
    let mut channel = Channel::new(parameters()).expect("valid");
    let report = channel.step().expect("slow");
    Limits::default().check(channel.world(), &report).expect("no limit");
    let limits = Limits { kinetic_energy: 1e-9, ..Limits::default() };
    let breach = limits.check(channel.world(), &report).expect_err("a limit");
    assert_eq!((breach.step, breach.quantity), (1, "kinetic energy in J"));
}

#[test]
fn the_mean_over_the_height_is_the_solid_fraction() {
    let mut channel = Channel::new(parameters()).expect("valid");
    let Parameters { size, .. } = *channel.parameters();
    // Any number of layers cuts the same volume.
    for layers in [1, 7, 40] {
        let mut profile =
            SolidProfile::new(channel.parameters().area(), size.z, layers).expect("valid");
        profile.add(channel.world().grains());
        let values = profile.values();
        let mean = values.iter().map(|[_, part]| part).sum::<f64>() / layers as f64;
        assert!((mean - channel.solid_fraction()).abs() < 1e-13, "{layers}: {mean}");
        channel.step().expect("slow grains");
    }
}

#[test]
fn a_profile_without_extent_or_layers_is_refused() {
    for (area, height, layers, expected) in
        [(0.0, 1.0, 1, "area"), (1.0, f64::NAN, 1, "height"), (1.0, 1.0, 0, "layers")]
    {
        match SolidProfile::new(area, height, layers) {
            Err(Error::Setting { name, .. }) => assert_eq!(name, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
    let nothing = SolidProfile::new(1.0, 1.0, 2).expect("valid");
    assert_eq!(nothing.values(), [[0.25, 0.0], [0.75, 0.0]]);
}
