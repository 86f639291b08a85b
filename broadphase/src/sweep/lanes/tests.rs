use super::*;
use crate::grid::CellRange;
use crate::registry::proxy::Extent;

/// Coordinates from a few values, so that many boxes touch.
struct Values(u32);

impl Values {
    fn next(&mut self, values: &[f32]) -> f32 {
        values[self.index(values.len())]
    }

    fn index(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) as usize % below
    }

    fn extent(&mut self, values: &[f32]) -> Extent {
        let (x, y) = ([0; 3].map(|_| self.next(values)), [0; 3].map(|_| self.next(values)));
        let min = [0, 1, 2].map(|k| if x[k] <= y[k] { x[k] } else { y[k] });
        Extent { min, max: [0, 1, 2].map(|k| if x[k] <= y[k] { y[k] } else { x[k] }) }
    }

    fn proxies(&mut self, count: usize, values: &[f32]) -> Vec<Proxy> {
        (0..count)
            .map(|_| {
                let lo = [self.index(4) as u16, self.index(4) as u16];
                let cells = match self.index(8) {
                    0 => CellRange::NOWHERE,
                    _ => CellRange { lo, hi: lo.map(|x| x + self.index(3) as u16) },
                };
                let mut proxy =
                    Proxy { new: self.extent(values), old: self.extent(values), cells, ..Proxy::NONE };
                proxy.stamp = [6, 7, 8, 9, 9, 9, 9][self.index(7)];
                match self.index(60) {
                    0 => proxy.new = Extent::NONE,
                    1 => proxy.old = Extent::NONE,
                    _ => {}
                }
                proxy
            })
            .collect()
    }
}

/// How the tests are made.
#[derive(Clone, Copy, Debug)]
enum By {
    /// As [`plain`] says.
    Definition,
    Simd(SimdLevel),
}

use By::Definition;

/// All that this processor has.
fn levels() -> impl Iterator<Item = By> {
    SimdLevel::available().map(By::Simd)
}

impl By {
    fn sweep_block(self, blocks: &[Block], reach: Reach, squares: &mut Squares) {
        match self {
            Definition => plain::sweep_block(blocks, reach, squares),
            By::Simd(level) => sweep_block(level, blocks, reach, squares),
        }
    }

    fn sweep_states(self, states: &[States], reach: Reach, squares: &mut Squares) {
        match self {
            Definition => plain::sweep_states(states, reach, squares),
            By::Simd(level) => sweep_states(level, states, reach, squares),
        }
    }

    fn sweep_coarse(self, blocks: &[Coarse], reach: Reach, squares: &mut Squares) {
        match self {
            Definition => plain::sweep_coarse(blocks, reach, squares),
            By::Simd(level) => sweep_coarse(level, blocks, reach, squares),
        }
    }

    fn coarsen(self, block: &Block, frame: &Frame, coarse: &mut Coarse) {
        match self {
            Definition => plain::coarsen(block, frame, coarse),
            By::Simd(level) => coarsen(level, block, frame, coarse),
        }
    }

    fn hulls(self, proxies: &[&Proxy; LANES], block: &mut Block, states: &mut States) -> LaneBits {
        match self {
            Definition => plain::hulls(proxies, 3, [2, 1], block, Some(states)),
            By::Simd(level) => hulls(level, proxies, 3, [2, 1], block, Some(states)),
        }
    }

    fn probe_blocks(self, probe: &Hull, name: u32, blocks: &[Block], hits: &mut Vec<Hit>) {
        match self {
            Definition => plain::probe(probe, name, blocks, 0, hits),
            By::Simd(level) => probe_blocks(level, probe, name, blocks, 0, hits),
        }
    }

    fn probe_cached(self, probe: &Change, name: u32, boxes: &[Boxes], hits: &mut Vec<Hit>) {
        match self {
            Definition => plain::probe_cached(probe, name, boxes, 7, hits),
            By::Simd(level) => probe_cached(level, probe, name, boxes, 7, hits),
        }
    }
}

/// Few finite values, some of them far apart, some very near.
const FINITE: [f32; 10] = [-1.0, -0.0, 0.0, 1.0, 1.000_000_1, 2.0, 2.5, 1e-40, 3e38, -3e38];

fn bits((block, states): &(Block, States)) -> Vec<u32> {
    let States { new, old } = states;
    let lanes = block.min.iter().chain(&block.max).chain([&block.shell]);
    let lanes = lanes.chain(&new.min).chain(&new.max).chain(&old.min).chain(&old.max);
    // A zero may have either sign and a missing bound any payload; no comparison tells them apart.
    lanes.flatten().map(|x| if x.is_nan() { f32::NAN.to_bits() } else { (x + 0.0).to_bits() }).collect()
}

/// The hulls and states of proxies, eight at a time, and what else is known of them.
fn blocks(by: By, proxies: &[Proxy]) -> (Vec<(Block, States)>, Vec<LaneBits>) {
    proxies
        .chunks(LANES)
        .map(|proxies| {
            let (mut block, mut states) = (Block::NONE, States::NONE);
            let proxies: [&Proxy; LANES] = std::array::from_fn(|i| &proxies[i]);
            let mut bits = by.hulls(&proxies, &mut block, &mut states);
            if bits.odd == 0 {
                assert_eq!(bits.span, block.span());
            }
            bits.span = Span::default();
            (0..LANES).filter(|lane| bits.odd >> lane & 1 == 1).for_each(|lane| {
                let proxy = proxies[lane];
                block.set(lane, &Hull::apart(&proxy.new, &proxy.old));
                states.set(lane, &Change { new: proxy.new, old: proxy.old });
            });
            ((block, states), bits)
        })
        .unzip()
}

/// The hulls, the lanes that need care and those that leave, on every level.
#[test]
fn all_levels_set_the_same_hulls() {
    let proxies = Values(1).proxies(if cfg!(miri) { 8 } else { 64 } * LANES, &FINITE);
    let (scalar, scalar_bits) = blocks(Definition, &proxies);
    assert!(scalar_bits.iter().any(|x| x.odd != 0) && scalar_bits.iter().any(|x| x.leaving != 0xff));
    for by in levels() {
        let (found, found_bits) = blocks(by, &proxies);
        assert_eq!(found_bits, scalar_bits, "{by:?}");
        assert!(found.iter().map(bits).eq(scalar.iter().map(bits)), "{by:?}");
    }
}

/// Whatever begins or ends is hit: the shells hold every change, rounding and overflow included; the
/// states hold nothing else.
#[test]
fn every_change_is_within_the_shells() {
    let proxies = Values(5).proxies(if cfg!(miri) { 6 } else { 40 } * LANES, &FINITE);
    let (blocks, states): (Vec<_>, Vec<_>) = blocks(Definition, &proxies).0.into_iter().unzip();
    let (mut shells, mut exact) = (Squares::default(), Squares::default());
    for b in 0..blocks.len() as u32 {
        let reach = Reach::new(b, [blocks.len() as u32; 2]);
        Definition.sweep_block(&blocks, reach, &mut shells);
        Definition.sweep_states(&states, reach, &mut exact);
    }
    let places = |squares: &Squares| -> std::collections::BTreeSet<(usize, usize)> {
        squares.found().iter().flat_map(|square| square.places()).collect()
    };
    let (shells, exact) = (places(&shells), places(&exact));
    let (mut changes, mut left_out) = (0, 0);
    for i in 0..proxies.len() {
        for j in i + 1..proxies.len() {
            let is = proxies[i].new.overlaps(&proxies[j].new);
            let was = proxies[i].reported(3).overlaps(proxies[j].reported(3));
            changes += usize::from(is != was);
            left_out += usize::from(!shells.contains(&(i, j)));
            assert!(is == was || shells.contains(&(i, j)), "{:?} {:?}", proxies[i], proxies[j]);
            assert_eq!(is != was, exact.contains(&(i, j)), "{:?} {:?}", proxies[i], proxies[j]);
        }
    }
    assert!(changes > proxies.len() && left_out > proxies.len());
}

/// Rounded to steps, hulls hit all that they hit as they are, on every level the same, and not much more
/// where they lie in the frame.
#[test]
fn steps_lose_no_hit() {
    const COUNT: usize = if cfg!(miri) { 4 } else { 48 };
    let near: Vec<f32> = (0..40).map(|i| 0.125 * (i as f32 - 20.0) + 1e-4 * (i * i % 7) as f32).collect();
    let far = [-1e30, -40.0, 0.0, 1e-3, 2.0, 41.0, 3e38, -3e38];
    for (values, in_frame) in [(&near[..], true), (&far[..], false)] {
        let mut random = Values(11);
        let proxies = random.proxies(COUNT * LANES, values);
        let blocks: Vec<Block> = blocks(Definition, &proxies).0.into_iter().map(|x| x.0).collect();
        let frame = Frame { origin: [0.3, -0.2, 0.01], scale: 8000.0 };
        assert_eq!(frame.holds(&blocks), in_frame);
        let sweep = |by: By| {
            let mut coarse = vec![Coarse::NONE; COUNT];
            for (coarse, block) in coarse.iter_mut().zip(&blocks) {
                by.coarsen(block, &frame, coarse);
            }
            let mut squares = Squares::default();
            for b in 0..COUNT as u32 {
                let reach = Reach::new(b, [(b + 3).min(COUNT as u32), COUNT as u32]);
                by.sweep_coarse(&coarse, reach, &mut squares);
            }
            (coarse, squares.found().to_vec())
        };
        let mut plain = Squares::default();
        for b in 0..COUNT as u32 {
            let reach = Reach::new(b, [(b + 3).min(COUNT as u32), COUNT as u32]);
            Definition.sweep_block(&blocks, reach, &mut plain);
        }
        let scalar = sweep(Definition);
        for by in levels() {
            assert!(sweep(by) == scalar, "{by:?}");
        }
        let places = |squares: &[Square]| -> std::collections::BTreeSet<(usize, usize)> {
            squares.iter().flat_map(|square| square.places()).collect()
        };
        let (plain, found) = (places(plain.found()), places(&scalar.1));
        assert!(plain.is_subset(&found));
        assert!(!in_frame || found.len() < plain.len() + plain.len() / 4, "{} {}", plain.len(), found.len());
    }
}

/// A lane without a hull is met by none, not even by one that reaches everywhere.
#[test]
fn an_empty_lane_is_never_hit() {
    let mut block = Block::NONE;
    block.set(0, &Hull::single(&Extent { min: [-3e38; 3], max: [3e38; 3] }));
    let frame = Frame { origin: [0.0; 3], scale: 1.0 };
    for by in levels() {
        let mut coarse = [Coarse::NONE; 2];
        by.coarsen(&block, &frame, &mut coarse[0]);
        coarse[0].clear_from(1);
        coarse[1] = coarse[0];
        let mut squares = Squares::default();
        by.sweep_coarse(&coarse, Reach::new(0, [2, 2]), &mut squares);
        let places: Vec<_> = squares.found().iter().flat_map(|square| square.places()).collect();
        assert_eq!(places, [(0, LANES)], "{by:?}");
    }
}

/// Which probes and blocks are tested: all eight up to one end, a half up to the other, and of a block
/// against itself each pair once.
#[test]
fn each_half_of_a_block_has_a_reach_of_its_own() {
    let everywhere = Extent { min: [0.0; 3], max: [1.0; 3] };
    let mut blocks = vec![Block::NONE; 6];
    for block in &mut blocks {
        (0..LANES).for_each(|lane| block.set(lane, &Hull::single(&everywhere)));
    }
    for (ends, expected) in [([3, 3], 28 + 8 * 8), ([3, 5], 28 + 8 * 8 + 2 * 8 * 4), ([4, 2], 28 + 2 * 8 * 4)]
    {
        for by in levels() {
            let mut squares = Squares::default();
            by.sweep_block(&blocks, Reach::new(1, ends), &mut squares);
            let places: Vec<_> = squares.found().iter().flat_map(|square| square.places()).collect();
            assert_eq!(places.len(), expected, "{by:?}");
            for (i, j) in places {
                let end = ends[usize::from(i % LANES >= LANES / 2)] as usize;
                assert!(i / LANES == 1 && i < j && j / LANES < end, "{by:?}: {i} {j}");
            }
        }
    }
}

/// The tests themselves, missing boxes and infinite bounds included.
#[test]
fn all_levels_give_the_same_hits() {
    const COUNT: usize = if cfg!(miri) { 8 } else { 64 };
    let mut values = Values(3);
    let proxies = values.proxies(COUNT * LANES, &FINITE);
    let (blocks, states): (Vec<_>, Vec<_>) = blocks(Definition, &proxies).0.into_iter().unzip();
    let unbounded = [-1.0, -0.0, 0.0, 1.0, 2.0, f32::INFINITY, f32::NEG_INFINITY, 1e-40];
    let mut cached = vec![Boxes::NONE; COUNT];
    let mut probes = Vec::new();
    for boxes in &mut cached {
        (0..LANES).for_each(|lane| boxes.set(lane, &values.extent(&unbounded)));
        let mut probe = Change { new: values.extent(&unbounded), old: values.extent(&unbounded) };
        match values.index(6) {
            0 => probe.new = Extent::NONE,
            1 => probe.old = Extent::NONE,
            _ => {}
        }
        probes.push(probe);
        boxes.set(values.index(LANES), &Extent::NONE);
    }
    let run = |by: By| {
        let (mut squares, mut hits) = (Squares::default(), Vec::new());
        for b in 0..COUNT as u32 {
            let reach = Reach::new(b, [b + 1, COUNT as u32]);
            by.sweep_block(&blocks, reach, &mut squares);
            by.sweep_states(&states, reach, &mut squares);
        }
        for (name, probe) in (0..).zip(&probes) {
            by.probe_blocks(&Hull::apart(&probe.new, &probe.old), name, &blocks, &mut hits);
            by.probe_cached(probe, name, &cached, &mut hits);
        }
        (squares.found().to_vec(), hits)
    };
    let scalar = run(Definition);
    assert!(scalar.0.len() > COUNT && scalar.1.len() > COUNT);
    for by in levels() {
        assert!(run(by) == scalar, "{by:?}");
    }
}
