//! The first meeting of two parts: their kind is matched here.

use impinge_geometry::{PairPath, Primitive, Side};
use impinge_midphase::{PairKind, Part, Solid};
use nalgebra::Vector3;

use super::answer::{Arrived, FirstContact, FirstMeeting, SweepScratch, SweepSettings};
use super::convex::convex;
use super::half_space::half_space;
use super::mesh_solid::mesh_solid;
use super::surfaces::surfaces;
use crate::distance::{DistanceMemory, Feature, Separation, distance_apart};
use crate::intersect::LastHit;
use crate::touch::parts_touch;

/// Nearer than this part of the gap asked for, a direction between nearest points is rounding.
const LOST: f64 = 1e-6;

/// When two parts first meet on a path, if before the bound.
pub fn sweep(
    parts: [&Part; 2],
    path: &PairPath,
    settings: &SweepSettings,
    scratch: &mut SweepScratch,
) -> Option<FirstContact> {
    if parts_touch(parts, &path.at(0.0), &mut LastHit::default(), &mut scratch.touch) {
        return Some(FirstContact::AtStart);
    }
    first_meeting(parts, path, settings, scratch).map(FirstContact::Later)
}

/// As [`sweep`], of parts that are known not to touch at the start.
pub fn first_meeting(
    parts: [&Part; 2],
    path: &PairPath,
    settings: &SweepSettings,
    scratch: &mut SweepScratch,
) -> Option<FirstMeeting> {
    let settings = &within_rounding(parts, path, settings);
    let found = arrival(parts, path, settings, scratch)?;
    Some(meeting(parts, path, &found, settings, scratch))
}

/// With a gap that can be told from rounding.
fn within_rounding(parts: [&Part; 2], path: &PairPath, settings: &SweepSettings) -> SweepSettings {
    let reach = parts.map(|part| {
        let sphere = &part.sphere;
        if sphere.radius.is_finite() { sphere.center.coords.norm() + sphere.radius } else { 0.0 }
    });
    let least = 16.0 * path.rounding(reach.map(f64::from)) + 4.0 * path.bend();
    SweepSettings { gap: settings.gap.max(least), ..*settings }
}

/// What a search for the first meeting of two parts finds.
fn arrival(
    parts: [&Part; 2],
    path: &PairPath,
    settings: &SweepSettings,
    scratch: &mut SweepScratch,
) -> Option<Arrived> {
    let is_plane = |side: Side| matches!(parts[side.index()].solid, Solid::Primitive(Primitive::HalfSpace));
    match [is_plane(Side::A), is_plane(Side::B)] {
        [true, true] => two_half_spaces(path, settings),
        [true, false] => half_space(parts, Side::B, path, settings, scratch),
        [false, true] => half_space(parts, Side::A, path, settings, scratch),
        [false, false] => match PairKind::new(parts)? {
            PairKind::Convex => convex(parts, path, settings, scratch),
            PairKind::Surfaces(both) => surfaces(both, path, settings, scratch),
            PairKind::MeshSolid { mesh, surface, primitive } => {
                mesh_solid(mesh, surface, primitive, path, settings, scratch)
            }
        },
    }
}

/// Where parts are that a search has brought together.
fn meeting(
    parts: [&Part; 2],
    path: &PairPath,
    found: &Arrived,
    settings: &SweepSettings,
    scratch: &mut SweepScratch,
) -> FirstMeeting {
    let frame = path.at(found.time);
    let mut memory = DistanceMemory::default();
    // The other side of a triangle is named by itself.
    if let Some(some) = found.triangles[0].or(found.triangles[1]) {
        memory = DistanceMemory::of(found.triangles.map(|triangle| triangle.unwrap_or(some)));
    }
    let apart = distance_apart(parts, &frame, 4.0 * settings.gap, &mut memory, &mut scratch.distance);
    if let Some(Separation { distance, normal, points, features, triangles }) = apart {
        // What all but touches has lost its direction.
        let lost = distance <= LOST * settings.gap;
        let normal = found.normal.filter(|_| lost).unwrap_or(normal);
        return FirstMeeting { time: found.time, gap: distance, normal, points, features, triangles };
    }
    let middle = nalgebra::Point3::from((frame.offset[0] + frame.offset[1]) * 0.5);
    FirstMeeting {
        time: found.time,
        gap: 0.0,
        normal: found.normal.unwrap_or_else(Vector3::z),
        points: [middle; 2],
        features: [Feature::Smooth; 2],
        triangles: found.triangles,
    }
}

/// Two half-spaces that are apart face each other; they meet as soon as one turns.
fn two_half_spaces(path: &PairPath, settings: &SweepSettings) -> Option<Arrived> {
    let start = path.at(0.0);
    let normal = start.rotation[0].column(2).into_owned();
    let turns = Side::BOTH.iter().any(|&side| normal.cross(&path.turn(side)).norm() > 1e-12);
    let gap = normal.dot(&(start.offset[1] - start.offset[0]));
    let closing = -normal.dot(&path.relative_way());
    let time = if turns { 0.0 } else { (gap - 0.5 * settings.gap).max(0.0) / closing };
    let meets = turns || closing > 0.0;
    (meets && time < settings.bound).then_some(Arrived { time, normal: Some(normal), triangles: [None; 2] })
}
