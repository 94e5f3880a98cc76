//! The surfaces between which contacts are found during the motion: [`Surfaces`].

use percussion_collision::{Collider, ContactId, Feature, Scene, Shape};
use percussion_dynamics::ContactName;

/// The surfaces of a mechanism, with the names of their contacts.
#[derive(Clone, Debug)]
pub struct Surfaces {
    scene: Scene,
    names: Vec<String>,
    owners: Vec<String>,
}

impl Surfaces {
    /// The colliders of `scene`, with the names of the surfaces and of their owners (bodies or fixed objects).
    pub(crate) fn new(scene: Scene, names: Vec<String>, owners: Vec<String>) -> Self {
        Self { scene, names, owners }
    }

    /// The surfaces, numbered as its colliders.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The name of a contact, such as `box 1–floor (vertex 3, face 0)`. If both surfaces have only one
    /// feature, as two balls have, there are no parentheses.
    #[must_use]
    pub fn contact(&self, contact: &ContactName) -> String {
        let [first, second] = contact.surfaces.map(|surface| self.name(surface));
        let Some(ContactId { features, colliders }) = ContactId::from_name(contact) else {
            return format!("{first}–{second}");
        };
        let plain = |k: usize| {
            let shape = self.scene.colliders().get(colliders[k]).map(Collider::shape);
            match features[k] {
                Feature::Whole => true,
                Feature::Face(_) => matches!(shape, Some(Shape::HalfSpace { .. })),
                Feature::Vertex(_) => {
                    matches!(shape, Some(Shape::Sphere { .. } | Shape::Disc { .. }))
                }
                _ => false,
            }
        };
        if plain(0) && plain(1) {
            return format!("{first}–{second}");
        }
        let [one, two] = features.map(feature);
        format!("{first}–{second} ({one}, {two})")
    }

    /// The names of the bodies or fixed objects of a contact: body 1 and body 2 of its frame.
    #[must_use]
    pub fn partners(&self, contact: &ContactName) -> [String; 2] {
        contact.surfaces.map(|surface| self.owners.get(surface).cloned().unwrap_or_default())
    }

    /// The name of the body or fixed object that has the surface.
    pub(crate) fn owner(&self, surface: usize) -> &str {
        self.owners.get(surface).map_or("", String::as_str)
    }

    fn name(&self, surface: usize) -> &str {
        self.names.get(surface).map_or("", String::as_str)
    }
}

fn feature(feature: Feature) -> String {
    match feature {
        Feature::Vertex(index) => format!("vertex {index}"),
        Feature::Rim(index) => format!("rim {index}"),
        Feature::Edge(index) => format!("edge {index}"),
        Feature::Face(index) => format!("face {index}"),
        _ => "surface".to_owned(),
    }
}
