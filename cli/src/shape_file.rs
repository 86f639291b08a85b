//! Files that hold a shape: meshes, and any shape as data (JSON).

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use impinge::Shape;
use nalgebra::{Isometry3, Translation3, Vector3};
use serde::de::DeserializeOwned;

use crate::arguments::RepairArguments;

/// Whether a file holds data, by its ending.
pub fn is_data(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// The shape of a file, and the origin (m) that was taken off its coordinates.
pub struct Placed {
    pub shape: Shape,
    pub origin: Vector3<f64>,
}

impl Placed {
    /// Returns the shape's pose for a pose of the file's frame.
    pub fn at(&self, pose: &Isometry3<f64>) -> Isometry3<f64> {
        pose * Translation3::from(self.origin)
    }
}

/// Reads the shape in a file: that of a `json` file as it is, a mesh repaired as asked.
pub fn load(file: &Path, repair: &RepairArguments) -> Result<Placed> {
    if is_data(file) {
        return Ok(Placed { shape: read(file)?, origin: Vector3::zeros() });
    }
    let (mesh, origin) = repair.load(file)?;
    Ok(Placed { shape: mesh.into(), origin })
}

/// As [`load`], of shapes that have a surface.
pub fn load_surface(file: &Path, repair: &RepairArguments) -> Result<Placed> {
    let placed = load(file, repair)?;
    if matches!(placed.shape, Shape::Particles(_)) {
        bail!("{}: particles have no surface to be asked about; worlds find their contacts", file.display());
    }
    Ok(placed)
}

/// What a `json` file says.
pub fn read<T: DeserializeOwned>(file: &Path) -> Result<T> {
    let name = || file.display().to_string();
    let text = BufReader::new(File::open(file).with_context(name)?);
    serde_json::from_reader(text).with_context(name)
}

/// Writes a shape: as data, or, by the ending, as the mesh file of its surface.
pub fn write(file: &Path, shape: &Shape) -> Result<()> {
    let name = || file.display().to_string();
    if is_data(file) {
        let mut out = BufWriter::new(File::create(file).with_context(name)?);
        serde_json::to_writer(&mut out, shape).with_context(name)?;
        return out.flush().with_context(name);
    }
    match shape {
        Shape::Mesh(mesh) => mesh.save(file)?,
        Shape::Hull(hull) => hull.mesh().save(file)?,
        Shape::Field(field) => field.to_mesh().with_context(name)?.mesh.save(file)?,
        Shape::Levels(levels) => levels.to_mesh().with_context(name)?.mesh.save(file)?,
        _ => bail!(
            "{}: only meshes, hulls, height fields and level sets have triangles; name a `json` file",
            name()
        ),
    }
    Ok(())
}
