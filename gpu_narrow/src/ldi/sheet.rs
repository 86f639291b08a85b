//! What one submission holds: bodies snapped to their views' lattices, and a tile for each.

use impinge_geometry::TriMesh;
use impinge_image_space::ldi::{FLAT_ACROSS, FLAT_DEEP, LdiError, LdiJob, snap};

use super::atlas::Atlas;
use super::layout::{self, LdiBody};

/// Why a job has no image from the device; the software scan makes it, or says the same.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LdiRefusal {
    /// The job cannot be done anywhere.
    #[error(transparent)]
    Invalid(#[from] LdiError),
    /// A line may have more crossings than layers are peeled.
    #[error("a line has {layers} crossings or more: raise `LdiSettings::layers`")]
    Layers {
        /// Layers that were peeled.
        layers: u32,
    },
    /// A triangle reaches so far that its products do not fit 32 bits.
    #[error("triangle {triangle} is larger than the view's lattice")]
    Range {
        /// Which triangle.
        triangle: u32,
    },
    /// No buffer may be so large.
    #[error("{bytes} bytes are needed: raise `Capacities::buffer_bytes`, or choose fewer pixels")]
    Room {
        /// How many.
        bytes: u64,
    },
}

/// The bodies of one submission.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    /// Vertices and triangles, body after body.
    pub words: Vec<u32>,
    pub views: Vec<LdiBody>,
    /// The job of every view.
    pub jobs: Vec<usize>,
    pub triangles: u32,
    pub pixels: u32,
    /// Of the atlas (texels).
    pub size: [u32; 2],
}

/// What a sheet may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Texels per side.
    pub side: u32,
    /// Bytes of a buffer.
    pub bytes: u64,
}

/// Divides jobs into sheets, in their order; `left` is called for those that no sheet can hold.
pub(super) fn sheets(
    jobs: &[LdiJob<'_>],
    limits: Limits,
    mut left: impl FnMut(usize, LdiRefusal),
) -> Vec<Sheet> {
    let new = || (Sheet::default(), Atlas::new(limits.side, 0));
    let (mut all, (mut sheet, mut atlas)) = (Vec::new(), new());
    let mut vertices = Vec::new();
    for (index, job) in jobs.iter().enumerate() {
        if let Err(error) = snap(job.mesh, job.pose, &job.view, &mut vertices) {
            left(index, error.into());
            continue;
        }
        if let Some(triangle) = too_large(job.mesh, &vertices) {
            left(index, LdiRefusal::Range { triangle });
            continue;
        }
        let (pixels, triangles) = (job.view.pixels(), job.mesh.triangles().len());
        let words = 3 * (vertices.len() + triangles);
        let bytes = 4 * (sheet.words.len() + words) as u64;
        let mut place = (bytes <= limits.bytes).then(|| atlas.place(pixels)).flatten();
        if place.is_none() {
            if !sheet.views.is_empty() {
                sheet.size = atlas.size();
                all.push(std::mem::take(&mut sheet));
            }
            (sheet, atlas) = new();
            place = (4 * words as u64 <= limits.bytes).then(|| atlas.place(pixels)).flatten();
        }
        let Some([tile_x, tile_y]) = place else {
            let texels = 8 * u64::from(pixels[0]) * u64::from(pixels[1]);
            left(index, LdiRefusal::Room { bytes: texels.max(4 * words as u64) });
            (sheet, atlas) = new();
            continue;
        };
        let at = sheet.words.len() as u32;
        sheet.words.extend(vertices.iter().flatten().map(|&x| x as u32));
        let corners = sheet.words.len() as u32;
        sheet.words.extend(job.mesh.triangles().iter().flatten());
        sheet.views.push(LdiBody {
            first: sheet.triangles,
            vertices: at,
            corners,
            tile_x,
            tile_y,
            wide: pixels[0],
            high: pixels[1],
            sub_bits: job.view.sub_bits(),
            faces: layout::faces(job.faces),
            pixel: sheet.pixels,
            spare_0: 0,
            spare_1: 0,
        });
        sheet.jobs.push(index);
        sheet.triangles += triangles as u32;
        sheet.pixels += pixels[0] * pixels[1];
    }
    if !sheet.views.is_empty() {
        sheet.size = atlas.size();
        all.push(sheet);
    }
    all
}

/// The first triangle whose products would not fit; none where all of the body fits.
fn too_large(mesh: &TriMesh, vertices: &[[i32; 3]]) -> Option<u32> {
    let most = [FLAT_ACROSS, FLAT_ACROSS, FLAT_DEEP];
    let reaches = |corners: &mut dyn Iterator<Item = [i32; 3]>| {
        let (mut low, mut high) = ([i32::MAX; 3], [i32::MIN; 3]);
        for p in corners {
            for k in 0..3 {
                low[k] = low[k].min(p[k]);
                high[k] = high[k].max(p[k]);
            }
        }
        (0..3).any(|k| i64::from(high[k]) - i64::from(low[k]) > most[k])
    };
    if !reaches(&mut vertices.iter().copied()) {
        return None;
    }
    let of = |t: &[u32; 3]| reaches(&mut t.iter().map(|&v| vertices[v as usize]));
    mesh.triangles().iter().position(of).map(|t| t as u32)
}
