//! `impinge shape`: makes a shape of another, and writes it.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use impinge::geometry::Cutout;
use impinge::{LevelSet, Shape};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion};
use serde::Deserialize;

use crate::arguments::ShapeArguments;
use crate::shape_file;

/// A hole: a sphere, cylinder or box, where it is, and which of its flat sides are open.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hole {
    hole: Shape,
    #[serde(default)]
    position: [f64; 3],
    /// w, x, y, z.
    #[serde(default = "unturned")]
    rotation: [f64; 4],
    /// Axis (0 is x) and whether its high end.
    #[serde(default)]
    open: Vec<(usize, bool)>,
    facets: Option<u32>,
}

fn unturned() -> [f64; 4] {
    [1.0, 0.0, 0.0, 0.0]
}

/// A change of a shape.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Edit {
    /// Heights (m), row by row; null where there is no terrain.
    Heights {
        first: [u32; 2],
        count: [u32; 2],
        values: Vec<Option<f32>>,
    },
    QuantizedHeights {
        first: [u32; 2],
        count: [u32; 2],
        values: Vec<u16>,
    },
    Levels {
        first: [u32; 3],
        count: [u32; 3],
        values: Vec<f32>,
    },
    QuantizedLevels {
        first: [u32; 3],
        count: [u32; 3],
        values: Vec<i16>,
    },
    /// Centres (m) of particles from the first on.
    Particles {
        first: usize,
        centers: Vec<[f32; 3]>,
    },
    /// Vertices and where they go (m).
    Vertices(Vec<(u32, [f32; 3])>),
    RemoveTriangles(Vec<u32>),
    /// Another shape in its place: a ball of another radius, say.
    Replace(Shape),
}

/// Makes the shape and writes it.
pub fn run(arguments: &ShapeArguments) -> Result<ExitCode> {
    let name = || arguments.file.display().to_string();
    let mut shape: Shape = if shape_file::is_data(&arguments.file) {
        shape_file::read(&arguments.file)?
    } else {
        arguments.repair.load_in_frame(&arguments.file)?.into()
    };
    if let Some(factor) = arguments.scale {
        shape = shape.scaled(factor).with_context(name)?;
    }
    if let Some(spacing) = arguments.levels {
        let Shape::Mesh(mesh) = &shape else { bail!("{}: only a mesh is made a level set of", name()) };
        shape = LevelSet::from_mesh(mesh, spacing).with_context(name)?.into();
    }
    if let Some(file) = &arguments.cut {
        let holes: Vec<Hole> = shape_file::read(file)?;
        let placed = holes
            .iter()
            .enumerate()
            .map(|(k, hole)| hole.placed().with_context(|| format!("{}: hole {k}", file.display())));
        shape = shape.cut(&placed.collect::<Result<Vec<_>>>()?).with_context(name)?;
    }
    if let Some(file) = &arguments.edit {
        for (k, edit) in shape_file::read::<Vec<Edit>>(file)?.into_iter().enumerate() {
            shape = edited(shape, edit).with_context(|| format!("{}: edit {k}", file.display()))?;
        }
    }
    shape_file::write(&arguments.out, &shape)?;
    Ok(ExitCode::SUCCESS)
}

impl Hole {
    fn placed(&self) -> Result<(Isometry3<f64>, Cutout)> {
        let Shape::Primitive(primitive) = self.hole else {
            bail!("a hole is a sphere, a cylinder or a cuboid");
        };
        let mut cutout = Cutout::new(primitive)?;
        for &(axis, high) in &self.open {
            cutout = cutout.open(axis, high)?;
        }
        if let Some(facets) = self.facets {
            cutout = cutout.facets(facets)?;
        }
        let [w, x, y, z] = self.rotation;
        let rotation = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
        Ok((Isometry3::from_parts(Translation3::from(self.position), rotation), cutout))
    }
}

fn edited(mut shape: Shape, edit: Edit) -> Result<Shape> {
    let points = |centers: Vec<[f32; 3]>| centers.into_iter().map(Point3::from).collect::<Vec<_>>();
    match (&mut shape, edit) {
        (_, Edit::Replace(other)) => return Ok(other),
        (Shape::Field(field), Edit::Heights { first, count, values }) => {
            let heights: Vec<f32> = values.into_iter().map(|h| h.unwrap_or(f32::NAN)).collect();
            Arc::make_mut(field).set_heights(first, count, &heights)?;
        }
        (Shape::Field(field), Edit::QuantizedHeights { first, count, values }) => {
            Arc::make_mut(field).set_quantized(first, count, &values)?;
        }
        (Shape::Levels(levels), Edit::Levels { first, count, values }) => {
            Arc::make_mut(levels).set_values(first, count, &values)?;
        }
        (Shape::Levels(levels), Edit::QuantizedLevels { first, count, values }) => {
            Arc::make_mut(levels).set_quantized(first, count, &values)?;
        }
        (Shape::Particles(particles), Edit::Particles { first, centers }) => {
            Arc::make_mut(particles).set_centers(first, &points(centers))?;
        }
        (Shape::Mesh(mesh), Edit::Vertices(places)) => {
            let places: Vec<_> = places.into_iter().map(|(v, p)| (v, Point3::from(p))).collect();
            Arc::make_mut(mesh).edit_vertices(&places)?;
        }
        (Shape::Mesh(mesh), Edit::RemoveTriangles(triangles)) => {
            Arc::make_mut(mesh).remove_triangles(&triangles)?;
        }
        _ => bail!("the shape is of another kind than the edit"),
    }
    Ok(shape)
}
