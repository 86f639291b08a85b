//! From records to patches in the pair frame.

use impinge_geometry::{PairFrame, Side};
use impinge_image_space::intervals::{Interval, OverlapInterval};
use impinge_image_space::view::{Axes, DEPTH_STEPS, SUB_BITS, View};
use impinge_midphase::PairJob;
use impinge_pair::{Redo, SampledPatch, SampledView};
use nalgebra::{Point3, Vector3};

use super::ManifoldTicket;
use super::layout::*;
use crate::engine::Engine;
use crate::received::Received;

/// What a status says, the first that applies.
const REASONS: [(u32, Redo); 12] = [
    (OVER_CONTOURS, Redo::Contours),
    (NO_SEGMENT, Redo::Uncertain),
    (COPLANAR, Redo::Coplanar),
    (OPEN_CONTOUR, Redo::OpenContour),
    (CREASED, Redo::Creased),
    (NO_AREA_VECTOR, Redo::NoNormal),
    (OVER_ROWS, Redo::Capacity),
    (OVER_LAYERS, Redo::Layers),
    (OVER_INTERVALS, Redo::Layers),
    (CUT_OFF, Redo::CutOff),
    (NO_INTERVAL, Redo::Thin),
    (SEVERAL_SETS, Redo::Split),
];

impl Engine {
    /// As [`Received::patch_records`], of any part that has come.
    pub fn patch_records(&self, ticket: &ManifoldTicket) -> Option<&[PatchRecord]> {
        self.step.received(ticket.part, ticket.sequence)?.patch_records(ticket)
    }

    /// As [`Received::manifold`], of any part that has come.
    ///
    /// # Errors
    /// [`Redo`]: why the pair is the CPU's.
    pub fn manifold(&self, ticket: &ManifoldTicket, job: &PairJob<'_>) -> Result<Vec<SampledPatch>, Redo> {
        self.step.received(ticket.part, ticket.sequence).ok_or(Redo::Fault)?.manifold(ticket, job)
    }
}

impl Received {
    /// The records of a pair's clusters; `None` for a ticket of another part.
    pub fn patch_records(&self, ticket: &ManifoldTicket) -> Option<&[PatchRecord]> {
        let all = self.records_of(ticket)?;
        Some(&all[..(all[0].clusters.min(ticket.views) as usize).max(1)])
    }

    /// The records of all views of a pair.
    pub(super) fn records_of(&self, ticket: &ManifoldTicket) -> Option<&[PatchRecord]> {
        let first = (ticket.first_view as usize).checked_sub(self.from.views)?;
        let all = self.records.get(first..first + ticket.views as usize)?;
        let own = ticket.sequence == self.sequence && all.first()?.sequence == ticket.sequence;
        own.then_some(all)
    }

    /// The head of a pair, and which patches its bodies are.
    pub(super) fn head_of(&self, ticket: &ManifoldTicket) -> Option<(&ContactPairHead, [Option<u32>; 2])> {
        let own = (ticket.pair as usize).checked_sub(self.from.heads)?;
        Some((self.heads.get(own)?, self.head_patches.get(own).copied()?))
    }

    /// The patches of a pair, as the device has sampled them (pair frame).
    ///
    /// # Errors
    /// [`Redo`]: why the pair is the CPU's.
    pub fn manifold(&self, ticket: &ManifoldTicket, job: &PairJob<'_>) -> Result<Vec<SampledPatch>, Redo> {
        let records = self.patch_records(ticket).ok_or(Redo::Fault)?;
        if !ticket.simple {
            return Err(Redo::Shape);
        }
        let (head, _) = self.head_of(ticket).ok_or(Redo::Fault)?;
        records.iter().map(|record| patch(record, head, &job.frame)).collect()
    }
}

fn patch(record: &PatchRecord, head: &ContactPairHead, frame: &PairFrame) -> Result<SampledPatch, Redo> {
    if record.status != 0 {
        let reason = REASONS.iter().find(|(bit, _)| record.status & bit != 0);
        return Err(reason.map_or(Redo::Fault, |(_, reason)| *reason));
    }
    let scale = f64::from(head.scale);
    let turn = &frame.rotation[Side::A.index()];
    let origin = frame.place_f64(Side::A, &(Point3::from(Vector3::from(head.origin).cast::<f64>()) / scale));
    let gradient = turn * Vector3::from(record.area).cast::<f64>() / (scale * scale);
    let torque = turn * Vector3::from(record.torque).cast::<f64>() / (scale * scale * scale);
    let long = |words: [u32; 2]| (u64::from(words[0]) | u64::from(words[1]) << 32) as f64;
    let [low, middle, high] = record.moment_z;
    let deep = i128::from(u64::from(low) | u64::from(middle) << 32) + (i128::from(high as i32) << 64);
    let count = record.candidates.min(CANDIDATES) as usize;
    let mut intervals: Vec<OverlapInterval> = record.candidate[..count].iter().map(interval).collect();
    intervals.sort_by_key(|interval| (interval.j, interval.i, interval.begin()));
    Ok(SampledPatch {
        view: match record.kept {
            u32::MAX => SampledView::Laid(view(record, head, frame)),
            kept => SampledView::Kept(kept as usize),
        },
        gradient,
        torque: torque + origin.coords.cross(&gradient),
        overlaps: record.overlaps.into(),
        longest: record.longest,
        length: long(record.length),
        moment: [long(record.moment_i), long(record.moment_j), deep as f64],
        closing: record.gradient.into(),
        apart: [record.apart_along.into(), record.apart_against.into()],
        intervals,
    })
}

pub(super) fn interval(candidate: &Candidate) -> OverlapInterval {
    let [a, b, c, d] = candidate.depths;
    let [p, q, r, s] = candidate.triangles;
    let one =
        |open, close, open_triangle, close_triangle| Interval { open, close, open_triangle, close_triangle };
    OverlapInterval {
        i: candidate.pixel as u16,
        j: (candidate.pixel >> 16) as u16,
        solid: [one(a, b, p, q), one(c, d, r, s)],
    }
}

/// The view that the device has laid, in the pair frame.
pub(super) fn view(record: &PatchRecord, head: &ContactPairHead, frame: &PairFrame) -> View {
    let scale = f64::from(head.scale);
    let rows = record.rows.map(|row| row.map(f64::from));
    let along = rows.map(|[x, y, z, _]| Vector3::new(x, y, z));
    let worth = along.map(|row| row.norm());
    let depth = along[2] / worth[2];
    let right = (along[0] - depth * depth.dot(&along[0])).normalize();
    let up = depth.cross(&right);
    let sub_pixels = f64::from(1u32 << SUB_BITS);
    let pixel = [0, 1].map(|k| sub_pixels / (worth[k] * scale));
    let step = 1.0 / (worth[2] * scale);
    // The first pixel's outer corner, measured from the origin (m); rows count from its centre.
    let corner = [0, 1].map(|k| -rows[k][3] / (worth[k] * scale) - 0.5 * pixel[k]);
    let origin = Vector3::from(head.origin).cast::<f64>() / scale;
    let anchor = Point3::from(origin + right * corner[0] + up * corner[1]);
    let near = -rows[2][3] * step;
    let turn = |v: Vector3<f64>| frame.rotation[Side::A.index()] * v;
    View {
        axes: Axes { right: turn(right), up: turn(up), depth: turn(depth) },
        anchor: frame.place_f64(Side::A, &anchor),
        pixel,
        first: [0, 0],
        count: [head.side; 2],
        sub_bits: SUB_BITS,
        near,
        step,
        far: near + DEPTH_STEPS * step,
    }
}
