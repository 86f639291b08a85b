//! Polynomials in one unknown with integer coefficients, their roots between 0 and 1, and signs of other polynomials there.
//!
//! Source: Basu, Pollack, Roy, "Algorithms in Real Algebraic Geometry", 2006, chapter 2 (Sturm's theorem, signs at roots).

use num_bigint::{BigInt, Sign};

/// Coefficients, the constant first; the last is not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Polynomial(Vec<BigInt>);

/// `numerator / 2^shift`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dyadic {
    pub numerator: BigInt,
    pub shift: u32,
}

impl Dyadic {
    pub fn whole(x: i32) -> Dyadic {
        Dyadic { numerator: BigInt::from(x), shift: 0 }
    }

    fn half_way(&self, other: &Dyadic) -> Dyadic {
        let shift = self.shift.max(other.shift);
        let on = |x: &Dyadic| &x.numerator << (shift - x.shift) as usize;
        Dyadic { numerator: on(self) + on(other), shift: shift + 1 }
    }
}

impl Polynomial {
    pub fn new(mut coefficients: Vec<BigInt>) -> Polynomial {
        while coefficients.last().is_some_and(|c| c.sign() == Sign::NoSign) {
            coefficients.pop();
        }
        Polynomial(coefficients)
    }

    /// From one value at 0 to another at 1.
    pub fn line(from: &BigInt, to: &BigInt) -> Polynomial {
        Polynomial::new(vec![from.clone(), to - from])
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub fn plus(&self, other: &Polynomial) -> Polynomial {
        self.joined(other, |a, b| a + b)
    }

    pub fn minus(&self, other: &Polynomial) -> Polynomial {
        self.joined(other, |a, b| a - b)
    }

    fn joined(&self, other: &Polynomial, join: impl Fn(&BigInt, &BigInt) -> BigInt) -> Polynomial {
        let zero = BigInt::ZERO;
        let of = |p: &Polynomial, k: usize| p.0.get(k).unwrap_or(&zero).clone();
        let count = self.0.len().max(other.0.len());
        Polynomial::new((0..count).map(|k| join(&of(self, k), &of(other, k))).collect())
    }

    pub fn times(&self, other: &Polynomial) -> Polynomial {
        if self.is_zero() || other.is_zero() {
            return Polynomial(Vec::new());
        }
        let mut product = vec![BigInt::ZERO; self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Polynomial::new(product)
    }

    fn derivative(&self) -> Polynomial {
        Polynomial::new(self.0.iter().enumerate().skip(1).map(|(k, c)| c * k).collect())
    }

    /// −1, 0 or 1.
    pub fn sign_at(&self, x: &Dyadic) -> i32 {
        let mut value = BigInt::ZERO;
        for (k, c) in self.0.iter().rev().enumerate() {
            value = value * &x.numerator + (c << (x.shift as usize * k));
        }
        crate::exact::sign(&value)
    }

    /// A positive multiple of the remainder of a division by `other`.
    fn remainder(&self, other: &Polynomial) -> Polynomial {
        let (mut rest, lead) = (self.clone(), other.0.last().expect("not divided by zero"));
        let sign = if lead.sign() == Sign::Minus { -1 } else { 1 };
        let size = lead * sign;
        while rest.0.len() >= other.0.len() {
            let shift = rest.0.len() - other.0.len();
            let top = rest.0.last().expect("it is not shorter than another").clone() * sign;
            let mut next: Vec<BigInt> = rest.0.iter().map(|c| c * &size).collect();
            for (k, c) in other.0.iter().enumerate() {
                next[k + shift] -= &top * c;
            }
            rest = Polynomial::new(next);
        }
        rest.reduced()
    }

    /// Without a common power of two.
    fn reduced(self) -> Polynomial {
        let common = self.0.iter().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
        Polynomial(self.0.into_iter().map(|c| c >> common as usize).collect())
    }

    fn greatest_common_divisor(&self, other: &Polynomial) -> Polynomial {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            (a, b) = (b.clone(), a.remainder(&b));
        }
        a
    }
}

/// Sturm's sequence of a polynomial that is not zero.
#[derive(Clone, Debug)]
pub(crate) struct Sturm(Vec<Polynomial>);

impl Sturm {
    pub fn new(of: &Polynomial) -> Sturm {
        let mut sequence = vec![of.clone(), of.derivative()];
        while let [.., a, b] = &sequence[..] {
            if b.is_zero() {
                break;
            }
            let zero = Polynomial(Vec::new());
            let next = zero.minus(&a.remainder(b));
            sequence.push(next);
        }
        sequence.pop();
        Sturm(sequence)
    }

    /// How many roots there are above `low` and not above `high`. Of several at one place only one counts; neither end may be
    /// such a place.
    fn count(&self, low: &Dyadic, high: &Dyadic) -> usize {
        let changes = |x: &Dyadic| {
            let mut last = 0;
            let mut found = 0usize;
            for p in &self.0 {
                let sign = p.sign_at(x);
                found += usize::from(sign != 0 && last != 0 && sign != last);
                last = if sign != 0 { sign } else { last };
            }
            found
        };
        changes(low).saturating_sub(changes(high))
    }
}

/// A root of a polynomial: the only one above `low` and not above `high`.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    polynomial: Polynomial,
    sturm: Sturm,
    pub low: Dyadic,
    pub high: Dyadic,
}

impl Root {
    /// The roots above 0 and not above 1 of a polynomial that is not zero, in rising order.
    pub fn all(of: &Polynomial) -> Vec<Root> {
        let polynomial = square_free(of);
        let sturm = Sturm::new(&polynomial);
        let mut found = Vec::new();
        let mut waiting = vec![(Dyadic::whole(0), Dyadic::whole(1))];
        while let Some((low, high)) = waiting.pop() {
            match sturm.count(&low, &high) {
                0 => {}
                1 => found.push(Root { polynomial: polynomial.clone(), sturm: sturm.clone(), low, high }),
                _ => {
                    let middle = low.half_way(&high);
                    waiting.push((middle.clone(), high));
                    waiting.push((low, middle));
                }
            }
        }
        found
    }

    /// Halves the interval that it is known to be in.
    fn halve(&mut self) {
        let middle = self.low.half_way(&self.high);
        if self.sturm.count(&self.low, &middle) == 1 {
            self.high = middle;
        } else {
            self.low = middle;
        }
    }

    /// Halves the interval until it is no longer than 2⁻ᵇⁱᵗˢ.
    pub fn refine(&mut self, bits: u32) {
        while self.high.shift.max(self.low.shift) < bits {
            self.halve();
        }
    }

    /// The sign of another polynomial at the root.
    pub fn sign_of(&mut self, other: &Polynomial) -> i32 {
        if other.is_zero() {
            return 0;
        }
        let common = self.polynomial.greatest_common_divisor(other);
        if common.0.len() > 1 && Sturm::new(&common).count(&self.low, &self.high) == 1 {
            return 0;
        }
        let sturm = Sturm::new(&square_free(other));
        // With a root at the lower end, which is none of the interval's, halving goes on all the same.
        while sturm.count(&self.low, &self.high) > 0 {
            self.halve();
        }
        other.sign_at(&self.high)
    }
}

/// The polynomial with every root once.
fn square_free(of: &Polynomial) -> Polynomial {
    let common = of.greatest_common_divisor(&of.derivative());
    if common.0.len() <= 1 { of.clone() } else { quotient(of, &common) }
}

/// A multiple of the quotient of a division that leaves nothing, with the sign of no concern.
fn quotient(of: &Polynomial, by: &Polynomial) -> Polynomial {
    let lead = by.0.last().expect("not divided by zero");
    let mut rest = of.clone();
    let mut digits = vec![BigInt::ZERO; of.0.len() - by.0.len() + 1];
    while rest.0.len() >= by.0.len() {
        let shift = rest.0.len() - by.0.len();
        let top = rest.0.last().expect("it is not shorter than another").clone();
        digits.iter_mut().for_each(|d| *d *= lead);
        digits[shift] += &top;
        let mut next: Vec<BigInt> = rest.0.iter().map(|c| c * lead).collect();
        for (k, c) in by.0.iter().enumerate() {
            next[k + shift] -= &top * c;
        }
        rest = Polynomial::new(next);
    }
    Polynomial::new(digits).reduced()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(coefficients: &[i64]) -> Polynomial {
        Polynomial::new(coefficients.iter().map(|&c| BigInt::from(c)).collect())
    }

    /// `(above − below·x)` for every root given.
    fn with_roots(roots: &[(i64, i64)]) -> Polynomial {
        roots.iter().fold(polynomial(&[1]), |p, &(above, below)| p.times(&polynomial(&[above, -below])))
    }

    #[test]
    fn roots_are_found_once_each_and_in_order() {
        // 1/3 twice, 1/2, 1, and 0, 2 and −1, which are outside.
        let p = with_roots(&[(1, 3), (1, 3), (1, 2), (1, 1), (0, 1), (2, 1), (-1, 1)]);
        let mut roots = Root::all(&p);
        assert_eq!(roots.len(), 3);
        for (root, (above, below)) in roots.iter_mut().zip([(1, 3), (1, 2), (1, 1)]) {
            root.refine(40);
            let at = |d: &Dyadic| d.numerator.to_string().parse::<f64>().unwrap() / 2f64.powi(d.shift as i32);
            let x = above as f64 / below as f64;
            assert!(at(&root.low) < x && x <= at(&root.high) && at(&root.high) - at(&root.low) < 1e-11);
        }
        assert!(Root::all(&polynomial(&[1, 0, 1])).is_empty());
        assert!(Root::all(&polynomial(&[7])).is_empty());
    }

    #[test]
    fn signs_at_roots_are_exact() {
        // √½, a root of 2x² − 1.
        let mut root = Root::all(&polynomial(&[-1, 0, 2])).remove(0);
        assert_eq!(root.sign_of(&polynomial(&[-1, 0, 2]).times(&polynomial(&[5, 1]))), 0);
        // Convergents of it from both sides.
        for (above, below) in [(7, 10), (41, 58), (239, 338), (665_857, 941_664)] {
            let line = polynomial(&[-above, below]);
            let exact = i32::from(2 * i128::from(above).pow(2) < i128::from(below).pow(2)) * 2 - 1;
            assert_eq!(root.sign_of(&line), exact, "{above}/{below}");
        }
        assert_eq!(root.sign_of(&polynomial(&[])), 0);
    }
}
