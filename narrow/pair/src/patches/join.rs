//! Which columns and loops belong together.
//!
//! OverlapIntervals join when they are neighbours and their overlaps meet; a loop joins the columns that it
//! passes. OverlapIntervals alone shatter along thin rims, and loops alone do not know what lies between.

use crate::tunables;
use nalgebra::Point3;

use impinge_image_space::intervals::{OverlapInterval, OverlapIntervals};
use impinge_image_space::view::View;

/// Sets of columns and loops: nodes are the columns in their order, and then the loops.
#[derive(Debug, Default)]
pub(crate) struct Join {
    parent: Vec<u32>,
    columns: usize,
    /// Sets that have a column.
    islands: usize,
}

impl Join {
    /// Every column joined with its neighbours, and `loops` loops by themselves.
    pub fn columns(&mut self, columns: &OverlapIntervals, loops: usize) {
        self.columns = columns.list.len();
        self.islands = self.columns;
        self.parent.clear();
        self.parent.extend(0..(self.columns + loops) as u32);
        for j in 0..columns.size[1] {
            for i in 0..columns.size[0] {
                let here = columns.of_pixel(i, j);
                if here.is_empty() {
                    continue;
                }
                if i + 1 < columns.size[0] {
                    self.neighbours(columns, here.clone(), columns.of_pixel(i + 1, j));
                }
                if j + 1 < columns.size[1] {
                    self.neighbours(columns, here, columns.of_pixel(i, j + 1));
                }
            }
        }
    }

    fn neighbours(
        &mut self,
        columns: &OverlapIntervals,
        here: std::ops::Range<usize>,
        there: std::ops::Range<usize>,
    ) {
        for p in here {
            for q in there.clone() {
                let (a, b) = (&columns.list[p], &columns.list[q]);
                if meet(a, b) {
                    self.unite(p as u32, q as u32);
                }
            }
        }
    }

    /// Joins loop `index` with the columns that the segment from `from` to `to` (pair frame, m) passes:
    /// those of the pixels around it whose overlap reaches its depth to within a pixel's size.
    pub fn segment(
        &mut self,
        columns: &OverlapIntervals,
        view: &View,
        index: usize,
        from: &Point3<f64>,
        to: &Point3<f64>,
    ) {
        if columns.list.is_empty() || self.has_all(index) {
            return;
        }
        let (p, q) = (view.locate(from), view.locate(to));
        let length = (q[0] - p[0]).abs().max((q[1] - p[1]).abs());
        let most = 2 * columns.size[0].max(columns.size[1]);
        let parts = (length.ceil() as usize).clamp(1, most);
        let slack = view.pixel[0].max(view.pixel[1]) / view.step;
        for part in 0..parts {
            let t = (part as f64 + 0.5) / parts as f64;
            let at: [f64; 3] = std::array::from_fn(|k| p[k] + (q[k] - p[k]) * t);
            self.place(columns, index, at, slack);
        }
    }

    fn place(&mut self, columns: &OverlapIntervals, index: usize, at: [f64; 3], slack: f64) {
        let last = columns.size.map(|count| count as i64 - 1);
        let (i, j) = (at[0].floor() as i64, at[1].floor() as i64);
        for y in (j - 1).max(0)..=(j + 1).min(last[1]) {
            for x in (i - 1).max(0)..=(i + 1).min(last[0]) {
                for c in columns.of_pixel(x as usize, y as usize) {
                    let column = &columns.list[c];
                    let near = f64::from(column.begin()) - slack <= at[2]
                        && at[2] <= f64::from(column.end()) + slack;
                    if near {
                        self.unite(c as u32, (self.columns + index) as u32);
                    }
                }
            }
        }
    }

    /// Whether a loop is joined with every column.
    fn has_all(&mut self, index: usize) -> bool {
        self.islands == 1 && self.of_loop(index) < self.columns as u32
    }

    /// Joins two loops.
    pub fn loops(&mut self, one: usize, other: usize) {
        self.unite((self.columns + one) as u32, (self.columns + other) as u32);
    }

    /// The set of a column, named by its least member.
    pub fn of_column(&mut self, column: usize) -> u32 {
        self.root(column as u32)
    }

    /// The set of a loop.
    pub fn of_loop(&mut self, index: usize) -> u32 {
        self.root((self.columns + index) as u32)
    }

    fn root(&mut self, mut node: u32) -> u32 {
        while self.parent[node as usize] != node {
            let up = self.parent[self.parent[node as usize] as usize];
            self.parent[node as usize] = up;
            node = up;
        }
        node
    }

    fn unite(&mut self, p: u32, q: u32) {
        let (p, q) = (self.root(p), self.root(q));
        // OverlapIntervals come before loops, and a set is named by its least member.
        self.islands -= usize::from(p != q && p.max(q) < self.columns as u32);
        self.parent[p.max(q) as usize] = p.min(q);
    }
}

fn meet(a: &OverlapInterval, b: &OverlapInterval) -> bool {
    let begin = i64::from(a.begin().max(b.begin()));
    let end = i64::from(a.end().min(b.end()));
    end - begin >= -tunables::JOIN_SLACK
}
