//! The self-collision form of CULLIDE (Govindaraju, Lin, Manocha, "Quick-CULLIDE: fast inter- and intra-object collision
//! culling using graphics hardware", 2005): parts of one body, neighbours aside.

use super::body::{ClassicBody, LatticeBody};
use super::cullide::{CullideSettings, PotentialSet, check_count, views_around};
use super::error::ClassicError;
use super::part_order::{Part, PartOrder};
use super::program::{
    BUFFER_FAR, ClassicRaster, DepthTest, Draw, Figure, Program, RasterCommand, RasterScene,
};

/// The parts of one body, given as the meshes that it consists of, that may touch a part which is not their neighbour.
/// `parts[k]` gives a part for each triangle of mesh `k`, counted from 0; parts are neighbours where triangles of them
/// share a vertex, so parts of different meshes never are. (Of a mesh of many shells,
/// [`TriMesh::shell_of`](impinge_geometry::TriMesh::shell_of) is such a list.) The set names parts by mesh and part.
///
/// As [`cullide`](super::cullide), with two differences. Neighbours touch where they join, and would always hide each other:
/// parts are put in an order in which neighbours are near each other, and a part asks about those that come so long before
/// or after it that none is a neighbour; then, in a pass of its own, about those near it in the order that are none. And every
/// pixel is drawn with bounds on the depths in it, whether [`CullideSettings::dilated`] is set or not: *no part is missed*
/// that touches one which is not its neighbour. *False:* parts that are hidden along all three axes. What touches within
/// one part or between neighbours is the caller's.
///
/// # Errors
/// [`ClassicError::Count`] where the lists have other lengths, [`ClassicError::View`], and [`ClassicError::Device`] from a
/// device.
pub fn cullide_self(
    meshes: &[ClassicBody<'_>],
    parts: &[Vec<u32>],
    settings: CullideSettings,
    raster: &mut dyn ClassicRaster,
) -> Result<PotentialSet, ClassicError> {
    check_count("lists of parts", parts.len(), meshes.len())?;
    for (list, body) in parts.iter().zip(meshes) {
        check_count("parts of triangles", list.len(), body.mesh.triangles().len())?;
    }
    let order = PartOrder::new(meshes, parts);
    let mut set = PotentialSet::default();
    let mut left: Vec<usize> = (0..order.parts.len()).collect();
    let mut scenes = Vec::new();
    for view in views_around(meshes, settings.pixels)? {
        let lattices: Result<Vec<_>, _> = meshes.iter().map(|mesh| LatticeBody::new(mesh, &view)).collect();
        let lattices = lattices?;
        let part = |part: &Part| {
            let lattice = &lattices[part.name[0] as usize];
            let own: Vec<_> = part.triangles.iter().map(|&t| lattice.triangles[t as usize]).collect();
            lattice.part(&own)
        };
        scenes.push(RasterScene { view, bodies: order.parts.iter().map(part).collect() });
    }
    for _ in 0..settings.rounds.max(1) {
        let before = left.len();
        for scene in &scenes {
            let (program, asked) = passes(scene, &order, &left);
            let readout = raster.run(scene, &program)?;
            let clears = program.iter().filter(|command| matches!(command, RasterCommand::ClearDepth(_)));
            set.passes += clears.count() as u32;
            set.queries += asked.len() as u64;
            let mut hidden = vec![false; order.parts.len()];
            asked.iter().zip(readout.passed).for_each(|(&part, passed)| hidden[part] |= passed);
            left.retain(|&part| hidden[part]);
        }
        if left.len() == before {
            break;
        }
    }
    set.parts = left.iter().map(|&part| order.parts[part].name).collect();
    set.parts.sort_unstable();
    set.bodies = set.parts.iter().map(|part| part[0]).collect();
    set.bodies.dedup();
    Ok(set)
}

/// The program of one view, and for each query the part that asks: two passes over all that are left, and one for each part
/// with others near it in the order that it may meet and that are not its neighbours.
fn passes(scene: &RasterScene, order: &PartOrder, left: &[usize]) -> (Program, Vec<usize>) {
    let mut program = Program::new();
    let mut asked = Vec::new();
    let draw = |part: usize| RasterCommand::Draw(Draw::depths(part, Figure::DilatedNear, DepthTest::Less));
    let ask = |part: usize, asked: &mut Vec<usize>| {
        asked.push(part);
        RasterCommand::Draw(Draw::query(part, Figure::DilatedFar, DepthTest::GreaterEqual))
    };
    let backwards: Vec<usize> = left.iter().rev().copied().collect();
    for list in [left, &backwards] {
        program.push(RasterCommand::ClearDepth(BUFFER_FAR));
        let mut drawn = 0;
        for &part in list {
            while list[drawn].abs_diff(part) > order.reach {
                program.push(draw(list[drawn]));
                drawn += 1;
            }
            program.push(ask(part, &mut asked));
        }
    }
    let boxes: Vec<_> = scene.bodies.iter().map(|body| lattice_box(body, scene.view.sub_bits())).collect();
    for (k, &part) in left.iter().enumerate() {
        let near = |other: &&usize| other.abs_diff(part) <= order.reach;
        let others = left[k + 1..].iter().take_while(near).chain(left[..k].iter().rev().take_while(near));
        let apart =
            |a: &[[i64; 2]; 2], b: &[[i64; 2]; 2]| (0..2).any(|d| a[1][d] < b[0][d] || b[1][d] < a[0][d]);
        let meets =
            |other: usize| !order.parts[part].is_next_to(other) && !apart(&boxes[part], &boxes[other]);
        let first = program.len();
        for &other in others.filter(|&&other| meets(other)) {
            if program.len() == first {
                program.push(RasterCommand::ClearDepth(BUFFER_FAR));
            }
            program.push(draw(other));
        }
        if program.len() > first {
            program.push(ask(part, &mut asked));
        }
    }
    (program, asked)
}

/// The box (sub-pixels) of a part, grown by a pixel: those that share a pixel have boxes that meet.
fn lattice_box(body: &LatticeBody, sub_bits: u32) -> [[i64; 2]; 2] {
    let of = |d: usize| body.vertices.iter().map(move |v| i64::from(v[d]));
    let pixel = 1i64 << sub_bits;
    let least = [0, 1].map(|d| of(d).min().unwrap_or(i64::MAX / 2) - pixel);
    [least, [0, 1].map(|d| of(d).max().unwrap_or(i64::MIN / 2) + pixel)]
}
