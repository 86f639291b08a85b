//! Turns faces that point to the other side than their neighbours.
//!
//! Across an edge of exactly two faces the sides are told from each other without doubt; faces that hang
//! together over such edges are a patch. Within a patch the smaller part is turned. Patches meet at
//! edges of more faces, where one is turned if that makes the border shorter.

use super::Repair;
use super::surface::{Run, Surface, net};

/// Rounds over all patches, at most.
const ROUNDS: usize = 8;

const NO_PATCH: u32 = u32::MAX;

/// Faces by patches, and which of them are to be turned.
struct Patches {
    of: Vec<u32>,
    turned: Vec<bool>,
    faces: Vec<Vec<u32>>,
}

pub(super) fn turn(surface: &mut Surface) {
    let runs = surface.runs();
    let groups: Vec<&[Run]> = runs.chunk_by(|a, b| a.edge == b.edge).collect();
    if groups.iter().all(|group| net(group).abs() < 2) {
        return;
    }
    let mut patches = patches(surface, &groups);
    turn_patches(surface, &groups, &mut patches);
    for patch in &patches.faces {
        let mut turned = patch.iter().filter(|&&f| patches.turned[f as usize]).copied();
        let Some(first) = turned.next() else { continue };
        let triangle = surface.faces[first as usize].source;
        surface.repairs.done.push(Repair::Turned { triangle, triangles: 1 + turned.count() as u32 });
    }
    for (face, turned) in surface.faces.iter_mut().zip(&patches.turned) {
        if *turned {
            face.corners.swap(1, 2);
        }
    }
}

/// An edge of three faces or more that a patch has faces at, and how many more of these run forward
/// than backward.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    patch: u32,
    group: usize,
    net: i32,
}

/// A neighbour across an edge of exactly two faces; `turned`: it points to the other side.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    face: u32,
    turned: bool,
}

/// Returns the neighbours of each face, three at most.
fn neighbours(faces: usize, groups: &[&[Run]]) -> Vec<[Option<Neighbour>; 3]> {
    let mut neighbours = vec![[None; 3]; faces];
    for group in groups {
        let &[a, b] = *group else { continue };
        let turned = a.forward == b.forward;
        for (face, other) in [(a.face, b.face), (b.face, a.face)] {
            let slot = neighbours[face as usize].iter_mut().find(|slot| slot.is_none());
            slot.into_iter().for_each(|slot| *slot = Some(Neighbour { face: other, turned }));
        }
    }
    neighbours
}

fn patches(surface: &Surface, groups: &[&[Run]]) -> Patches {
    let count = surface.faces.len();
    let neighbours = neighbours(count, groups);
    let mut patches = Patches { of: vec![NO_PATCH; count], turned: vec![false; count], faces: Vec::new() };
    for first in 0..count as u32 {
        if patches.of[first as usize] != NO_PATCH {
            continue;
        }
        let name = patches.faces.len() as u32;
        patches.of[first as usize] = name;
        let mut patch = vec![first];
        let (mut next, mut one_sided) = (0, false);
        while let Some(&f) = patch.get(next) {
            next += 1;
            for Neighbour { face: other, turned } in neighbours[f as usize].into_iter().flatten() {
                let turned = patches.turned[f as usize] != turned;
                if patches.of[other as usize] == NO_PATCH {
                    patches.of[other as usize] = name;
                    patches.turned[other as usize] = turned;
                    patch.push(other);
                } else {
                    one_sided |= patches.turned[other as usize] != turned;
                }
            }
        }
        let area = |turned: bool| -> f64 {
            let of_side = patch.iter().filter(|&&f| patches.turned[f as usize] == turned);
            of_side.map(|&f| surface.area(f)).sum()
        };
        if one_sided {
            // A Möbius strip has no sides.
            patch.iter().for_each(|&f| patches.turned[f as usize] = false);
        } else if area(true) > area(false) {
            patch.iter().for_each(|&f| patches.turned[f as usize] ^= true);
        }
        patches.faces.push(patch);
    }
    patches
}

/// Turns patches as a whole where that makes the border shorter. That is so at edges of three faces
/// or more alone: one of two has both in one patch, and one of a single face stays in the border.
fn turn_patches(surface: &Surface, groups: &[&[Run]], patches: &mut Patches) {
    let mut totals = vec![0i32; groups.len()];
    let mut meets: Vec<Meeting> = Vec::new();
    for (group, runs) in groups.iter().enumerate().filter(|(_, runs)| runs.len() > 2) {
        for run in *runs {
            let net = if run.forward != patches.turned[run.face as usize] { 1 } else { -1 };
            totals[group] += net;
            meets.push(Meeting { patch: patches.of[run.face as usize], group, net });
        }
    }
    meets.sort_unstable_by_key(|meeting| (meeting.patch, meeting.group));
    meets.dedup_by(|next, meeting| {
        let is_same = (next.patch, next.group) == (meeting.patch, meeting.group);
        meeting.net += if is_same { next.net } else { 0 };
        is_same
    });
    for _ in 0..ROUNDS {
        let mut changed = false;
        for at_patch in meets.chunk_by_mut(|a, b| a.patch == b.patch) {
            let (mut gain, mut around) = (0.0, 0.0);
            for Meeting { group, net, .. } in at_patch.iter() {
                let total = totals[*group];
                let length = surface.length(groups[*group][0].edge);
                gain += f64::from(total.abs() - (total - 2 * net).abs()) * length;
                around += length;
            }
            if gain > 1e-9 * around {
                for Meeting { group, net, .. } in at_patch.iter_mut() {
                    totals[*group] -= 2 * *net;
                    *net = -*net;
                }
                let faces = &patches.faces[at_patch[0].patch as usize];
                faces.iter().for_each(|&f| patches.turned[f as usize] ^= true);
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}
