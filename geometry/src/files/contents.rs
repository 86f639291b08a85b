//! Contents of a file under the ending of another format.

use super::format::Format;

/// A kind of file that is known by its first bytes, and what helps its user.
struct Kind {
    begins: &'static [u8],
    /// The format, if it is one that is read.
    format: Option<Format>,
    says: &'static str,
}

const fn kind(begins: &'static [u8], says: &'static str) -> Kind {
    Kind { begins, format: None, says }
}

const fn read(begins: &'static [u8], format: Format, says: &'static str) -> Kind {
    Kind { begins, format: Some(format), says }
}

const KINDS: [Kind; 22] = [
    read(b"ply\n", Format::Ply, "it is a PLY file; name it `.ply`"),
    read(b"ply\r", Format::Ply, "it is a PLY file; name it `.ply`"),
    read(b"OFF", Format::Off, "it is an OFF file; name it `.off`"),
    read(b"COFF", Format::Off, "it is an OFF file; name it `.off`"),
    read(b"glTF", Format::Glb, "it is a binary glTF file; name it `.glb`"),
    kind(
        b"PK\x03\x04",
        "it is a zip archive (3MF files are such, too); unpack it, or export STL, OBJ or PLY",
    ),
    kind(b"\x1f\x8b", "it is compressed by gzip; unpack it"),
    kind(b"BZh", "it is compressed by bzip2; unpack it"),
    kind(b"\xfd7zXZ", "it is compressed by xz; unpack it"),
    kind(b"\x28\xb5\x2f\xfd", "it is compressed by zstd; unpack it"),
    kind(b"7z\xbc\xaf", "it is a 7z archive; unpack it"),
    kind(b"version https://git-lfs", "it is a pointer of Git LFS; fetch the file with `git lfs pull`"),
    kind(b"ISO-10303-21", "it is a STEP file, which holds curved surfaces; export a mesh (STL, OBJ or PLY)"),
    kind(b"Kaydara FBX", "it is an FBX file; export STL, OBJ, PLY or glTF"),
    kind(b"BLENDER", "it is a Blender scene; export STL, OBJ, PLY or glTF"),
    kind(b"# vtk DataFile", "it is a VTK file; export STL, OBJ or PLY"),
    kind(b"<!DOCTYPE", "it is a web page; the download has gone wrong"),
    kind(b"<html", "it is a web page; the download has gone wrong"),
    kind(b"<?xml", "it is an XML file (COLLADA, X3D or VTK); export STL, OBJ, PLY or glTF"),
    kind(b"\x89PNG", "it is a picture"),
    kind(b"\xff\xd8\xff", "it is a picture"),
    kind(b"\x7fELF", "it is a program"),
];

/// Returns what a file holds that is not of the format its ending names, if its first bytes tell.
pub(super) fn other_kind(bytes: &[u8], format: Format) -> Option<&'static str> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let found = KINDS.iter().find(|kind| bytes.starts_with(kind.begins) || text.starts_with(kind.begins))?;
    (found.format != Some(format)).then_some(found.says)
}
