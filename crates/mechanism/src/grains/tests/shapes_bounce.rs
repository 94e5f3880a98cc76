//! Grains with shapes bounce by the restitution of their materials.

use percussion_granular::Domain;

use super::shapes::{first, make, mixture, run, scene};

#[test]
fn a_brick_returns_to_the_square_of_the_restitution_of_its_materials() {
    let brick = "shape.box = { size = [0.04, 0.02, 0.01] }";
    let materials = |e: f64| {
        format!("materials = [{{ between = [\"grains\", \"floor\"], restitution = {e} }}]")
    };
    // The ball around the brick has a radius of 22.9 mm, so that its lower face is 0.2 m above the floor.
    let place = "[[insert]]\nlattice = { count = 1, shake = 0, pitch = 1 }\nangle = 0\n\
                 region.box = { low = [0, 0, 0.1820871215252208], high = [0.05, 0.05, 0.25] }\n";
    for e in [0.0, 0.5, 0.9] {
        let mut run = run(&(scene(brick, &materials(e)) + place));
        assert!((first(&run).position.z - 0.205).abs() < 1e-15);
        let mut highest = 0.0_f64;
        for step in 0..500 {
            make(&mut run, 1);
            // It arrives after 0.202 s.
            let height = if step > 205 { first(&run).position.z - 0.005 } else { 0.0 };
            highest = highest.max(height);
            assert!(first(&run).angular_velocity.norm() < 1e-6);
        }
        let speed = (2.0 * 9.81 * 0.2_f64).sqrt();
        assert!((highest - e * e * 0.2).abs() < 1e-3 * speed, "{e}: {highest}");
    }
}

#[test]
fn a_mixture_that_bounces_is_resumed_with_the_same_bits() {
    let text = format!("restitution = 0.6\n{}", mixture());
    let mut whole = run(&text);
    make(&mut whole, 150);
    let share = whole.domain().share();
    make(&mut whole, 350);
    let mut resumed = run(&text);
    resumed.domain().restore(share).unwrap();
    make(&mut resumed, 350);
    assert!(resumed.domain().share() == whole.domain().share(), "the same bits");
    let mut inelastic = run(&mixture());
    make(&mut inelastic, 500);
    let [bounced, not] = [&whole, &inelastic].map(|run| run.world().grains().kinetic_energy());
    assert!(bounced > 1.01 * not, "{bounced} J and {not} J");
}
