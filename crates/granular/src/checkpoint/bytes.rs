//! Little-endian numbers and lists of them, written and read.

use nalgebra::Vector3;

/// Bytes of a file under construction.
#[derive(Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.0.extend(bytes);
    }

    pub(super) fn number(&mut self, number: f64) {
        self.put(number.to_le_bytes());
    }

    pub(super) fn numbers<const N: usize>(&mut self, numbers: &[f64; N]) {
        numbers.iter().for_each(|number| self.number(*number));
    }

    pub(super) fn vector(&mut self, vector: &Vector3<f64>) {
        self.numbers(&(*vector).into());
    }

    pub(super) fn list<T>(&mut self, list: &[T], put: impl Fn(&mut Self, &T)) {
        self.put((list.len() as u64).to_le_bytes());
        self.0.reserve(size_of_val(list));
        list.iter().for_each(|item| put(self, item));
    }

    pub(super) fn lists_of_numbers<const N: usize>(&mut self, list: &[[f64; N]]) {
        self.list(list, Self::numbers);
    }

    pub(super) fn lists_of_places<const N: usize>(&mut self, list: &[[u32; N]]) {
        self.list(list, |bytes, places| {
            places.iter().for_each(|place| bytes.put(place.to_le_bytes()));
        });
    }
}

/// The rest of the bytes of a file; every method takes bytes from its front, and returns `None` at its end.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl Reader<'_> {
    pub(super) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take().map(u8::from_le_bytes)
    }

    pub(super) fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    pub(super) fn place(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub(super) fn long(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    pub(super) fn number(&mut self) -> Option<f64> {
        self.take().map(f64::from_le_bytes)
    }

    pub(super) fn numbers<const N: usize>(&mut self) -> Option<[f64; N]> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Some(numbers)
    }

    pub(super) fn vector(&mut self) -> Option<Vector3<f64>> {
        self.numbers().map(Vector3::from)
    }

    /// A list whose entries have at least `least` bytes each, so that a wrong length cannot request much
    /// memory.
    pub(super) fn list<T>(
        &mut self,
        least: usize,
        mut take: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = usize::try_from(self.long()?).ok()?;
        if count > self.0.len() / least {
            return None;
        }
        (0..count).map(|_| take(self)).collect()
    }

    pub(super) fn lists_of_numbers<const N: usize>(&mut self) -> Option<Vec<[f64; N]>> {
        self.list(8 * N, Self::numbers)
    }

    pub(super) fn lists_of_places<const N: usize>(&mut self) -> Option<Vec<[u32; N]>> {
        self.list(4 * N, |bytes| {
            let mut places = [0; N];
            for place in &mut places {
                *place = bytes.place()?;
            }
            Some(places)
        })
    }
}
