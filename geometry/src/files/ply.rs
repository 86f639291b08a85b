//! PLY, text and binary, read by `ply-rs-bw`.

use std::io::{Cursor, Write};

use nalgebra::Point3;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult, PropertyType, ScalarType,
};

use super::polygon::triangulate;
use crate::TriMesh;
use crate::mesh::Arrays;

/// Reads the elements `vertex` (`x`, `y`, `z`) and `face` (`vertex_indices` or `vertex_index`) and
/// passes over all others.
pub(super) fn read(bytes: &[u8]) -> Result<Arrays, String> {
    let mut reader = Reader::new(Cursor::new(bytes));
    let header = Parser::<Skipped>::new().read_header(&mut reader).map_err(|e| e.to_string())?;
    expect_elements(&header)?;
    let mut places: Vec<Place> = Vec::new();
    let mut faces: Vec<Face> = Vec::new();
    for (_, element) in &header.elements {
        expect_room(element, header.encoding, bytes.len() as u64 - reader.get_ref().position())?;
        match element.name.as_str() {
            "vertex" => places = elements(&mut reader, element, &header)?,
            "face" => faces = elements(&mut reader, element, &header)?,
            _ => drop(elements::<Skipped>(&mut reader, element, &header)?),
        }
    }
    let vertices: Vec<Point3<f32>> = places.iter().map(|place| Point3::from(place.0)).collect();
    let mut triangles = Vec::with_capacity(faces.len());
    for face in &faces {
        triangulate(&vertices, &face.0, &mut triangles);
    }
    Ok((vertices, triangles))
}

fn elements<E: PropertyAccess>(
    reader: &mut Reader<Cursor<&[u8]>>,
    element: &ElementDef,
    header: &Header,
) -> Result<Vec<E>, String> {
    Parser::<E>::new().read_payload_for_element(reader, element, header).map_err(|e| e.to_string())
}

/// Checks that the header promises what makes a mesh.
fn expect_elements(header: &Header) -> Result<(), String> {
    let find = |name: &str| header.elements.iter().map(|(_, e)| e).find(|e| e.name == name);
    let vertex = find("vertex").ok_or("the header has no element `vertex`")?;
    for axis in ["x", "y", "z"] {
        if !vertex
            .properties
            .iter()
            .any(|(_, p)| p.name == axis && matches!(p.data_type, PropertyType::Scalar(_)))
        {
            return Err(format!("the element `vertex` has no number `{axis}`"));
        }
    }
    let face = find("face").ok_or("the header has no element `face`; a cloud of points is not a mesh")?;
    let is_list = |data_type: &PropertyType| matches!(data_type, PropertyType::List(_, of) if !matches!(of, ScalarType::Float | ScalarType::Double));
    if !face.properties.iter().any(|(_, p)| is_corners(&p.name) && is_list(&p.data_type)) {
        return Err("the element `face` has no list `vertex_indices` of whole numbers".into());
    }
    Ok(())
}

fn is_corners(property: &str) -> bool {
    matches!(property, "vertex_indices" | "vertex_index")
}

/// Checks that as many elements as the header promises can stand in the rest of the file, before
/// memory is taken for them.
fn expect_room(element: &ElementDef, encoding: Encoding, left: u64) -> Result<(), String> {
    let size = |scalar: &ScalarType| match scalar {
        ScalarType::Char | ScalarType::UChar => 1,
        ScalarType::Short | ScalarType::UShort => 2,
        ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
        ScalarType::Double => 8,
    };
    let binary: u64 = element
        .properties
        .iter()
        .map(|(_, property)| match &property.data_type {
            PropertyType::Scalar(scalar) => size(scalar),
            PropertyType::List(count, _) => size(count),
        })
        .sum();
    // In a text every number has a digit and a space or the end of a line after it.
    let least = if encoding == Encoding::Ascii { 2 * element.properties.len() as u64 } else { binary };
    if least == 0 && element.count > 0 {
        return Err(format!("{} elements `{}` have no properties", element.count, element.name));
    }
    // The last line's end may be missing.
    if (element.count as u64).checked_mul(least).is_none_or(|bytes| bytes > left + 1) {
        return Err(format!(
            "{} elements `{}` of at least {least} bytes each do not fit into the remaining {left} bytes; the file has been cut off",
            element.count, element.name
        ));
    }
    Ok(())
}

/// An element `vertex`.
struct Place([f32; 3]);

impl PropertyAccess for Place {
    fn new() -> Place {
        Place([f32::NAN; 3])
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        let axis = match name {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => return PropertyAccessResult::Ignored,
        };
        self.0[axis] = value.to_f32_lossy().unwrap_or(f32::NAN);
        PropertyAccessResult::Set
    }
}

/// An element `face`: the vertices of a polygon. Negative ones are out of range.
struct Face(Vec<u32>);

impl PropertyAccess for Face {
    fn new() -> Face {
        Face(Vec::new())
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        if !is_corners(name) {
            return PropertyAccessResult::Ignored;
        }
        fn indices<T>(list: Vec<T>) -> Vec<u32>
        where
            u32: TryFrom<T>,
        {
            list.into_iter().map(|v| u32::try_from(v).unwrap_or(u32::MAX)).collect()
        }
        self.0 = match value {
            Property::ListChar(list) => indices(list),
            Property::ListUChar(list) => indices(list),
            Property::ListShort(list) => indices(list),
            Property::ListUShort(list) => indices(list),
            Property::ListInt(list) => indices(list),
            Property::ListUInt(list) => list,
            _ => return PropertyAccessResult::UnsupportedType,
        };
        PropertyAccessResult::Set
    }
}

/// Any other element.
struct Skipped;

impl PropertyAccess for Skipped {
    fn new() -> Skipped {
        Skipped
    }
}

/// Writes a binary, little-endian file.
pub(super) fn write(mesh: &TriMesh, out: &mut dyn Write) -> std::io::Result<()> {
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\n\
         property float z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        mesh.vertices().len(),
        mesh.triangles().len()
    )?;
    for p in mesh.vertices() {
        for x in p.iter() {
            out.write_all(&x.to_le_bytes())?;
        }
    }
    for t in mesh.triangles() {
        out.write_all(&[3])?;
        for v in t {
            out.write_all(&v.to_le_bytes())?;
        }
    }
    Ok(())
}
