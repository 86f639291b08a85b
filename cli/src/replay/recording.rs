//! The file that a simulation is recorded to.
//!
//! A first line that names the format and its version, a second with the [`Header`] as JSON, padded so that what
//! follows starts at a multiple of four bytes; then little-endian numbers of 32 bits. First the meshes, each its
//! vertices (x, y, z) and its triangles; then frame after frame to the end of the file: how many contacts,
//! the times of the stages (µs), a pose (x, y, z and the quaternion i, j, k, w) for every body, and per contact
//! its position (m), normal and depth (m), and the indices of its two bodies; then how many segments the outlines of contact
//! regions have and how many samples, both ends (m) of each segment, and the place (m) and depth (m) of each sample; then, for every
//! body that deforms, where the vertices of its mesh are (m, world; its pose is that of none). Powder is a mesh of vertices alone, with the radius of
//! its balls. Last come the meshes that are others from this frame on, as those of ground that is dug away: how many, and for each
//! its index, how many vertices and triangles it has now, and these. The page reads the same bytes.
//!
//! Four earlier versions are read as well. In version 4 no mesh becomes another, in version 3 nothing deforms. Version 2 has no outlines and samples, version 1 neither the bodies of a contact nor what
//! kind of shape a mesh stands for.

use std::io::{self, Write};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

/// The first line of what is written.
const MAGIC: &str = "impinge recording 5\n";
/// What is read.
const VERSIONS: [Version; 5] = [
    Version { line: MAGIC, row: CONTACT + 2, regions: true, surfaces: true },
    Version { line: "impinge recording 4\n", row: CONTACT + 2, regions: true, surfaces: false },
    Version { line: "impinge recording 3\n", row: CONTACT + 2, regions: true, surfaces: false },
    Version { line: "impinge recording 2\n", row: CONTACT + 2, regions: false, surfaces: false },
    Version { line: "impinge recording 1\n", row: CONTACT, regions: false, surfaces: false },
];
/// Numbers of a pose.
pub const POSE: usize = 7;
/// Numbers of a contact before the indices of its bodies.
const CONTACT: usize = 7;

/// Numbers of a segment and of a sample.
const SEGMENT: usize = 6;
const SAMPLE: usize = 4;

/// How frames are written.
#[derive(Clone, Copy)]
struct Version {
    /// The first line.
    line: &'static str,
    /// Numbers of a contact.
    row: usize,
    /// Whether frames have the outlines and samples of contact regions.
    regions: bool,
    /// Whether frames have meshes that are others from then on.
    surfaces: bool,
}

/// What the frames are about.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Header {
    /// The scene's name.
    pub scene: String,
    /// Length of a step (s).
    pub dt: f64,
    /// Direction of view, unit.
    pub direction: [f64; 3],
    /// The point in the middle of the view (m).
    pub target: [f64; 3],
    /// Half the height of what is seen (m).
    pub half_height: f64,
    /// Whether the fixed bodies stand around the others, so that one has to see through them.
    pub container: bool,
    /// Names of the times in a frame.
    pub stages: Vec<String>,
    /// The meshes.
    pub meshes: Vec<MeshSize>,
    /// The bodies, in the order of the poses.
    pub bodies: Vec<RecordedBody>,
}

/// How long a mesh is.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct MeshSize {
    /// What it is.
    pub name: String,
    /// The kind of shape that it stands for: `mesh`, `hull`, `sphere` …; empty in version 1.
    #[serde(default)]
    pub kind: String,
    /// How many vertices.
    pub vertices: usize,
    /// How many triangles.
    pub triangles: usize,
}

/// What is drawn for a body.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct RecordedBody {
    /// Index of its mesh.
    pub mesh: usize,
    /// Red, green, blue.
    pub color: [u8; 3],
    /// Whether it never moves.
    pub fixed: bool,
    /// Whether frames hold the places of its vertices; its mesh is then its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deforms: bool,
    /// Radius of the balls (m) that stand at the vertices of its mesh, which has no triangles; `None` for a surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balls: Option<f32>,
}

/// A surface as it is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Vertices (m).
    pub vertices: Vec<[f32; 3]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
}

/// One moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Times of the stages (µs), as many as the header names.
    pub times: Vec<f32>,
    /// A pose for every body.
    pub poses: Vec<[f32; POSE]>,
    /// Contacts.
    pub contacts: Vec<RecordedContact>,
    /// The outlines of contact regions: both ends of each segment (m).
    pub outlines: Vec<[f32; SEGMENT]>,
    /// Samples of contact regions: place (m) and depth (m).
    pub samples: Vec<[f32; SAMPLE]>,
    /// The vertices of all bodies that deform, body after body (m, world).
    pub places: Vec<[f32; 3]>,
    /// Meshes that are others from this frame on, by their indices.
    pub surfaces: Vec<(u32, Surface)>,
}

/// A contact point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RecordedContact {
    /// Position (m), unit normal from the first body to the second, depth (m).
    pub numbers: [f32; CONTACT],
    /// Indices of its bodies.
    pub bodies: [u32; 2],
}

/// Writes the lines and the meshes.
pub fn write_header(out: &mut impl Write, header: &Header, meshes: &[Surface]) -> io::Result<()> {
    let mut json = serde_json::to_string(header)?;
    while !(MAGIC.len() + json.len() + 1).is_multiple_of(4) {
        json.push(' ');
    }
    writeln!(out, "{MAGIC}{json}")?;
    meshes.iter().try_for_each(|mesh| write_surface(out, mesh))
}

fn write_surface(out: &mut impl Write, surface: &Surface) -> io::Result<()> {
    surface.vertices.as_flattened().iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
    surface.triangles.as_flattened().iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))
}

/// Writes a frame.
pub fn write_frame(out: &mut impl Write, frame: &Frame) -> io::Result<()> {
    out.write_all(&(frame.contacts.len() as u32).to_le_bytes())?;
    let numbers = frame.times.iter().chain(frame.poses.as_flattened());
    numbers.into_iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
    for contact in &frame.contacts {
        contact.numbers.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
        contact.bodies.iter().try_for_each(|body| out.write_all(&body.to_le_bytes()))?;
    }
    for count in [frame.outlines.len(), frame.samples.len()] {
        out.write_all(&(count as u32).to_le_bytes())?;
    }
    let numbers = frame.outlines.as_flattened().iter().chain(frame.samples.as_flattened());
    let numbers = numbers.chain(frame.places.as_flattened());
    numbers.into_iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
    out.write_all(&(frame.surfaces.len() as u32).to_le_bytes())?;
    for (mesh, surface) in &frame.surfaces {
        for number in [*mesh, surface.vertices.len() as u32, surface.triangles.len() as u32] {
            out.write_all(&number.to_le_bytes())?;
        }
        write_surface(out, surface)?;
    }
    Ok(())
}

/// What a recording holds, beside its meshes.
#[derive(Debug)]
pub struct Contents {
    /// The header.
    pub header: Header,
    /// How many frames.
    pub frames: usize,
    /// Contacts of all frames.
    pub contacts: usize,
}

/// Checks a recording from its first byte to its last.
///
/// # Errors
/// For anything that is no recording, or one cut short, with the place.
pub fn check(bytes: &[u8]) -> Result<Contents> {
    let version = VERSIONS.iter().find_map(|v| Some((bytes.strip_prefix(v.line.as_bytes())?, *v)));
    let (rest, version) = version.with_context(|| {
        let [newest, fourth, third, second, oldest] = VERSIONS.map(|version| version.line.trim());
        format!(
            "not a recording: its first line must be `{newest}`, `{fourth}`, `{third}`, `{second}` or `{oldest}`; `simulate --record` writes one"
        )
    })?;
    let end = rest.iter().position(|&byte| byte == b'\n').context("the header in line 2 has no end")?;
    let header: Header =
        serde_json::from_slice(&rest[..end]).context("the header in line 2 cannot be read")?;
    for (index, body) in header.bodies.iter().enumerate() {
        let (mesh, meshes) = (body.mesh, header.meshes.len());
        ensure!(mesh < meshes, "body {index} is drawn as mesh {mesh}, but there are {meshes}");
        let of_others = header.bodies.iter().enumerate().any(|(k, other)| k != index && other.mesh == mesh);
        ensure!(!(body.deforms && of_others), "body {index} deforms, and mesh {mesh} is another body's, too");
    }
    let start = MAGIC.len() + end + 1;
    ensure!(start.is_multiple_of(4), "the header in line 2 is not padded to a multiple of four bytes");
    let mut reader = Reader { bytes, at: start };
    for (index, mesh) in header.meshes.iter().enumerate() {
        check_surface(&mut reader, index, [mesh.vertices, mesh.triangles])
            .with_context(|| format!("mesh {index} ({})", mesh.name))?;
    }
    let (mut frames, mut contacts) = (0, 0);
    while reader.at < bytes.len() {
        contacts += check_frame(&mut reader, &header, version).with_context(|| format!("frame {frames}"))?;
        frames += 1;
    }
    ensure!(frames > 0, "the recording holds no frame");
    Ok(Contents { header, frames, contacts })
}

/// Passes over a mesh of so many vertices and triangles.
fn check_surface(reader: &mut Reader, index: usize, [vertices, triangles]: [usize; 2]) -> Result<()> {
    reader.skip(vertices, 3).with_context(|| format!("vertices of mesh {index}"))?;
    for triangle in 0..triangles {
        for _ in 0..3 {
            let corner = reader.next().with_context(|| format!("triangle {triangle} of mesh {index}"))?;
            if corner as usize >= vertices {
                bail!("triangle {triangle} of mesh {index} names vertex {corner} of {vertices}");
            }
        }
    }
    Ok(())
}

/// How many contacts the next frame has.
fn check_frame(reader: &mut Reader, header: &Header, version: Version) -> Result<usize> {
    let count = reader.next()? as usize;
    reader.skip(header.stages.len() + POSE * header.bodies.len(), 1)?;
    for contact in 0..count {
        reader.skip(1, CONTACT)?;
        for _ in CONTACT..version.row {
            let (body, bodies) = (reader.next()?, header.bodies.len());
            ensure!((body as usize) < bodies, "contact {contact} is of body {body}, but there are {bodies}");
        }
    }
    if version.regions {
        let [segments, samples] = [reader.next()? as usize, reader.next()? as usize];
        reader.skip(segments, SEGMENT).context("outlines of contact regions")?;
        reader.skip(samples, SAMPLE).context("samples of contact regions")?;
    }
    for body in header.bodies.iter().filter(|body| body.deforms) {
        reader.skip(header.meshes[body.mesh].vertices, 3).context("vertices of a body that deforms")?;
    }
    let surfaces = if version.surfaces { reader.next()? } else { 0 };
    for _ in 0..surfaces {
        let (mesh, meshes) = (reader.next()? as usize, header.meshes.len());
        ensure!(mesh < meshes, "mesh {mesh} becomes another, but there are {meshes}");
        let deforms = header.bodies.iter().any(|body| body.deforms && body.mesh == mesh);
        ensure!(!deforms, "mesh {mesh} becomes another, and a body of it deforms");
        let counts = [reader.next()? as usize, reader.next()? as usize];
        check_surface(reader, mesh, counts)?;
    }
    Ok(count)
}

/// Numbers of four bytes, one after another.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Result<u32> {
        let from = self.at;
        self.skip(1, 1)?;
        let four = self.bytes[from..].first_chunk().copied().unwrap_or_default();
        Ok(u32::from_le_bytes(four))
    }

    /// Passes over `count` rows of `row` numbers.
    fn skip(&mut self, count: usize, row: usize) -> Result<()> {
        let left = self.bytes.len() - self.at;
        match count.checked_mul(4 * row) {
            Some(size) if size <= left => self.at += size,
            _ => {
                bail!("cut short at byte {}: {count} × {row} numbers are due, {left} bytes are left", self.at)
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording() -> Vec<u8> {
        let header = Header {
            scene: "two \"balls\"".into(),
            dt: 0.25,
            direction: [0.0, 1.0, 0.0],
            target: [0.0; 3],
            half_height: 1.0,
            container: false,
            stages: vec!["step".into()],
            meshes: ["ball", "ground"]
                .map(|name| MeshSize { name: name.into(), kind: "mesh".into(), vertices: 3, triangles: 1 })
                .to_vec(),
            bodies: vec![RecordedBody {
                mesh: 0,
                color: [1, 2, 3],
                fixed: false,
                deforms: true,
                balls: None,
            }],
        };
        let mesh = Surface { vertices: vec![[0.0; 3], [1.0; 3], [2.0; 3]], triangles: vec![[0, 1, 2]] };
        let mut out = Vec::new();
        let other = Surface { vertices: vec![[0.5; 3]; 4], triangles: vec![[0, 1, 3], [1, 2, 3]] };
        write_header(&mut out, &header, &[mesh.clone(), mesh]).unwrap();
        for contacts in [0, 2] {
            let contact = RecordedContact { numbers: [0.5; CONTACT], bodies: [0, 0] };
            let frame = Frame {
                times: vec![1.5],
                poses: vec![[0.0; POSE]],
                contacts: vec![contact; contacts],
                outlines: vec![[0.25; SEGMENT]; contacts],
                samples: vec![[0.125; SAMPLE]; 2 * contacts],
                places: vec![[0.75; 3]; 3],
                surfaces: vec![(1, other.clone()); contacts / 2],
            };
            write_frame(&mut out, &frame).unwrap();
        }
        out
    }

    #[test]
    fn what_was_written_is_found_again() {
        let contents = check(&recording()).unwrap();
        assert_eq!((contents.frames, contents.contacts), (2, 2));
        assert_eq!(contents.header.scene, "two \"balls\"");
    }

    /// Earlier versions as programs wrote them: in the first no kinds of meshes, and contacts of seven numbers.
    #[test]
    fn earlier_versions_are_read() {
        let header = r#"{"scene":"s","dt":0.25,"direction":[0,1,0],"target":[0,0,0],"half_height":1,"container":false,
            "stages":["step"],"meshes":[{"name":"ball","vertices":0,"triangles":0}],
            "bodies":[{"mesh":0,"color":[1,2,3],"fixed":false}]}"#;
        for Version { line, row, regions, .. } in &VERSIONS[1..] {
            let mut bytes = format!("{line}{}", header.replace('\n', "")).into_bytes();
            while bytes.len() % 4 != 3 {
                bytes.push(b' ');
            }
            bytes.push(b'\n');
            for contacts in [2_u32, 0] {
                bytes.extend(contacts.to_le_bytes());
                let counts = if *regions { 2 } else { 0 };
                bytes.extend(vec![0; 4 * (1 + POSE + row * contacts as usize + counts)]);
            }
            let contents = check(&bytes).unwrap();
            assert_eq!((contents.frames, contents.contacts), (2, 2));
            assert!(contents.header.meshes[0].kind.is_empty());
        }
    }

    /// Frames end where they end: a cut anywhere else is noticed, and nothing panics.
    #[test]
    fn every_cut_is_noticed() {
        let whole = recording();
        let (frame, surface) = (4 * (1 + 1 + POSE + 2 + 9 + 1), 4 * (3 + 12 + 6));
        let contacts = 4 * 2 * (CONTACT + 2 + SEGMENT + 2 * SAMPLE);
        let complete = [whole.len(), whole.len() - frame - surface - contacts];
        for len in 0..=whole.len() {
            assert_eq!(check(&whole[..len]).is_ok(), complete.contains(&len), "{len} of {}", whole.len());
        }
    }

    #[test]
    fn damage_is_named() {
        let error = |bytes: &[u8]| format!("{:#}", check(bytes).unwrap_err());
        assert!(error(b"solid cube\n").contains("first line must be `impinge recording 5`, `impinge"));
        assert!(
            error(b"impinge recording 6\n").contains("first line must be `impinge recording 5`, `impinge")
        );
        let whole = recording();
        let text = String::from_utf8_lossy(&whole).into_owned();
        let bad_mesh = text.replace("\"mesh\":0", "\"mesh\":7");
        assert!(error(bad_mesh.as_bytes()).contains("body 0 is drawn as mesh 7, but there are 2"));
        let shared =
            text.replace("\"bodies\":[", "\"bodies\":[{\"mesh\":0,\"color\":[1,2,3],\"fixed\":false},");
        assert!(error(shared.as_bytes()).contains("body 1 deforms, and mesh 0 is another body's, too"));
        let start = whole.iter().enumerate().filter(|(_, b)| **b == b'\n').nth(1).unwrap().0 + 1;
        let mut bad_corner = whole.clone();
        bad_corner[start + 36] = 9;
        assert!(error(&bad_corner).contains("triangle 0 of mesh 0 names vertex 9 of 3"));
        let surface = 1 + 3 + 12 + 6;
        let mut bad_body = whole.clone();
        bad_body[whole.len() - 4 * (2 + 2 * SEGMENT + 4 * SAMPLE + 9 + surface) - 4] = 5;
        assert!(error(&bad_body).contains("frame 1: contact 1 is of body 5, but there are 1"));
        let mut bad_mesh = whole.clone();
        bad_mesh[whole.len() - 4 * (surface - 1)] = 2;
        assert!(error(&bad_mesh).contains("frame 1: mesh 2 becomes another, but there are 2"));
        bad_mesh[whole.len() - 4 * (surface - 1)] = 0;
        assert!(error(&bad_mesh).contains("mesh 0 becomes another, and a body of it deforms"));
        let mut bad_corner = whole.clone();
        bad_corner[whole.len() - 4] = 4;
        assert!(error(&bad_corner).contains("triangle 1 of mesh 1 names vertex 4 of 4"));
    }
}
