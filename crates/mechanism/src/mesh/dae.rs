//! COLLADA: the positions of the geometries that the scene shows.
//!
//! The scene places geometries by a tree of nodes, each with `matrix`, `translate`, `rotate` and `scale` in
//! their order. Without a scene, all geometries are used without a transformation. `asset/unit` scales the
//! geometries. `asset/up_axis` does not rotate them, as in RViz and in assimp with root transformations
//! cleared, for which robot descriptions are written.
//!
//! # Source
//!
//! Khronos Group, *COLLADA – Digital Asset Schema Release 1.4.1*, 2008, chapters 5 (core elements) and 4 (concepts).

use std::collections::BTreeMap;

use nalgebra::{Matrix4, Rotation3, Unit, Vector3};

use crate::xml::{self, Element};

/// Maximum depth of nodes; nodes can refer to other nodes, and in a broken file to themselves.
const DEEPEST: usize = 64;

/// Maximum number of vertices and of nodes; without it, nodes that refer to nodes could multiply them without bound.
const MOST: usize = 8 << 20;

pub(super) fn read(bytes: &[u8]) -> Result<Vec<Vector3<f64>>, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let root = xml::parse_with_text(text)
        .map_err(|error| format!("line {}: {}", error.line, error.message))?;
    if root.name != "COLLADA" {
        return Err(format!("the outermost element is `{}`, expected `COLLADA`", root.name));
    }
    let meter = root.child("asset").and_then(|asset| asset.child("unit"));
    let meter = meter.and_then(|unit| unit.attribute("meter"));
    let unit = meter.map_or(Some(1.0), |text| text.trim().parse().ok());
    let unit = unit.filter(|unit: &f64| unit.is_finite() && *unit > 0.0);
    let unit = unit.ok_or_else(|| format!("`meter` is {meter:?}, expected a positive number"))?;
    let mut document = Document {
        geometries: BTreeMap::new(),
        named: BTreeMap::new(),
        found: Vec::new(),
        visits: 0,
    };
    document.collect(&root)?;
    match scene(&root, &document.named)? {
        Some(scene) => {
            for node in scene.children_named("node") {
                document.node(node, &Matrix4::identity(), 0)?;
            }
        }
        None => document.found.extend(document.geometries.values().flatten()),
    }
    Ok(document.found.into_iter().map(|point| point * unit).collect())
}

struct Document<'a> {
    /// Positions by the name of the geometry.
    geometries: BTreeMap<&'a str, Vec<Vector3<f64>>>,
    /// Elements by their names.
    named: BTreeMap<&'a str, &'a Element>,
    found: Vec<Vector3<f64>>,
    /// Nodes placed so far.
    visits: usize,
}

/// The scene that the document shows.
fn scene<'a>(
    root: &Element,
    named: &BTreeMap<&'a str, &'a Element>,
) -> Result<Option<&'a Element>, String> {
    let shown = root.child("scene").and_then(|scene| scene.child("instance_visual_scene"));
    shown.map(|shown| referred(shown, "url", named)).transpose()
}

/// The element that the attribute of `element` refers to, as in `url="#name"`.
fn referred<'a>(
    element: &Element,
    attribute: &str,
    named: &BTreeMap<&'a str, &'a Element>,
) -> Result<&'a Element, String> {
    let url = element.attribute(attribute).unwrap_or_default();
    let target = url.strip_prefix('#').and_then(|name| named.get(name));
    target.copied().ok_or_else(|| {
        format!("line {}: `{attribute}` is \"{url}\", which does not exist", element.line)
    })
}

impl<'a> Document<'a> {
    /// Collects the elements with names, and the positions of the geometries.
    fn collect(&mut self, root: &'a Element) -> Result<(), String> {
        let mut open = vec![root];
        while let Some(element) = open.pop() {
            if let Some(name) = element.attribute("id") {
                self.named.insert(name, element);
            }
            open.extend(&element.children);
        }
        let libraries = root.children_named("library_geometries");
        for geometry in libraries.flat_map(|library| library.children_named("geometry")) {
            let Some(mesh) = geometry.child("mesh") else { continue };
            let positions = self.positions(mesh)?;
            self.geometries.insert(geometry.attribute("id").unwrap_or_default(), positions);
        }
        Ok(())
    }

    fn positions(&self, mesh: &Element) -> Result<Vec<Vector3<f64>>, String> {
        let vertices = mesh.child("vertices");
        let input = vertices.and_then(|vertices| {
            vertices
                .children_named("input")
                .find(|input| input.attribute("semantic") == Some("POSITION"))
        });
        let input =
            input.ok_or_else(|| format!("line {}: the mesh has no positions", mesh.line))?;
        let source = referred(input, "source", &self.named)?;
        let array = source
            .child("float_array")
            .ok_or_else(|| format!("line {}: the positions have no `float_array`", source.line))?;
        let accessor = source.child("technique_common").and_then(|common| common.child("accessor"));
        let stride = accessor.and_then(|accessor| accessor.attribute("stride"));
        let stride: usize = stride.map_or(Ok(3), |text| text.trim().parse()).unwrap_or(0);
        if stride < 3 {
            return Err(format!(
                "line {}: a stride below 3, expected positions in space",
                source.line
            ));
        }
        let numbers: Result<Vec<f64>, _> = array.text.split_whitespace().map(str::parse).collect();
        let numbers =
            numbers.map_err(|_| format!("line {}: an entry is not a number", array.line))?;
        Ok(numbers
            .chunks_exact(stride)
            .map(|point| Vector3::new(point[0], point[1], point[2]))
            .collect())
    }

    /// Adds the geometries of `node` with the transformation `above` it.
    fn node(
        &mut self,
        node: &'a Element,
        above: &Matrix4<f64>,
        depth: usize,
    ) -> Result<(), String> {
        if depth == DEEPEST {
            return Err(format!("line {}: nodes are nested more than {DEEPEST} deep", node.line));
        }
        self.visits += 1;
        if self.visits > MOST {
            return Err(format!("the scene places more than {MOST} nodes"));
        }
        let mut placement = *above;
        for child in &node.children {
            match child.name.as_str() {
                "matrix" | "translate" | "rotate" | "scale" => placement *= transformation(child)?,
                "lookat" | "skew" => {
                    let (line, name) = (child.line, &child.name);
                    return Err(format!("line {line}: `{name}` is not read, expected a matrix"));
                }
                _ => {}
            }
        }
        for child in &node.children {
            match child.name.as_str() {
                "node" => self.node(child, &placement, depth + 1)?,
                "instance_node" => {
                    let target = referred(child, "url", &self.named)?;
                    self.node(target, &placement, depth + 1)?;
                }
                "instance_geometry" => {
                    let geometry = referred(child, "url", &self.named)?;
                    self.show(geometry.attribute("id").unwrap_or_default(), &placement)?;
                }
                "instance_controller" => {
                    let controller = referred(child, "url", &self.named)?;
                    if let Some(skin) = controller.child("skin") {
                        let geometry = referred(skin, "source", &self.named)?;
                        self.show(geometry.attribute("id").unwrap_or_default(), &placement)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn show(&mut self, geometry: &str, placement: &Matrix4<f64>) -> Result<(), String> {
        let points = self.geometries.get(geometry).map_or(&[][..], Vec::as_slice);
        if self.found.len() + points.len() > MOST {
            return Err(format!("the scene shows more than {MOST} vertices"));
        }
        let placed = |point: &Vector3<f64>| placement.transform_point(&(*point).into()).coords;
        self.found.extend(points.iter().map(placed));
        Ok(())
    }
}

/// The matrix of one transformation of a node.
fn transformation(element: &Element) -> Result<Matrix4<f64>, String> {
    let numbers: Vec<f64> =
        element.text.split_whitespace().map_while(|word| word.parse().ok()).collect();
    match (element.name.as_str(), &numbers[..]) {
        ("matrix", rows) if rows.len() == 16 => Ok(Matrix4::from_row_slice(rows)),
        ("translate", &[x, y, z]) => Ok(Matrix4::new_translation(&Vector3::new(x, y, z))),
        ("scale", &[x, y, z]) => Ok(Matrix4::new_nonuniform_scaling(&Vector3::new(x, y, z))),
        ("rotate", &[x, y, z, degrees]) => {
            let axis = Unit::try_new(Vector3::new(x, y, z), 0.0);
            let turn = axis.map(|axis| Rotation3::from_axis_angle(&axis, degrees.to_radians()));
            Ok(turn.unwrap_or_else(Rotation3::identity).to_homogeneous())
        }
        (name, _) => {
            let line = element.line;
            Err(format!(
                "line {line}: `{name}` has {} numbers, which is the wrong number for this element",
                numbers.len()
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r##"<COLLADA><asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array count="6">1 2 3 4 5 6</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>10 0 0</translate><rotate>0 0 1 90</rotate>
<node id="inner"><scale>1 1 2</scale><instance_geometry url="#g"/></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;

    /// `(1, 2, 3)`, stretched to `(1, 2, 6)`, turned to `(−2, 1, 6)`, moved to `(8, 1, 6)`, in centimeters.
    #[test]
    fn nodes_place_what_the_scene_shows() {
        let points = read(TEXT.as_bytes()).unwrap();
        assert_eq!(points.len(), 2);
        assert!((points[0] - Vector3::new(0.08, 0.01, 0.06)).norm() < 1e-15, "{}", points[0]);
        let bare = TEXT.replace("<scene><instance_visual_scene url=\"#s\"/></scene>", "");
        assert!((read(bare.as_bytes()).unwrap()[1].z - 0.06).abs() < 1e-15);
    }

    #[test]
    fn what_is_broken_is_refused() {
        for (from, to, expected) in [
            ("url=\"#g\"", "url=\"#h\"", "\"#h\""),
            ("4 5 6", "4 five 6", "not a number"),
            ("meter=\"0.01\"", "meter=\"-1\"", "positive"),
            ("<scale>1 1 2", "<scale>1 1", "`scale` has 2"),
            ("<instance_geometry url=\"#g\"/>", "<instance_node url=\"#inner\"/>", "64 deep"),
            ("COLLADA>", "collada>", "expected `COLLADA`"),
        ] {
            assert!(TEXT.contains(from), "{from}");
            let error = read(TEXT.replace(from, to).as_bytes()).unwrap_err();
            assert!(error.contains(expected), "{error}\n  expected: {expected}");
        }
    }
}
