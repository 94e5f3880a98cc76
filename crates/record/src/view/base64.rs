//! Base64: bytes as text of 64 characters.
//!
//! # Source
//!
//! S. Josefsson, *The Base16, Base32, and Base64 Data Encodings*, RFC 4648 (2006), section 4: with padding, without
//! line breaks, and without nonzero unused bits.

use serde::{Deserialize, Deserializer, de::Error as _};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const PAD: u8 = b'=';

/// Encodes `bytes` as text, four characters for every three bytes.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(4 * bytes.len().div_ceil(3));
    for chunk in bytes.chunks(3) {
        let entry = |k: usize| u32::from(chunk.get(k).copied().unwrap_or_default());
        let bits = entry(0) << 16 | entry(1) << 8 | entry(2);
        for k in 0..4 {
            let place = bits >> (18 - 6 * k) & 63;
            let character = if k <= chunk.len() { ALPHABET[place as usize] } else { PAD };
            text.push(char::from(character));
        }
    }
    text
}

/// Decodes `text`, or returns a sentence that describes its error.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, String> {
    let (chunks, rest) = text.as_bytes().as_chunks::<4>();
    if !rest.is_empty() {
        return Err(format!("base64 of {} bytes, expected a multiple of 4", text.len()));
    }
    let mut bytes = Vec::with_capacity(3 * chunks.len());
    for (index, chunk) in chunks.iter().enumerate() {
        // Before the end `=` is not padding, and it is not in the alphabet.
        let is_last = index + 1 == chunks.len();
        let padding =
            if is_last { chunk.iter().rev().take_while(|c| **c == PAD).count() } else { 0 };
        let word = word(chunk, padding).ok_or_else(|| {
            format!("no base64 from byte {} on, expected letters, digits, `+` and `/`", 4 * index)
        })?;
        bytes.extend(&word[..3 - padding]);
    }
    Ok(bytes)
}

/// Three bytes, of which the last `padding` are unused and 0.
fn word(chunk: &[u8; 4], padding: usize) -> Option<[u8; 3]> {
    let characters = chunk.get(..4 - padding.min(4)).filter(|_| padding <= 2)?;
    let mut bits = 0;
    for character in characters {
        let place = ALPHABET.iter().position(|known| known == character)?;
        bits = bits << 6 | u32::try_from(place).ok()?;
    }
    let [_, word @ ..] = (bits << (6 * padding)).to_be_bytes();
    word[3 - padding..].iter().all(|byte| *byte == 0).then_some(word)
}

/// Reads numbers of `N` bytes each from base64.
pub(super) fn words<'de, D: Deserializer<'de>, const N: usize>(
    deserializer: D,
) -> Result<Vec<[u8; N]>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let bytes = decode(&text).map_err(D::Error::custom)?;
    let (words, rest) = bytes.as_chunks::<N>();
    if rest.is_empty() {
        return Ok(words.to_vec());
    }
    Err(D::Error::custom(format!("{} bytes, expected a multiple of {N}", bytes.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard_are_met() {
        // RFC 4648, section 10.
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in cases {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).unwrap(), bytes.as_bytes());
        }
    }

    #[test]
    fn all_bytes_at_all_places_come_back() {
        let all: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        for length in 0..all.len() {
            assert_eq!(decode(&encode(&all[..length])).unwrap(), all[..length], "{length}");
        }
    }

    #[test]
    fn other_text_is_refused() {
        let wrong =
            ["Zg", "Zg=", "Zh==", "Zm9=", "=", "====", "Z===", "Zg==Zg==", "Zm9\n", "Zm9-", "é=="];
        for text in wrong {
            assert!(decode(text).is_err(), "{text}");
        }
    }
}
