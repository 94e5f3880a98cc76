//! MSH: the binary format of MuJoCo, four counts and then vertices, normals, texture coordinates and triangles.

use nalgebra::Vector3;

/// Bytes of a number.
const WORD: usize = 4;

/// The vertices and the triangles.
pub(super) fn read(bytes: &[u8]) -> Result<super::Surface, String> {
    let word = |index: usize| -> Option<[u8; WORD]> {
        bytes.get(WORD * index..WORD * (index + 1))?.try_into().ok()
    };
    let count =
        |index: usize| -> Option<usize> { usize::try_from(i32::from_le_bytes(word(index)?)).ok() };
    let counts = [count(0), count(1), count(2), count(3)].map(Option::unwrap_or_default);
    let [vertices, normals, texture, faces] = counts;
    // Counts of 31 bits cannot overflow.
    let words = 4 + 3 * vertices + 3 * normals + 2 * texture + 3 * faces;
    if bytes.len() != WORD * words {
        let found = bytes.len();
        return Err(format!("it has {found} bytes, expected {} by its counts", WORD * words));
    }
    let number =
        |index: usize| word(index).map_or(f64::NAN, |word| f64::from(f32::from_le_bytes(word)));
    let vertex = |k: usize| Vector3::from_fn(|axis, _| number(4 + 3 * k + axis));
    let first = words - 3 * faces;
    let corner = |index: usize| count(index).filter(|corner| *corner < vertices);
    let triangle = |k: usize| {
        let [a, b, c] = [0, 1, 2].map(|side| corner(first + 3 * k + side));
        Some([a?, b?, c?])
    };
    let triangles: Option<Vec<[usize; 3]>> = (0..faces).map(triangle).collect();
    let triangles = triangles.ok_or("a triangle has a corner that is not a vertex")?;
    Ok(((0..vertices).map(vertex).collect(), triangles))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(faces: [i32; 3]) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            [3, 0, 1, 1].iter().flat_map(|count: &i32| count.to_le_bytes()).collect();
        let numbers = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.5, 7.0, 7.0];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(faces.iter().flat_map(|corner| corner.to_le_bytes()));
        bytes
    }

    #[test]
    fn vertices_and_triangles_are_read() {
        let (vertices, triangles) = read(&file([0, 1, 2])).unwrap();
        assert_eq!(vertices[2], Vector3::new(0.0, 2.0, 0.5));
        assert_eq!(triangles, [[0, 1, 2]]);
    }

    #[test]
    fn files_that_do_not_add_up_are_refused() {
        assert!(read(&file([0, 1, 3])).unwrap_err().contains("not a vertex"));
        assert!(read(&file([0, -1, 2])).unwrap_err().contains("not a vertex"));
        assert!(read(&file([0, 1, 2])[..40]).unwrap_err().contains("40 bytes"));
        assert!(read(b"").unwrap_err().contains("0 bytes"));
        let huge: Vec<u8> = [i32::MAX; 4].iter().flat_map(|count| count.to_le_bytes()).collect();
        assert!(read(&huge).is_err());
    }
}
