//! What the colours of a picture stand for, written beneath it.
#![allow(dead_code, reason = "each example uses its own part")]

use crate::canvas::{Canvas, Colour};

const PAPER: Colour = [1.0, 1.0, 1.0];
const INK: Colour = [0.1, 0.1, 0.1];
/// Pixels from line to line, to where a sign begins and to where its text begins.
const LINE: usize = 24;
const SIGN: usize = 10;
const TEXT: usize = 48;
/// Pixels per dot of a letter.
const DOT: usize = 2;
/// Dots of a letter: across with the gap to the next one, and down.
const ACROSS: usize = 6;
const DOWN: usize = 9;

/// What stands before a line of text.
pub enum Sign {
    /// One colour.
    Area(Colour),
    /// From one colour to another one.
    Range(Colour, Colour),
    /// A dot with a line, as contacts are drawn.
    Arrow,
}

/// The letters that there are: names, and the rows of their dots. The seventh row is the base line.
const LETTERS: [(&str, [&str; DOWN]); 3] = [
    (
        "abcdefghijklm",
        [
            "..... #.... ..... ....# ..... ..##. ..... #.... ..#.. ...#. #.... .##.. .....",
            "..... #.... ..... ....# ..... .#... ..... #.... ..... ..... #.... ..#.. .....",
            ".###. ####. .#### .#### .###. ####. .#### ####. .##.. ..##. #..#. ..#.. ##.#.",
            "....# #...# #.... #...# #...# .#... #...# #...# ..#.. ...#. #.#.. ..#.. #.#.#",
            ".#### #...# #.... #...# ##### .#... #...# #...# ..#.. ...#. ##... ..#.. #.#.#",
            "#...# #...# #.... #...# #.... .#... #...# #...# ..#.. ...#. #.#.. ..#.. #.#.#",
            ".#### ####. .#### .#### .#### .#... .#### #...# .###. ...#. #..#. .###. #.#.#",
            "..... ..... ..... ..... ..... ..... ....# ..... ..... ...#. ..... ..... .....",
            "..... ..... ..... ..... ..... ..... .###. ..... ..... .##.. ..... ..... .....",
        ],
    ),
    (
        "nopqrstuvwxyz",
        [
            "..... ..... ..... ..... ..... ..... .#... ..... ..... ..... ..... ..... .....",
            "..... ..... ..... ..... ..... ..... .#... ..... ..... ..... ..... ..... .....",
            "####. .###. ####. .#### #.##. .#### ####. #...# #...# #...# #...# #...# #####",
            "#...# #...# #...# #...# ##..# #.... .#... #...# #...# #.#.# .#.#. #...# ...#.",
            "#...# #...# #...# #...# #.... .###. .#... #...# #...# #.#.# ..#.. #...# ..#..",
            "#...# #...# #...# #...# #.... ....# .#... #...# .#.#. #.#.# .#.#. #...# .#...",
            "#...# .###. ####. .#### #.... ####. ..##. .#### ..#.. .#.#. #...# .#### #####",
            "..... ..... #.... ....# ..... ..... ..... ..... ..... ..... ..... ....# .....",
            "..... ..... #.... ....# ..... ..... ..... ..... ..... ..... ..... .###. .....",
        ],
    ),
    (
        "0123456789AB.,",
        [
            ".###. ..#.. .###. .###. ...#. ##### .###. ##### .###. .###. .###. ####. ..... .....",
            "#...# .##.. #...# #...# ..##. #.... #.... ....# #...# #...# #...# #...# ..... .....",
            "#..## ..#.. ....# ....# .#.#. ####. ####. ...#. #...# #...# #...# #...# ..... .....",
            "#.#.# ..#.. ...#. ..##. #..#. ....# #...# ...#. .###. #...# #...# ####. ..... .....",
            "##..# ..#.. ..#.. ....# ##### ....# #...# ..#.. #...# .#### ##### #...# ..... .....",
            "#...# ..#.. .#... #...# ...#. #...# #...# ..#.. #...# ....# #...# #...# .##.. .##..",
            ".###. .###. ##### .###. ...#. .###. .###. ..#.. .###. .###. #...# ####. .##.. .##..",
            "..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..#..",
            "..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .#...",
        ],
    ),
];

/// A picture as it is, with a legend beneath: a sign and a text in each line. Areas that it does not have are left out.
pub fn with_legend(picture: &Canvas, mut lines: Vec<(Sign, String)>) -> Canvas {
    let (width, height) = (picture.width, picture.height);
    lines.retain(|(sign, _)| !matches!(sign, Sign::Area(colour) if !picture.pixels.contains(colour)));
    let mut out = Canvas::new(width, height + LINE * lines.len() + LINE / 2, PAPER);
    out.pixels[..width * height].copy_from_slice(&picture.pixels);
    fill(&mut out, [0, height], [width, 1], |_| INK);
    for (k, (sign, text)) in lines.iter().enumerate() {
        let top = height + LINE / 4 + k * LINE;
        draw_sign(&mut out, sign, top);
        write(&mut out, text, [TEXT, top + 4]);
    }
    out
}

/// A line of text, from its upper left corner on.
pub fn write(out: &mut Canvas, text: &str, [left, top]: [usize; 2]) {
    for (place, letter) in text.chars().enumerate() {
        draw_letter(out, letter, [left + place * ACROSS * DOT, top]);
    }
}

fn draw_sign(out: &mut Canvas, sign: &Sign, top: usize) {
    let size = [28, 14];
    let corner = [SIGN, top + 5];
    match *sign {
        Sign::Area(colour) => {
            fill(out, [corner[0] - 1, corner[1] - 1], [size[0] + 2, size[1] + 2], |_| INK);
            fill(out, corner, size, |_| colour);
        }
        Sign::Range(from, to) => {
            let share = |x: usize| x as f32 / (size[0] - 1) as f32;
            fill(out, corner, size, |x| std::array::from_fn(|k| from[k] + (to[k] - from[k]) * share(x)));
        }
        Sign::Arrow => {
            fill(out, [corner[0] + 4, corner[1] + 6], [size[0] - 4, 3], |_| INK);
            for y in 0..9 {
                let half = [1, 3, 4, 4, 4, 4, 4, 3, 1][y];
                fill(out, [corner[0] + 5 - half, corner[1] + 3 + y], [2 * half, 1], |_| INK);
            }
        }
    }
}

/// A rectangle whose colour may change across it; what is outside the picture is left out.
fn fill(
    out: &mut Canvas,
    [left, top]: [usize; 2],
    [wide, high]: [usize; 2],
    colour: impl Fn(usize) -> Colour,
) {
    for y in top..(top + high).min(out.height) {
        for x in left..(left + wide).min(out.width) {
            out.pixels[y * out.width + x] = colour(x - left);
        }
    }
}

/// A letter; one that there is not stays white.
fn draw_letter(out: &mut Canvas, letter: char, [left, top]: [usize; 2]) {
    let found = LETTERS.iter().find_map(|(names, rows)| Some((names.find(letter)?, rows)));
    let Some((index, rows)) = found else { return };
    for (y, row) in rows.iter().enumerate() {
        let dots = row.as_bytes().iter().skip(index * ACROSS).take(ACROSS - 1);
        for (x, _) in dots.enumerate().filter(|(_, dot)| **dot == b'#') {
            fill(out, [left + x * DOT, top + y * DOT], [DOT, DOT], |_| INK);
        }
    }
}
