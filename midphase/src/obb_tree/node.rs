//! The layout of nodes: the children's boxes side by side in the parent.

use impinge_geometry::volume::round_up;
use impinge_geometry::{Aabb, Obb};
use nalgebra::{Matrix3, Point3};

/// The most children of a node.
pub(super) const WIDTH: usize = 8;

/// What stands below a box: 0 for nothing, else the number of a node or leaf, plus 1; leaves have
/// the highest bit set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Child(u32);

/// A child, told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Below {
    None,
    Node(u32),
    Leaf(u32),
}

impl Child {
    pub const NONE: Child = Child(0);
    const LEAF: u32 = 1 << 31;

    pub fn node(index: u32) -> Child {
        Child(index + 1)
    }

    pub fn leaf(index: u32) -> Child {
        Child((index + 1) | Child::LEAF)
    }

    #[inline]
    pub fn is_leaf(self) -> bool {
        self.0 & Child::LEAF != 0
    }

    /// The number of the node or leaf, of which there is one.
    #[inline]
    pub fn index(self) -> u32 {
        (self.0 & !Child::LEAF).wrapping_sub(1)
    }

    pub fn below(self) -> Below {
        match self {
            Child::NONE => Below::None,
            leaf if leaf.is_leaf() => Below::Leaf(leaf.index()),
            node => Below::Node(node.index()),
        }
    }
}

/// Up to eight children with their boxes; those there are come first.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Node {
    /// Centres (m): x, y and z of every child.
    pub center: [[f32; WIDTH]; 3],
    /// Half extents (m) along the three axes.
    pub half: [[f32; WIDTH]; 3],
    /// `axes[i][k]` is component `k` of axis `i`.
    pub axes: [[[f32; WIDTH]; 3]; 3],
    /// What stands below each box.
    pub child: [Child; WIDTH],
}

impl Node {
    /// Without children: half extents of minus infinity, from which every axis separates.
    pub const EMPTY: Node = Node {
        center: [[0.0; WIDTH]; 3],
        half: [[f32::NEG_INFINITY; WIDTH]; 3],
        axes: [[[0.0; WIDTH]; 3]; 3],
        child: [Child::NONE; WIDTH],
    };

    /// Without children, and the axes of the frame for all that may come.
    pub const UPRIGHT: Node = {
        let mut node = Node::EMPTY;
        let mut k = 0;
        while k < 3 {
            node.axes[k][k] = [1.0; WIDTH];
            k += 1;
        }
        node
    };

    /// How many children there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.child.iter().map(|&c| usize::from(c != Child::NONE)).sum()
    }

    /// The box of one child.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> OrientedBox {
        let lane = lane % WIDTH;
        OrientedBox {
            center: [self.center[0][lane], self.center[1][lane], self.center[2][lane]],
            half: [self.half[0][lane], self.half[1][lane], self.half[2][lane]],
            axes: std::array::from_fn(|i| std::array::from_fn(|k| self.axes[i][k][lane])),
        }
    }

    pub fn set(&mut self, lane: usize, b: &OrientedBox) {
        for i in 0..3 {
            self.center[i][lane] = b.center[i];
            self.half[i][lane] = b.half[i];
            for k in 0..3 {
                self.axes[i][k][lane] = b.axes[i][k];
            }
        }
    }
}

/// What a descent asks of a node before and after its boxes are tested.
#[derive(Clone, Copy, Debug)]
pub(super) struct Summary {
    /// [`OrientedBox::size`] of all children that are nodes, less than any size for the others: the
    /// larger of two boxes is opened, and a leaf never is.
    pub sizes: [f32; WIDTH],
    /// One bit for each child that is a leaf.
    pub leaves: u8,
    /// How many children there are.
    pub count: u8,
}

impl Summary {
    pub fn new(node: &Node) -> Summary {
        let mut summary = Summary { sizes: [-1.0; WIDTH], leaves: 0, count: node.len() as u8 };
        for lane in 0..WIDTH {
            match node.child[lane].below() {
                // Whatever comes of an overflow, it is no leaf.
                Below::Node(_) => summary.sizes[lane] = node.get(lane).size().max(0.0),
                Below::Leaf(_) => summary.leaves |= 1 << lane,
                Below::None => {}
            }
        }
        summary
    }
}

/// One box: every `x` with `|axes[i] · (x − center)| ≤ half[i]`, in the mesh's frame (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OrientedBox {
    pub center: [f32; 3],
    pub half: [f32; 3],
    /// `axes[i]` is axis `i`, of unit length up to rounding.
    pub axes: [[f32; 3]; 3],
}

impl OrientedBox {
    pub fn to_obb(self) -> Obb {
        Obb {
            center: Point3::from(self.center),
            axes: Matrix3::from_fn(|row, column| self.axes[column][row]),
            half: self.half,
        }
    }

    pub fn from_obb(obb: &Obb) -> OrientedBox {
        OrientedBox {
            center: obb.center.into(),
            half: obb.half,
            axes: std::array::from_fn(|i| std::array::from_fn(|k| obb.axes[(k, i)])),
        }
    }

    /// The box around a finite axis-aligned one.
    pub fn from_aabb(aabb: &Aabb) -> OrientedBox {
        let center: [f32; 3] = aabb.center().into();
        let half = std::array::from_fn(|k| {
            let c = f64::from(center[k]);
            round_up((f64::from(aabb.max[k]) - c).max(c - f64::from(aabb.min[k])))
        });
        OrientedBox { center, half, axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] }
    }

    /// No point of the box is farther than this from the frame's origin (m).
    pub fn reach(&self) -> f64 {
        self.center.iter().chain(&self.half).map(|x| f64::from(x.abs())).sum()
    }

    /// Whether some point of the box may have `normal · x ≤ level` (m); `normal` is unit.
    pub fn reaches_below(&self, normal: &[f64; 3], level: f64) -> bool {
        self.lowest(normal) <= level
    }

    /// No point of the box has a smaller `normal · x` (m); `normal` is unit.
    pub fn lowest(&self, normal: &[f64; 3]) -> f64 {
        let along = |v: &[f32; 3]| {
            normal[0] * f64::from(v[0]) + normal[1] * f64::from(v[1]) + normal[2] * f64::from(v[2])
        };
        let radius: f64 = (0..3).map(|i| f64::from(self.half[i]) * along(&self.axes[i]).abs()).sum();
        // The axes are orthonormal within 4 · 2⁻²⁴.
        let loose = 5e-7 * self.half.iter().map(|&h| f64::from(h)).sum::<f64>();
        along(&self.center) - radius - loose
    }

    /// An eighth of the surface (m²).
    pub fn area(&self) -> f64 {
        let [x, y, z] = self.half.map(f64::from);
        x * y + y * z + z * x
    }

    /// A measure of size by which the larger of two boxes is opened (m).
    #[inline]
    pub fn size(&self) -> f32 {
        self.half[0] + self.half[1] + self.half[2]
    }
}
