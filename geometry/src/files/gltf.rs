//! glTF 2.0, JSON and binary, read by `gltf`.
//!
//! Accessors are read here, with every offset checked, since the crate's own iterators trust the
//! file's counts.

use std::io::{Error, Write};
use std::path::Path;

use gltf::accessor::{DataType, Dimensions};
use gltf::mesh::Mode;
use gltf::{Accessor, Document, Node, Primitive, Semantic};
use nalgebra::{Matrix4, Point3};

use super::data_uri;
use super::file_mesh::FileMesh;
use super::node::{NodeMesh, placed};
use crate::TriMesh;
use crate::reach::within_reach;

/// Reads all triangles of the default scene.
pub(super) fn read(bytes: &[u8], folder: &Path) -> Result<FileMesh, String> {
    let mut all = FileMesh::default();
    for node in read_nodes(bytes, folder)? {
        let FileMesh { vertices, triangles, .. } = placed(node.mesh, &node.transform);
        let base = all.vertices.len();
        if base + vertices.len() > u32::MAX as usize {
            return Err("more than 2^32 vertices".into());
        }
        all.vertices.extend(vertices);
        all.triangles.extend(triangles.into_iter().map(|t| t.map(|v| v + base as u32)));
    }
    Ok(all)
}

/// Reads the meshes of the default scene node by node.
pub(super) fn read_nodes(bytes: &[u8], folder: &Path) -> Result<Vec<NodeMesh>, String> {
    // The crate's validation itself indexes with what the file says. Known cases are looked at
    // before; should there be others, they end here.
    let parsed = std::panic::catch_unwind(|| parsed(bytes));
    let (document, blob) = parsed.unwrap_or_else(|_| Err("its indices contradict each other".into()))?;
    let buffers = buffers(&document, blob.as_deref(), folder)?;
    let mut found = Vec::new();
    for (node, transform) in reached(&document)? {
        let Some(mesh) = node.mesh() else { continue };
        let mut arrays = FileMesh::default();
        for primitive in mesh.primitives() {
            let at_mesh = |fault: String| format!("mesh {}: {fault}", mesh.index());
            append(&primitive, &buffers, &mut arrays).map_err(at_mesh)?;
        }
        if !arrays.triangles.is_empty() {
            let name = node.name().or(mesh.name()).unwrap_or_default().to_owned();
            found.push(NodeMesh { name, number: mesh.index(), mesh: arrays, transform });
        }
    }
    if found.is_empty() {
        return Err("the scene has no triangles".into());
    }
    Ok(found)
}

/// The checked document and the binary part of a GLB file.
fn parsed(bytes: &[u8]) -> Result<(Document, Option<Vec<u8>>), String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let gltf = gltf::Gltf::from_slice_without_validation(bytes).map_err(|e| {
        let reason = e.to_string();
        if reason.starts_with("EOF") { format!("{reason}; it has been cut off") } else { reason }
    })?;
    let root = gltf.document.into_json();
    if let Some(name) = root.extensions_required.iter().find(|name| name.contains("compression")) {
        return Err(format!("its meshes are compressed by `{name}`; save it without that extension"));
    }
    let accessors = root.accessors.len();
    for (m, mesh) in root.meshes.iter().enumerate() {
        for index in mesh.primitives.iter().flat_map(|p| p.attributes.values()) {
            if index.value() >= accessors {
                return Err(format!(
                    "mesh {m}: there is no accessor {}; there are {accessors}",
                    index.value()
                ));
            }
        }
    }
    let document = Document::from_json(root).map_err(|e| e.to_string())?;
    Ok((document, gltf.blob))
}

fn buffers(document: &Document, blob: Option<&[u8]>, folder: &Path) -> Result<Vec<Vec<u8>>, String> {
    document
        .buffers()
        .map(|buffer| {
            let bytes = match buffer.source() {
                gltf::buffer::Source::Bin => blob
                    .map(<[u8]>::to_vec)
                    .ok_or("the buffer is to be in the file, which has no binary part")?,
                gltf::buffer::Source::Uri(uri) => data_uri::fetch(uri, folder)?,
            };
            let (has, needs) = (bytes.len(), buffer.length());
            if has < needs {
                return Err(format!(
                    "buffer {} has {has} bytes of {needs}; it has been cut off",
                    buffer.index()
                ));
            }
            Ok(bytes)
        })
        .collect()
}

/// The nodes of the default scene (else the first; without scenes, all), and where they put things.
fn reached(document: &Document) -> Result<Vec<(Node<'_>, Matrix4<f64>)>, String> {
    let roots: Vec<Node<'_>> = match document.default_scene().or_else(|| document.scenes().next()) {
        Some(scene) => scene.nodes().collect(),
        None => {
            let mut is_child = vec![false; document.nodes().len()];
            document.nodes().flat_map(|n| n.children()).for_each(|c| is_child[c.index()] = true);
            document.nodes().filter(|n| !is_child[n.index()]).collect()
        }
    };
    let mut seen = vec![false; document.nodes().len()];
    let mut placed = Vec::new();
    let mut open: Vec<(Node<'_>, Matrix4<f64>)> =
        roots.into_iter().rev().map(|n| (n, Matrix4::identity())).collect();
    while let Some((node, above)) = open.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            return Err(format!("node {} is reached twice; nodes must form a tree", node.index()));
        }
        let own = Matrix4::from(node.transform().matrix()).cast::<f64>();
        let transform = above * own;
        let children: Vec<Node<'_>> = node.children().collect();
        open.extend(children.into_iter().rev().map(|child| (child, transform)));
        placed.push((node, transform));
    }
    Ok(placed)
}

fn append(
    primitive: &Primitive<'_>,
    buffers: &[Vec<u8>],
    FileMesh { vertices, triangles, .. }: &mut FileMesh,
) -> Result<(), String> {
    if matches!(primitive.mode(), Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip) {
        return Ok(());
    }
    let accessor = primitive.get(&Semantic::Positions).ok_or("a mesh has no attribute POSITION")?;
    let places = places(&accessor, buffers)?;
    let base = vertices.len() as u64;
    let count = places.len() as u32;
    if base + places.len() as u64 > u64::from(u32::MAX) {
        return Err("more than 2^32 vertices".into());
    }
    vertices.extend(places.iter().map(|p| p.cast::<f64>()));
    let corners = match primitive.indices() {
        Some(accessor) => indices(&accessor, buffers)?,
        None => (0..count).collect(),
    };
    // An index out of range must not name a vertex of the next mesh.
    if let Some(bad) = corners.iter().find(|&&v| v >= count) {
        return Err(format!("a mesh of {count} vertices has the index {bad}"));
    }
    let mut push = |corners: [u32; 3]| triangles.push(corners.map(|v| v + base as u32));
    match primitive.mode() {
        Mode::TriangleStrip => {
            for (i, t) in corners.windows(3).enumerate() {
                push(if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
            }
        }
        Mode::TriangleFan => {
            corners.get(1..).unwrap_or_default().windows(2).for_each(|t| push([corners[0], t[0], t[1]]));
        }
        _ if corners.len() % 3 != 0 => {
            return Err(format!("a mesh has {} corners, which is not a multiple of three", corners.len()));
        }
        _ => corners.chunks_exact(3).for_each(|t| push([t[0], t[1], t[2]])),
    }
    Ok(())
}

fn places(accessor: &Accessor<'_>, buffers: &[Vec<u8>]) -> Result<Vec<Point3<f32>>, String> {
    if (accessor.data_type(), accessor.dimensions()) != (DataType::F32, Dimensions::Vec3) {
        return Err(format!("accessor {}: positions must be three 32-bit floats", accessor.index()));
    }
    let place = |item: &[u8]| {
        Point3::from(std::array::from_fn::<f32, 3, _>(|k| {
            f32::from_le_bytes(std::array::from_fn(|i| item[4 * k + i]))
        }))
    };
    let mut places: Vec<Point3<f32>> = match accessor.view() {
        Some(view) => items(accessor.index(), &view, accessor.offset(), accessor.count(), 12, buffers)?
            .map(place)
            .collect(),
        None => {
            // All zero until the sparse values come; not more than the file could fill.
            let most = buffers.iter().map(Vec::len).sum::<usize>();
            if accessor.count() > most {
                return Err(format!(
                    "accessor {}: {} items, but no data",
                    accessor.index(),
                    accessor.count()
                ));
            }
            vec![Point3::origin(); accessor.count()]
        }
    };
    if let Some(sparse) = accessor.sparse() {
        let (at, values) = (sparse.indices(), sparse.values());
        let size = at.index_type().size();
        let at = items(accessor.index(), &at.view(), at.offset(), sparse.count(), size, buffers)?;
        let values = items(accessor.index(), &values.view(), values.offset(), sparse.count(), 12, buffers)?;
        for (index, value) in at.map(whole).zip(values) {
            let slot = places.get_mut(index as usize);
            *slot.ok_or_else(|| {
                format!("accessor {}: sparse index {index} is out of range", accessor.index())
            })? = place(value);
        }
    }
    if let Some(index) = places.iter().position(|p| !p.iter().all(|&x| within_reach(x))) {
        return Err(format!(
            "accessor {}: position {index} is {:?}; every coordinate must be finite, and at most {:e} m",
            accessor.index(),
            <[f32; 3]>::from(places[index]),
            crate::FARTHEST
        ));
    }
    Ok(places)
}

fn indices(accessor: &Accessor<'_>, buffers: &[Vec<u8>]) -> Result<Vec<u32>, String> {
    let whole_numbers = matches!(accessor.data_type(), DataType::U8 | DataType::U16 | DataType::U32);
    if !whole_numbers || accessor.dimensions() != Dimensions::Scalar || accessor.sparse().is_some() {
        return Err(format!("accessor {}: indices must be plain unsigned whole numbers", accessor.index()));
    }
    let view =
        accessor.view().ok_or_else(|| format!("accessor {}: indices have no data", accessor.index()))?;
    let size = accessor.data_type().size();
    Ok(items(accessor.index(), &view, accessor.offset(), accessor.count(), size, buffers)?
        .map(whole)
        .collect())
}

/// A whole number of one, two or four bytes.
fn whole(item: &[u8]) -> u32 {
    item.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// The items of an accessor, `size` bytes each, after checking that all of them are there.
fn items<'b>(
    accessor: usize,
    view: &gltf::buffer::View<'_>,
    offset: usize,
    count: usize,
    size: usize,
    buffers: &'b [Vec<u8>],
) -> Result<impl Iterator<Item = &'b [u8]> + use<'b>, String> {
    let stride = view.stride().unwrap_or(size);
    let bytes = (|| {
        let end = view.offset().checked_add(view.length())?;
        let viewed = buffers.get(view.buffer().index())?.get(view.offset()..end)?.get(offset..)?;
        let needed = match count.checked_sub(1) {
            Some(before) => before.checked_mul(stride)?.checked_add(size)?,
            None => 0,
        };
        viewed.get(..needed)
    })();
    let bytes = bytes.filter(|_| stride >= size).ok_or_else(|| {
        format!(
            "accessor {accessor}: {count} items of {size} bytes, {stride} apart, reach beyond its buffer view"
        )
    })?;
    Ok(bytes.chunks(stride).map(move |item| &item[..size]))
}

/// Writes a GLB file with one mesh.
pub(super) fn write(mesh: &TriMesh, out: &mut dyn Write) -> std::io::Result<()> {
    let (vertices, triangles) = (mesh.vertices(), mesh.triangles());
    let (places, corners) = (12 * vertices.len() as u64, 12 * triangles.len() as u64);
    let low: [f32; 3] = std::array::from_fn(|i| vertices.iter().map(|p| p[i]).fold(f32::INFINITY, f32::min));
    let high: [f32; 3] =
        std::array::from_fn(|i| vertices.iter().map(|p| p[i]).fold(f32::NEG_INFINITY, f32::max));
    let mut json = format!(
        r#"{{"asset":{{"version":"2.0","generator":"impinge"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],"accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3","min":{low:?},"max":{high:?}}},{{"bufferView":1,"componentType":5125,"count":{},"type":"SCALAR"}}],"bufferViews":[{{"buffer":0,"byteLength":{places},"target":34962}},{{"buffer":0,"byteOffset":{places},"byteLength":{corners},"target":34963}}],"buffers":[{{"byteLength":{}}}]}}"#,
        vertices.len(),
        3 * triangles.len(),
        places + corners
    );
    while json.len() % 4 != 0 {
        json.push(' ');
    }
    let total = 12 + 8 + json.len() as u64 + 8 + places + corners;
    let total = u32::try_from(total).map_err(|_| Error::other("a GLB file holds at most 4 GiB"))?;
    out.write_all(b"glTF")?;
    for word in [2, total, json.len() as u32] {
        out.write_all(&word.to_le_bytes())?;
    }
    out.write_all(b"JSON")?;
    out.write_all(json.as_bytes())?;
    out.write_all(&((places + corners) as u32).to_le_bytes())?;
    out.write_all(b"BIN\0")?;
    for p in vertices {
        for x in p.iter() {
            out.write_all(&x.to_le_bytes())?;
        }
    }
    for v in triangles.iter().flatten() {
        out.write_all(&v.to_le_bytes())?;
    }
    Ok(())
}
