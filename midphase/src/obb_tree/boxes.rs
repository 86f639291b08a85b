//! Trees over boxes instead of triangles: a leaf for each.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::ObbTree;
use super::fit::around;
use super::node::{Child, Node, OrientedBox, Summary, WIDTH};
use super::refit::cost;

/// More than an oriented box's axes differ from orthonormal ones, and than a pose's rounding, in parts of its size.
const SKEW: f64 = 1e-6;

/// A box that stands in the frame of a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedBox {
    center: Point3<f64>,
    /// The axes times the half extents (columns, m).
    arms: Matrix3<f64>,
}

impl PlacedBox {
    /// A box at a pose.
    pub fn new(b: &OrientedBox, pose: &Isometry3<f64>) -> PlacedBox {
        let arm = |i: usize| {
            let size = f64::from(b.half[i]) + SKEW * b.half.iter().map(|&h| f64::from(h)).sum::<f64>();
            pose.rotation * Vector3::from(b.axes[i]).cast::<f64>() * size
        };
        let center = pose * Point3::from(b.center).cast::<f64>();
        PlacedBox { center, arms: Matrix3::from_columns(&[arm(0), arm(1), arm(2)]) }
    }

    /// Least and greatest product of its points with a direction.
    fn along(&self, direction: &Vector3<f64>) -> [f64; 2] {
        let middle = direction.dot(&self.center.coords);
        let reach = self.arms.tr_mul(direction).abs().sum();
        let slack = SKEW * reach + f64::EPSILON * 8.0 * (middle.abs() + self.center.coords.abs().sum());
        [middle - reach - slack, middle + reach + slack]
    }

    /// The box along its own axes, as a tree stores it.
    fn own(&self) -> OrientedBox {
        let axis = |i: usize| {
            let arm = self.arms.column(i);
            arm.try_normalize(0.0).map(|axis| axis.cast::<f32>())
        };
        match [axis(0), axis(1), axis(2)] {
            [Some(x), Some(y), Some(z)] => around_all(&[*self], [x.into(), y.into(), z.into()]),
            // A box without extent along an axis has lost the axis.
            _ => around_all(&[*self], UPRIGHT),
        }
    }
}

const UPRIGHT: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The box of given axes around boxes.
fn around_all(boxes: &[PlacedBox], axes: [[f32; 3]; 3]) -> OrientedBox {
    let (mut least, mut most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for b in boxes {
        for i in 0..3 {
            let [lo, hi] = b.along(&Vector3::from(axes[i]).cast());
            (least[i], most[i]) = (least[i].min(lo), most[i].max(hi));
        }
    }
    around(axes, least, most)
}

impl ObbTree {
    /// A tree with one leaf for each box: leaf `k` is box `k`. It has no triangles to be asked for.
    pub(crate) fn of_boxes(boxes: &[PlacedBox]) -> ObbTree {
        if boxes.is_empty() {
            return ObbTree::default();
        }
        let mut nodes = vec![Node::EMPTY];
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let root = stand(boxes, &mut order, &mut nodes);
        nodes[0].set(0, &root.0);
        nodes[0].child[0] = root.1;
        let reach = nodes[0].get(0).reach();
        ObbTree {
            built_cost: cost(&nodes),
            summaries: nodes.iter().map(Summary::new).collect(),
            nodes,
            triangles: (0..boxes.len() as u32).collect(),
            leaf_places: (0..boxes.len() as u32).map(|k| [k, k + 1]).collect(),
            reach,
            ..ObbTree::default()
        }
    }
}

impl ObbTree {
    /// Has the box of a tree of one, as [`ObbTree::of_boxes`] makes it, be another.
    pub(crate) fn set_only_box(&mut self, only: &PlacedBox) {
        let own = only.own();
        self.nodes[0].set(0, &own);
        self.summaries[0] = Summary::new(&self.nodes[0]);
        self.reach = own.reach();
    }
}

/// The box around some of the boxes and what stands below it.
fn stand(boxes: &[PlacedBox], own: &mut [u32], nodes: &mut Vec<Node>) -> (OrientedBox, Child) {
    if let [only] = own {
        return (boxes[*only as usize].own(), Child::leaf(*only));
    }
    let around = around_all(&own.iter().map(|&k| boxes[k as usize]).collect::<Vec<_>>(), UPRIGHT);
    let index = nodes.len();
    nodes.push(Node::EMPTY);
    // Halved until there are eight groups, the one with the most boxes first.
    let mut groups = vec![own];
    while groups.len() < WIDTH {
        let most = (0..groups.len()).max_by_key(|&k| (groups[k].len(), usize::MAX - k));
        let Some(at) = most.filter(|&k| groups[k].len() > 1) else { break };
        let group = groups.remove(at);
        let (left, right) = halve(boxes, group);
        groups.insert(at, right);
        groups.insert(at, left);
    }
    for (lane, group) in groups.into_iter().enumerate() {
        let (b, child) = stand(boxes, group, nodes);
        nodes[index].set(lane, &b);
        nodes[index].child[lane] = child;
    }
    (around, Child::node(index as u32))
}

/// Cut across the axis along which the centres are spread widest, half of them on each side.
fn halve<'o>(boxes: &[PlacedBox], own: &'o mut [u32]) -> (&'o mut [u32], &'o mut [u32]) {
    let center = |k: u32| boxes[k as usize].center;
    let spread = |axis: usize| {
        let along = || own.iter().map(|&k| center(k)[axis]);
        along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
    };
    let spreads = [0, 1, 2].map(spread);
    let axis = (0..3).fold(0, |best, k| if spreads[k] > spreads[best] { k } else { best });
    own.sort_unstable_by(|&p, &q| center(p)[axis].total_cmp(&center(q)[axis]).then(p.cmp(&q)));
    own.split_at_mut(own.len() / 2)
}
