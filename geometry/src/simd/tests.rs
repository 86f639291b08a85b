use super::*;

/// Numbers that rounding, signs and comparisons treat differently.
const ODD: [f32; 12] =
    [0.0, -0.0, 1.0, -1.5, f32::INFINITY, f32::NAN, 1e-40, f32::MAX, 0.1, 7.25e-9, 3.3e20, -2.5];

/// NaN may differ in its payload; masks may not.
fn plain(x: f32) -> u32 {
    if x.is_nan() && x.to_bits() != u32::MAX { 1 } else { x.to_bits() }
}

/// Every operation of `f32` lanes on eight numbers, as bits.
struct Floats<'a>(&'a [f32; 8], &'a [f32; 8]);

impl Floats<'_> {
    #[inline(always)]
    fn run<V: F32Lanes>(&self) -> (Vec<[u32; 8]>, Vec<u32>) {
        let mut out = vec![[0; 8]; 22];
        let mut bits = vec![0; 2];
        let mut at = 0;
        while at < 8 {
            let (x, y) = (V::load(&self.0[at..]), V::load(&self.1[at..]));
            let shifted = x.to_bits().shift_right::<1>();
            let split = x.to_bits().halves_saturating_sub(y.to_bits());
            let rows = [
                x.add(y),
                x.sub(y),
                x.mul(y),
                x.div(y),
                x.min(y),
                x.max(y),
                x.abs(),
                x.abs().sqrt(),
                x.less(y),
                x.at_most(y),
                x.is_nan(),
                x.less(y).and(x.at_most(V::splat(0.5))),
                x.less(y).or(y.less(x)),
                x.less(y).xor(x.at_most(y)),
                x.less(y).select(x, y),
                x.at_most(y).select(y, x),
                x.select_by_sign(y, x),
                V::from_bits(shifted.or(V::Bits::splat(1))),
                V::from_bits(x.to_bits().equal(y.to_bits())),
                V::from_bits(split),
                V::repeat(self.0.first_chunk().unwrap()),
                y,
            ];
            for k in 0..rows.len() {
                let mut lanes = [0.0; 8];
                rows[k].store(&mut lanes);
                for lane in 0..V::LANES {
                    out[k][at + lane] = plain(lanes[lane]);
                }
            }
            bits[0] |= x.less(y).bits() << at;
            bits[1] |= x.at_most(y).bits() << at;
            let mut four = [0.0; 4];
            x.store_four(&mut four);
            assert!(four.iter().zip(&self.0[at..]).all(|(a, b)| a.to_bits() == b.to_bits()));
            at += V::LANES;
        }
        (out, bits)
    }
}

/// What all vectors of a level make of them.
#[derive(Debug, PartialEq)]
struct Found {
    lanes: Vec<(Vec<[u32; 8]>, Vec<u32>)>,
    rows: Vec<[u32; 8]>,
    small: Vec<f32>,
    low: [u16; 4],
    doubles: [[u32; 2]; 2],
    words: [i16; 8],
    squares: u64,
}

impl Kernel for Floats<'_> {
    type Output = Found;

    #[inline(always)]
    fn run<S: Simd>(self) -> Found {
        let (x, y) = (self.0, self.1);
        let lanes = vec![
            Floats::run::<S::F32>(&self),
            Floats::run::<S::F32x4>(&self),
            Floats::run::<S::F32x8>(&self),
        ];
        let mut rows = Vec::new();
        let mut push = |row: S::F32x8| {
            let mut lanes = [0.0; 8];
            row.store(&mut lanes);
            rows.push(lanes.map(plain));
        };
        push(S::F32x8::pair(x.first_chunk().unwrap(), y.last_chunk().unwrap()));
        push(S::F32x8::halves(x[3], y[6]));
        push(S::F32x8::spread(y.first_chunk().unwrap(), 2));
        S::F32x8::transpose(&[x, y, x, x, y, y, x, y]).into_iter().for_each(&mut push);
        let mut columns = [[0; 8]; 8];
        let mut at = 0;
        while at < 8 {
            let found = S::F32::transpose(&[x, y, x, x, y, y, x, y][at..]);
            for k in 0..8 {
                let mut lanes = [0.0; 8];
                found[k].store(&mut lanes);
                for lane in 0..S::F32::LANES {
                    columns[k][at + lane] = plain(lanes[lane]);
                }
            }
            at += S::F32::LANES;
        }
        assert_eq!(rows[3..], columns);
        let finite = x.map(|x| if x.is_finite() { x } else { 3.0 });
        let four = S::F32x4::new([finite[0], finite[1], finite[2], finite[3]]);
        assert_eq!(four.to_array(), finite[..4]);
        let low = S::F32x4::from_bits(S::F32x4::new([1.5; 4]).to_bits().or(U32Lanes::splat(0x7abc)));
        let double = S::F64x2::new([f64::from(finite[0]) + 1e-9, 1.0 / 3.0]).scale(0.7);
        let doubles = double.add(S::F64x2::new([0.1, f64::from(finite[1])])).split();
        let mut words = [0; 8];
        let most = S::F32x8::splat(32_766.0);
        S::F32x8::load(x).mul(S::F32x8::splat(1000.5)).min(most).store_i16(&mut words);
        let other = words.map(|x| x / 3 + 5);
        let (spread, repeat) = (S::I16::spread(&words), S::I16::repeat(&other));
        let mut squares = 0;
        for k in 0..S::I16::VECTORS / 2 {
            let mut hit = [repeat; 2];
            for n in 0..2 {
                let x = spread[2 * k + n];
                let depth = x.saturating_sub(repeat).min(repeat.saturating_add(x));
                hit[n] = depth.within(S::I16::repeat(&[2000; 8]));
            }
            squares |= hit[0].bits(hit[1]) << (128 / S::I16::VECTORS * k);
        }
        let doubles = doubles.map(|x| x.map(f32::to_bits));
        let small = vec![four.least(), four.greatest()];
        Found { lanes, rows, small, low: low.low_halves(), doubles, words, squares }
    }
}

#[test]
fn every_level_gives_the_same_bits() {
    let (mut some, mut none) = (0, 0);
    // Under Miri a few of them do: it is there for the loads and stores.
    let step = if cfg!(miri) { 5 } else { 1 };
    for shift in (0..ODD.len()).step_by(step) {
        for turn in (0..ODD.len()).step_by(step) {
            let x = std::array::from_fn(|k| ODD[(k + shift) % ODD.len()]);
            let y = std::array::from_fn(|k| ODD[(5 * k + turn) % ODD.len()]);
            let expected = run(SimdLevel::Scalar, Floats(&x, &y));
            for level in SimdLevel::available() {
                assert_eq!(run(level, Floats(&x, &y)), expected, "{level:?} {x:?} {y:?}");
            }
            some += expected.squares.count_ones();
            none += expected.squares.count_zeros();
        }
    }
    assert!(some > 20 && none > 20, "{some} {none}");
}

/// The scalar level is what the others are measured by, so it is measured by the language itself.
#[test]
fn scalar_lanes_are_plain_arithmetic() {
    struct Sum<'a>(&'a [f32; 8], &'a [f32; 8]);
    impl Kernel for Sum<'_> {
        type Output = [[f32; 8]; 4];
        #[inline(always)]
        fn run<S: Simd>(self) -> [[f32; 8]; 4] {
            let (x, y) = (S::F32x8::load(self.0), S::F32x8::load(self.1));
            let mut out = [[0.0; 8]; 4];
            // Fused, the product and the sum would round once.
            x.mul(y).add(y).store(&mut out[0]);
            x.div(y).sub(x).store(&mut out[1]);
            x.less(y).select(x, y).store(&mut out[2]);
            x.abs().sqrt().store(&mut out[3]);
            out
        }
    }
    let x: [f32; 8] = std::array::from_fn(|k| 0.1 + k as f32 * 1.37);
    let y: [f32; 8] = std::array::from_fn(|k| 5.3 - k as f32 * 0.91);
    for level in SimdLevel::available() {
        let found = run(level, Sum(&x, &y));
        for k in 0..8 {
            let product = x[k] * y[k];
            let quotient = x[k] / y[k];
            assert_eq!(found[0][k], product + y[k]);
            assert_eq!(found[1][k], quotient - x[k]);
            assert_eq!(found[2][k], if x[k] < y[k] { x[k] } else { y[k] });
            assert_eq!(found[3][k], x[k].abs().sqrt());
        }
    }
}

#[test]
fn the_best_level_is_the_last_available() {
    assert_eq!(SimdLevel::available().last(), Some(SimdLevel::detect()));
    assert_eq!(SimdLevel::available().next(), Some(SimdLevel::Scalar));
    assert_eq!(SimdLevel::default(), SimdLevel::detect());
}
