//! Why a scene cannot be made.

use std::path::PathBuf;

use impinge_geometry::{MeshError, ShapeError, SkinError};

use super::scene_list;
use crate::{AssetError, GeneratorError};

/// A scene that cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// No scene has the name.
    #[error("there is no scene `{name}`; there are {}", scene_list())]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// More bodies than a scene holds.
    #[error("scene {scene}: {bodies} bodies were asked for; at most {most} are possible")]
    Bodies {
        /// The scene.
        scene: &'static str,
        /// How many were asked for.
        bodies: usize,
        /// How many it can have.
        most: usize,
    },
    /// Another number of bodies than the scene's.
    #[error("scene {scene}: {bodies} bodies were asked for; it is about {exactly}")]
    Exactly {
        /// The scene.
        scene: &'static str,
        /// How many were asked for.
        bodies: usize,
        /// How many it has.
        exactly: usize,
    },
    /// A mesh file of the scene is missing or broken.
    #[error(transparent)]
    Asset(#[from] AssetError),
    /// A mesh given by the caller cannot be used.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A mesh given by the caller bounds no volume.
    #[error(
        "{path}: the mesh is a soup with {defects} defects and has no mass; close it (`impinge inspect` lists every defect)"
    )]
    Soup {
        /// The file.
        path: PathBuf,
        /// How many defects its report holds.
        defects: usize,
    },
    /// A mesh given by the caller cannot be made into what was asked for.
    #[error("{path}: {source}")]
    MeshFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: ShapeError,
    },
    /// A made mesh.
    #[error(transparent)]
    Generator(#[from] GeneratorError),
    /// A shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A skin over bones.
    #[error(transparent)]
    Skin(#[from] SkinError),
}
