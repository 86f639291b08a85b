//! Formats of mesh files, by the ending of a path.

use std::path::Path;

use crate::MeshError;

/// A format of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Obj,
    Stl,
    Ply,
    Off,
    /// JSON with buffers beside it or inside it.
    Gltf,
    /// One binary file.
    Glb,
}

impl Format {
    pub(super) fn of(path: &Path) -> Result<Format, String> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        match ending.as_str() {
            "obj" => Ok(Format::Obj),
            "stl" => Ok(Format::Stl),
            "ply" => Ok(Format::Ply),
            "off" => Ok(Format::Off),
            "gltf" => Ok(Format::Gltf),
            "glb" => Ok(Format::Glb),
            _ => Err(ending),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Format::Obj => "OBJ",
            Format::Stl => "STL",
            Format::Ply => "PLY",
            Format::Off => "OFF",
            Format::Gltf | Format::Glb => "glTF",
        }
    }

    /// The cargo feature that the format needs and this build has not.
    fn missing(self) -> Option<&'static str> {
        let (feature, is_on) = match self {
            Format::Obj => ("obj", cfg!(feature = "obj")),
            Format::Stl => ("stl", cfg!(feature = "stl")),
            Format::Ply => ("ply", cfg!(feature = "ply")),
            Format::Off => ("off", true),
            Format::Gltf | Format::Glb => ("gltf", cfg!(feature = "gltf")),
        };
        (!is_on).then_some(feature)
    }

    /// Refuses a format that this build has no code for.
    pub(super) fn expect_built(self, path: &Path) -> Result<(), MeshError> {
        match self.missing() {
            Some(feature) => {
                Err(MeshError::FormatNotBuilt { path: path.to_owned(), format: self.name(), feature })
            }
            None => Ok(()),
        }
    }
}
