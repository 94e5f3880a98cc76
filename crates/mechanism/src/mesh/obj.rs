//! OBJ: the vertices of a Wavefront file.

use nalgebra::Vector3;

/// All vertices, including those that no face uses.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Vector3<f64>>, String> {
    // Names may be in any encoding; numbers are ASCII.
    let text = String::from_utf8_lossy(bytes);
    let mut vertices = Vec::new();
    for (line, text) in text.lines().enumerate() {
        let mut words = text.split_whitespace();
        if words.next() == Some("v") {
            vertices.push(super::three(words).ok_or_else(|| {
                format!("line {}: `{}`, expected a vertex of 3 numbers", line + 1, text.trim())
            })?);
        }
    }
    Ok(vertices)
}

/// The triangles of the faces among `count` vertices; faces with more corners become fans of triangles.
#[cfg(feature = "mjcf")]
pub(super) fn triangles(bytes: &[u8], count: usize) -> Result<Vec<[usize; 3]>, String> {
    let text = String::from_utf8_lossy(bytes);
    let (mut triangles, mut before) = (Vec::new(), 0_i64);
    for (line, text) in text.lines().enumerate() {
        let mut words = text.split_whitespace();
        match words.next() {
            Some("v") => before += 1,
            Some("f") => {
                // Indices count from 1, or backwards from the last vertex before the face.
                let corner = |word: &str| {
                    let number: i64 = word.split('/').next()?.parse().ok()?;
                    let index = if number < 0 { before + number } else { number - 1 };
                    usize::try_from(index).ok().filter(|index| *index < count)
                };
                let corners: Option<Vec<usize>> = words.map(corner).collect();
                let corners = corners.filter(|corners| corners.len() >= 3).ok_or_else(|| {
                    let text = text.trim();
                    format!("line {}: `{text}`, expected a face of vertices", line + 1)
                })?;
                triangles.extend(corners.windows(2).skip(1).map(|w| [corners[0], w[0], w[1]]));
            }
            _ => {}
        }
    }
    Ok(triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_read_and_the_rest_is_passed_over() {
        let text =
            "# cube\nmtllib a.mtl\nv 1 2 3\nvn 0 0 1\n v -1e-3 0.5 2 1.0 0 0\nf 1//1 2//1 1//1\n";
        let vertices = read(text.as_bytes()).unwrap();
        assert_eq!(vertices, [Vector3::new(1.0, 2.0, 3.0), Vector3::new(-1e-3, 0.5, 2.0)]);
        assert!(read(b"v 1 x 3").unwrap_err().starts_with("line 1: `v 1 x 3`"));
    }

    #[cfg(feature = "mjcf")]
    #[test]
    fn faces_are_cut_into_triangles() {
        let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/2/3 2 3//1 4\nf -4 -3 -2\n";
        assert_eq!(triangles(text, 4).unwrap(), [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
        assert!(triangles(b"f 1 2 9", 4).is_err() && triangles(b"f 1 2", 4).is_err());
    }
}
