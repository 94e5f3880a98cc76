//! Ensembles of a block on two corners: determinism, closed forms, symmetry and bad input.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{
    PlanarBodies, PlanarBody,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_impact::set_valued::Draws;

use super::*;
use crate::{Contact, event_driven::Mode};

/// The block of Halm and Posa falls flat from 1 cm.
fn block(friction: f64) -> (Model, State) {
    let body = PlanarBody::new(1.0, 5.0 / 12.0);
    let system = PlanarBodies::new(vec![body], Vector2::new(0.0, -9.81)).unwrap();
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let corner = |x: f64| {
        let corner = Sphere::on_body(0, Vector3::new(x, -1.0, 0.0), 0.0);
        Contact::new(SpherePlane::new(corner, floor).unwrap(), friction)
    };
    let model = Model::new(Box::new(system), vec![corner(-0.5), corner(0.5)]).unwrap();
    let start = State { time: 0.0, coordinates: vec![0.0, 1.01, 0.0], velocity: vec![0.0; 3] };
    (model, start)
}

fn follow(settings: &Settings, end: f64) -> Ensemble {
    let (model, start) = block(1.0);
    run(&model, &|_| start.clone(), end, settings, &|_| ()).unwrap()
}

/// The probability that one landing on both corners ends at rest, without restitution and slip, where each corner needs the
/// part `q ≤ 1` of the step `h`: each step draws two uniform numbers `a` and `b`, and rest needs one in which both are large
/// enough, after any number in which both are too small. So `F(x, y) = (1 − x)(1 − y) + ∫∫ F` over smaller needs, and
/// `F = 2 I₀ − 2 I₁ − 1` at `2 q` for equal needs.
fn rest(q: f64) -> f64 {
    let series = |order: u32| {
        let mut term = q.powi(order.try_into().unwrap()) / f64::from((1..=order).product::<u32>());
        let mut sum = 0.0;
        for n in 1..40_u32 {
            sum += term;
            term *= q * q / f64::from(n * (n + order));
        }
        sum
    };
    2.0 * series(0) - 2.0 * series(1) - 1.0
}

#[test]
fn a_landing_ends_at_rest_as_often_as_the_closed_form_says() {
    // The impulse that stops each corner is half of the momentum; the default step is as large.
    let needed = 0.5 * (2.0 * 9.81 * 0.01_f64).sqrt();
    for step in [f64::NAN, 0.3, 1.0] {
        let mut settings = Settings { members: 1000, intervals: 1, ..Settings::default() };
        settings.law.step = step;
        let ensemble = follow(&settings, 0.05);
        let on = |corners: usize| {
            let shares =
                ensemble.endings.iter().filter(|share| share.value.closed.len() == corners);
            shares.map(|share| share.count as f64).sum::<f64>() / 1000.0
        };
        let expected = rest(if step.is_nan() { 1.0 } else { needed / step });
        // Four standard deviations.
        let off = 4.0 * (expected * (1.0 - expected) / 1000.0).sqrt();
        assert!((on(2) - expected).abs() < off, "{step}: {} instead of {expected}", on(2));
        assert!((on(1) + on(2) - 1.0).abs() < 1e-12, "{step}");
        let side = |place: usize| {
            let on =
                |phase: &Phase| matches!(phase.closed[..], [(Place::Named(at), _)] if at == place);
            ensemble.members.iter().filter(|member| on(&member.ending)).count()
        };
        // Symmetry: half of those that turn turn about each corner.
        let (left, right) = (side(0) as f64, side(1) as f64);
        assert!((left - right).abs() < 4.0 * (left + right).sqrt(), "{left} and {right}");
    }
}

#[test]
fn every_member_falls_alike_and_no_member_gains_energy() {
    let settings = Settings { members: 30, ..Settings::default() };
    let ensemble = follow(&settings, 0.2);
    let landing = (2.0 * 0.01_f64 / 9.81).sqrt();
    let [_, height, _, energy] = &ensemble.bands[..] else { panic!("{:?}", ensemble.bands) };
    for point in &height.points {
        let time = point.time;
        assert_eq!(point.members, 30);
        if time < landing {
            let expected = 1.01 - 4.905 * time * time;
            assert!((point.least - expected).abs() < 1e-10, "{time}");
            assert!((point.greatest - expected).abs() < 1e-10, "{time}");
        }
        assert!(point.quantiles.is_sorted() && point.least <= point.quantiles[0]);
    }
    // A corner lifts at up to 0.21 of 0.44 m/s and falls with 2.9 m/s² at a lever of 1 m: the middle rises by up to 0.7 mm
    // in the first turn, and by less in each later one.
    let spread = height.points.iter().map(|point| point.greatest - point.least);
    assert!(spread.fold(0.0, f64::max) > 1e-4);
    let before = 9.81 * 1.01;
    assert!(energy.points.iter().all(|point| point.greatest < before * (1.0 + 1e-10)));
    assert!(ensemble.members.iter().all(|member| member.energy.residual().abs() < 1e-9));
}

/// The members come to rest on both corners, most of them after they have rocked.
#[test]
fn the_block_comes_to_rest() {
    let settings = Settings { members: 40, intervals: 10, ..Settings::default() };
    let ensemble = follow(&settings, 2.0);
    let [status] = &ensemble.statuses[..] else { panic!("{:?}", ensemble.statuses) };
    assert_eq!((status.value, status.count), (Status::EndReached, 40));
    let [low, high] = status.probability;
    assert!((low - 0.025_f64.powf(1.0 / 40.0)).abs() < 1e-12 && (high - 1.0).abs() < 1e-15);
    for member in &ensemble.members {
        assert_eq!(member.ending.closed.len(), 2, "{member:?}");
        assert!(member.state.velocity.iter().all(|v| v.abs() < 1e-9), "{member:?}");
    }
    // Rest at the landing, or a turn about either corner. Later impacts have one outcome: an impulse at one corner
    // separates the other one.
    assert_eq!(ensemble.sequences.len(), 3, "{:?}", ensemble.sequences);
    let counts: u64 = ensemble.sequences.iter().map(|share| share.count).sum();
    assert_eq!(counts, 40);
}

#[cfg(feature = "rayon")]
#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let settings = Settings { members: 150, intervals: 5, ..Settings::default() };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| follow(&settings, 0.3))
    };
    let one = on(1);
    assert!(one == on(2) && one == on(8));
    // A member does not depend on how many others there are.
    let few = follow(&Settings { members: 70, ..settings.clone() }, 0.3);
    assert_eq!(one.members[..70], few.members[..]);
    let mut other = settings;
    other.law.seed = 2;
    assert_ne!(one.members, follow(&other, 0.3).members);
}

/// Two landings of one motion draw numbers of their own, which are those of the samples of the member.
#[test]
fn each_impact_of_a_member_is_its_own_sample() {
    let (model, start) = block(1.0);
    let numbers = std::sync::Mutex::new(Vec::new());
    #[derive(Debug)]
    struct Listening<'a>(set_valued::Member, &'a std::sync::Mutex<Vec<u64>>);
    impl percussion_impact::Law for Listening<'_> {
        fn name(&self) -> &'static str {
            "listening"
        }

        fn claims(
            &self,
            problem: &percussion_impact::Problem,
        ) -> percussion_impact::certificate::Claims {
            self.0.claims(problem)
        }

        fn answer(
            &self,
            problem: &percussion_impact::Problem,
        ) -> Result<percussion_impact::Outcome, percussion_impact::Error> {
            self.0.answer(problem)
        }

        fn resolve_numbered(
            &self,
            problem: &percussion_impact::Problem,
            number: u64,
        ) -> Result<percussion_impact::Outcome, percussion_impact::Error> {
            self.1.lock().unwrap().push(number);
            self.0.resolve_numbered(problem, number)
        }
    }
    let settings = event_driven::Settings::default();
    let mut turned = 0;
    for member in 0..10 {
        let law = SetValuedRouth::new(set_valued::Settings { steps: 100, ..Default::default() });
        let law = Listening(set_valued::Member::new(law, member).unwrap(), &numbers);
        let report = integrate(&model, &law, &settings, &start, 1.0, &mut |_| ()).unwrap();
        let numbers = std::mem::take(&mut *numbers.lock().unwrap());
        assert!(!numbers.is_empty() && numbers.len() <= report.counters.impacts, "{numbers:?}");
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
        assert_eq!(report.modes, [Mode::Sticking; 2]);
        turned += usize::from(numbers.len() > 1);
    }
    // About half of the members turn first.
    assert!(turned > 0, "a member draws more than once");
}

#[test]
fn settings_out_of_range_are_named() {
    let (model, start) = block(1.0);
    let refused = |change: &dyn Fn(&mut Settings)| {
        let mut settings = Settings { members: 2, intervals: 2, ..Settings::default() };
        change(&mut settings);
        run(&model, &|_| start.clone(), 0.1, &settings, &|_| ()).unwrap_err().to_string()
    };
    assert!(refused(&|s| s.members = 0).contains("`members` is 0"));
    assert!(refused(&|s| s.intervals = 0).contains("`intervals` is 0"));
    assert!(refused(&|s| s.phases = 0).contains("`phases` is 0"));
    assert!(refused(&|s| s.failure = 2.0).contains("`failure` is 2"));
    assert!(refused(&|s| s.quantiles = vec![0.5, 0.25]).contains("`quantiles` is 0.25"));
    assert!(refused(&|s| s.law.draws = Draws::Sobol).contains("`draws` is `sobol`"));
    assert!(refused(&|s| s.law.step = -1.0).contains("`step` is -1"));
    assert!(refused(&|s| (s.members, s.intervals) = (u32::MAX, usize::MAX)).contains("values"));
    let low = |_| State { coordinates: vec![0.0, 0.5, 0.0], ..start.clone() };
    let settings = Settings { members: 2, ..Settings::default() };
    let error = run(&model, &low, 0.1, &settings, &|_| ()).unwrap_err().to_string();
    assert!(error.contains("member 0") && error.contains("overlaps"), "{error}");
}
