mod damage;
mod odd_files;
mod origins;
mod parts;

use std::path::PathBuf;

use nalgebra::Point3;
use tempfile::TempDir;

use super::*;
use crate::fixtures::{ball, torus};
use crate::{MeshError, Topology};

/// A unit cube as an OBJ of quads: texture indices, negative indices, colours, comments, a line that
/// goes on, objects and groups.
const OBJ: &str = "# caf\u{e9}\nmtllib missing.mtl\no cube\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n\
    v 0 0 2 2\nv 1 0 1\ng upper\nv 1 1 1\nv 0 1 1\nvt 0 0\nvn 0 0 1\n\
    f 1/1/1 4/9999999999/1 3//1 2\nusemtl x\nf 5 6 7 8\nf 1 2 6 \\\n 5\nf 2 3 7 6\nf -6 -5 -1 -2\nf 4 1 5 8\nl 1 2\np 1\n";

/// A tetrahedron as text, with normals that are not numbers.
const STL: &str = "solid corner of a box\n\
    facet normal nan nan nan\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n\
    FACET NORMAL 0 -1 0\n  OUTER LOOP\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 0 1e0\n  ENDLOOP\nENDFACET\n\
    facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex -0 1 0\nendloop\nendfacet\n\
    facet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\n\
    endsolid corner of a box\n";

/// A pyramid over a square as text: one quad, doubles, a colour, an element of another kind.
const PLY: &str = "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 5\nproperty double x\n\
    property double y\nproperty double z\nproperty uchar red\nelement edge 1\nproperty int vertex1\n\
    property int vertex2\nelement face 5\nproperty list uchar int vertex_index\nproperty uchar flag\n\
    end_header\n0 0 0 1\n1 0 0 2\n1 1 0 3\n0 1 0 4\n0.5 0.5 1 5\n0 1\n\
    4 0 3 2 1 0\n3 0 1 4 0\n3 1 2 4 0\n3 2 3 4 0\n3 3 0 4 0\n";

/// The same pyramid, binary and big-endian, with short indices.
fn big_endian_ply() -> Vec<u8> {
    let mut bytes =
        b"ply\nformat binary_big_endian 1.0\nelement vertex 5\nproperty float x\nproperty float y\n\
        property float z\nelement face 5\nproperty list uchar short vertex_indices\nend_header\n"
            .to_vec();
    for x in [0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0., 0.5, 0.5, 1.0f32] {
        bytes.extend(x.to_be_bytes());
    }
    for face in [&[0i16, 3, 2, 1][..], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]] {
        bytes.push(face.len() as u8);
        face.iter().for_each(|v| bytes.extend(v.to_be_bytes()));
    }
    bytes
}

/// A tetrahedron whose buffer stands in the file; `node` is the JSON of the nodes, `primitive` of the
/// one primitive, both without braces.
fn gltf_text(nodes: &str, primitive: &str) -> String {
    let mut buffer: Vec<u8> = Vec::new();
    for x in [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.0f32] {
        buffer.extend(x.to_le_bytes());
    }
    buffer.extend([0u8, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]);
    let symbols = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text: String = buffer
        .chunks(3)
        .flat_map(|c| {
            let bits = u32::from(c[0]) << 16 | u32::from(c[1]) << 8 | u32::from(c[2]);
            [18, 12, 6, 0].map(|shift| char::from(symbols[(bits >> shift & 63) as usize]))
        })
        .collect();
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{nodes}],"meshes":[{{"primitives":[{{{primitive}}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,1]}},{{"bufferView":1,"componentType":5121,"count":12,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":12}}],
        "buffers":[{{"byteLength":60,"uri":"data:application/octet-stream;base64,{text}"}}]}}"#
    )
}

const PRIMITIVE: &str = r#""attributes":{"POSITION":0},"indices":1"#;

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn load(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<TriMesh, MeshError> {
        TriMesh::load(self.write(name, bytes))
    }

    fn reason(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let error = self.load(name, bytes).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        error.to_string()
    }
}

fn corners(mesh: &TriMesh) -> Vec<[Point3<f32>; 3]> {
    (0..mesh.triangles().len() as u32).map(|t| mesh.corners(t)).collect()
}

fn volume(mesh: &TriMesh) -> f64 {
    assert_eq!(mesh.topology(), Topology::Closed, "{:?}", mesh.report());
    mesh.mass_properties().unwrap().volume
}

#[test]
fn what_is_written_is_read_again_to_the_last_bit() {
    let folder = Folder::new();
    let far = ball(2).vertices().iter().map(|p| p * 1.234_567e6).collect();
    let tiny = torus(3.0, 1.0, 9, 7).vertices().iter().map(|p| p * 1.1e-20).collect();
    for mesh in [
        torus(2.0, 0.7, 20, 11),
        ball(2).with_vertices(far).unwrap(),
        torus(3.0, 1.0, 9, 7).with_vertices(tiny).unwrap(),
    ] {
        for ending in ["obj", "stl", "ply", "off", "glb", "OBJ"] {
            let path = folder.0.path().join(format!("mesh.{ending}"));
            mesh.save(&path).unwrap();
            let read = TriMesh::load(&path).unwrap();
            assert_eq!(corners(&read), corners(&mesh), "{ending}");
            assert_eq!(read.topology(), Topology::Closed, "{ending}");
            assert_eq!(read.vertices().len(), mesh.vertices().len(), "{ending}");
            assert_eq!(read.edges().len(), mesh.edges().len(), "{ending}");
            if ending == "ply" || ending == "off" || ending == "glb" {
                assert_eq!(read.vertices(), mesh.vertices());
                assert_eq!(read.triangles(), mesh.triangles());
            }
        }
    }
}

#[test]
fn meshes_written_by_others_are_read() {
    let folder = Folder::new();
    assert!((volume(&folder.load("cube.obj", OBJ).unwrap()) - 1.0).abs() < 1e-12);
    let mut latin = OBJ.as_bytes().to_vec();
    latin[5] = 0xe9;
    assert!((volume(&folder.load("latin.obj", latin).unwrap()) - 1.0).abs() < 1e-12);
    assert!((volume(&folder.load("corner.stl", STL).unwrap()) - 1.0 / 6.0).abs() < 1e-12);
    assert!((volume(&folder.load("pyramid.ply", PLY).unwrap()) - 1.0 / 3.0).abs() < 1e-12);
    assert!((volume(&folder.load("big.ply", big_endian_ply()).unwrap()) - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn a_binary_stl_whose_header_says_solid_is_binary() {
    let folder = Folder::new();
    let path = folder.0.path().join("torus.stl");
    torus(2.0, 0.5, 8, 8).save(&path).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[..15].copy_from_slice(b"solid by export");
    assert_eq!(folder.load("solid.stl", bytes).unwrap().triangles().len(), 128);
}

#[test]
fn an_stl_of_two_solids_is_one_mesh() {
    let moved =
        STL.replace("vertex 0", "vertex 7").replace("vertex 1", "vertex 8").replace("vertex -0", "vertex 7");
    let mesh = Folder::new().load("two.stl", [STL, &moved].concat()).unwrap();
    assert_eq!(mesh.components().len(), 2);
    assert!((volume(&mesh) - 1.0 / 3.0).abs() < 1e-6);
}

#[test]
fn nodes_place_their_meshes() {
    let folder = Folder::new();
    // A parent that doubles, with a child that shifts by (1, 0, 0) and one that mirrors z.
    let nodes = r#"{"scale":[2,2,2],"children":[1,2]},{"mesh":0,"translation":[1,0,0]},{"mesh":0,"scale":[1,1,-1],"translation":[0,0,-5]}"#;
    let mesh = folder.load("tree.gltf", gltf_text(nodes, PRIMITIVE)).unwrap();
    assert!(mesh.report().defects.is_empty(), "{:?}", mesh.report());
    assert_eq!(mesh.triangles().len(), 8);
    assert!((volume(&mesh) - 16.0 / 6.0).abs() < 1e-6);
    assert_eq!(mesh.aabb(), crate::Aabb { min: [0.0, 0.0, -12.0], max: [4.0, 2.0, 2.0] });
    // A quarter turn about z as a quaternion takes x to y.
    let turn = r#"{"mesh":0,"rotation":[0,0,0.70710678,0.70710678]}"#;
    let mesh = folder.load("turned.gltf", gltf_text(turn, PRIMITIVE)).unwrap();
    assert!((mesh.aabb().min[0] + 1.0).abs() < 1e-6 && mesh.aabb().max[1] > 0.999);
}

#[test]
fn strips_fans_and_plain_corners_are_read() {
    let folder = Folder::new();
    let primitive = |mode: u8| format!(r#""attributes":{{"POSITION":0}},"mode":{mode}"#);
    // Corners 0 1 2 3: the strip 012 213, the fan 012 023.
    let strip = folder.load("strip.gltf", gltf_text(r#"{"mesh":0}"#, &primitive(5))).unwrap();
    assert_eq!(strip.triangles(), [[0, 1, 2], [2, 1, 3]]);
    let fan = folder.load("fan.gltf", gltf_text(r#"{"mesh":0}"#, &primitive(6))).unwrap();
    assert_eq!(fan.triangles(), [[0, 1, 2], [0, 2, 3]]);
    let four = folder.reason("plain.gltf", gltf_text(r#"{"mesh":0}"#, &primitive(4)));
    assert!(four.contains("multiple of three"), "{four}");
    let points = folder.reason("points.gltf", gltf_text(r#"{"mesh":0}"#, &primitive(0)));
    assert!(points.contains("no triangles"), "{points}");
}

#[test]
fn a_gltf_buffer_may_stand_beside_it() {
    let folder = Folder::new();
    let text = gltf_text(r#"{"mesh":0}"#, PRIMITIVE);
    let from = text.find("data:").unwrap();
    let to = from + text[from..].find('"').unwrap();
    let bytes = data_uri::fetch(&text[from..to], Path::new("")).unwrap();
    let outside = text.replace(&text[from..to], "the%20buffer.bin");
    assert!(folder.reason("lonely.gltf", &outside).contains("the buffer.bin"));
    folder.write("the buffer.bin", &bytes);
    assert!((volume(&folder.load("pair.gltf", &outside).unwrap()) - 1.0 / 6.0).abs() < 1e-12);
    folder.write("the buffer.bin", &bytes[..40]);
    assert!(folder.reason("pair.gltf", &outside).contains("cut off"));
    let elsewhere = text.replace(&text[from..to], "http://localhost/mesh.bin");
    assert!(folder.reason("far.gltf", elsewhere).contains("beside"));
}

#[test]
fn gltf_files_that_lie_are_refused() {
    let folder = Folder::new();
    let good = gltf_text(r#"{"mesh":0}"#, PRIMITIVE);
    let one = r#"{"mesh":0}"#;
    let cycle = gltf_text(r#"{"mesh":0,"children":[1]},{"children":[0]}"#, PRIMITIVE);
    let text = folder.reason("cycle.gltf", cycle);
    assert!(text.contains("reached twice"), "{text}");
    for (name, from, to) in [
        ("count", r#""count":4,"#, r#""count":4000000000,"#),
        ("view", r#""byteLength":48"#, r#""byteLength":4000000000"#),
        ("stride", r#""byteLength":48"#, r#""byteLength":48,"byteStride":4"#),
        ("offset", r#""byteOffset":48"#, r#""byteOffset":18446744073709551615"#),
        ("type", r#""componentType":5126"#, r#""componentType":5123"#),
        ("buffer", r#""buffer":0,"byteLength""#, r#""buffer":7,"byteLength""#),
        ("long", r#""byteLength":60"#, r#""byteLength":6000000000"#),
        (
            "none",
            r#""bufferView":0,"componentType":5126,"count":4,"#,
            r#""componentType":5126,"count":4000000000,"#,
        ),
        ("mesh", one, r#"{"mesh":3}"#),
        ("index", r#""count":4,"#, r#""count":3,"#),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{name}");
        folder.reason(&format!("{name}.gltf"), bad);
    }
}

#[test]
fn sparse_positions_are_put_in_place() {
    // Vertex 3, which stands at (0, 0, 1), is replaced by vertex 0 of the same data: flat.
    let text = gltf_text(r#"{"mesh":0}"#, PRIMITIVE);
    let sparse = |index: u8| {
        let at = 48 + if index == 3 { 5 } else { 1 };
        let to = r#""max":[1,1,1],"sparse":{"count":1,"indices":{"bufferView":2,"byteOffset":0,"componentType":5121},"values":{"bufferView":0,"byteOffset":0}}}"#;
        let text = text.replacen(r#""max":[1,1,1]}"#, to, 1);
        let view =
            format!(r#""byteOffset":48,"byteLength":12}},{{"buffer":0,"byteOffset":{at},"byteLength":1}}"#);
        text.replacen(r#""byteOffset":48,"byteLength":12}"#, &view, 1)
    };
    let folder = Folder::new();
    // Byte 53 of the buffer is 3, byte 49 is 2.
    let flat = folder.load("sparse.gltf", sparse(3)).unwrap();
    assert_eq!(flat.aabb().max[2], 0.0);
    let leaning = folder.load("sparse.gltf", sparse(2)).unwrap();
    assert_eq!(leaning.aabb().max[1], 0.0);
}

#[test]
fn what_is_not_there_is_named() {
    let folder = Folder::new();
    for name in ["gone.obj", "gone.stl", "gone.ply", "gone.glb", "gone.xyz"] {
        let path = folder.0.path().join(name);
        let error = TriMesh::load(&path).unwrap_err();
        assert!(matches!(&error, MeshError::Io { path: p, .. } if *p == path), "{error}");
    }
    let inside = folder.0.path().join("folder.obj");
    std::fs::create_dir(&inside).unwrap();
    assert!(matches!(TriMesh::load(&inside), Err(MeshError::Io { .. })));
    assert!(matches!(TriMesh::load(""), Err(MeshError::Io { .. })));
}

#[test]
fn endings_that_name_no_format_are_refused() {
    let folder = Folder::new();
    for name in ["mesh.xyz", "mesh", ".obj", "mesh.obj.gz"] {
        assert!(matches!(folder.load(name, OBJ), Err(MeshError::UnknownFormat { .. })), "{name}");
        let error = ball(0).save(folder.0.path().join(name)).unwrap_err();
        assert!(matches!(error, MeshError::CannotWrite { .. }));
    }
    let error = ball(0).save(folder.0.path().join("mesh.gltf")).unwrap_err();
    assert!(error.to_string().contains("`gltf`"), "{error}");
    let error = ball(0).save(folder.0.path().join("no such folder").join("mesh.obj")).unwrap_err();
    assert!(matches!(error, MeshError::Io { .. }));
}

#[test]
fn empty_files_and_other_contents_are_refused() {
    let folder = Folder::new();
    let prose = "It was a bright cold day in April, and the clocks were striking thirteen.\n".repeat(9);
    for name in ["mesh.obj", "mesh.stl", "mesh.ply", "mesh.gltf", "mesh.glb"] {
        for contents in ["", " ", "\n", "solid", "ply", "glTF", "{}", "v", "f", "f 1 2 3", &prose] {
            let error = folder.load(name, contents).unwrap_err();
            assert!(matches!(error, MeshError::Parse { .. }), "{name} of `{contents}`: {error}");
        }
        folder.load(name, [0u8; 1000]).unwrap_err();
        folder.load(name, [0xffu8; 1000]).unwrap_err();
    }
    // The right contents under the wrong ending.
    assert!(matches!(folder.load("mesh.ply", OBJ), Err(MeshError::Parse { format: "PLY", .. })));
    assert!(matches!(folder.load("mesh.obj", PLY), Err(MeshError::Parse { format: "OBJ", .. })));
}

#[test]
fn faults_of_an_obj_are_told_with_their_line() {
    let folder = Folder::new();
    for (line, text) in [
        (2, "v 0 0 0\nv 1 x 0\nv 0 1 0\nf 1 2 3"),
        (3, "v 0 0 0\nv 1 0 0\nv 0 1\nf 1 2 3"),
        (5, "# triangle\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"),
        (4, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0"),
        (4, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -4"),
        (4, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999"),
        (4, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -9223372036854775808"),
        (4, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 three"),
        (4, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf\n"),
        (1, "v 0 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3"),
    ] {
        let reason = folder.reason("bad.obj", text);
        assert!(reason.contains(&format!("line {line}:")), "{reason}");
    }
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let folder = Folder::new();
    for bad in ["nan", "inf", "-inf", "1e999"] {
        let obj = OBJ.replacen("v 1 1 0", &format!("v 1 {bad} 0"), 1);
        assert!(folder.reason("a.obj", obj).contains("line 6: the coordinate"));
        let stl = STL.replacen("vertex 1 0", &format!("vertex 1 {bad}"), 1);
        assert!(folder.reason("a.stl", stl).contains("finite"));
        let ply = PLY.replacen("0.5 0.5", &format!("0.5 {bad}"), 1);
        assert!(folder.reason("a.ply", ply).contains("finite"));
    }
    let nan = f32::NAN.to_le_bytes();
    for (name, from_end) in [("a.stl", 20), ("a.glb", 60), ("a.ply", 60)] {
        let path = folder.0.path().join(name);
        ball(0).save(&path).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let at = match name {
            "a.stl" => 84 + 12,
            "a.glb" => bytes.len() - 8 * 12 - 12,
            _ => bytes.len() - 8 * 13 - 12,
        };
        assert!(at > from_end);
        bytes[at..at + 4].copy_from_slice(&nan);
        assert!(folder.reason(name, bytes).contains("finite"), "{name}");
    }
}

#[test]
fn indices_out_of_range_are_named() {
    let folder = Folder::new();
    for bad in ["5", "-1", "2000000000", "1.5"] {
        let reason = folder.reason("a.ply", PLY.replace("3 3 0 4 0\n", &format!("3 3 0 {bad} 0\n")));
        let wanted = format!("face 4: `{bad}` names no vertex; there are 5");
        assert!(reason.contains(&wanted), "{reason}");
    }
}

#[test]
fn headers_that_promise_too_much_are_refused_before_memory_is_taken() {
    let folder = Folder::new();
    let mut stl = vec![0u8; 84 + 50];
    stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(folder.reason("a.stl", &stl).contains("4294967295 triangles"));
    for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
        for (element, properties) in [
            ("vertex", "property float x\nproperty float y\nproperty float z\n"),
            ("face", "property list uchar int vertex_indices\n"),
            ("odd", ""),
            ("odd", "property list uint double values\n"),
        ] {
            for count in ["4000000000", "18446744073709551615", "99999999999999999999999"] {
                let rest =
                    ["vertex", "face"].iter().filter(|name| **name != element).map(|name| match *name {
                        "vertex" => {
                            "element vertex 0\nproperty float x\nproperty float y\nproperty float z\n"
                        }
                        _ => "element face 0\nproperty list uchar int vertex_indices\n",
                    });
                let rest: String = rest.collect();
                let text = format!(
                    "ply\nformat {format} 1.0\nelement {element} {count}\n{properties}{rest}end_header\n"
                );
                folder.reason("a.ply", text);
            }
        }
    }
    // One face of four billion corners.
    let mut ply =
        b"ply\nformat binary_little_endian 1.0\nelement vertex 0\nproperty float x\nproperty float y\n\
        property float z\nelement face 1\nproperty list uint int vertex_indices\nend_header\n"
            .to_vec();
    ply.extend(u32::MAX.to_le_bytes());
    folder.reason("a.ply", ply);
}

#[test]
fn a_cloud_of_points_is_not_a_mesh() {
    let folder = Folder::new();
    let cloud = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n";
    assert!(folder.reason("cloud.ply", cloud).contains("face"));
    let flat = PLY.replace("property double z", "property double w");
    assert!(folder.reason("flat.ply", flat).contains("`z`"));
    assert!(folder.reason("cloud.obj", "v 0 0 0\nv 1 1 1\n").contains("no faces"));
}

#[test]
fn off_files_are_read_with_or_without_a_keyword_colours_and_comments() {
    let folder = Folder::new();
    let body = "5 5 8\n0 0 0\n1 0 0 # a comment\n\n1 1 0\n0 1 0\n0.5 0.5 1\n\
        4 0 3 2 1\n3 0 1 4 255 0 0\n3 1 2 4 0.1 0.2 0.3 1\n3 2 3 4\n3 3 0 4\n";
    for text in [
        format!("OFF\n{body}"),
        format!("OFF {body}"),
        body.to_owned(),
        format!("# made by hand\nCOFF\n{body}"),
    ] {
        let mesh = folder.load("pyramid.off", &text).unwrap();
        assert!((volume(&mesh) - 1.0 / 3.0).abs() < 1e-7, "{text}");
    }
}

#[test]
fn off_files_that_are_damaged_are_refused_with_the_line() {
    let folder = Folder::new();
    for (text, part) in [
        ("OFF\n", "before the counts"),
        ("OFF\n4 x\n", "line 2: `x` is no number of faces"),
        ("OFF\n99999999999 1 0\n0 0 0\n", "are promised in"),
        (
            "OFF\n3 1 0\n0 0 0\n1 0\n0 1 0\n3 0 1 2\n",
            "line 4: vertex 1: the vertex has 2 numbers; it needs three",
        ),
        ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "line 6: face 0 needs 3 indices from 0 to 2"),
        ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n4 0 1 2\n", "line 6: face 0 needs 4 indices"),
        ("OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "ends before face 1"),
        ("OFF BINARY\n", "only text"),
        ("4OFF\n1 1 0\n", "only text"),
        ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "no faces"),
    ] {
        let reason = folder.reason("bad.off", text);
        assert!(reason.contains(part), "`{part}` is not in: {reason}");
    }
}
