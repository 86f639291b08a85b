//! Whether a tree is what it should be.

use impinge_geometry::TriMesh;

use super::covariance::dot;
use super::node::{Below, Child, Node, OrientedBox};
use super::{LEAF_TRIANGLES, ObbTree};

/// What is wrong with a tree.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Violation {
    /// The tree is over another number of triangles than the mesh has.
    #[error("the tree holds {tree} triangles, the mesh {mesh}")]
    TriangleCount {
        /// In the tree.
        tree: usize,
        /// In the mesh.
        mesh: usize,
    },
    /// A triangle stands in several leaves, or is not one of the mesh's.
    #[error("leaf {leaf}: triangle {triangle} is out of range or in another leaf too")]
    Triangle {
        /// The leaf.
        leaf: u32,
        /// The triangle.
        triangle: u32,
    },
    /// A leaf is empty, while no triangle was taken out of the mesh, or too full.
    #[error("leaf {leaf} holds {triangles} triangles; 1 to {LEAF_TRIANGLES} are allowed")]
    LeafSize {
        /// The leaf.
        leaf: u32,
        /// How many it holds.
        triangles: usize,
    },
    /// A node or leaf is met more than once, never, or out of turn.
    #[error("{what} {index} is not met exactly once, in order, on a walk from the root")]
    Order {
        /// `node` or `leaf`.
        what: &'static str,
        /// Its number.
        index: u32,
    },
    /// A corner of a triangle lies outside a box above it.
    #[error(
        "{above} does not hold corner {corner} of triangle {triangle}: {distance:e} > {half:e} on axis {axis}"
    )]
    Outside {
        /// The box: `root`, or the node and lane in which it stands.
        above: String,
        /// The triangle.
        triangle: u32,
        /// Which of its corners.
        corner: usize,
        /// The axis of the box.
        axis: usize,
        /// The corner's distance from the box's centre along it (m).
        distance: f64,
        /// The half extent (m).
        half: f32,
    },
    /// The axes of a box are not orthonormal.
    #[error("{above}: axes {i} and {j} have the product {product}")]
    Axes {
        /// The box: `root`, or the node and lane in which it stands.
        above: String,
        /// One axis.
        i: usize,
        /// The other (or the same).
        j: usize,
        /// Their product.
        product: f64,
    },
}

impl ObbTree {
    /// Checks the whole tree against the mesh it was built over: every triangle is in exactly one
    /// leaf, leaves are of the right size and in order, boxes are orthonormal and hold their
    /// triangles.
    ///
    /// # Errors
    /// The first [`Violation`] found.
    pub fn validate(&self, mesh: &TriMesh) -> Result<(), Violation> {
        let removed = mesh.removed_triangles() as usize;
        let (tree, count) = (self.triangle_count(), mesh.triangles().len() - removed);
        if tree != count {
            return Err(Violation::TriangleCount { tree, mesh: count });
        }
        let mut seen: Vec<bool> = (0..mesh.triangles().len() as u32).map(|t| !mesh.has_triangle(t)).collect();
        for leaf in 0..self.leaf_count() as u32 {
            let own = self.leaf_triangles(leaf);
            if (own.is_empty() && removed == 0) || own.len() > LEAF_TRIANGLES {
                return Err(Violation::LeafSize { leaf, triangles: own.len() });
            }
            for triangle in own {
                match seen.get_mut(triangle as usize) {
                    Some(seen) if !*seen => *seen = true,
                    _ => return Err(Violation::Triangle { leaf, triangle }),
                }
            }
        }
        self.check_order()?;
        let mut open = vec![(self.root_child(), self.root_box(), String::from("the root"))];
        while let Some((child, own, above)) = open.pop() {
            let mut leaves = Vec::new();
            self.leaves_below(child, &mut leaves);
            let triangles: Vec<u32> = leaves.iter().flat_map(|&leaf| self.leaf_triangles(leaf)).collect();
            holds(mesh, &own, &above, &triangles)?;
            if let Below::Node(index) = child.below() {
                let node = &self.nodes[index as usize];
                for lane in 0..node.len() {
                    open.push((node.child[lane], node.get(lane), format!("node {index}, lane {lane}")));
                }
            }
        }
        Ok(())
    }

    /// Nodes and leaves are met in the order of their numbers.
    fn check_order(&self) -> Result<(), Violation> {
        let (mut nodes, mut leaves) = (1, 0);
        let mut stack = vec![self.root_child()];
        while let Some(child) = stack.pop() {
            let index = child.index();
            if child.is_leaf() {
                if index != leaves {
                    return Err(Violation::Order { what: "leaf", index });
                }
                leaves += 1;
                continue;
            }
            let Some(node) = self.nodes.get(index as usize).filter(|_| index == nodes) else {
                return Err(Violation::Order { what: "node", index });
            };
            nodes += 1;
            stack.extend(node.child[..node.len()].iter().rev());
        }
        match (nodes as usize == self.nodes.len(), leaves as usize == self.leaf_count()) {
            (false, _) => Err(Violation::Order { what: "node", index: nodes }),
            (_, false) => Err(Violation::Order { what: "leaf", index: leaves }),
            _ => Ok(()),
        }
    }

    fn leaves_below(&self, child: Child, out: &mut Vec<u32>) {
        let mut stack = vec![child];
        while let Some(child) = stack.pop() {
            if child.is_leaf() {
                out.push(child.index());
            } else {
                let node: &Node = &self.nodes[child.index() as usize];
                stack.extend(node.child[..node.len()].iter().rev());
            }
        }
    }
}

fn holds(mesh: &TriMesh, own: &OrientedBox, above: &str, triangles: &[u32]) -> Result<(), Violation> {
    let axes = own.axes.map(|axis| axis.map(f64::from));
    for i in 0..3 {
        for j in 0..3 {
            let product = dot(axes[i], axes[j]);
            let wrong = (product - f64::from(u8::from(i == j))).abs();
            if wrong.is_nan() || wrong > 4.0 / 16_777_216.0 {
                return Err(Violation::Axes { above: above.to_owned(), i, j, product });
            }
        }
    }
    for &triangle in triangles {
        for (corner, p) in mesh.corners(triangle).into_iter().enumerate() {
            let d: [f64; 3] = std::array::from_fn(|k| f64::from(p[k]) - f64::from(own.center[k]));
            for axis in 0..3 {
                let (distance, half) = (dot(axes[axis], d).abs(), own.half[axis]);
                if half.is_nan() || distance > f64::from(half) {
                    let above = above.to_owned();
                    return Err(Violation::Outside { above, triangle, corner, axis, distance, half });
                }
            }
        }
    }
    Ok(())
}
