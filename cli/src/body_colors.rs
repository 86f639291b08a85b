//! A colour for every body of a scene, so that bodies of one mesh can be told apart.

use std::collections::BTreeMap;

use impinge_scenes::Scene;

/// The golden ratio's fraction: its multiples modulo 1 are evenly spread, however many are taken.
const GOLDEN: f64 = 0.618_033_988_749_895;
/// Chroma of a colour of a body's own.
const CHROMA: f64 = 0.125;
/// Least and greatest lightness of a body's colour.
const LIGHTNESS: [f64; 2] = [0.56, 0.76];
/// How far shades of a kind's colour may be off in lightness, and in hue (rad).
const SHADE: [f64; 2] = [0.09, 0.2];

/// Red, green and blue of every body. Where all bodies that move have one colour, each gets a hue of its own; else those
/// that share one get shades of it, so that a kind is still seen as a kind. What is fixed keeps its colour.
pub fn body_colors(scene: &Scene) -> Vec<[u8; 3]> {
    let mut shared: BTreeMap<[u8; 3], usize> = BTreeMap::new();
    for body in scene.bodies.iter().filter(|body| !body.fixed) {
        *shared.entry(body.color).or_default() += 1;
    }
    let of_one_color = shared.len() == 1;
    let mut drawn = 0;
    let of_body = |body: &impinge_scenes::SceneBody| {
        if body.fixed || shared.get(&body.color).is_none_or(|&count| count < 2) {
            return body.color;
        }
        drawn += 1;
        let place = f64::from(drawn) * GOLDEN % 1.0;
        if of_one_color { own(place, drawn) } else { shade(body.color, place) }
    };
    scene.bodies.iter().map(of_body).collect()
}

/// A hue at `place` (turns); lightness changes from one to the next.
fn own(place: f64, number: u32) -> [u8; 3] {
    let [least, greatest] = LIGHTNESS;
    let lightness = least + (greatest - least) * f64::from(number % 3) / 2.0;
    Oklch { lightness, chroma: CHROMA, hue: std::f64::consts::TAU * place }.to_srgb()
}

/// A shade of a colour: `place` from 0 to 1 is its place in the range of hues.
fn shade(color: [u8; 3], place: f64) -> [u8; 3] {
    let base = Oklch::from_srgb(color);
    // The lightness goes through its range three times while the hue goes through its own once.
    let [light, hue] = [3.0 * place % 1.0, place].map(|t| 2.0 * t - 1.0);
    Oklch { lightness: base.lightness + SHADE[0] * light, hue: base.hue + SHADE[1] * hue, ..base }.to_srgb()
}

/// A colour as lightness, chroma and hue (rad), equal steps of which are seen as equal.
///
/// Source: Ottosson, "A perceptual color space for image processing", 2020.
#[derive(Clone, Copy)]
struct Oklch {
    lightness: f64,
    chroma: f64,
    hue: f64,
}

impl Oklch {
    fn from_srgb(color: [u8; 3]) -> Oklch {
        let [r, g, b] = color.map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
        });
        let l = libm::cbrt(0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b);
        let m = libm::cbrt(0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b);
        let s = libm::cbrt(0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b);
        let x = 1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s;
        let y = 0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s;
        Oklch {
            lightness: 0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
            chroma: libm::hypot(x, y),
            hue: libm::atan2(y, x),
        }
    }

    /// The nearest colour of eight bits a channel.
    fn to_srgb(self) -> [u8; 3] {
        let (sin, cos) = libm::sincos(self.hue);
        let (x, y) = (self.chroma * cos, self.chroma * sin);
        let l = (self.lightness + 0.396_337_777_4 * x + 0.215_803_757_3 * y).powi(3);
        let m = (self.lightness - 0.105_561_345_8 * x - 0.063_854_172_8 * y).powi(3);
        let s = (self.lightness - 0.089_484_177_5 * x - 1.291_485_548_0 * y).powi(3);
        let linear = [
            4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
            -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
            -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
        ];
        linear.map(|c| {
            let c = c.clamp(0.0, 1.0);
            let c = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * libm::pow(c, 1.0 / 2.4) - 0.055 };
            (255.0 * c).round() as u8
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use impinge_scenes::{SceneParams, scene};

    use super::*;

    fn named(name: &str) -> Scene {
        scene(name, &SceneParams::default()).unwrap()
    }

    /// Grey, and the primaries whose coordinates Ottosson's page gives.
    #[test]
    fn colors_come_back_from_the_perceptual_space() {
        for color in [[0; 3], [255; 3], [128; 3], [255, 0, 0], [0, 255, 0], [0, 0, 255], [214, 96, 77]] {
            let there = Oklch::from_srgb(color);
            let close = |[a, b]: [u8; 2]| a.abs_diff(b) <= 1;
            let back = there.to_srgb();
            assert!((0..3).all(|k| close([color[k], back[k]])), "{color:?}: {back:?}");
        }
        let red = Oklch::from_srgb([255, 0, 0]);
        assert!((red.lightness - 0.628).abs() < 1e-3 && (red.chroma - 0.2577).abs() < 1e-3);
    }

    /// A scene whose bodies all had one colour: any two bodies differ by more than an eye needs.
    #[test]
    fn bodies_of_one_mesh_have_colors_of_their_own() {
        let mut scene = named("bin");
        let first = scene.bodies.iter().find(|b| !b.fixed).unwrap().clone();
        scene.bodies.truncate(13);
        scene.bodies.iter_mut().filter(|b| !b.fixed).for_each(|b| {
            b.shape = first.shape;
            b.color = first.color;
        });
        let colors = body_colors(&scene);
        for (i, a) in colors.iter().enumerate() {
            for b in &colors[..i] {
                let apart: u32 = (0..3).map(|k| u32::from(a[k].abs_diff(b[k]))).sum();
                assert!(apart > 12, "{a:?} {b:?}");
            }
        }
        assert_eq!(colors[0], scene.bodies[0].color, "the bin is fixed");
    }

    /// Of several kinds each keeps its hue within 0.2 rad, and its bodies differ.
    #[test]
    fn bodies_of_a_kind_have_shades_of_its_color() {
        let scene = named("bin");
        let colors = body_colors(&scene);
        let red = scene.bodies.iter().find(|b| !b.fixed).unwrap().color;
        let kind = scene.bodies.iter().zip(&colors).filter(|(body, _)| body.color == red);
        let shades: BTreeSet<[u8; 3]> = kind.map(|(_, color)| *color).collect();
        assert!(shades.len() >= 20, "{} shades", shades.len());
        let hue = Oklch::from_srgb(red).hue;
        for shade in shades {
            let off = (Oklch::from_srgb(shade).hue - hue).abs();
            assert!(off < 0.25, "{shade:?} is off by {off} rad");
        }
    }

    /// Three gears of three colours stay as the scene has them.
    #[test]
    fn bodies_of_different_colors_keep_them() {
        let scene = named("gears");
        let kept: Vec<_> = scene.bodies.iter().map(|body| body.color).collect();
        assert_eq!(body_colors(&scene), kept);
    }
}
