use super::*;
use crate::grid::CellRange;

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

    fn rows(&mut self, count: usize, values: &[f32]) -> Vec<Row> {
        (0..count)
            .map(|_| {
                let lo = [self.index(4) as u16, self.index(4) as u16];
                let cells = match self.index(8) {
                    0 => CellRange::NOWHERE,
                    _ => CellRange { lo, hi: lo.map(|x| x + self.index(3) as u16) },
                };
                let mut row = Row { new: self.extent(values), old: self.extent(values), cells, ..Row::NONE };
                row.stamp = [6, 7, 8, 9, 9, 9, 9][self.index(7)];
                match self.index(60) {
                    0 => row.new = Extent::NONE,
                    1 => row.old = Extent::NONE,
                    _ => {}
                }
                row
            })
            .collect()
    }
}

const PATHS: [Simd; 4] = [Simd::Auto, Simd::Avx2, Simd::Sse2, Simd::Scalar];

/// Few finite values, some of them far apart, some very near.
const FINITE: [f32; 10] = [-1.0, -0.0, 0.0, 1.0, 1.000_000_1, 2.0, 2.5, 1e-40, 3e38, -3e38];

fn bits(block: &Block) -> Vec<u32> {
    let lanes = block.min.iter().chain(&block.max).chain([&block.shell]);
    // A zero may have either sign and a missing bound any payload; no comparison tells them apart.
    lanes.flatten().map(|x| if x.is_nan() { f32::NAN.to_bits() } else { (x + 0.0).to_bits() }).collect()
}

fn blocks(simd: Simd, rows: &[Row]) -> (Vec<Block>, Vec<LaneBits>) {
    rows.chunks(LANES)
        .map(|rows| {
            let mut block = Block::NONE;
            let rows: [&Row; LANES] = std::array::from_fn(|i| &rows[i]);
            let mut bits = hulls(simd.path(), &rows, 3, [2, 1], &mut block);
            if bits.odd == 0 {
                assert_eq!(bits.span, block.span());
            }
            bits.span = Span::default();
            (0..LANES).filter(|lane| bits.odd >> lane & 1 == 1).for_each(|lane| {
                let row = rows[lane];
                block.set(lane, &Hull::apart(&row.new, &row.old));
            });
            (block, bits)
        })
        .unzip()
}

/// The hulls, the lanes that need care and those that leave, on every path.
#[test]
fn all_paths_set_the_same_hulls() {
    let rows = Values(1).rows(64 * LANES, &FINITE);
    let (scalar, scalar_bits) = blocks(Simd::Scalar, &rows);
    assert!(scalar_bits.iter().any(|x| x.odd != 0) && scalar_bits.iter().any(|x| x.leaving != 0xff));
    for simd in PATHS {
        let (found, found_bits) = blocks(simd, &rows);
        assert_eq!(found_bits, scalar_bits, "{simd:?}");
        assert!(found.iter().map(bits).eq(scalar.iter().map(bits)), "{simd:?}");
    }
}

/// Whatever begins or ends is hit: the shells hold every change, rounding and overflow included.
#[test]
fn every_change_is_within_the_shells() {
    let rows = Values(5).rows(40 * LANES, &FINITE);
    let (blocks, _) = blocks(Simd::Scalar, &rows);
    let mut hits = Vec::new();
    (0..blocks.len())
        .for_each(|b| sweep_block(Path::Scalar, &blocks, b, [blocks.len() as u32; 2], &mut hits));
    let hit: std::collections::BTreeSet<(usize, usize)> =
        hits.iter().flat_map(|hit| hit.places().map(|j| (hit.probe as usize, j))).collect();
    let (mut changes, mut left_out) = (0, 0);
    for i in 0..rows.len() {
        for j in i + 1..rows.len() {
            let is = rows[i].new.overlaps(&rows[j].new);
            let was = rows[i].settled(3).overlaps(rows[j].settled(3));
            changes += usize::from(is != was);
            left_out += usize::from(!hit.contains(&(i, j)));
            assert!(is == was || hit.contains(&(i, j)), "{:?} {:?}", rows[i], rows[j]);
        }
    }
    assert!(changes > 1000 && left_out > 1000);
}

/// The tests themselves, missing boxes and infinite bounds included.
#[test]
fn all_paths_give_the_same_hits() {
    let mut values = Values(3);
    let rows = values.rows(64 * LANES, &FINITE);
    let (blocks, _) = blocks(Simd::Scalar, &rows);
    let unbounded = [-1.0, -0.0, 0.0, 1.0, 2.0, f32::INFINITY, f32::NEG_INFINITY, 1e-40];
    let mut settled = vec![Boxes::NONE; 64];
    let mut probes = Vec::new();
    for boxes in &mut settled {
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
    let run = |simd: Simd| {
        let mut hits = Vec::new();
        (0..blocks.len()).for_each(|b| sweep_block(simd.path(), &blocks, b, [b as u32 + 1, 64], &mut hits));
        for (name, probe) in (0..).zip(&probes) {
            probe_blocks(simd.path(), &Hull::apart(&probe.new, &probe.old), name, &blocks, 0, &mut hits);
            probe_settled(simd.path(), probe, name, &settled, 7, &mut hits);
        }
        hits
    };
    let scalar = run(Simd::Scalar);
    assert!(scalar.len() > 1000);
    for simd in PATHS {
        assert!(run(simd) == scalar, "{simd:?}");
    }
}
