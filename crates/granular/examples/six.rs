//! Trial.
use percussion_granular::*;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let get = |k: usize, d: f64| args.get(k).and_then(|s| s.parse().ok()).unwrap_or(d);
    let mut world = scenes::six_by_six_by_six().unwrap();
    let mut s = *world.settings();
    s.max_sweeps = get(1, 50.0) as usize;
    s.tolerance = get(2, 1e-3);
    s.correction = Correction::Position { part: get(3, 0.2), sweeps: get(4, 2.0) as usize };
    world.set_settings(s).unwrap();
    let d = 0.2;
    let (mut worst, mut gain, mut lift, mut net): (f64, f64, f64, f64) = (0.0, 0.0, 0.0, 0.0);
    let t0 = Instant::now();
    let mut sweeps = 0;
    let e0 = world.energy();
    let mut updates = 0;
    for k in 0..10000 {
        let before = world.energy();
        let r = world.step().unwrap();
        sweeps += r.sweeps;
        updates += r.sweeps * r.candidates;
        worst = worst.max(r.overlap);
        let g = world.energy() - before;
        gain = gain.max(g);
        net = net.max(g - r.lifting);
        lift += r.lifting;
        if k % 1000 == 999 || k < 1000 && k % 100 == 99 {
            println!(
                "t {:.2} E {:.4e} cand {} cont {} sweeps {} rel {:.1e} overlap {:.2e} worst {:.2e} gain {:.2e} net {:.2e} lift {:.2e} time {:.2} s",
                world.time(),
                world.energy() - 0.0 * e0,
                r.candidates,
                r.contacts,
                r.sweeps,
                r.relative_residual,
                r.overlap / d,
                worst / d,
                gain / e0,
                net / e0,
                lift / e0,
                t0.elapsed().as_secs_f64()
            );
        }
    }
    println!(
        "sweeps {sweeps}, updates {:.1} M, end overlap {:.2e}, time {:.2}",
        updates as f64 / 1e6,
        world.overlap() / d,
        t0.elapsed().as_secs_f64()
    );
}
