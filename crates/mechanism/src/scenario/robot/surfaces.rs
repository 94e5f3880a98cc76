//! The pairs of links of a robot that never touch.

use percussion_collision::{Collider, Scene, SceneError};
use percussion_dynamics::{Articulated, JointKind};

/// The scene without contacts between links that move together or that a joint connects, because their shapes
/// overlap by design, and without contacts between links that are fixed in the world and other fixed objects.
///
/// # Errors
///
/// None for a scene of `system`.
pub(crate) fn without_neighbors(scene: Scene, system: &Articulated) -> Result<Scene, SceneError> {
    let links = system.links();
    // The first link of the group that moves together with a link; `None` for the world.
    let mut heads: Vec<Option<usize>> = Vec::with_capacity(links.len());
    for (body, link) in links.iter().enumerate() {
        let head = match link.joint.kind {
            JointKind::Fixed => system.parent(body).and_then(|parent| heads[parent]),
            _ => Some(body),
        };
        heads.push(head);
    }
    // The group that carries the group of a head.
    let carrier = |head: usize| system.parent(head).and_then(|parent| heads[parent]);
    // A body that moves freely has no carrier.
    let hangs = |head: usize| {
        system.parent(head).is_some()
            || !matches!(links[head].joint.kind, JointKind::Free | JointKind::Planar)
    };
    let connected = |a: Option<usize>, b: Option<usize>| {
        a == b
            || a.is_some_and(|a| hangs(a) && carrier(a) == b)
            || b.is_some_and(|b| hangs(b) && carrier(b) == a)
    };
    let mut with_shapes: Vec<usize> = scene.colliders().iter().filter_map(Collider::body).collect();
    with_shapes.sort_unstable();
    with_shapes.dedup();
    let pairs = with_shapes
        .iter()
        .enumerate()
        .flat_map(|(k, &a)| with_shapes[k + 1..].iter().map(move |&b| (a, b)));
    let apart: Vec<(usize, usize)> =
        pairs.filter(|&(a, b)| connected(heads[a], heads[b])).collect();
    let resting = with_shapes.iter().filter(|body| heads[**body].is_none());
    let scene = resting.copied().try_fold(scene, Scene::exclude_world)?;
    apart.into_iter().try_fold(scene, |scene, (a, b)| scene.exclude(a, b))
}
