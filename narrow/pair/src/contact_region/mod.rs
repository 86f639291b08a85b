//! The contact regions of a pair's patches: outlines and samples, where they are asked for.
//!
//! For each patch, lines along its normal are cast through both bodies, whatever their kind. A window is fitted to the lines
//! that meet the patch's overlap, a lattice of square cells is laid over it, the outline is searched between neighbouring
//! lines, and each cell's sample is taken at the centre of what the outline leaves of it: where both surfaces are flat, area
//! times depth is that part's volume.

mod cells;
mod clip;
mod facets;
mod lattice;
mod lines;
mod outline;
mod owners;
mod plane;
mod window;

use impinge_geometry::Primitive;
use impinge_midphase::{PairJob, Solid};

use crate::contact_patch::ContactPatch;
use crate::patch::{PairResult, Patch, PatchOrigin};
use crate::scene::Scene;
use crate::settings::NarrowSettings;
use lattice::Lattice;
use lines::RegionLines;
use owners::Owners;
use window::Window;

/// Faces that are no farther apart meet (part of the bodies' reach).
const TOUCH: f64 = 1e-9;

/// Gives each patch of a pair of solids its region, with `settings.patch_samples` samples along the longer side. Gaps have
/// none, and surfaces without an inside have none.
pub(crate) fn sample(job: &PairJob<'_>, settings: &NarrowSettings, out: &mut PairResult) {
    let endless = |solid: &Solid| *solid == Solid::Primitive(Primitive::HalfSpace);
    let solid = job.parts.iter().all(|part| part.is_solid());
    if !solid || out.patches.is_empty() || job.parts.iter().all(|part| endless(&part.solid)) {
        return;
    }
    let Some(scene) = Scene::new(job, job.parts.map(|part| part.solid.is_convex()), settings) else { return };
    let overlapping = |patch: &Patch| patch.origin != PatchOrigin::Gap && patch.depth >= 0.0;
    let regions: Vec<_> = (0..out.patches.len())
        .map(|index| {
            let patch = &out.patches[index];
            let owners = Owners::new(&out.patches, index, overlapping);
            overlapping(patch).then(|| Box::new(of_patch(&scene, patch, owners, settings.patch_samples)))
        })
        .collect();
    for (patch, region) in out.patches.iter_mut().zip(regions) {
        patch.region = region;
    }
}

/// The region of one patch: empty where it has no area that lines could find.
fn of_patch(scene: &Scene<'_>, patch: &Patch, owners: Owners<'_>, samples: u32) -> ContactPatch {
    let mut region =
        ContactPatch { normal: patch.normal, cell: 0.0, boundary: Vec::new(), samples: Vec::new() };
    let reach = scene.reach();
    let touch = (patch.depth <= TOUCH * reach).then_some(TOUCH * reach);
    let axes = scene.towards(&patch.normal);
    let mut lines = RegionLines::new(scene, axes, owners, touch);
    let Some(mut found) = Window::fit(&mut lines, scene, patch) else { return region };
    if let Some(long) = found.lengthwise(&axes) {
        lines = RegionLines::new(scene, long, lines.into_owners(), touch);
        let Some(again) = Window::fit(&mut lines, scene, patch) else { return region };
        found = again;
    }
    let lattice = Lattice::over(&mut lines, &found, samples);
    let loops = outline::trace(&mut lines, &lattice);
    region.cell = lattice.cell;
    region.samples = cells::sample(&mut lines, scene, &lattice, &loops);
    let place = |p: &outline::Vertex| lines.place(p.at, p.depth);
    region.boundary = loops.iter().map(|vertices| vertices.iter().map(place).collect()).collect();
    region
}
