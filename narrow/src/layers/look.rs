//! What a device saw in a pair's views, in full.

use impinge_geometry::{Side, TriMesh};

use super::span;
use super::tile::{Tile, TileColumn, TileSeen, Tiles};
use crate::columns::{Column, Stretch};
use crate::coverage::{Corners, steps};
use crate::crossing::{ANALYTIC, FARTHEST, NEAREST};
use crate::solid::SolidLines;
use crate::view::View;

/// What a view shows, as a device saw it.
#[derive(Debug, Default)]
pub(crate) struct Look {
    pub view: Option<View>,
    pub list: Vec<Column>,
    pub fragments: u64,
    pub odd: u64,
}

/// Looks that a device has taken for a job.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    list: Vec<Look>,
    used: usize,
    /// Of the triangles of the view at hand, the planes that were asked for.
    planes: Vec<Option<Corners>>,
}

impl Looks {
    /// Adds a look at the surfaces of `meshes`; whether it can be one.
    pub fn add(
        &mut self,
        tiles: &Tiles,
        tile: &Tile,
        meshes: [Option<&TriMesh>; 2],
        seen: &TileSeen<'_>,
    ) -> bool {
        if self.used == self.list.len() {
            self.list.push(Look::default());
        }
        self.planes.clear();
        self.planes.resize(tile.triangles.len(), None);
        let out = &mut self.list[self.used];
        let whole = read(tiles, tile, meshes, seen, &mut self.planes, out).is_some_and(|l| l == seen.length);
        self.used += usize::from(whole);
        whole
    }

    /// The look at just this view.
    pub fn at(&self, view: &View) -> Option<&Look> {
        self.list[..self.used].iter().find(|look| look.view.as_ref() == Some(view))
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.used = 0;
    }
}

fn held(depth: f64) -> i32 {
    steps(depth).clamp(NEAREST.into(), FARTHEST.into()) as i32
}

/// The stretch of a pixel's line in a solid.
fn stretch_of(view: &View, lines: &SolidLines, pixel: [u16; 2]) -> Option<Stretch> {
    let [enter, exit] = span(view, lines, pixel)?;
    let seen = exit <= (view.far - view.near) / view.step;
    let (close, close_triangle) = if seen { (held(exit), ANALYTIC) } else { (FARTHEST + 1, 0) };
    Some(Stretch { open: held(enter), close, open_triangle: ANALYTIC, close_triangle })
}

/// Works out the columns that a device saw, from the triangles at their ends. Gives the sum of their lengths;
/// `None` where they are none that can be.
fn read(
    tiles: &Tiles,
    tile: &Tile,
    meshes: [Option<&TriMesh>; 2],
    seen: &TileSeen<'_>,
    planes: &mut [Option<Corners>],
    out: &mut Look,
) -> Option<u64> {
    out.view = Some(tile.view);
    (out.fragments, out.odd) = (seen.fragments, seen.odd);
    out.list.clear();
    let own = &tiles.triangles[tile.triangles.start as usize..tile.triangles.end as usize];
    let (of_a, of_b) = own.split_at(tile.of_a as usize);
    let (planes_a, planes_b) = planes.split_at_mut(tile.of_a as usize);
    let mut sides = [(of_a, planes_a), (of_b, planes_b)];
    let mut length = 0;
    for column in seen.columns {
        let mut stretch = |side: Side| {
            if let Some(lines) = &tile.lines[side.index()] {
                return stretch_of(&tile.view, lines, column.pixel);
            }
            let (ids, planes) = &mut sides[side.index()];
            let (snap, mesh) = (&tile.snaps[side.index()], meshes[side.index()]?);
            let mut at = |number: u32| {
                let id = *ids.get(number as usize)?;
                let plane =
                    planes[number as usize].get_or_insert_with(|| Corners::nearest(&snap.corners(mesh, id)));
                Some((
                    plane
                        .depth(&tile.view.grid(), column.pixel.map(i64::from))
                        .clamp(NEAREST.into(), FARTHEST.into()) as i32,
                    id,
                ))
            };
            let [open, close] = [0, 1].map(|end| column.ends[2 * side.index() + end]);
            let (open, open_triangle) =
                if open == TileColumn::NONE { (NEAREST, ANALYTIC) } else { at(open)? };
            let (close, close_triangle) =
                if close == TileColumn::NONE { (FARTHEST + 1, 0) } else { at(close)? };
            Some(Stretch { open, close, open_triangle, close_triangle })
        };
        let solid = [stretch(Side::A)?, stretch(Side::B)?];
        let column = Column { i: column.pixel[0], j: column.pixel[1], solid };
        if !column.is_touch() {
            length += column.length() as u64;
        }
        out.list.push(column);
    }
    Some(length)
}
