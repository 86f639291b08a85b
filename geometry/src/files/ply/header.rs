//! The header of a PLY file: its encoding, elements and their properties.

use crate::files::text::shortened;

/// The way in which a file writes its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl NumberType {
    fn named(name: &str) -> Option<NumberType> {
        Some(match name {
            "char" | "int8" => NumberType::I8,
            "uchar" | "uint8" => NumberType::U8,
            "short" | "int16" => NumberType::I16,
            "ushort" | "uint16" => NumberType::U16,
            "int" | "int32" => NumberType::I32,
            "uint" | "uint32" => NumberType::U32,
            "float" | "float32" => NumberType::F32,
            "double" | "float64" => NumberType::F64,
            _ => return None,
        })
    }

    /// Returns its bytes in a binary file.
    pub(super) fn size(self) -> usize {
        match self {
            NumberType::I8 | NumberType::U8 => 1,
            NumberType::I16 | NumberType::U16 => 2,
            NumberType::I32 | NumberType::U32 | NumberType::F32 => 4,
            NumberType::F64 => 8,
        }
    }
}

/// A number, or a list of them, that each item of an element has.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub name: String,
    pub scalar: NumberType,
    /// The type of a list's length.
    pub length: Option<NumberType>,
}

impl Property {
    /// Tests whether it lists the vertices of a face or strip.
    pub(super) fn is_corners(&self) -> bool {
        let whole = !matches!(self.scalar, NumberType::F32 | NumberType::F64);
        whole && self.length.is_some() && matches!(self.name.as_str(), "vertex_indices" | "vertex_index")
    }
}

/// A kind of items, and how many the file has.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub name: String,
    pub count: usize,
    pub properties: Vec<Property>,
}

impl Element {
    /// Checks that as many items as promised can stand in the `left` bytes, before memory is taken
    /// for them.
    pub(super) fn expect_room(&self, encoding: Encoding, left: usize) -> Result<(), String> {
        let binary = |property: &Property| property.length.unwrap_or(property.scalar).size();
        // In a text every number has a digit and a space or the end of a line after it.
        let least = match encoding {
            Encoding::Text => 2 * self.properties.len(),
            _ => self.properties.iter().map(binary).sum(),
        };
        let Element { name, count, .. } = self;
        if least == 0 && *count > 0 {
            return Err(format!(
                "{count} elements `{name}` have no properties; each needs a line `property`"
            ));
        }
        // The last line's end may be missing.
        if count.checked_mul(least).is_none_or(|bytes| bytes > left + 1) {
            return Err(format!(
                "{count} elements `{name}` of at least {least} bytes each do not fit into the remaining {left} bytes; the file has been cut off"
            ));
        }
        Ok(())
    }
}

/// All that comes before the numbers.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// Its length (bytes).
    pub length: usize,
    /// The number of its lines.
    pub lines: usize,
}

impl Header {
    pub(super) fn read(bytes: &[u8]) -> Result<Header, String> {
        // Lines end as the first one does: a binary body may begin with any byte.
        let end = bytes.iter().position(|b| matches!(b, b'\n' | b'\r'));
        let ends_by = match end.map(|end| &bytes[end..]) {
            Some([b'\r', rest @ ..]) if rest.first() != Some(&b'\n') => b'\r',
            _ => b'\n',
        };
        let mut header = Header { encoding: Encoding::Text, elements: Vec::new(), length: 0, lines: 0 };
        let mut encoding = None;
        loop {
            let rest = &bytes[header.length..];
            let Some(end) = rest.iter().position(|&b| b == ends_by) else {
                // A text without items may end here.
                if rest.trim_ascii_end() == b"end_header" {
                    header.length = bytes.len();
                    break;
                }
                let fault = if header.lines == 0 {
                    "it does not begin with a line `ply`"
                } else {
                    "it ends before `end_header`; it has been cut off"
                };
                return Err(format!("line {}: {fault}", header.lines + 1));
            };
            header.length += end + 1;
            header.lines += 1;
            let line = String::from_utf8_lossy(&rest[..end]);
            let words: Vec<&str> = line.split_whitespace().collect();
            if header.lines == 1 && words[..] != ["ply"] {
                return Err("line 1: it does not begin with a line `ply`".into());
            }
            match words[..] {
                ["ply"] if header.lines == 1 => {}
                ["end_header"] => break,
                _ => header
                    .take_line(&words, &mut encoding)
                    .map_err(|fault| format!("line {}: {fault}", header.lines))?,
            }
        }
        header.encoding = encoding.ok_or(
            "the header has no line `format`; `format ascii 1.0` or `format binary_little_endian 1.0` is due",
        )?;
        Ok(header)
    }

    fn take_line(&mut self, words: &[&str], encoding: &mut Option<Encoding>) -> Result<(), String> {
        let scalar = |name: &str| {
            NumberType::named(name)
                .ok_or_else(|| format!("`{}` is no type of numbers, such as float or int", shortened(name)))
        };
        match *words {
            [] | ["comment" | "obj_info", ..] => {}
            ["format", name, _] => {
                *encoding = Some(match name {
                    "ascii" => Encoding::Text,
                    "binary_little_endian" => Encoding::LittleEndian,
                    "binary_big_endian" => Encoding::BigEndian,
                    _ => {
                        return Err(format!(
                            "the format `{}` is none of ascii, binary_little_endian and binary_big_endian",
                            shortened(name)
                        ));
                    }
                });
            }
            ["element", name, count] => {
                let count = count
                    .parse()
                    .map_err(|_| format!("`{}` is no number of elements `{name}`", shortened(count)))?;
                self.elements.push(Element { name: name.to_owned(), count, properties: Vec::new() });
            }
            ["property", "list", length, kind, name] => {
                let length = Some(scalar(length)?);
                self.push_property(Property { name: name.to_owned(), scalar: scalar(kind)?, length })?;
            }
            ["property", kind, name] => {
                self.push_property(Property { name: name.to_owned(), scalar: scalar(kind)?, length: None })?;
            }
            _ => {
                return Err(format!(
                    "`{}` is no line of a header; format, element, property, comment or end_header is due",
                    shortened(&words.join(" "))
                ));
            }
        }
        Ok(())
    }

    fn push_property(&mut self, property: Property) -> Result<(), String> {
        let element = self.elements.last_mut().ok_or("a property stands before the first line `element`")?;
        element.properties.push(property);
        Ok(())
    }

    /// Returns how many items the first element of a name has.
    pub(super) fn count_of(&self, name: &str) -> usize {
        self.element(name).map_or(0, |element| element.count)
    }

    fn element(&self, name: &str) -> Option<&Element> {
        self.elements.iter().find(|element| element.name == name)
    }

    /// Checks that the header promises what makes a mesh.
    pub(super) fn expect_mesh(&self) -> Result<(), String> {
        let vertex = self.element("vertex").ok_or("the header has no element `vertex`; a mesh needs one")?;
        for axis in ["x", "y", "z"] {
            if !vertex.properties.iter().any(|p| p.name == axis && p.length.is_none()) {
                return Err(format!("the element `vertex` has no number `{axis}`; it needs x, y and z"));
            }
        }
        let faces = ["face", "tristrips"].into_iter().filter_map(|name| self.element(name));
        let mut faces = faces.peekable();
        if faces.peek().is_none() {
            return Err(
                "the header has no element `face` (or `tristrips`); a cloud of points is not a mesh".into()
            );
        }
        for element in faces {
            if !element.properties.iter().any(Property::is_corners) {
                let name = &element.name;
                return Err(format!("the element `{name}` has no list `vertex_indices` of whole numbers"));
            }
        }
        Ok(())
    }
}
