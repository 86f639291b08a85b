//! Text of mesh files: lines of any ending, and coordinates.
//!
//! Bytes go in; numbered lines and finite coordinates come out. Every refusal quotes the word that
//! it found and says what would be right.

use std::borrow::Cow;

use nalgebra::Point3;

use super::decimals::Decimals;
use crate::reach::within_reach;

/// Returns the text of a file, without its byte order mark. UTF-16 is decoded; bytes that are no
/// UTF-8 are replaced.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        [0xff, 0xfe, rest @ ..] => Cow::Owned(wide(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(wide(rest, u16::from_be_bytes)),
        _ => String::from_utf8_lossy(bytes),
    }
}

/// The lines of a text with their numbers, counted from 1. A line ends with `\n`, `\r\n` or `\r`.
pub(super) struct Lines<'t> {
    rest: Option<&'t str>,
    number: usize,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Lines<'t> {
        Lines { rest: Some(text), number: 0 }
    }
}

impl<'t> Iterator for Lines<'t> {
    type Item = (usize, &'t str);

    fn next(&mut self) -> Option<(usize, &'t str)> {
        let text = self.rest?;
        self.number += 1;
        let Some(end) = text.bytes().position(|b| b == b'\n' || b == b'\r') else {
            self.rest = None;
            return (!text.is_empty()).then_some((self.number, text));
        };
        let length = if text[end..].starts_with("\r\n") { 2 } else { 1 };
        self.rest = Some(&text[end + length..]);
        Some((self.number, &text[..end]))
    }
}

/// Reads the three coordinates (m) that a vertex begins with.
pub(super) fn place<'w>(
    words: &mut impl Iterator<Item = &'w str>,
    decimals: &mut Decimals,
) -> Result<Point3<f64>, String> {
    let mut place = [0.0; 3];
    for (k, coordinate) in place.iter_mut().enumerate() {
        let word = words.next().ok_or_else(|| format!("the vertex has {k} numbers; it needs three"))?;
        *coordinate = number(word)?;
        if !within_reach(*coordinate as f32) {
            return Err(format!("the coordinate `{word}` is not finite, or above {:e} m", crate::FARTHEST));
        }
        decimals.note(word);
    }
    Ok(Point3::from(place))
}

/// Reads a number.
pub(super) fn number(word: &str) -> Result<f64, String> {
    word.parse().map_err(|_| {
        let with_point = word.replacen(',', ".", 1);
        if with_point != word && with_point.parse::<f64>().is_ok() {
            format!("`{word}` has a decimal comma; write `{with_point}`")
        } else {
            format!("`{}` is not a number, such as 1.5 or 3e-4", shortened(word))
        }
    })
}

/// Returns a word for a message, at most 40 characters of it.
pub(super) fn shortened(word: &str) -> Cow<'_, str> {
    match word.char_indices().nth(40) {
        Some((end, _)) => Cow::Owned(format!("{}…", &word[..end])),
        None => Cow::Borrowed(word),
    }
}
