//! Objects against environments on the device.

use impinge_image_space::height_map::Bounds;
use nalgebra::{Isometry3, Vector3};

use super::draw::{Mask, Params, offset};
use super::environment::{GpuChannels, GpuEnvironment, GpuPiece};
use super::layout::{COMPARE_SIDE, CompareParams, HEADER_WORDS, OverlapRecord, RECORD_WORDS};
use super::profile::{Depths, GpuProfile, Picture};
use super::{MapEngine, missing, passes};
use crate::GpuFault;

/// What an answer from the device leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MapStatus(u32);

impl MapStatus {
    /// Nothing.
    pub const NONE: MapStatus = MapStatus(0);
    /// The question was not evaluated: the device was lost, refused the work, or gave no answer. Nobody
    /// else knows the environment, so nothing can be said; ask again with a new engine.
    pub const NOT_EVALUATED: MapStatus = MapStatus(1);
    /// More pixels overlap than [`Capacities::buffer_bytes`](crate::Capacities) allows room for: area is right, volume and depth are of
    /// those kept.
    pub const TRUNCATED: MapStatus = MapStatus(1 << 1);

    /// Whether every bit of `other` is set.
    pub fn contains(self, other: MapStatus) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether nothing is left open.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// A pixel in which the object has gone into its environment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuHit {
    /// Column, and row from the top.
    pub pixel: [u32; 2],
    /// How far the object's farthest surface lies behind the environment's nearest (m).
    pub depth: f64,
    /// Depth of the environment's surface from the image plane (m).
    pub at: f64,
    /// The piece's body.
    pub body: u32,
    /// Its triangle, line or point.
    pub primitive: u32,
    /// Outward unit normal of a triangle (world), to 1/8,000; `None` of lines and points.
    pub normal: Option<Vector3<f32>>,
    /// What the caller knows of the piece there.
    pub channels: Option<[f32; 4]>,
}

/// Where an object and an environment on the device overlap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpuOverlap {
    /// What is left open.
    pub status: MapStatus,
    /// What went wrong, where [`MapStatus::NOT_EVALUATED`] is set.
    pub fault: Option<GpuFault>,
    /// The pixels, row by row.
    pub hits: Vec<GpuHit>,
    /// Their area, counted whole (m²).
    pub area: f64,
    /// Depth times area, summed (m³).
    pub volume: f64,
    /// The greatest depth (m).
    pub deepest: f64,
    /// Pieces whose bounds were within reach.
    pub drawn: usize,
}

/// A picture of the environment.
#[derive(Clone, Copy)]
struct Layer<'p> {
    /// What is drawn into.
    picture: &'p Picture,
    /// The layer behind which it lies, if not behind the object's near surface.
    behind: Option<&'p Picture>,
}

impl MapEngine {
    /// Where the object of `profile`, standing at `pose`, overlaps the environment. Where more pixels do than there is room for, the question is asked
    /// again at once with as much, which stays. A fault is no error: the answer's status says that it was not evaluated.
    pub fn overlap(
        &mut self,
        profile: &GpuProfile,
        pose: &Isometry3<f64>,
        environment: &GpuEnvironment,
    ) -> GpuOverlap {
        let pieces = MapEngine::within_reach(profile, pose, environment);
        self.layer(profile, pose, &pieces, Layer { picture: &profile.around, behind: None })
    }

    /// As [`MapEngine::overlap`], and what lies behind it: in each pixel the environment's surfaces between the object's, one after the other from
    /// the nearest on, a layer of them in each answer; at most `most` layers, and none after one in which nothing is left. Depths are those of the object's far
    /// surface behind each. What lies exactly as deep as a surface before it is taken for that. (Source: Everitt, "Interactive Order-Independent
    /// Transparency", 2001.)
    ///
    /// Each layer is a picture drawn and an answer waited for. A layer that was not evaluated is the last.
    pub fn overlap_layers(
        &mut self,
        profile: &GpuProfile,
        pose: &Isometry3<f64>,
        environment: &GpuEnvironment,
        most: u32,
    ) -> Vec<GpuOverlap> {
        let pieces = MapEngine::within_reach(profile, pose, environment);
        let size = profile.plane.pixels();
        let kept = self.other_layer.take().filter(|(kept, _)| *kept == size);
        let made = |engine: &mut MapEngine| Ok(Picture::new(&engine.device, "other layer", size));
        let other = match kept.map_or_else(|| self.in_error_scope(made), |(_, other)| Ok(other)) {
            Ok(other) => other,
            Err(fault) => return vec![not_evaluated(fault, pieces.len())],
        };
        let mut layers: Vec<GpuOverlap> = Vec::new();
        while layers.len() < most as usize {
            let pictures = [&profile.around, &other];
            let (own, before) = (pictures[layers.len() % 2], pictures[(layers.len() + 1) % 2]);
            let behind = (!layers.is_empty()).then_some(before);
            let found = self.layer(profile, pose, &pieces, Layer { picture: own, behind });
            let fault = found.status.contains(MapStatus::NOT_EVALUATED);
            if found.hits.is_empty() && !fault {
                break;
            }
            layers.push(found);
            if fault {
                break;
            }
        }
        self.other_layer = Some((size, other));
        layers
    }

    /// The pieces that an object may reach.
    fn within_reach(
        profile: &GpuProfile,
        pose: &Isometry3<f64>,
        environment: &GpuEnvironment,
    ) -> Vec<GpuPiece> {
        let near = match profile.bounds {
            Bounds::Terrain => profile.depths.near,
            Bounds::Box | Bounds::TwoSided => 0.0,
        };
        let reach = [near, profile.length];
        let in_reach =
            |piece: &&GpuPiece| in_reach(profile.plane(), &pose.inv_mul(&piece.pose), piece, reach);
        environment.pieces().iter().filter(in_reach).cloned().collect()
    }

    /// What of the pieces within reach lies in a layer.
    fn layer(
        &mut self,
        profile: &GpuProfile,
        pose: &Isometry3<f64>,
        pieces: &[GpuPiece],
        layer: Layer<'_>,
    ) -> GpuOverlap {
        let drawn = pieces.len();
        if drawn == 0 {
            return GpuOverlap::default();
        }
        let records = self.records;
        let mut answer = self.in_error_scope(|engine| engine.compare(profile, pose, pieces, layer, records));
        if let Ok((_, count)) = &answer
            && *count > records
        {
            let count = *count;
            match self.in_error_scope(|engine| engine.compare(profile, pose, pieces, layer, count)) {
                // There is no more room than that: what was kept stands, and says so.
                Err(GpuFault::OutOfMemory { reason }) => tracing::debug!(reason, "no room for all pixels"),
                whole => {
                    answer = whole;
                    self.records = count;
                }
            }
        }
        match answer.map(|(found, _)| found) {
            Ok(answer) => GpuOverlap { drawn, ..answer },
            Err(fault) => not_evaluated(fault, drawn),
        }
    }

    /// With room for so many pixels; gives how many there are, too.
    fn compare(
        &mut self,
        profile: &GpuProfile,
        pose: &Isometry3<f64>,
        pieces: &[GpuPiece],
        Layer { picture: around, behind }: Layer<'_>,
        records: u32,
    ) -> Result<(GpuOverlap, u32), GpuFault> {
        let mut encoder = self.encoder();
        let GpuProfile { plane, depths, far, near, .. } = profile;
        // What lies behind a layer lies within the object's bounds, as that does.
        let near = behind.unwrap_or(near);
        let gate = match profile.bounds {
            Bounds::Box | Bounds::Terrain if behind.is_none() => 1,
            Bounds::Box | Bounds::Terrain | Bounds::TwoSided => 2,
        };
        let least = match profile.bounds {
            Bounds::Terrain => 0.0,
            Bounds::Box | Bounds::TwoSided => depths.share(0.0),
        };
        let draws: Vec<_> = pieces
            .iter()
            .map(|piece| {
                let params = plane.params(piece, &pose.inv_mul(&piece.pose), depths, gate);
                super::layout::DrawParams { least, ..params }
            })
            .collect();
        let groups = self.bind(pieces, &draws, &mut encoder)?;
        let [width, height] = plane.pixels();
        let knows = pieces.iter().any(|piece| !matches!(piece.channels, GpuChannels::None));
        let known = knows.then(|| self.hold_known(plane.pixels()));
        let picture = known.as_ref().map(|(_, picture)| picture);
        let mask = Mask::Object { far, near };
        self.draw_environment(&mut encoder, around, &mask, pieces, &groups, picture);
        let records = records.min(width.saturating_mul(height));
        let words = u64::from(HEADER_WORDS) + u64::from(records) * u64::from(RECORD_WORDS);
        let words = words + if knows { 4 * u64::from(records) } else { 0 };
        let answers = self.hold_answers(words, u64::from(HEADER_WORDS), &mut encoder)?;
        self.sequence = self.sequence.wrapping_add(1).max(1);
        let (size, sequence, known_bit) = ([width, height], self.sequence, u32::from(knows));
        let params = CompareParams { size, capacity: records, sequence, known: known_bit, spare: 0 };
        let uniform = self.params.get().ok_or_else(missing)?;
        self.queue.write_buffer(uniform, u64::from(offset(pieces.len())), bytemuck::bytes_of(&params));
        let view = |binding, view| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::TextureView(view),
        };
        let size = std::num::NonZeroU64::new(size_of::<CompareParams>() as u64);
        let uniform = wgpu::BufferBinding { buffer: uniform, offset: 0, size };
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(passes::COMPARE.name),
            layout: &self.pipelines.compare_layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(uniform) },
                view(1, &far.depth),
                view(2, &around.depth),
                view(3, &around.seen),
                view(4, picture.unwrap_or(&self.unknown)),
                wgpu::BindGroupEntry { binding: 5, resource: answers.as_entire_binding() },
            ],
        });
        {
            let mut compare = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            compare.set_pipeline(&self.pipelines.compare);
            compare.set_bind_group(0, &group, &[offset(pieces.len())]);
            let [w, h] = [COMPARE_SIDE; 2];
            compare.dispatch_workgroups(width.div_ceil(w), height.div_ceil(h), 1);
        }
        if known.is_some() {
            self.known = known;
        }
        let found = self.submit(encoder, words)?;
        if found.get(1) != Some(&self.sequence) {
            return Err(GpuFault::NoAnswer {
                reason: "what came is the answer of another question".to_owned(),
            });
        }
        Ok((overlap(profile, &found, records), found[0]))
    }
}

fn not_evaluated(fault: GpuFault, drawn: usize) -> GpuOverlap {
    tracing::warn!(%fault, "the environment was not evaluated");
    let status = MapStatus::NOT_EVALUATED;
    GpuOverlap { status, fault: Some(fault), drawn, ..GpuOverlap::default() }
}

/// The records of an answer.
fn overlap(profile: &GpuProfile, found: &[u32], capacity: u32) -> GpuOverlap {
    let count = found[0];
    let kept = count.min(capacity) as usize;
    let words = &found[HEADER_WORDS as usize..][..kept * RECORD_WORDS as usize];
    let known = HEADER_WORDS as usize + capacity as usize * RECORD_WORDS as usize;
    let channels = |index: usize| {
        let own = found.get(known + 4 * index..)?.first_chunk::<4>()?;
        Some(own.map(f32::from_bits))
    };
    let mut records: Vec<(OverlapRecord, Option<[f32; 4]>)> = words
        .chunks_exact(RECORD_WORDS as usize)
        .enumerate()
        .map(|(index, w)| {
            let record: OverlapRecord = bytemuck::pod_read_unaligned(bytemuck::cast_slice(w));
            (record, (record.normal & 1 == 1).then(|| channels(index)).flatten())
        })
        .collect();
    // They come in the order in which threads happened to write them.
    records.sort_unstable_by_key(|(record, _)| record.pixel);
    let (depths, [width, _]): (&Depths, _) = (&profile.depths, profile.plane.pixels());
    let hits: Vec<GpuHit> = records
        .iter()
        .map(|(r, channels)| GpuHit {
            pixel: [r.pixel % width, r.pixel / width],
            depth: (f64::from(r.far) - f64::from(r.depth)) * depths.span,
            at: depths.metres(r.depth),
            body: r.body,
            primitive: r.primitive,
            normal: (r.normal & 0x1_0000 != 0).then(|| unpacked(r.normal)),
            channels: *channels,
        })
        .collect();
    let [w, h] = profile.plane.pixel_size();
    let truncated = if count > capacity { MapStatus::TRUNCATED } else { MapStatus::NONE };
    GpuOverlap {
        status: truncated,
        fault: None,
        area: f64::from(count) * (w * h),
        volume: hits.iter().map(|hit| hit.depth).sum::<f64>() * (w * h),
        deepest: hits.iter().map(|hit| hit.depth).fold(0.0, f64::max),
        hits,
        drawn: 0,
    }
}

/// A unit vector from two signed numbers of 16 bits, as the shader packs it.
fn unpacked(word: u32) -> Vector3<f32> {
    let part = |bits: u32| (f32::from(bits as u16 as i16) / 32767.0).max(-1.0);
    let flat = [part(word & 0xffff), part(word >> 16)];
    let z = 1.0 - flat[0].abs() - flat[1].abs();
    let sign = |x: f32| if x >= 0.0 { 1.0 } else { -1.0 };
    let [x, y] = match z >= 0.0 {
        true => flat,
        false => [(1.0 - flat[1].abs()) * sign(flat[0]), (1.0 - flat[0].abs()) * sign(flat[1])],
    };
    Vector3::new(x, y, z).normalize()
}

/// Whether the caller's box of a piece, standing at `pose` of the plane's frame, may be seen between two
/// depths (m).
pub(super) fn in_reach(
    plane: &impinge_image_space::height_map::ImagePlane,
    pose: &Isometry3<f64>,
    piece: &GpuPiece,
    [near, far]: [f64; 2],
) -> bool {
    let rows = plane.projection(pose).rows;
    let [width, height] = plane.pixels().map(f64::from);
    let limits = [[0.0, width], [0.0, height], [near, far]];
    // Half a pixel of slack: lines and points have a width of one.
    let within =
        |([least, most], [low, high]): ([f64; 2], [f64; 2])| most >= low - 1.0 && least <= high + 1.0;
    covered(&rows, piece).into_iter().zip(limits).all(within)
}

/// Least and greatest coordinate along each row of what the caller's box of a piece may hold.
pub(super) fn covered(rows: &[[f64; 4]; 3], piece: &GpuPiece) -> [[f64; 2]; 3] {
    let (min, max) = (piece.bounds.min, piece.bounds.max);
    rows.map(|row| {
        let mut all = [row[3]; 2];
        for k in 0..3 {
            let (a, b) = (row[k] * f64::from(min[k]), row[k] * f64::from(max[k]));
            all = [all[0] + a.min(b), all[1] + a.max(b)];
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_survive_packing() {
        let packed = |n: Vector3<f32>| {
            let l1 = n.x.abs() + n.y.abs() + n.z.abs();
            let flat = [n.x / l1, n.y / l1];
            let sign = |x: f32| if x >= 0.0 { 1.0 } else { -1.0 };
            let flat = match n.z >= 0.0 {
                true => flat,
                false => [(1.0 - flat[1].abs()) * sign(flat[0]), (1.0 - flat[0].abs()) * sign(flat[1])],
            };
            let bits = |x: f32| u32::from((x * 32767.0).round() as i16 as u16);
            bits(flat[0]) | bits(flat[1]) << 16
        };
        for k in 0..1000 {
            let (a, z) = (2.4 * k as f32, 1.0 - (k as f32 + 0.5) / 500.0);
            let r = (1.0 - z * z).sqrt();
            let n = Vector3::new(r * a.cos(), r * a.sin(), z);
            assert!((unpacked(packed(n)) - n).norm() < 1e-4);
        }
    }
}
