use impinge_geometry::SimdLevel;

use super::super::node::{Child, Node, OrientedBox, WIDTH};
use super::Probe;

/// A source of numbers that is the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }

    /// A box whose axes are any three vectors of about unit length: the levels must agree on
    /// anything.
    fn oriented_box(&mut self, spread: f32) -> OrientedBox {
        let mut row = |s: f32| [0; 3].map(|_| s * (self.next() - 0.5));
        let center = row(spread);
        OrientedBox { center, half: row(1.0).map(f32::abs), axes: [0; 3].map(|_| row(1.7)) }
    }
}

fn all_levels(probe: &Probe, node: &Node) -> Vec<u32> {
    SimdLevel::available().map(|level| probe.overlaps(node, level)).collect()
}

#[test]
fn every_level_gives_the_same_bits() {
    let mut numbers = Numbers(7);
    let (mut overlapping, mut tested) = (0, 0);
    for case in 0..20_000 {
        let children = 1 + case % WIDTH;
        let mut node = Node::EMPTY;
        for lane in 0..children {
            node.child[lane] = Child::leaf(lane as u32);
            node.set(lane, &numbers.oriented_box(1.6));
        }
        let probe = Probe::new(&numbers.oriented_box(1.0), 1e-12);
        let masks = all_levels(&probe, &node);
        assert!(masks.iter().all(|&m| m == masks[0]), "case {case}: {masks:x?}");
        assert_eq!(masks[0] >> children, 0, "a lane without a child overlaps");
        overlapping += masks[0].count_ones();
        tested += children as u32;
    }
    assert!(tested / 5 < overlapping && overlapping < tested * 4 / 5, "{overlapping} of {tested}");
}

#[test]
fn what_is_no_number_is_never_separated_on_any_level() {
    let mut numbers = Numbers(11);
    for odd in [f32::NAN, f32::INFINITY, f32::MAX] {
        for field in 0..3 {
            let mut node = Node::EMPTY;
            for lane in 0..WIDTH {
                node.child[lane] = Child::leaf(lane as u32);
                let mut b = numbers.oriented_box(1.0);
                match field {
                    0 => b.half = [odd; 3],
                    1 => b.axes[lane % 3][0] = odd,
                    _ => {
                        b.center[lane % 3] = odd;
                        b.half = [odd; 3];
                    }
                }
                node.set(lane, &b);
            }
            let masks = all_levels(&Probe::new(&numbers.oriented_box(1.0), 1e-12), &node);
            assert!(masks.iter().all(|&m| m == masks[0]), "{odd}, field {field}: {masks:x?}");
            assert!(field == 1 || masks[0] == 0xff, "{odd}, field {field}: {masks:x?}");
        }
    }
}
