//! What would help with a mesh that bounds no volume.

use std::path::Path;

use impinge::geometry::RepairSettings;
use impinge_scenes::{MeshOptions, SceneError};

use crate::arguments::repair_all;

/// Part of a sheet's size that is offered as its thickness.
const THICKNESS: f32 = 0.05;

/// The error of a scene; for an open mesh with the options of `simulate` that would make a body of it.
pub fn with_remedies(error: SceneError, options: &MeshOptions) -> anyhow::Error {
    let SceneError::Soup { path, .. } = &error else { return error.into() };
    let found = remedies(path, options);
    if found.is_empty() {
        return error.into();
    }
    anyhow::anyhow!("{error}\n{}", found.join("\n"))
}

/// A line for each option with which the file can be used.
fn remedies(path: &Path, options: &MeshOptions) -> Vec<String> {
    let bare = MeshOptions { hull: false, one_sided: None, scale: None, ..options.clone() };
    let helps = |options: MeshOptions| Some(options.load(path).ok()?.mass_properties().ok()?.volume);
    let mut lines = Vec::new();
    for (typed, settings) in repairs(options) {
        if let Some(volume) = helps(MeshOptions { repairs: Some(settings), ..bare.clone() }) {
            lines.push(format!("  {typed:<16} closes its gaps and holes around {volume:.3e} m³"));
            break;
        }
    }
    if let Some(volume) = helps(MeshOptions { hull: true, ..bare.clone() }) {
        lines.push(format!("  --hull           takes its convex hull of {volume:.3e} m³"));
    }
    let thickness = thickness(path, &bare);
    if let Some(volume) = thickness.and_then(|_| helps(MeshOptions { one_sided: thickness, ..bare.clone() }))
    {
        let thickness = thickness.unwrap_or_default();
        lines.push(format!("  --one-sided {thickness:<4.2e} makes a slab of the sheet, {volume:.3e} m³"));
    }
    lines
}

/// Repairs that can be asked for instead of those of `options`, the least first, and what to type for them.
fn repairs(options: &MeshOptions) -> Vec<(&'static str, RepairSettings)> {
    let unasked = RepairSettings::default();
    match options.repairs {
        None => vec![("without --no-repair", unasked), ("--repair instead of --no-repair", repair_all())],
        Some(settings) if settings == unasked => vec![("--repair", repair_all())],
        Some(_) => vec![("--repair instead of --close-holes and --repair-tolerance", repair_all())],
    }
}

/// A thickness (m) for the sheet in a file.
fn thickness(path: &Path, options: &MeshOptions) -> Option<f32> {
    let mesh = match &options.repairs {
        Some(settings) => impinge::TriMesh::load_repaired(path, settings),
        None => impinge::TriMesh::load_unrepaired(path),
    };
    Some(THICKNESS * mesh.ok()?.bounding_sphere().radius)
}
