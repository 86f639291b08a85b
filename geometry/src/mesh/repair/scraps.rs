//! Scraps beside a solid: loose triangles and small sheets that bound nothing.
//!
//! A scrap gets a back for each of its faces. That balances its edges and encloses nothing, so that
//! the scrap stays where it is and the solid beside it is closed.

use std::collections::BTreeSet;

use super::Repair;
use super::surface::{Face, Surface, net};
use crate::mesh::components::Sets;
use crate::mesh::parts::least_first;

/// The most of a surface's area that scraps of several faces have together.
const LARGEST: f64 = 1e-3;

/// A connected surface, by shared edges.
#[derive(Clone, Copy, Debug)]
struct Sheet {
    first: u32,
    faces: u32,
    area: f64,
    is_open: bool,
}

/// Backs the open surfaces that are scraps, if a closed one is larger.
pub(super) fn back_scraps(surface: &mut Surface) {
    let sheet_of = connected(surface);
    let sheets = sheets(surface, &sheet_of);
    let total: f64 = sheets.iter().map(|sheet| sheet.area).sum();
    let solid = sheets.iter().filter(|sheet| !sheet.is_open).map(|sheet| sheet.area).fold(0.0, f64::max);
    let is_small = |sheet: &Sheet| sheet.is_open && sheet.area < LARGEST * total;
    let small: f64 = sheets.iter().filter(|sheet| is_small(sheet)).map(|sheet| sheet.area).sum();
    let loose = sheets.iter().filter(|sheet| sheet.is_open && sheet.faces == 1).count();
    let is_scrap = |sheet: &Sheet| {
        let is_lone = sheet.is_open && sheet.faces == 1 && loose == 1;
        sheet.area < solid && (is_lone || (is_small(sheet) && small < LARGEST * total))
    };
    let scraps: Vec<Face> = surface
        .faces
        .iter()
        .enumerate()
        .filter(|(f, _)| is_scrap(&sheets[sheet_of[*f] as usize]))
        .map(|(_, face)| *face)
        .collect();
    let fronts: BTreeSet<[u32; 3]> = scraps.iter().map(|face| least_first(&face.corners)).collect();
    let backs = scraps.iter().map(|&Face { corners: [a, b, c], source }| Face { corners: [a, c, b], source });
    surface.faces.extend(backs.filter(|back| !fronts.contains(&least_first(&back.corners))));
    let source = |f: u32| surface.faces[f as usize].source;
    let done: Vec<Repair> = sheets
        .iter()
        .filter(|sheet| is_scrap(sheet))
        .map(|sheet| Repair::Sheet { triangle: source(sheet.first), triangles: sheet.faces })
        .collect();
    surface.repairs.done.extend(done);
}

/// Returns for each face its connected surface, numbered in the order of their first faces.
fn connected(surface: &Surface) -> Vec<u32> {
    let mut sets = Sets::new(surface.faces.len());
    for pair in surface.runs().windows(2).filter(|pair| pair[0].edge == pair[1].edge) {
        sets.join(pair[0].face, pair[1].face);
    }
    let mut number = vec![0; surface.faces.len()];
    let mut count = 0;
    for f in 0..surface.faces.len() as u32 {
        let root = sets.root(f);
        number[f as usize] = if root == f { count } else { number[root as usize] };
        count += u32::from(root == f);
    }
    number
}

fn sheets(surface: &Surface, sheet_of: &[u32]) -> Vec<Sheet> {
    let mut sheets: Vec<Sheet> = Vec::new();
    for (f, &name) in (0..).zip(sheet_of) {
        if name as usize == sheets.len() {
            sheets.push(Sheet { first: f, faces: 0, area: 0.0, is_open: false });
        }
        let sheet = &mut sheets[name as usize];
        sheet.faces += 1;
        sheet.area += surface.area(f);
    }
    for along in surface.runs().chunk_by(|a, b| a.edge == b.edge).filter(|along| net(along) != 0) {
        sheets[sheet_of[along[0].face as usize] as usize].is_open = true;
    }
    sheets
}
