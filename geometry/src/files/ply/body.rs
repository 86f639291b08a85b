//! The numbers of a PLY file, in the order of its header.

use std::str::SplitWhitespace;

use super::header::{Element, Encoding, Header, NumberType, Property};
use crate::files::text::{self, Lines};

/// The numbers that are still to be read.
pub(super) enum Body<'b> {
    Text {
        lines: Lines<'b>,
        /// The line's number in the file, and the words that are left of it.
        line: (usize, SplitWhitespace<'b>),
        header: usize,
        length: usize,
    },
    Binary {
        rest: &'b [u8],
        at: usize,
        is_big_endian: bool,
    },
}

impl<'b> Body<'b> {
    /// `text`: the rest of the file, if it is text.
    pub(super) fn new(bytes: &'b [u8], text: &'b str, header: &Header) -> Body<'b> {
        match header.encoding {
            Encoding::Text => Body::Text {
                lines: Lines::new(text),
                line: (header.lines, "".split_whitespace()),
                header: header.lines,
                length: text.len(),
            },
            encoding => Body::Binary {
                rest: &bytes[header.length..],
                at: header.length,
                is_big_endian: encoding == Encoding::BigEndian,
            },
        }
    }

    /// Returns an upper bound on the bytes that are left.
    pub(super) fn left(&self) -> usize {
        match self {
            Body::Text { length, .. } => *length,
            Body::Binary { rest, .. } => rest.len(),
        }
    }

    /// Puts the place in the file and the item before a fault.
    pub(super) fn fault(&self, element: &Element, index: usize, fault: &str) -> String {
        let item = &element.name;
        match self {
            Body::Text { line, .. } => format!("line {}: {item} {index}: {fault}", line.0),
            Body::Binary { at, .. } => format!("byte {at}: {item} {index}: {fault}"),
        }
    }

    /// Goes to the next item. In a text it has a line of its own.
    pub(super) fn begin_item(&mut self, element: &Element) -> Result<(), String> {
        let Body::Text { lines, line, header, .. } = self else { return Ok(()) };
        let next = lines.find(|(_, text)| !text.trim_start().is_empty());
        let (number, text) = next
            .ok_or_else(|| format!("the file ends before it, of {}; it has been cut off", element.count))?;
        *line = (*header + number, text.split_whitespace());
        Ok(())
    }

    /// Checks that nothing is left of a text's line.
    pub(super) fn end_item(&mut self, element: &Element) -> Result<(), String> {
        let Body::Text { line, .. } = self else { return Ok(()) };
        match line.1.next() {
            Some(word) => {
                let properties = element.properties.len();
                let word = text::shortened(word);
                Err(format!(
                    "`{word}` comes after the last of its {properties} properties; the header lacks one, or the list's length is wrong"
                ))
            }
            None => Ok(()),
        }
    }

    /// Reads a number; `word` sees it as a text has it.
    pub(super) fn number(&mut self, scalar: NumberType, word: &mut impl FnMut(&str)) -> Result<f64, String> {
        match self {
            Body::Text { line, .. } => {
                let found = line.1.next().ok_or("the line ends before its last number")?;
                word(found);
                text::number(found)
            }
            Body::Binary { rest, at, is_big_endian } => {
                let size = scalar.size();
                let (item, after) =
                    rest.split_at_checked(size).ok_or("the file ends in it; it has been cut off")?;
                let mut bytes = [0; 8];
                bytes[..size].copy_from_slice(item);
                if *is_big_endian {
                    bytes[..size].reverse();
                }
                (*rest, *at) = (after, *at + size);
                Ok(value(scalar, bytes))
            }
        }
    }

    /// Reads a list's length.
    pub(super) fn length(&mut self, property: &Property, scalar: NumberType) -> Result<usize, String> {
        let length = self.number(scalar, &mut |_| ())?;
        if length < 0.0 || length.fract() != 0.0 || length > f64::from(u32::MAX) {
            return Err(format!(
                "the list `{}` has the length {length}; it must be whole, and 0 or more",
                property.name
            ));
        }
        let length = length as usize;
        let least = match self {
            Body::Text { .. } => 0,
            Body::Binary { .. } => property.scalar.size(),
        };
        if length.saturating_mul(least) > self.left() {
            return Err(format!(
                "the list `{}` of {length} numbers does not fit into the remaining {} bytes; the file has been cut off",
                property.name,
                self.left()
            ));
        }
        Ok(length)
    }
}

/// Returns the number that little-endian bytes are.
fn value(scalar: NumberType, b: [u8; 8]) -> f64 {
    match scalar {
        NumberType::I8 => f64::from(b[0] as i8),
        NumberType::U8 => f64::from(b[0]),
        NumberType::I16 => f64::from(i16::from_le_bytes([b[0], b[1]])),
        NumberType::U16 => f64::from(u16::from_le_bytes([b[0], b[1]])),
        NumberType::I32 => f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        NumberType::U32 => f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        NumberType::F32 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        NumberType::F64 => f64::from_le_bytes(b),
    }
}
