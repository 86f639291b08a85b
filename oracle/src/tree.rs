//! Boxes around triangles, halved until few are left: what brute force need not look at.

use nalgebra::{Point3, Vector3};

/// Triangles in a leaf.
const LEAF: usize = 4;

/// A box (m).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    low: Point3<f64>,
    high: Point3<f64>,
}

impl Bounds {
    pub fn of(points: impl IntoIterator<Item = Point3<f64>>) -> Bounds {
        let none =
            Bounds { low: Point3::from([f64::INFINITY; 3]), high: Point3::from([f64::NEG_INFINITY; 3]) };
        points.into_iter().fold(none, |b, p| Bounds { low: b.low.inf(&p), high: b.high.sup(&p) })
    }

    /// The box moved; rounded as its points are when they move, so that it still holds them.
    pub fn moved(&self, by: &Vector3<f64>) -> Bounds {
        Bounds { low: self.low + by, high: self.high + by }
    }

    pub fn meets(&self, other: &Bounds) -> bool {
        (0..3).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }
}

#[derive(Clone, Debug)]
struct Node {
    bounds: Bounds,
    /// The two halves, or none in a leaf.
    halves: Option<[u32; 2]>,
    triangles: Vec<u32>,
}

/// A binary tree of boxes.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// A tree over the boxes of triangles.
    pub fn new(boxes: &[Bounds]) -> Tree {
        let mut tree = Tree { nodes: Vec::new() };
        tree.add(boxes, (0..boxes.len() as u32).collect());
        tree
    }

    fn add(&mut self, boxes: &[Bounds], mut triangles: Vec<u32>) -> u32 {
        let bounds =
            Bounds::of(triangles.iter().flat_map(|&t| [boxes[t as usize].low, boxes[t as usize].high]));
        let at = self.nodes.len();
        self.nodes.push(Node { bounds, halves: None, triangles: Vec::new() });
        if triangles.len() <= LEAF {
            self.nodes[at].triangles = triangles;
        } else {
            let axis = (bounds.high - bounds.low).imax();
            let middle = |t: &u32| boxes[*t as usize].low[axis] + boxes[*t as usize].high[axis];
            triangles.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
            let upper = triangles.split_off(triangles.len() / 2);
            let halves = [triangles, upper].map(|half| self.add(boxes, half));
            self.nodes[at].halves = Some(halves);
        }
        at as u32
    }

    /// Visits all pairs of leaves' triangles whose boxes meet when each tree is moved by its offset, until one is
    /// said to be enough.
    pub fn meet(
        trees: [&Tree; 2],
        offsets: [&Vector3<f64>; 2],
        enough: &mut impl FnMut(u32, u32) -> bool,
    ) -> bool {
        let mut waiting = vec![[0u32; 2]];
        while let Some(pair) = waiting.pop() {
            let nodes = [0, 1].map(|k| &trees[k].nodes[pair[k] as usize]);
            let boxes = [0, 1].map(|k| nodes[k].bounds.moved(offsets[k]));
            if !boxes[0].meets(&boxes[1]) {
                continue;
            }
            match (nodes[0].halves, nodes[1].halves) {
                (Some(halves), _) => waiting.extend(halves.map(|half| [half, pair[1]])),
                (None, Some(halves)) => waiting.extend(halves.map(|half| [pair[0], half])),
                (None, None) => {
                    for &a in &nodes[0].triangles {
                        if nodes[1].triangles.iter().any(|&b| enough(a, b)) {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }
}
