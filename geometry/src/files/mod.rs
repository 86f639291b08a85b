//! Mesh files: OBJ, STL, PLY, OFF and glTF.
//!
//! Lengths are taken as they stand in the file, in metres. Vertices at equal places become one,
//! polygons become triangles; colours, normals, materials and animations are passed over.
//!
//! Formats are cargo features: `obj`, `stl`, `ply`, `gltf`, which brings a crate, and `off`, which
//! comes with all of them; `files` is all. Without any of them there is neither this module nor
//! `TriMesh::load`, `save` or `Shape::from_files`.

mod contents;
#[cfg(feature = "gltf")]
mod data_uri;
mod decimals;
mod file_mesh;
mod format;
#[cfg(feature = "gltf")]
mod gltf;
mod node;
#[cfg(feature = "obj")]
mod obj;
mod off;
mod parts;
#[cfg(feature = "ply")]
mod ply;
mod polygon;
#[cfg(feature = "stl")]
mod stl;
mod text;

use std::io::{BufWriter, Write};
use std::path::Path;

use nalgebra::Vector3;

use self::file_mesh::FileMesh;
use self::format::Format;
use crate::mesh::RepairSettings;
use crate::{MeshError, TriMesh};

/// Writes a mesh in a format.
type Writer = fn(&TriMesh, &mut dyn Write) -> std::io::Result<()>;

impl TriMesh {
    /// Reads a mesh from an OBJ, STL (text or binary), PLY (text or binary), OFF (text), glTF or GLB file, told
    /// apart by the path's ending. Vertices at equal places become one, and what keeps the surface open
    /// is repaired as far as [`RepairSettings::default`] goes; [`TriMesh::repairs`] tells what was done.
    /// Of a glTF file it takes all triangles of the default scene (else the first; without scenes, all
    /// nodes), where its nodes put them.
    ///
    /// # Errors
    /// All of them name the path: [`MeshError::Io`] where there is no file to read,
    /// [`MeshError::UnknownFormat`], [`MeshError::FormatNotBuilt`], [`MeshError::Parse`] for contents that are not of the format
    /// or end too early, and [`MeshError::InFile`] for a mesh that [`TriMesh::new`] refuses.
    pub fn load(path: impl AsRef<Path>) -> Result<TriMesh, MeshError> {
        TriMesh::load_repaired(path, &RepairSettings::default())
    }

    /// As [`TriMesh::load`], with other bounds for repairs.
    ///
    /// # Errors
    /// As [`TriMesh::load`]; settings that cannot be used are a [`MeshError::InFile`], too.
    pub fn load_repaired(path: impl AsRef<Path>, settings: &RepairSettings) -> Result<TriMesh, MeshError> {
        let path = path.as_ref();
        read(path)?.repaired(settings).map_err(|source| in_file(path, source))
    }

    /// As [`TriMesh::load`], but nothing is repaired: a surface with a gap stays open.
    ///
    /// # Errors
    /// As [`TriMesh::load`].
    pub fn load_unrepaired(path: impl AsRef<Path>) -> Result<TriMesh, MeshError> {
        let path = path.as_ref();
        read(path)?.welded().map_err(|source| in_file(path, source))
    }

    /// Reads a mesh whose coordinates may be those of a survey grid or of a large site, and the
    /// origin (m) that they are relative to: a collider at that position stands where the file puts
    /// the mesh. The origin is taken off in `f64`, before coordinates become `f32`. It is 0 unless
    /// `f32` would move a vertex by more than a millionth of the mesh's size. Without settings
    /// nothing is repaired.
    ///
    /// Several files of one site have different origins. Place each mesh by its own one, for
    /// instance in `PairQuery::touching`; [`Shape::from_files`](crate::Shape::from_files) does so
    /// for its children. [`TriMesh::load`] takes no origin off, and
    /// [`Repairs::rounding`](crate::mesh::Repairs::rounding) says what that loses.
    ///
    /// ```
    /// use impinge_geometry::TriMesh;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("stake.obj");
    /// let text = "v 432512.3 5412345.6 1.0\nv 432512.5 5412345.6 1.0\nv 432512.3 5412345.8 1.0\nv 432512.3 5412345.6 1.2\n\
    ///     f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    /// std::fs::write(&path, text)?;
    /// let (stake, origin) = TriMesh::load_placed(&path, Some(&Default::default()))?;
    /// assert!((stake.mass_properties()?.volume - 0.008 / 6.0).abs() < 1e-9);
    /// assert!((stake.vertices()[0].x as f64 + origin.x - 432512.3).abs() < 1e-7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`TriMesh::load_repaired`].
    pub fn load_placed(
        path: impl AsRef<Path>,
        settings: Option<&RepairSettings>,
    ) -> Result<(TriMesh, Vector3<f64>), MeshError> {
        let path = path.as_ref();
        let mut read = read(path)?;
        let origin = read.take_origin();
        let mesh = match settings {
            Some(settings) => read.repaired(settings),
            None => read.welded(),
        };
        Ok((mesh.map_err(|source| in_file(path, source))?, origin))
    }

    /// Writes the sound triangles, virtual faces among them, to an OBJ, STL (binary), PLY (binary), OFF or GLB file, told apart by the
    /// path's ending. [`TriMesh::load_unrepaired`] gives the same triangles in the same order, at the
    /// same places to the last bit; virtual faces are then as real as the others.
    ///
    /// # Errors
    /// [`MeshError::CannotWrite`] for another ending, [`MeshError::FormatNotBuilt`], [`MeshError::Io`] where the file cannot be
    /// written, or would be larger than its format allows.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), MeshError> {
        let path = path.as_ref();
        let refused = |extension: String| MeshError::CannotWrite { path: path.to_owned(), extension };
        let format = Format::of(path).map_err(refused)?;
        format.expect_built(path)?;
        let write: Writer = match format {
            #[cfg(feature = "obj")]
            Format::Obj => obj::write,
            #[cfg(feature = "stl")]
            Format::Stl => stl::write,
            #[cfg(feature = "ply")]
            Format::Ply => ply::write,
            Format::Off => off::write,
            #[cfg(feature = "gltf")]
            Format::Glb => gltf::write,
            other => return Err(refused(other.name().to_lowercase())),
        };
        let io = |e: std::io::Error| MeshError::Io { path: path.to_owned(), reason: e.to_string() };
        let mut out = BufWriter::new(std::fs::File::create(path).map_err(io)?);
        write(self, &mut out).and_then(|()| out.flush()).map_err(io)
    }
}

fn in_file(path: &Path, source: MeshError) -> MeshError {
    MeshError::InFile { path: path.to_owned(), source: Box::new(source) }
}

/// The format of a file, and what it holds: at least a byte.
fn fetch(path: &Path) -> Result<(Format, Vec<u8>), MeshError> {
    let io = |reason: String| MeshError::Io { path: path.to_owned(), reason };
    let kind = std::fs::metadata(path).map_err(|e| io(e.to_string()))?;
    if !kind.is_file() {
        return Err(io("it is not a file".into()));
    }
    let format = Format::of(path)
        .map_err(|extension| MeshError::UnknownFormat { path: path.to_owned(), extension })?;
    format.expect_built(path)?;
    let bytes = std::fs::read(path).map_err(|e| io(e.to_string()))?;
    if bytes.is_empty() {
        return Err(parse_error(path, format, "the file is empty".into()));
    }
    Ok((format, bytes))
}

/// The arrays that a file holds.
fn read(path: &Path) -> Result<FileMesh, MeshError> {
    let (format, bytes) = fetch(path)?;
    parse(path, format, &bytes)
}

fn parse(path: &Path, format: Format, bytes: &[u8]) -> Result<FileMesh, MeshError> {
    if let Some(other) = contents::other_kind(bytes, format) {
        return Err(parse_error(path, format, other.into()));
    }
    match format {
        #[cfg(feature = "obj")]
        Format::Obj => obj::read(bytes),
        #[cfg(feature = "stl")]
        Format::Stl => stl::read(bytes),
        #[cfg(feature = "ply")]
        Format::Ply => ply::read(bytes),
        Format::Off => off::read(bytes),
        #[cfg(feature = "gltf")]
        Format::Gltf | Format::Glb => gltf::read(bytes, folder_of(path)),
        #[cfg(not(all(feature = "obj", feature = "stl", feature = "ply", feature = "gltf")))]
        other => Err(format!("this build has no code for {}", other.name())),
    }
    .map_err(|reason| parse_error(path, format, reason))
}

fn parse_error(path: &Path, format: Format, reason: String) -> MeshError {
    MeshError::Parse { path: path.to_owned(), format: format.name(), reason }
}

/// Where the files lie that a file names.
#[cfg(feature = "gltf")]
fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

#[cfg(test)]
#[cfg(feature = "files")]
mod tests;
