//! The mesh files of the scenes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use impinge_geometry::{MeshError, TriMesh};

use crate::GeneratorError;
use crate::mesh::{Blob, Bowl, ChainLink, Gear, Hook, Knot, Torus};

/// A mesh file of the scenes that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{source}; the scene's mesh files are looked for in {}: set IMPINGE_ASSETS to the folder that holds them, or write them again with `cargo run -p impinge-scenes --example make_assets`",
    folder.display()
)]
pub struct AssetError {
    /// Where it was looked for.
    pub folder: PathBuf,
    /// What is wrong.
    pub source: MeshError,
}

type Maker = fn() -> Result<TriMesh, GeneratorError>;

/// Name, file, and how the mesh was made.
const ASSETS: [(&str, &str, Maker); 7] = [
    ("knot", "knot.obj", || Knot::default().mesh()),
    ("torus", "torus.stl", || Torus::default().mesh()),
    ("gear", "gear.ply", || Gear::default().mesh()),
    ("hook", "hook.glb", || Hook::default().mesh()),
    ("bowl", "bowl.obj", || Bowl::default().mesh()),
    ("link", "link.stl", || ChainLink::default().mesh()),
    ("blob", "blob.ply", || Blob::default().mesh()),
];

/// Names and files of the scenes' meshes.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    ASSETS.iter().map(|&(name, file, _)| (name, file))
}

/// Makes the mesh of a file of [`names`] by its formula; `None` for another name.
///
/// # Errors
/// The inner result is never an error for the sizes used here.
pub fn make(name: &str) -> Option<Result<TriMesh, GeneratorError>> {
    ASSETS.iter().find(|a| a.0 == name).map(|(.., maker)| maker())
}

/// The folder with the mesh files: the one given, else the environment's `IMPINGE_ASSETS`, else
/// `assets` beside this crate's sources.
pub fn folder(given: Option<&Path>) -> PathBuf {
    match given {
        Some(folder) => folder.into(),
        None => std::env::var_os("IMPINGE_ASSETS")
            .filter(|v| !v.is_empty())
            .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("assets"), PathBuf::from),
    }
}

/// Reads every mesh file of the scenes from `folder`.
///
/// # Errors
/// [`AssetError`] names the first file that is missing or cannot be read, and the remedy.
pub fn load_all(folder: &Path) -> Result<Vec<(&'static str, Arc<TriMesh>)>, AssetError> {
    names()
        .map(|(name, file)| match TriMesh::load(folder.join(file)) {
            Ok(mesh) => Ok((name, Arc::new(mesh))),
            Err(source) => Err(AssetError { folder: folder.into(), source }),
        })
        .collect()
}
