//! Layers: for every pixel of a view, where surfaces cross the line through its centre.

mod asked;

use impinge_geometry::{FacesRef, PairFrame, Side, SimdLevel};
use impinge_midphase::ObbTree;
use impinge_midphase::obb_tree::LineScratch;

pub use asked::Ask;
use asked::Asked;

use crate::coverage::{Grid, Sink, cover_mesh, steps};
use crate::crossing::{self, ANALYTIC, Crossing};
use crate::fixed_map::FixedPlace;
use crate::passes;
use crate::snap::Snap;
use crate::view::View;
use impinge_convex::SolidLines;

/// What a side of a pair is made of, for a view.
#[derive(Debug)]
pub enum Body<'a> {
    /// The inside of a surface of triangles.
    Surface {
        /// The triangles.
        mesh: FacesRef<'a>,
        /// Their tree.
        tree: &'a ObbTree,
    },
    /// A solid whose entry and exit are computed.
    Solid(SolidLines),
}

/// The fragments of one view.
#[derive(Debug, Default)]
pub struct Layers {
    /// Fragments per pixel; may exceed `room`, and the rest is then lost until the view is redone.
    counts: Vec<u32>,
    /// `room` fragments for every pixel.
    fragments: Vec<Crossing>,
    room: usize,
    /// Pixels to the right, and up.
    size: [usize; 2],
    asked: Asked,
    triangles: Vec<u32>,
    search: LineScratch,
}

/// Fragments a pixel has room for at first.
const ROOM: usize = 24;

impl Layers {
    /// Captures both bodies in `view`; gives the number of fragments.
    pub fn capture(&mut self, view: &View, frame: &PairFrame, bodies: &[Body<'_>; 2]) -> u64 {
        self.capture_asked(view, frame, bodies, Ask::All)
    }

    /// As [`Layers::capture`], on the lines that are asked about.
    pub fn capture_asked(&mut self, view: &View, frame: &PairFrame, bodies: &[Body<'_>; 2], ask: Ask) -> u64 {
        let span = tracing::trace_span!(passes::LAYERS, fragments = tracing::field::Empty).entered();
        self.size = view.count.map(|n| n as usize);
        self.room = self.room.max(ROOM);
        loop {
            self.clear();
            self.asked.all(view.count);
            for (nth, side) in order(bodies).into_iter().enumerate() {
                if nth == 1 && ask != Ask::All {
                    self.asked.keep_met(&self.counts);
                }
                match &bodies[side.index()] {
                    Body::Surface { mesh, tree } => self.surface(view, frame, side, *mesh, tree),
                    Body::Solid(lines) => self.solid(view, side, lines),
                }
            }
            if !self.grow() {
                break;
            }
        }
        let fragments = self.counts.iter().map(|&c| u64::from(c)).sum();
        span.record("fragments", fragments);
        fragments
    }

    /// Captures all triangles of two bodies, whose vertices are placed as a device places them.
    pub(crate) fn capture_all(&mut self, grid: &Grid, bodies: &[(FacesRef<'_>, FixedPlace<'_>); 2]) {
        self.size = grid.pixels.map(|n| n as usize);
        self.room = self.room.max(ROOM);
        loop {
            self.clear();
            self.asked.all(grid.pixels);
            for (side, (mesh, place)) in Side::BOTH.into_iter().zip(bodies) {
                let triangles: Vec<u32> = mesh.triangles().collect();
                cover_mesh(SimdLevel::detect(), grid, place, *mesh, &triangles, &mut self.target(side));
            }
            if !self.grow() {
                break;
            }
        }
    }

    /// Makes room for the deepest pixel; whether there was not enough.
    fn grow(&mut self) -> bool {
        let deepest = self.counts.iter().copied().max().unwrap_or(0) as usize;
        let over = deepest > self.room;
        if over {
            self.room = deepest.next_power_of_two();
        }
        over
    }

    /// The fragments of a pixel, sorted by depth, back faces first, A first, then triangle.
    #[inline]
    pub fn sorted(&mut self, i: usize, j: usize) -> &[Crossing] {
        let pixel = j * self.size[0] + i;
        let from = pixel * self.room;
        let fragments = &mut self.fragments[from..from + self.counts[pixel] as usize];
        crossing::sort(fragments);
        fragments
    }

    /// Whether both bodies are on the line of a pixel.
    #[inline]
    pub fn has_both(&self, i: usize, j: usize) -> bool {
        let pixel = j * self.size[0] + i;
        let from = pixel * self.room;
        let own = &self.fragments[from..from + self.counts[pixel] as usize];
        own.iter().fold(0, |sides, f| sides | 1 << f.body()) == 3
    }

    /// Pixels to the right, and up.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    fn clear(&mut self) {
        let pixels = self.size[0] * self.size[1];
        self.counts.clear();
        self.counts.resize(pixels, 0);
        if self.fragments.len() < pixels * self.room {
            self.fragments.resize(pixels * self.room, Crossing::default());
        }
    }

    fn surface(&mut self, view: &View, frame: &PairFrame, side: Side, mesh: FacesRef<'_>, tree: &ObbTree) {
        let Some(lines) = self.asked.lines(view) else { return };
        let mut triangles = std::mem::take(&mut self.triangles);
        triangles.clear();
        let _ = tree.lines(&lines.in_frame_of(frame, side), &mut self.search, &mut triangles);
        let snap = Snap::new(view, frame, side);
        let grid = view.grid();
        let mut target = self.target(side);
        cover_mesh(tree.simd(), &grid, &snap, mesh, &triangles, &mut target);
        self.triangles = triangles;
    }

    fn solid(&mut self, view: &View, side: Side, lines: &SolidLines) {
        let far = (view.far - view.near) / view.step;
        let mut target = self.target(side);
        let [width, height] = view.count;
        for j in 0..height {
            for i in 0..width {
                let pixel = (j * width + i) as usize;
                if !target.wants(pixel) {
                    continue;
                }
                let Some([enter, exit]) = span(view, lines, [i as u16, j as u16]) else { continue };
                for (t, front) in [(enter, true), (exit, false)] {
                    if t <= far {
                        target.put(pixel, steps(t), front, ANALYTIC);
                    }
                }
            }
        }
    }

    fn target(&mut self, side: Side) -> Target<'_> {
        let Layers { counts, fragments, room, asked, .. } = self;
        Target { counts, fragments, asked: asked.pixels(), room: *room, side }
    }
}

/// Where the crossings of a body go.
struct Target<'a> {
    counts: &'a mut [u32],
    fragments: &'a mut [Crossing],
    /// Of every pixel, whether its line is asked about.
    asked: &'a [bool],
    room: usize,
    side: Side,
}

impl Sink for Target<'_> {
    #[inline(always)]
    fn wants(&self, pixel: usize) -> bool {
        self.asked[pixel]
    }

    /// What has no room is counted.
    #[inline(always)]
    fn put(&mut self, pixel: usize, depth: i64, front: bool, triangle: u32) {
        let at = self.counts[pixel] as usize;
        if at < self.room {
            self.fragments[pixel * self.room + at] = Crossing::new(depth, front, self.side, triangle);
        }
        self.counts[pixel] += 1;
    }
}

/// Where the line of a pixel enters and leaves a solid (steps).
fn span(view: &View, lines: &SolidLines, [i, j]: [u16; 2]) -> Option<[f64; 2]> {
    let span = lines.interval(&view.place(i, j, 0.0), &view.axes.depth)?;
    Some([span.enter / view.step, span.exit / view.step])
}

/// Which body to scan first: the one that is likely to be on fewer lines.
fn order(bodies: &[Body<'_>; 2]) -> [Side; 2] {
    let size = |body: &Body<'_>| match body {
        Body::Solid(_) => 0.0,
        Body::Surface { tree, .. } => tree.root().half.iter().sum::<f32>(),
    };
    if size(&bodies[1]) < size(&bodies[0]) { [Side::B, Side::A] } else { Side::BOTH }
}

#[cfg(test)]
mod tests;
