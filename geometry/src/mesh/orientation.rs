//! Turns closed surfaces that point inward.
//!
//! A shell is what hangs together over edges. Every shell of a closed mesh is closed itself, so it
//! may be turned alone. First the mesh as a whole is turned if its signed volume is negative. Then
//! each shell that still points inward is looked at, the largest first: one that lies inside
//! others is a cavity and stays; one that lies outside bounds nothing as it is, and is turned.
//!
//! Inside or outside is the signed count of the faces above one of the shell's vertices, with edges
//! half-open and exact predicates: every closed shell gives a whole number, whatever the ray meets.

use nalgebra::Point3;

use super::components::Sets;
use super::edges::{EdgeTable, NO_FACE};
use super::parts::parts;
use super::{Defect, Topology};
use crate::mass::permanent;
use crate::predicate::crossings_above;

/// A shell of a closed mesh.
struct Shell {
    first_triangle: u32,
    triangles: u32,
    /// Six times the signed volume (m³).
    volume: f64,
    /// What rounding may have made of it, at most: a surface folded flat has no side to turn.
    noise: f64,
    turned: bool,
}

/// Turns inward shells of a closed mesh that are not cavities, and reports them. Does nothing to a
/// soup. `shell_of`: for each triangle the index of its shell.
pub(super) fn orient(
    vertices: &[Point3<f32>],
    triangles: &mut [[u32; 3]],
    source: &[u32],
    (table, shell_of): (&mut EdgeTable, &[u32]),
    defects: &mut Vec<Defect>,
) {
    if table.topology != Topology::Closed {
        return;
    }
    // Parts that meet along edges are one shell, but each is turned by itself.
    let meets = table.starts.windows(2).any(|ends| ends[1] - ends[0] > 2);
    let parts = if meets { numbered(&parts(triangles)) } else { Vec::new() };
    let shell_of = if meets { &parts[..] } else { shell_of };
    let mut shells = measured(vertices, triangles, shell_of);
    let noise: f64 = shells.iter().map(|s| s.noise).sum();
    if shells.iter().map(|s| s.volume).sum::<f64>() < -noise {
        shells.iter_mut().for_each(turn);
    }
    turn_stray(vertices, triangles, shell_of, &mut shells);
    for (t, corners) in triangles.iter_mut().enumerate() {
        if shells[shell_of[t] as usize].turned {
            corners.swap(1, 2);
            table.turn(t);
        }
    }
    if shells.iter().all(|s| s.turned) {
        defects.push(Defect::InsideOut);
    } else {
        defects.extend(shells.iter().filter(|s| s.turned).map(|s| Defect::InsideOutShell {
            triangle: source[s.first_triangle as usize],
            triangles: s.triangles,
        }));
    }
}

fn turn(shell: &mut Shell) {
    shell.turned = !shell.turned;
    shell.volume = -shell.volume;
}

fn points_inward(shell: &Shell) -> bool {
    shell.volume < -shell.noise
}

/// For each triangle the index of its shell; shells in the order of their first triangles.
pub(super) fn shells(table: &EdgeTable) -> Vec<u32> {
    let count = table.of_triangle.len();
    let mut sets = Sets::new(count);
    for faces in table.starts.windows(2).map(|w| &table.faces[w[0] as usize..w[1] as usize]) {
        // Behind those of an edge stands nothing where triangles were taken out.
        for pair in faces.windows(2).filter(|pair| pair[1] != NO_FACE) {
            sets.join(pair[0], pair[1]);
        }
    }
    let roots: Vec<u32> = (0..count as u32).map(|t| sets.root(t)).collect();
    numbered(&roots)
}

/// Returns numbers for sets that are named by their lowest members, in the order of these.
fn numbered(roots: &[u32]) -> Vec<u32> {
    let mut number = vec![0; roots.len()];
    let mut found = 0;
    for (t, &root) in roots.iter().enumerate() {
        // A set's lowest member comes first.
        number[t] = if root as usize == t {
            found += 1;
            found - 1
        } else {
            number[root as usize]
        };
    }
    number
}

fn measured(vertices: &[Point3<f32>], triangles: &[[u32; 3]], shell_of: &[u32]) -> Vec<Shell> {
    let mut shells: Vec<Shell> = Vec::new();
    let at = |v: u32| vertices[v as usize].cast::<f64>();
    for (t, (corners, &shell)) in triangles.iter().zip(shell_of).enumerate() {
        if shell as usize == shells.len() {
            let first_triangle = t as u32;
            shells.push(Shell { first_triangle, triangles: 0, volume: 0.0, noise: 0.0, turned: false });
        }
        let shell = &mut shells[shell as usize];
        let origin = at(triangles[shell.first_triangle as usize][0]);
        let [a, b, c] = corners.map(|v| at(v) - origin);
        shell.volume += a.dot(&b.cross(&c));
        shell.noise += 8.0 * f64::EPSILON * permanent(&a, &b, &c);
        shell.triangles += 1;
    }
    shells
}

/// Turns every shell that points inward and lies outside all others.
fn turn_stray(vertices: &[Point3<f32>], triangles: &[[u32; 3]], shell_of: &[u32], shells: &mut [Shell]) {
    let mut inward: Vec<u32> =
        (0..shells.len() as u32).filter(|&s| points_inward(&shells[s as usize])).collect();
    if inward.is_empty() {
        return;
    }
    // A vertex on another shell is neither inside nor outside of it.
    let own = own_vertices(vertices, triangles, shell_of, shells.len());
    inward.retain(|&s| own[s as usize].is_some());
    let place = |s: u32| own[s as usize].map(|v| (vertices[v as usize], s));
    let mut probes: Vec<(Point3<f32>, u32)> = inward.iter().filter_map(|&s| place(s)).collect();
    probes.sort_by(|a, b| a.0.x.total_cmp(&b.0.x).then(a.1.cmp(&b.1)));
    // (inward shell, shell above it, signed count), as the surfaces were given.
    let mut above: Vec<(u32, u32, i32)> = Vec::new();
    for (corners, &shell) in triangles.iter().zip(shell_of) {
        let t = corners.map(|v| vertices[v as usize]);
        let low = t[0].x.min(t[1].x).min(t[2].x);
        let high = t[0].x.max(t[1].x).max(t[2].x);
        let from = probes.partition_point(|p| p.0.x < low);
        for (p, probed) in probes[from..].iter().take_while(|p| p.0.x <= high) {
            if *probed != shell {
                let count = crossings_above(p, &t);
                if count != 0 {
                    above.push((*probed, shell, count));
                }
            }
        }
    }
    above.sort_unstable();
    inward.sort_by(|&a, &b| shells[a as usize].volume.total_cmp(&shells[b as usize].volume).then(a.cmp(&b)));
    for s in inward {
        let from = above.partition_point(|a| a.0 < s);
        let depth: i32 = above[from..]
            .iter()
            .take_while(|a| a.0 == s)
            .map(|&(_, other, count)| if shells[other as usize].turned { -count } else { count })
            .sum();
        if depth <= 0 {
            turn(&mut shells[s as usize]);
        }
    }
}

/// Returns for each shell a vertex at a place where no other one has any.
fn own_vertices(
    vertices: &[Point3<f32>],
    triangles: &[[u32; 3]],
    shell_of: &[u32],
    shells: usize,
) -> Vec<Option<u32>> {
    let mut used: Vec<([u32; 3], u32, u32)> = Vec::with_capacity(3 * triangles.len());
    for (corners, &shell) in triangles.iter().zip(shell_of) {
        // Adding zero makes −0 to 0.
        used.extend(
            corners.map(|v| (vertices[v as usize].coords.map(|x| (x + 0.0).to_bits()).into(), shell, v)),
        );
    }
    used.sort_unstable();
    let mut own = vec![None; shells];
    for here in used.chunk_by(|a, b| a.0 == b.0).filter(|here| here[0].1 == here[here.len() - 1].1) {
        let (_, shell, vertex) = here[0];
        own[shell as usize].get_or_insert(vertex);
    }
    own
}
