//! STL: triangles, binary or ASCII.

use nalgebra::Vector3;

/// Length of the header of a binary file (bytes), and of one triangle.
const HEAD: usize = 84;
const TRIANGLE: usize = 50;

/// The corners of all triangles.
///
/// The word `solid` does not identify the format, because programs also write it at the start of binary
/// files. A file is binary if its length matches its number of triangles, or if it is not text.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Vector3<f64>>, String> {
    match std::str::from_utf8(bytes) {
        Ok(text) if demanded(bytes) != Some(bytes.len()) => ascii(text),
        _ => binary(bytes),
    }
}

/// The length of a binary file with this number of triangles.
fn demanded(bytes: &[u8]) -> Option<usize> {
    let count = u32::from_le_bytes(bytes.get(HEAD - 4..HEAD)?.try_into().ok()?);
    TRIANGLE.checked_mul(usize::try_from(count).ok()?)?.checked_add(HEAD)
}

fn binary(bytes: &[u8]) -> Result<Vec<Vector3<f64>>, String> {
    let length = demanded(bytes).filter(|length| *length <= bytes.len()).ok_or_else(|| {
        format!("it is neither ASCII nor as long as its triangles demand: {} bytes", bytes.len())
    })?;
    let number = |at: &[u8]| f64::from(f32::from_le_bytes([at[0], at[1], at[2], at[3]]));
    let corner = |at: &[u8]| Vector3::new(number(at), number(&at[4..]), number(&at[8..]));
    // Twelve bytes of a normal, three corners and two unused bytes.
    let triangles = bytes[HEAD..length].chunks_exact(TRIANGLE);
    Ok(triangles.flat_map(|t| [corner(&t[12..]), corner(&t[24..]), corner(&t[36..])]).collect())
}

fn ascii(text: &str) -> Result<Vec<Vector3<f64>>, String> {
    if !text.trim_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case("solid")) {
        return Err("it is text that does not begin with `solid`".to_owned());
    }
    let mut corners = Vec::new();
    for (line, text) in text.lines().enumerate() {
        let mut words = text.split_whitespace();
        if words.next().is_some_and(|word| word.eq_ignore_ascii_case("vertex")) {
            let corner = super::three(words);
            corners.push(corner.ok_or_else(|| {
                format!("line {}: `{}`, expected a vertex of 3 numbers", line + 1, text.trim())
            })?);
        }
    }
    Ok(corners)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One triangle, at `x` = 1, 2 and 3.
    fn triangle(head: &[u8]) -> Vec<u8> {
        let mut bytes = head.to_vec();
        bytes.resize(80, b' ');
        bytes.extend(1_u32.to_le_bytes());
        let numbers = [0.0_f32, 0.0, 1.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 0.5, 0.0];
        numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend([0, 0]);
        bytes
    }

    #[test]
    fn a_binary_file_may_begin_with_solid() {
        for head in [&b"solid part"[..], b"exported"] {
            let corners = read(&triangle(head)).unwrap();
            assert_eq!(corners.iter().map(|c| c.x).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
            assert_eq!(corners[2], Vector3::new(3.0, 0.5, 0.0));
        }
    }

    #[test]
    fn text_is_read_and_cut_files_are_refused() {
        let text = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\nVERTEX 4e-1 5 6\n";
        assert_eq!(read(text.as_bytes()).unwrap()[1], Vector3::new(0.4, 5.0, 6.0));
        let wrong = read(b"solid a\nvertex 1 2\n").unwrap_err();
        assert!(wrong.starts_with("line 2"), "{wrong}");
        let mut cut = triangle(b"\xff");
        cut.truncate(100);
        assert!(read(&cut).unwrap_err().contains("100 bytes"));
        assert!(read(b"").is_err() && read(b"hello").is_err());
    }
}
