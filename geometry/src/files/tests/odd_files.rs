//! Files as other programs write and damage them: each has one oddity or fault, and is read as the
//! mesh that it means, or refused with its place, what was found and what would be right.

use super::*;

/// The outcome that a file must have.
enum Wanted {
    /// Vertices, triangles and volume (m³).
    Mesh(usize, usize, f64),
    /// Parts of the message.
    Refused(&'static [&'static str]),
}

use Wanted::{Mesh, Refused};

const CUBE: Wanted = Mesh(8, 12, 1.0);

const CORNERS: [[i32; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];

/// The sides of the unit cube, seen counter-clockwise from outside.
const SIDES: [[usize; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

fn triangles() -> impl Iterator<Item = [usize; 3]> {
    SIDES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
}

fn obj() -> String {
    let places = CORNERS.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    let faces = SIDES.iter().map(|s| format!("f {} {} {} {}\n", s[0] + 1, s[1] + 1, s[2] + 1, s[3] + 1));
    places.chain(faces).collect()
}

fn off() -> String {
    let places = CORNERS.iter().map(|[x, y, z]| format!("{x} {y} {z}\n"));
    let faces = SIDES.iter().map(|s| format!("4 {} {} {} {}\n", s[0], s[1], s[2], s[3]));
    std::iter::once("OFF\n8 6 0\n".to_owned()).chain(places).chain(faces).collect()
}

fn facet(corners: [usize; 3]) -> String {
    let vertices = corners.map(|v| CORNERS[v]).map(|[x, y, z]| format!("      vertex {x} {y} {z}\n"));
    format!("  facet normal 0 0 0\n    outer loop\n{}    endloop\n  endfacet\n", vertices.concat())
}

fn stl() -> String {
    format!("solid cube\n{}endsolid cube\n", triangles().map(facet).collect::<String>())
}

fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(12u32.to_le_bytes());
    for corners in triangles() {
        bytes.extend([0u8; 12]);
        for x in corners.into_iter().flat_map(|v| CORNERS[v]) {
            bytes.extend((x as f32).to_le_bytes());
        }
        bytes.extend([0u8; 2]);
    }
    bytes
}

fn ply() -> String {
    let header = "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\n\
        property float z\nelement face 6\nproperty list uchar int vertex_indices\nend_header\n";
    let body = off();
    format!("{header}{}", body.strip_prefix("OFF\n8 6 0\n").unwrap())
}

fn binary_ply(header: &str) -> Vec<u8> {
    let mut bytes = header.as_bytes().to_vec();
    for x in CORNERS.into_iter().flatten() {
        bytes.extend((x as f32).to_le_bytes());
    }
    for side in SIDES {
        bytes.push(4);
        side.iter().for_each(|&v| bytes.extend((v as i32).to_le_bytes()));
    }
    bytes
}

const LITTLE: &str = "ply\nformat binary_little_endian 1.0\nelement vertex 8\nproperty float x\nproperty float y\n\
    property float z\nelement face 6\nproperty list uchar int vertex_indices\nend_header\n";

/// The cube as two strips, of which −1 begins the second: around the sides, then the lid and the
/// floor.
fn strips(text: &str) -> String {
    let places: String = CORNERS.iter().map(|[x, y, z]| format!("{x} {y} {z}\n")).collect();
    format!(
        "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n\
         element tristrips 1\nproperty list int int vertex_indices\nend_header\n{places}{text}\n"
    )
}

const STRIPS: &str = "20 0 4 1 5 2 6 3 7 0 4 -1 4 7 5 6 -1 0 1 3 2";

fn marked(text: &str) -> Vec<u8> {
    [b"\xef\xbb\xbf", text.as_bytes()].concat()
}

fn wide(text: &str) -> Vec<u8> {
    std::iter::once(0xfeffu16).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

fn cut(text: &str, lines: usize) -> String {
    let kept = text.lines().count() - lines;
    text.lines().take(kept).map(|line| format!("{line}\n")).collect()
}

type Case = (&'static str, Vec<u8>, Wanted);

fn case(name: &'static str, bytes: impl Into<Vec<u8>>, wanted: Wanted) -> Case {
    (name, bytes.into(), wanted)
}

fn objs() -> Vec<Case> {
    let cube = obj();
    let change = |from: &str, to: &str| {
        assert!(cube.contains(from), "{from}");
        cube.replacen(from, to, 1)
    };
    vec![
        case("plain.obj", cube.as_str(), CUBE),
        case("crlf.obj", cube.replace('\n', "\r\n"), CUBE),
        case("cr.obj", cube.replace('\n', "\r"), CUBE),
        case("mark.obj", marked(&cube), CUBE),
        case("wide.obj", wide(&cube), CUBE),
        case("no_last_end.obj", cube.trim_end(), CUBE),
        case("tabs.obj", cube.replace(' ', "\t \t"), CUBE),
        case("negative.obj", change("f 1 4 3 2", "f -8 -5 -6 -7"), CUBE),
        case("slashes.obj", change("f 1 4 3 2", "f 1/1/1 4//7 3/9 2"), CUBE),
        case(
            "faces_first.obj",
            cube.lines().rev().fold(String::new(), |text, line| {
                // Places keep their order.
                if line.starts_with('f') { text + line + "\n" } else { text }
            }) + &cube.lines().filter(|l| l.starts_with('v')).map(|l| format!("{l}\n")).collect::<String>(),
            CUBE,
        ),
        case("homogeneous.obj", change("v 1 1 1", "v 2 2 2 2"), CUBE),
        case("colours.obj", change("v 1 1 1", "v 1 1 1 0.5 0.5 0.5"), CUBE),
        case("exponents.obj", change("v 1 1 1", "v 1e0 10.0E-1 .1e+1"), CUBE),
        case("goes_on.obj", change("f 1 4 3 2", "f 1 4 \\\n3 2"), CUBE),
        case("unused.obj", format!("{cube}v 7 7 7\n"), CUBE),
        case("points_and_lines.obj", format!("{cube}p 1\nl 1 2\nf 1 2\ncurv 0 1 1 2\n"), CUBE),
        case(
            "comma.obj",
            change("v 1 1 1", "v 1 1,0 1"),
            Refused(&["line 7:", "`1,0`", "decimal comma", "`1.0`"]),
        ),
        case("word.obj", change("v 1 1 1", "v 1 one 1"), Refused(&["line 7:", "`one` is not a number"])),
        case("short.obj", change("v 1 1 1", "v 1 1"), Refused(&["line 7:", "2 numbers", "needs three"])),
        case("nan.obj", change("v 1 1 1", "v 1 nan 1"), Refused(&["line 7:", "`nan` is not finite"])),
        case("far.obj", change("v 1 1 1", "v 1 1e31 1"), Refused(&["line 7:", "`1e31`", "1e30 m"])),
        case(
            "w_zero.obj",
            change("v 1 1 1", "v 1 1 1 0"),
            Refused(&["line 7:", "w = 0", "must be finite and not 0"]),
        ),
        case(
            "index_0.obj",
            change("f 1 4 3 2", "f 0 3 2 1"),
            Refused(&["line 9:", "`0` names no vertex", "counted from 1"]),
        ),
        case(
            "index_9.obj",
            change("f 1 4 3 2", "f 1 4 3 9"),
            Refused(&["line 9:", "`9` names no vertex", "there are 8"]),
        ),
        case(
            "index_back.obj",
            change("f 1 4 3 2", "f -9 4 3 2"),
            Refused(&["line 9:", "`-9`", "8 come before"]),
        ),
        case("no_corners.obj", change("f 1 4 3 2", "f"), Refused(&["line 9:", "names no vertices", "three"])),
        case("cloud.obj", cube.replace('f', "#"), Refused(&["no faces", "`f`", "vertices: 8"])),
        case("is_ply.obj", ply(), Refused(&["it is a PLY file", "`.ply`"])),
        case("is_zip.obj", b"PK\x03\x04rest".as_slice(), Refused(&["zip archive", "unpack"])),
        case("empty.obj", "", Refused(&["the file is empty"])),
    ]
}

fn stls() -> Vec<Case> {
    let (text, binary) = (stl(), binary_stl());
    let change = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    let with_header = |header: &str| {
        let mut bytes = binary.clone();
        bytes[..header.len()].copy_from_slice(header.as_bytes());
        bytes
    };
    let mut nan = binary.clone();
    nan[84 + 50 + 12..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let mut none = binary.clone();
    none[80..84].fill(0);
    vec![
        case("plain.stl", text.as_str(), CUBE),
        case("crlf.stl", text.replace('\n', "\r\n"), CUBE),
        case("cr.stl", text.replace('\n', "\r"), CUBE),
        case("mark.stl", marked(&text), CUBE),
        case("wide.stl", wide(&text), CUBE),
        case("capitals.stl", text.to_uppercase(), CUBE),
        case("one_line.stl", text.replacen('\n', "\r", 1).replace('\n', " "), CUBE),
        case("no_endsolid.stl", cut(&text, 1), CUBE),
        case("no_name.stl", text.replace(" cube", ""), CUBE),
        case("two_solids.stl", change("  endfacet\n", "  endfacet\nendsolid a\nsolid b\n"), CUBE),
        case("nan_normals.stl", text.replace("normal 0 0 0", "normal nan -nan(ind) 1.#QNAN"), CUBE),
        case("no_normals.stl", text.replace("normal 0 0 0", ""), CUBE),
        case("blank_lines.stl", text.replace('\n', "\n\n"), CUBE),
        case("binary.stl", binary.as_slice(), CUBE),
        case("binary_solid.stl", with_header("solid cube"), CUBE),
        case("binary_tail.stl", [&binary[..], b"trailer of a program"].concat(), CUBE),
        case("binary_solid_tail.stl", [&with_header("solid cube")[..], &[0; 7]].concat(), CUBE),
        case(
            "within.stl",
            cut(&text, 3),
            Refused(&["within the facet of line 79", "before `endfacet`", "cut off"]),
        ),
        case(
            "two_vertices.stl",
            change("      vertex 0 0 0\n", ""),
            Refused(&["line 7:", "2 vertices", "must have three"]),
        ),
        case(
            "four_vertices.stl",
            change("      vertex 0 0 0\n", "      vertex 0 0 0\n      vertex 9 0 0\n"),
            Refused(&["line 9:", "4 vertices", "must have three"]),
        ),
        case(
            "no_number.stl",
            change("vertex 0 0 0", "vertex 0 x 0"),
            Refused(&["line 4:", "`x` is not a number"]),
        ),
        case(
            "comma.stl",
            change("vertex 0 0 0", "vertex 0 0,5 0"),
            Refused(&["line 4:", "decimal comma", "`0.5`"]),
        ),
        case(
            "stray.stl",
            change("    endloop", "    colour 1 0 0\n    endloop"),
            Refused(&["line 7:", "`colour`", "`vertex x y z`"]),
        ),
        case("no_facets.stl", "solid a\nendsolid a\n", Refused(&["line 2:", "without any `facet`"])),
        case(
            "binary_cut.stl",
            &binary[..binary.len() - 30],
            Refused(&["12 triangles", "byte 80", "684 bytes", "has 654"]),
        ),
        case("binary_nan.stl", nan, Refused(&["byte 146:", "triangle 1", "NaN", "finite"])),
        case("binary_none.stl", none, Refused(&["0 triangles", "one at least"])),
        case(
            "prose.stl",
            "It was a bright cold day in April.",
            Refused(&["`solid`", "binary header of 84 bytes"]),
        ),
        case("is_step.stl", "ISO-10303-21;\nHEADER;\n", Refused(&["STEP", "export a mesh"])),
        case("is_page.stl", "<!DOCTYPE html>", Refused(&["web page", "download"])),
    ]
}

fn plys() -> Vec<Case> {
    let cube = ply();
    let change = |from: &str, to: &str| {
        assert!(cube.contains(from), "{from}");
        cube.replacen(from, to, 1)
    };
    let binary = binary_ply(LITTLE);
    let mut nan = binary.clone();
    nan[LITTLE.len() + 4..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    vec![
        case("plain.ply", cube.as_str(), CUBE),
        case("crlf.ply", cube.replace('\n', "\r\n"), CUBE),
        case("cr.ply", cube.replace('\n', "\r"), CUBE),
        case("mark.ply", marked(&cube), CUBE),
        case("wide.ply", wide(&cube), CUBE),
        case("types.ply", change("float x", "float64 x").replacen("uchar int", "uint8 uint16", 1), CUBE),
        case(
            "comments.ply",
            change("element face", "comment element face 9\nobj_info none\nelement face"),
            CUBE,
        ),
        case(
            "colours.ply",
            change("property float x", "property uchar red\nproperty float x")
                .replacen("end_header\n0", "end_header\n9 0", 1)
                .lines()
                .enumerate()
                .map(|(k, l)| if (11..18).contains(&k) { format!("9 {l}\n") } else { format!("{l}\n") })
                .collect::<String>(),
            CUBE,
        ),
        case("strips.ply", strips(STRIPS), CUBE),
        case("binary.ply", binary.as_slice(), CUBE),
        case("binary_crlf.ply", binary_ply(&LITTLE.replace('\n', "\r\n")), CUBE),
        case("binary_cr.ply", binary_ply(&LITTLE.replace('\n', "\r")), CUBE),
        case("binary_tail.ply", [&binary[..], &[7; 9]].concat(), CUBE),
        case("cut.ply", cut(&cube, 1), Refused(&["face 5", "ends before it", "cut off"])),
        case("binary_cut.ply", &binary[..binary.len() - 3], Refused(&["byte", "face 5", "cut off"])),
        case(
            "index.ply",
            change("4 0 3 2 1", "4 0 3 2 8"),
            Refused(&["line 18:", "face 0", "`8` names no vertex", "there are 8"]),
        ),
        case(
            "strip_index.ply",
            strips("3 0 1 9"),
            Refused(&["line 18:", "tristrips 0", "`9` names no vertex"]),
        ),
        case(
            "more.ply",
            change("4 0 3 2 1", "4 0 3 2 1 5"),
            Refused(&["line 18:", "`5` comes after the last"]),
        ),
        case("fewer.ply", change("4 0 3 2 1", "4 0 3 2"), Refused(&["line 18:", "before its last number"])),
        case(
            "word.ply",
            change("1 1 1", "1 one 1"),
            Refused(&["line 16:", "vertex 6", "`one` is not a number"]),
        ),
        case("binary_nan.ply", nan, Refused(&["vertex 0", "NaN", "finite"])),
        case(
            "half.ply",
            change("property float x", "property half x"),
            Refused(&["line 4:", "`half` is no type", "float"]),
        ),
        case(
            "cloud.ply",
            change("element face", "element edge"),
            Refused(&["no element `face`", "cloud of points"]),
        ),
        case(
            "no_format.ply",
            change("format ascii 1.0\n", ""),
            Refused(&["no line `format`", "format ascii 1.0"]),
        ),
        case(
            "promise.ply",
            change("element vertex 8", "element vertex 4000000000"),
            Refused(&["4000000000 elements `vertex`", "cut off"]),
        ),
        case("no_end.ply", "ply\nformat ascii 1.0\n", Refused(&["line 3:", "before `end_header`"])),
    ]
}

fn offs() -> Vec<Case> {
    let cube = off();
    let change = |from: &str, to: &str| {
        assert!(cube.contains(from), "{from}");
        cube.replacen(from, to, 1)
    };
    vec![
        case("plain.off", cube.as_str(), CUBE),
        case("glued.off", change("OFF\n8 6 0", "OFF8 6 0"), CUBE),
        case("one_line.off", change("OFF\n", "OFF "), CUBE),
        case("no_edges.off", change("8 6 0", "8 6"), CUBE),
        case("cr.off", cube.replace('\n', "\r"), CUBE),
        case("mark.off", marked(&cube), CUBE),
        case("wide.off", wide(&cube), CUBE),
        case("no_keyword.off", change("OFF\n", ""), CUBE),
        case("coff.off", change("OFF\n", "COFF\n").replace("1 1 1", "1 1 1 255 0 0 255"), CUBE),
        case("face_colours.off", change("4 0 3 2 1", "4 0 3 2 1 0.5 0.5 0.5"), CUBE),
        case("cut.off", cut(&cube, 1), Refused(&["ends before face 5 of 6", "cut off"])),
        case("index.off", change("4 0 3 2 1", "4 0 3 2 8"), Refused(&["line 11:", "face 0", "from 0 to 7"])),
        case("four.off", change("OFF", "4OFF"), Refused(&["line 1:", "three dimensions"])),
        case(
            "counts.off",
            change("8 6 0", "eight 6 0"),
            Refused(&["line 2:", "`eight` is no number of vertices"]),
        ),
        case("comma.off", change("1 1 1", "1 1,5 1"), Refused(&["line 9:", "vertex 6", "decimal comma"])),
    ]
}

fn gltfs() -> Vec<Case> {
    const CORNER: Wanted = Mesh(4, 4, 1.0 / 6.0);
    let text = gltf_text(r#"{"mesh":0}"#, PRIMITIVE);
    let change = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    vec![
        case("plain.gltf", text.as_str(), CORNER),
        case("mark.gltf", marked(&text), CORNER),
        case("crlf.gltf", text.replace('\n', "\r\n"), CORNER),
        case("mirrored.gltf", change(r#"{"mesh":0}"#, r#"{"mesh":0,"scale":[-1,1,1]}"#), CORNER),
        case(
            "draco.gltf",
            change(
                r#""scenes""#,
                r#""extensionsUsed":["KHR_draco_mesh_compression"],"extensionsRequired":["KHR_draco_mesh_compression"],"scenes""#,
            ),
            Refused(&["compressed by `KHR_draco_mesh_compression`", "without"]),
        ),
        case(
            "index.gltf",
            change(r#""count":4,"#, r#""count":3,"#),
            Refused(&["mesh 0:", "3 vertices has the index 3"]),
        ),
        case(
            "buffer.gltf",
            change("data:application/octet-stream;base64,", "gone.bin?"),
            Refused(&["gone.bin"]),
        ),
        case("broken.gltf", &text[..200], Refused(&["line 2", "cut off"])),
        case("is_stl.glb", stl(), Refused(&["glTF"])),
    ]
}

fn volume_of(mesh: &TriMesh) -> f64 {
    mesh.mass_properties().map_or(0.0, |mass| mass.volume)
}

#[test]
fn each_odd_file_is_read_as_it_is_meant_or_refused_with_its_fault() {
    let cases: Vec<Case> = [objs(), stls(), plys(), offs(), gltfs()].into_iter().flatten().collect();
    assert!(cases.len() >= 86, "{} files", cases.len());
    let folder = Folder::new();
    let mut faults = Vec::new();
    for (name, bytes, wanted) in cases {
        let read = std::panic::catch_unwind(|| folder.load(name, &bytes));
        let fault = match (read, wanted) {
            (Err(_), _) => Some("it panics".to_owned()),
            (Ok(Err(error)), Mesh(..)) => Some(error.to_string()),
            (Ok(Ok(mesh)), Mesh(vertices, triangles, volume)) => {
                let found = (mesh.vertices().len(), mesh.triangles().len());
                let right = found == (vertices, triangles) && (volume_of(&mesh) - volume).abs() < 1e-6;
                (!right).then(|| format!("{found:?}, volume {}", volume_of(&mesh)))
            }
            (Ok(Ok(_)), Refused(_)) => Some("it is read".to_owned()),
            (Ok(Err(error)), Refused(parts)) => {
                let text = error.to_string();
                let missing = parts
                    .iter()
                    .find(|part| !text.contains(**part))
                    .map(|part| format!("no `{part}` in: {text}"));
                missing.or_else(|| (!text.contains(name)).then(|| format!("the file is not named: {text}")))
            }
        };
        faults.extend(fault.map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn files_without_oddity_lose_nothing_when_their_lines_end_otherwise() {
    let folder = Folder::new();
    for (name, text) in [("a.obj", obj()), ("a.stl", stl()), ("a.ply", ply()), ("a.off", off())] {
        let whole = folder.load(name, &text).unwrap();
        for end in ["\r", "\r\n", "\n\n"] {
            let other = folder.load(name, text.replace('\n', end)).unwrap();
            assert_eq!(corners(&other), corners(&whole), "{name} with {end:?}");
        }
    }
}
