//! Decimals that a text file writes its coordinates with.

/// The most digits of a file's coordinates, and the size of its largest one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Decimals {
    /// Digits from the first that is not 0 on.
    digits: i32,
    /// The power of ten of the largest coordinate's first digit, plus one.
    largest: Option<i32>,
}

impl Decimals {
    /// Takes note of a coordinate, a word that is a number.
    pub(super) fn note(&mut self, word: &str) {
        let (mut digits, mut before_point, mut seen_point, mut zeros) = (0i32, 0i32, false, 0i32);
        let mut exponent = 0;
        for (at, byte) in word.bytes().enumerate() {
            match byte {
                b'0' if digits == 0 => zeros += i32::from(seen_point),
                b'0'..=b'9' => {
                    digits += 1;
                    before_point += i32::from(!seen_point);
                }
                b'.' => seen_point = true,
                b'e' | b'E' => {
                    exponent = word[at + 1..].parse().unwrap_or(0).clamp(-400, 400);
                    break;
                }
                _ => {}
            }
        }
        if digits > 0 {
            let power = exponent + if before_point > 0 { before_point } else { -zeros };
            self.largest = Some(self.largest.map_or(power, |most| most.max(power)));
            self.digits = self.digits.max(digits);
        }
    }

    /// Returns the last decimal of the largest coordinate (m): neighbours in the file may differ by
    /// so much from rounding. `None` where no coordinate differs from 0, or none was text.
    pub(super) fn step(self) -> Option<f64> {
        Some(libm::pow(10.0, f64::from(self.largest? - self.digits)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(words: &[&str]) -> Option<f64> {
        let mut decimals = Decimals::default();
        words.iter().for_each(|word| decimals.note(word));
        decimals.step()
    }

    #[test]
    fn the_step_is_the_last_decimal_of_the_largest_coordinate() {
        for (words, exponent) in [
            (&["0.005496", "-0.006250", "0.016273"][..], -6),
            (&["0.0425", "-5.78241e-19", "0.0247"], -7),
            (&["12.5000", "100.1234", "0"], -4),
            (&["1.234567e-03", "2e-4"], -9),
            (&["432512.3", "5412345.6"], -1),
            (&["-7", "3"], 0),
        ] {
            let step = step(words).unwrap();
            assert!((step / libm::pow(10.0, f64::from(exponent)) - 1.0).abs() < 1e-12, "{words:?}: {step}");
        }
        assert_eq!((step(&[]), step(&["0", "-0.000", "0e5"])), (None, None));
    }
}
