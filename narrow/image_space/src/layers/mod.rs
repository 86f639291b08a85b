//! Layers: for every pixel of a view, where surfaces cross the line through its centre.
//!
//! A triangle covers a pixel by integer edge functions on vertices snapped to sub-pixels, with the
//! top-left rule: two triangles that share an edge never both cover a centre on it and never both
//! miss it, so on a closed mesh the faces along every line come in pairs, front and back.

mod asked;
mod depth;
mod fragment;
mod raster;
mod scan;

use impinge_geometry::{PairFrame, Side, TriMesh, simd};
use impinge_midphase::ObbTree;
use impinge_midphase::obb_tree::LineScratch;

pub use asked::Ask;
use asked::Asked;
pub use depth::Depth;
pub use fragment::{ANALYTIC, FARTHEST, Fragment, NEAREST};
pub use raster::Snapped;
use raster::Target;
use scan::Scan;

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
        mesh: &'a TriMesh,
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
    fragments: Vec<Fragment>,
    room: usize,
    side: usize,
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
        self.side = view.count as usize;
        self.room = self.room.max(ROOM);
        loop {
            self.clear();
            self.asked.begin(view, ask);
            for (nth, side) in order(bodies).into_iter().enumerate() {
                if nth == 1 && ask != Ask::All {
                    self.asked.keep_met(&self.counts);
                }
                match &bodies[side.index()] {
                    Body::Surface { mesh, tree } => self.surface(view, frame, side, mesh, tree),
                    Body::Solid(lines) => self.solid(view, side, lines),
                }
            }
            let deepest = self.counts.iter().copied().max().unwrap_or(0) as usize;
            if deepest <= self.room {
                break;
            }
            self.room = deepest.next_power_of_two();
        }
        let fragments = self.counts.iter().map(|&c| u64::from(c)).sum();
        span.record("fragments", fragments);
        fragments
    }

    /// The fragments of a pixel, sorted by depth, back faces first, A first, then triangle.
    #[inline]
    pub fn sorted(&mut self, i: usize, j: usize) -> &[Fragment] {
        let pixel = j * self.side + i;
        let from = pixel * self.room;
        let fragments = &mut self.fragments[from..from + self.counts[pixel] as usize];
        fragment::sort(fragments);
        fragments
    }

    /// Whether both bodies are on the line of a pixel.
    #[inline]
    pub fn has_both(&self, i: usize, j: usize) -> bool {
        let pixel = j * self.side + i;
        let from = pixel * self.room;
        let own = &self.fragments[from..from + self.counts[pixel] as usize];
        own.iter().fold(0, |sides, f| sides | 1 << f.side()) == 3
    }

    /// Pixels per side.
    pub fn side(&self) -> usize {
        self.side
    }

    fn clear(&mut self) {
        let pixels = self.side * self.side;
        self.counts.clear();
        self.counts.resize(pixels, 0);
        if self.fragments.len() < pixels * self.room {
            self.fragments.resize(pixels * self.room, Fragment::default());
        }
    }

    fn surface(&mut self, view: &View, frame: &PairFrame, side: Side, mesh: &TriMesh, tree: &ObbTree) {
        let Some(lines) = self.asked.lines(view) else { return };
        self.triangles.clear();
        let _ = tree.lines(&lines.in_frame_of(frame, side), &mut self.search, &mut self.triangles);
        let mut target = Target {
            counts: &mut self.counts,
            fragments: &mut self.fragments,
            asked: self.asked.pixels(),
            room: self.room,
            count: view.count,
        };
        let snap = Snap::new(view, frame, side);
        let (target, triangles) = (&mut target, &self.triangles);
        simd::run(tree.simd(), Scan { target, snap: &snap, mesh, triangles, side });
    }

    fn solid(&mut self, view: &View, side: Side, lines: &SolidLines) {
        let far = (view.far - view.near) / view.step;
        let mut target = Target {
            counts: &mut self.counts,
            fragments: &mut self.fragments,
            asked: self.asked.pixels(),
            room: self.room,
            count: view.count,
        };
        for j in 0..view.count {
            for i in 0..view.count {
                let pixel = (j * view.count + i) as usize;
                if !target.asked[pixel] {
                    continue;
                }
                let Some([enter, exit]) = span(view, lines, [i as u16, j as u16]) else { continue };
                for (t, front) in [(enter, true), (exit, false)] {
                    if t <= far {
                        target.push(pixel, Fragment::new(t, front, side, ANALYTIC));
                    }
                }
            }
        }
    }
}

/// Where the line of a pixel enters and leaves a solid (steps).
fn span(view: &View, lines: &SolidLines, [i, j]: [u16; 2]) -> Option<[f64; 2]> {
    let span = lines.span(&view.place(i, j, 0.0), &view.axes.depth)?;
    Some([span.enter / view.step, span.exit / view.step])
}

/// Whom to look at first: of two bodies the one that is likely to be on fewer lines.
fn order(bodies: &[Body<'_>; 2]) -> [Side; 2] {
    let size = |body: &Body<'_>| match body {
        Body::Solid(_) => 0.0,
        Body::Surface { tree, .. } => tree.root().half.iter().sum::<f32>(),
    };
    if size(&bodies[1]) < size(&bodies[0]) { [Side::B, Side::A] } else { Side::BOTH }
}

#[cfg(test)]
mod tests;
