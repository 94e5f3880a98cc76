//! Points and faces with values in the legacy file format of VTK, which `ParaView` opens.
//!
//! # Source
//!
//! *The VTK User's Guide*, 11th edition, Kitware 2010, "Legacy file formats": the binary variant, big-endian.

/// A quantity with a value at every point.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Name, without white space.
    pub name: &'static str,
    /// One value for each point.
    pub values: Values,
}

/// The values of a [`Quantity`].
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers.
    Scalars(Vec<f64>),
    /// Vectors.
    Vectors(Vec<[f64; 3]>),
}

/// A file of `points` with their quantities; `title` is cut at its first line break and at 255 bytes.
///
/// In `ParaView`, the filter *Glyph* with spheres scaled by a `radius` shows balls.
///
/// # Example
///
/// ```
/// use percussion_report::vtk::{self, Quantity, Values};
///
/// let radius = Quantity { name: "radius", values: Values::Scalars(vec![0.1]) };
/// let file = vtk::points("one ball", &[[1.0, 2.0, 3.0]], &[radius]);
/// assert!(file.starts_with(b"# vtk DataFile Version 3.0\none ball\nBINARY\n"));
/// ```
#[must_use]
pub fn points(title: &str, points: &[[f64; 3]], quantities: &[Quantity]) -> Vec<u8> {
    surfaces(title, points, points.len(), &[], quantities)
}

/// A file of points with their quantities, of which the first `balls` stand for themselves and the others are corners of
/// `faces`, each a list of indices of points.
///
/// # Example
///
/// ```
/// let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let file = percussion_report::vtk::surfaces("a triangle", &corners, 0, &[vec![0, 1, 2]], &[]);
/// let text = String::from_utf8_lossy(&file);
/// assert!(text.contains("POLYGONS 1 4\n") && !text.contains("VERTICES"));
/// ```
#[must_use]
pub fn surfaces(
    title: &str,
    points: &[[f64; 3]],
    balls: usize,
    faces: &[Vec<usize>],
    quantities: &[Quantity],
) -> Vec<u8> {
    let title = title.lines().next().unwrap_or_default();
    let end = (0..=title.len().min(255)).rev().find(|end| title.is_char_boundary(*end));
    let title = &title[..end.unwrap_or_default()];
    let count = points.len();
    let mut file = format!(
        "# vtk DataFile Version 3.0\n{title}\nBINARY\nDATASET POLYDATA\nPOINTS {count} double\n"
    )
    .into_bytes();
    put(&mut file, points.as_flattened());
    #[expect(clippy::cast_possible_truncation, reason = "the format has 32 bits for places")]
    let narrow = |place: usize| (place as u32).to_be_bytes();
    if balls > 0 || faces.is_empty() {
        // One cell per point, without which nothing would be visible.
        file.extend(format!("\nVERTICES {balls} {}\n", 2 * balls).bytes());
        for place in 0..balls {
            file.extend(1_u32.to_be_bytes());
            file.extend(narrow(place));
        }
    }
    if !faces.is_empty() {
        let size = faces.iter().map(|face| 1 + face.len()).sum::<usize>();
        file.extend(format!("\nPOLYGONS {} {size}\n", faces.len()).bytes());
        for face in faces {
            file.extend(narrow(face.len()));
            face.iter().for_each(|place| file.extend(narrow(*place)));
        }
    }
    file.extend(format!("\nPOINT_DATA {count}\n").bytes());
    for Quantity { name, values } in quantities {
        match values {
            Values::Scalars(values) => {
                file.extend(format!("SCALARS {name} double 1\nLOOKUP_TABLE default\n").bytes());
                put(&mut file, values);
            }
            Values::Vectors(values) => {
                file.extend(format!("VECTORS {name} double\n").bytes());
                put(&mut file, values.as_flattened());
            }
        }
        file.push(b'\n');
    }
    file
}

/// A list of files of points that belong together, which `ParaView` opens by the ending `pvtk`.
///
/// # Example
///
/// ```
/// let list = percussion_report::vtk::pieces(["a-0.vtk".to_owned(), "a-1.vtk".to_owned()].into_iter());
/// assert!(list.contains("numberOfPieces=\"2\"") && list.contains("<Piece fileName=\"a-1.vtk\"/>"));
/// ```
#[must_use]
pub fn pieces(names: impl ExactSizeIterator<Item = String>) -> String {
    let head = format!(
        "<File version=\"pvtk-1.0\" dataType=\"vtkPolyData\" numberOfPieces=\"{}\">\n",
        names.len()
    );
    let lines: String = names.map(|name| format!("  <Piece fileName=\"{name}\"/>\n")).collect();
    head + &lines + "</File>\n"
}

fn put(file: &mut Vec<u8>, numbers: &[f64]) {
    file.reserve(8 * numbers.len());
    numbers.iter().for_each(|number| file.extend(number.to_be_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_where_the_format_puts_them() {
        let speed = Quantity { name: "v", values: Values::Vectors(vec![[0.5; 3], [-1.0; 3]]) };
        let file = points("two\nlines", &[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &[speed]);
        let after = |mark: &str| {
            let at = file.windows(mark.len()).position(|part| part == mark.as_bytes());
            &file[at.expect("there") + mark.len()..]
        };
        assert_eq!(after("POINTS 2 double\n")[40..48], 6.0_f64.to_be_bytes());
        assert_eq!(after("VERTICES 2 4\n")[..16], [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
        assert_eq!(after("VECTORS v double\n")[24..32], (-1.0_f64).to_be_bytes());
        assert!(after("3.0\n").starts_with(b"two\nBINARY"));
    }
}
