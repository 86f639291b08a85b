//! Intervals of a line that lie inside one body.

use crate::crossing::{ANALYTIC, Crossing, FARTHEST, NEAREST};

/// An interval of a line inside a body, and the triangles at its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Where the line goes in (steps).
    pub open: i32,
    /// Where it comes out (steps); beyond `FARTHEST` where the view does not see that.
    pub close: i32,
    /// The triangle where it begins.
    pub open_triangle: u32,
    /// The triangle where it ends.
    pub close_triangle: u32,
}

/// The intervals of both bodies along one line.
#[derive(Debug, Default)]
pub(super) struct LineIntervals {
    pub of: [Vec<Interval>; 2],
}

impl LineIntervals {
    /// Reads sorted fragments; `open` tells which sides are surfaces without an inside. Whether both
    /// counters ended at zero.
    pub fn read(&mut self, fragments: &[Crossing], open: [bool; 2]) -> bool {
        let mut inside = [0i32; 2];
        self.of[0].clear();
        self.of[1].clear();
        for f in fragments {
            let side = f.body();
            let (before, list) = (inside[side], &mut self.of[side]);
            if f.is_front() {
                inside[side] += 1;
                if before == 0 {
                    begin(list, f);
                }
            } else if before == 0 && open[side] {
                list.push(Interval {
                    open: NEAREST,
                    close: f.depth(),
                    open_triangle: ANALYTIC,
                    close_triangle: f.triangle(),
                });
            } else {
                inside[side] -= 1;
                if before == 1 {
                    let last = list.last_mut().expect("a counter of one has an open interval");
                    (last.close, last.close_triangle) = (f.depth(), f.triangle());
                }
            }
        }
        inside == [0, 0]
    }
}

/// Opens an interval, or goes on with the last one where that ended at the same depth: two faces of a
/// body back to back have nothing between them.
#[inline]
fn begin(list: &mut Vec<Interval>, f: &Crossing) {
    let close = FARTHEST + 1;
    match list.last_mut() {
        Some(last) if last.close == f.depth() => (last.close, last.close_triangle) = (close, 0),
        _ => list.push(Interval { open: f.depth(), close, open_triangle: f.triangle(), close_triangle: 0 }),
    }
}
