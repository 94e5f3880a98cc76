//! The line of a field in a TOML text.

use toml::de::{DeTable, DeValue};

/// The line, counted from 1, of the field with a path such as `walls[2].friction`, or of the nearest field around it
/// that the text has.
pub(super) fn of(text: &str, path: &str) -> Option<usize> {
    let document = DeTable::parse(text).ok()?;
    let mut table = document.get_ref();
    let mut start = None;
    'path: for part in path.split('.') {
        let (name, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
        let Some((key, value)) = table.iter().find(|(key, _)| key.get_ref().as_ref() == name)
        else {
            break;
        };
        start = Some(key.span().start);
        let mut value = value.get_ref();
        for index in indices.split('[').filter_map(|text| text.trim_end_matches(']').parse().ok()) {
            let index: usize = index;
            let Some(entry) = value.as_array().and_then(|array| array.get(index)) else {
                break 'path;
            };
            start = Some(entry.span().start);
            value = entry.get_ref();
        }
        match value {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    Some(1 + text.get(..start?)?.matches('\n').count())
}

#[cfg(test)]
mod tests {
    #[test]
    fn fields_and_what_is_around_missing_ones_are_found() {
        let text = "a = 1\n[[walls]]\nname = 'x'\n\n[[walls]]\nname = 'y'\nshape.box = { size = [1,\n 2] }\n";
        let of = |path| super::of(text, path);
        assert_eq!(
            [of("a"), of("walls[0].name"), of("walls[1].name")],
            [Some(1), Some(3), Some(6)]
        );
        assert_eq!(of("walls[1].friction"), Some(5));
        assert_eq!(of("walls[1].shape.box.size[1]"), Some(8));
        assert_eq!(of("b"), None);
    }
}
