//! Boxes that meet, directly or through others.
//!
//! Only which boxes hang together is asked, not which pairs meet: a tree of boxes is descended against itself, and
//! branches that already hang together are passed over. So thousands of boxes in one place, or side by side on one
//! plane, cost no more than as many that are apart.

use super::sets::{root, unite};
use impinge_image_space::view::Extent;

/// Boxes of a leaf, at most.
const LEAF: usize = 4;

/// A branch of the tree: a range of the order, and where its second half begins.
#[derive(Clone, Copy, Debug)]
struct Node {
    extent: Extent,
    from: u32,
    to: u32,
    /// Its halves' nodes; none of a leaf.
    halves: Option<[u32; 2]>,
    /// Whether its boxes are known to hang together.
    whole: bool,
}

/// Buffers of this pass.
#[derive(Debug, Default)]
pub(crate) struct BoxClusters {
    nodes: Vec<Node>,
    order: Vec<u32>,
    /// How many pairs of boxes and of branches were compared.
    pub comparisons: u64,
}

impl BoxClusters {
    /// Unites the sets (`parent`, by least member) of boxes that meet, or miss each other by no more than `slack` (m).
    pub fn unite(&mut self, boxes: &[Extent], slack: f64, parent: &mut [u32]) {
        self.nodes.clear();
        self.order.clear();
        self.order.extend(0..boxes.len() as u32);
        self.comparisons = 0;
        if boxes.is_empty() {
            return;
        }
        let top = self.build(boxes, 0, boxes.len());
        let mut join = Joining { boxes, slack, parent, comparisons: 0 };
        join.within(&mut self.nodes, &self.order, top);
        self.comparisons = join.comparisons;
    }

    /// Builds the branch of a range and gives its node.
    fn build(&mut self, boxes: &[Extent], from: usize, to: usize) -> u32 {
        let mut extent = Extent::EMPTY;
        let mut middles = Extent::EMPTY;
        for &i in &self.order[from..to] {
            extent.merge(&boxes[i as usize]);
            middles.add(boxes[i as usize].center());
        }
        let node = self.nodes.len() as u32;
        self.nodes.push(Node {
            extent,
            from: from as u32,
            to: to as u32,
            halves: None,
            whole: to - from == 1,
        });
        if to - from > LEAF {
            let axis = (1..3).fold(0, |k, i| if middles.size(i) > middles.size(k) { i } else { k });
            let middle = (to - from) / 2;
            let at = |i: u32| boxes[i as usize].min[axis] + boxes[i as usize].max[axis];
            self.order[from..to]
                .select_nth_unstable_by(middle, |&i, &j| at(i).total_cmp(&at(j)).then(i.cmp(&j)));
            let halves = [self.build(boxes, from, from + middle), self.build(boxes, from + middle, to)];
            self.nodes[node as usize].halves = Some(halves);
        }
        node
    }
}

/// The descent of a tree against itself.
struct Joining<'a> {
    boxes: &'a [Extent],
    slack: f64,
    parent: &'a mut [u32],
    comparisons: u64,
}

impl Joining<'_> {
    /// Unites what meets within a branch.
    fn within(&mut self, nodes: &mut [Node], order: &[u32], node: u32) {
        let Node { from, to, halves, .. } = nodes[node as usize];
        match halves {
            Some([left, right]) => {
                self.within(nodes, order, left);
                self.within(nodes, order, right);
                self.between(nodes, order, left, right);
            }
            None => {
                let own = &order[from as usize..to as usize];
                for (k, &i) in own.iter().enumerate() {
                    own[k + 1..].iter().for_each(|&j| self.pair(i, j));
                }
            }
        }
        nodes[node as usize].whole = self.hangs_together(nodes, order, node);
    }

    /// Unites what meets between two branches.
    fn between(&mut self, nodes: &[Node], order: &[u32], left: u32, right: u32) {
        self.comparisons += 1;
        let (p, q) = (&nodes[left as usize], &nodes[right as usize]);
        if !p.extent.grown(self.slack).overlaps(&q.extent) {
            return;
        }
        if p.whole && q.whole {
            let first = |node: &Node| order[node.from as usize];
            if root(self.parent, first(p)) == root(self.parent, first(q)) {
                return;
            }
        }
        match (p.halves, q.halves) {
            (Some(halves), _) if q.halves.is_none() || p.extent.longest() >= q.extent.longest() => {
                halves.into_iter().for_each(|half| self.between(nodes, order, half, right));
            }
            (_, Some(halves)) => {
                halves.into_iter().for_each(|half| self.between(nodes, order, left, half));
            }
            _ => {
                for &i in &order[p.from as usize..p.to as usize] {
                    for &j in &order[q.from as usize..q.to as usize] {
                        self.pair(i, j);
                    }
                }
            }
        }
    }

    fn pair(&mut self, i: u32, j: u32) {
        self.comparisons += 1;
        if self.boxes[i as usize].grown(self.slack).overlaps(&self.boxes[j as usize]) {
            unite(self.parent, i, j);
        }
    }

    /// Whether the boxes of a branch, whose halves' are known, are in one set.
    fn hangs_together(&mut self, nodes: &[Node], order: &[u32], node: u32) -> bool {
        let Node { from, to, halves, .. } = nodes[node as usize];
        let top = root(self.parent, order[from as usize]);
        match halves {
            Some([left, right]) => {
                let second = order[nodes[right as usize].from as usize];
                nodes[left as usize].whole && nodes[right as usize].whole && root(self.parent, second) == top
            }
            None => order[from as usize..to as usize].iter().all(|&i| root(self.parent, i) == top),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clusters(boxes: &[Extent], slack: f64) -> (Vec<u32>, u64) {
        let mut parent: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut found = BoxClusters::default();
        found.unite(boxes, slack, &mut parent);
        let sets = (0..boxes.len() as u32).map(|i| root(&mut parent, i)).collect();
        (sets, found.comparisons)
    }

    fn brute_force(boxes: &[Extent], slack: f64) -> Vec<u32> {
        let mut parent: Vec<u32> = (0..boxes.len() as u32).collect();
        for i in 0..boxes.len() {
            for j in 0..i {
                if boxes[i].grown(slack).overlaps(&boxes[j]) {
                    unite(&mut parent, i as u32, j as u32);
                }
            }
        }
        (0..boxes.len() as u32).map(|i| root(&mut parent, i)).collect()
    }

    proptest! {
        #[test]
        fn they_are_those_of_all_pairs(
            boxes in prop::collection::vec(([-8..8i32, -8..8i32, -8..8i32], [0..3i32, 0..3i32, 0..3i32]), 0..120),
            slack in prop_oneof![Just(0.0), Just(0.5), Just(1.0)],
        ) {
            let boxes: Vec<Extent> = boxes
                .iter()
                .map(|(at, size)| Extent {
                    min: at.map(|x| f64::from(2 * x)),
                    max: std::array::from_fn(|k| f64::from(2 * at[k] + size[k])),
                })
                .collect();
            prop_assert_eq!(clusters(&boxes, slack).0, brute_force(&boxes, slack));
        }
    }

    /// Boxes in one place, side by side on a plane, in a line, and apart: none takes more than n · log n comparisons.
    #[test]
    fn work_grows_hardly_faster_than_the_number_of_boxes() {
        let at = |x: f64, y: f64, size: f64| Extent { min: [x, y, 0.0], max: [x + size, y + size, 0.0] };
        type Place = fn(usize, usize) -> (f64, f64, f64);
        let places: [Place; 4] = [
            |_, _| (0.0, 0.0, 1.0),
            |i, j| (i as f64, j as f64, 1.0),
            |i, j| ((100 * i + j) as f64, 0.0, 1.5),
            |i, j| (2.0 * i as f64, 2.0 * j as f64, 1.0),
        ];
        for place in places {
            let boxes: Vec<Extent> =
                (0..10_000).map(|k| place(k / 100, k % 100)).map(|(x, y, s)| at(x, y, s)).collect();
            let (_, comparisons) = clusters(&boxes, 1e-9);
            assert!(comparisons < 40 * 10_000, "{comparisons} comparisons of 10,000 boxes");
        }
    }
}
