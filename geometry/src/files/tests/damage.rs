//! Files cut off, changed and taken apart.

use std::io::Write;
use std::path::Path;

use proptest::prelude::*;

use super::super::{Format, gltf, obj, off, ply, stl};
use super::{OBJ, PLY, PRIMITIVE, STL, big_endian_ply, gltf_text};
use crate::TriMesh;
use crate::fixtures::torus;

/// Valid files of every kind.
fn samples() -> Vec<(Format, Vec<u8>)> {
    let mesh = torus(1.0, 0.3, 5, 4);
    let written = |write: fn(&TriMesh, &mut dyn Write) -> std::io::Result<()>| {
        let mut bytes = Vec::new();
        write(&mesh, &mut bytes).unwrap();
        bytes
    };
    vec![
        (Format::Obj, OBJ.into()),
        (Format::Obj, written(obj::write)),
        (Format::Stl, STL.into()),
        (Format::Stl, written(stl::write)),
        (Format::Ply, PLY.into()),
        (Format::Ply, big_endian_ply()),
        (Format::Ply, written(ply::write)),
        (Format::Glb, written(gltf::write)),
        (Format::Gltf, gltf_text(r#"{"children":[1]},{"mesh":0}"#, PRIMITIVE).into()),
        (Format::Off, written(off::write)),
    ]
}

/// As `load` does it, without the file.
fn read(format: Format, bytes: Vec<u8>) -> Result<TriMesh, String> {
    let mesh = match format {
        Format::Obj => obj::read(&bytes),
        Format::Stl => stl::read(&bytes),
        Format::Ply => ply::read(&bytes),
        Format::Off => off::read(&bytes),
        Format::Gltf | Format::Glb => gltf::read(&bytes, Path::new("")),
    }?;
    mesh.welded().map_err(|e| e.to_string())
}

#[test]
fn files_cut_off_anywhere_are_refused_or_still_a_mesh() {
    for (format, whole) in samples() {
        let complete = read(format, whole.clone()).unwrap();
        for length in 0..whole.len() {
            if let Ok(mesh) = read(format, whole[..length].to_vec()) {
                // An OBJ has no end mark, and a text STL may lack it: a prefix may be a mesh of its
                // own. The others lose at most white space.
                let fewer = mesh.triangles().len() < complete.triangles().len();
                let may_lack_end =
                    format == Format::Obj || (format == Format::Stl && whole.starts_with(b"solid"));
                assert!(may_lack_end || !fewer, "{format:?} cut at {length}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Bytes flipped, pieces doubled or taken out: a mesh or a reason, never a panic.
    #[test]
    fn damaged_files_never_panic(
        sample in 0usize..10,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<bool>())),
    ) {
        let (format, mut bytes) = samples().swap_remove(sample);
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some((from, to, double)) = cut {
            let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
            let (from, to) = (from.min(to), from.max(to));
            if double {
                let piece = bytes[from..to].to_vec();
                bytes.splice(from..from, piece);
            } else {
                bytes.drain(from..to);
            }
        }
        if let Ok(mesh) = read(format, bytes) {
            prop_assert!(!mesh.triangles().is_empty());
            prop_assert!(mesh.vertices().iter().all(|p| p.iter().all(|x| x.is_finite())));
        }
    }

    /// Digits of text files replaced by other digits and signs: the likeliest damage to indices and
    /// counts.
    #[test]
    fn wrong_numbers_in_text_never_panic(
        sample in prop::sample::select(vec![0usize, 2, 4, 8, 9]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0usize..14), 1..5),
    ) {
        let (format, mut bytes) = samples().swap_remove(sample);
        for (at, symbol) in changes {
            let digits: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()).collect();
            let at = digits[at.index(digits.len())];
            let new = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "-9", "99999999", "e9", "."][symbol];
            bytes.splice(at..=at, new.bytes());
        }
        let _ = read(format, bytes);
    }
}
