//! Files of rays: a line `x y z dx dy dz` each, and how far it goes in units of the direction; `#` begins a comment.

use std::io::Read;
use std::path::Path;

use impinge::query::ShapeRay;

const FIELDS: [&str; 7] = ["x", "y", "z", "dx", "dy", "dz", "length"];
const FORM: &str = "a line holds 6 or 7 numbers: the origin x y z (m), the direction dx dy dz, and the length in units of it";

/// A file of rays that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RayFileError {
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Io { file: String, source: std::io::Error },
    /// A line has too few or too many fields.
    #[error("{file}:{line}: {fields} fields; {FORM}")]
    Fields { file: String, line: usize, fields: usize },
    /// A field is no number.
    #[error("{file}:{line}: {name} is `{text}`, which is not a number; {FORM}")]
    Number { file: String, line: usize, name: &'static str, text: String },
}

/// A ray and the line of the file that it stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayLine {
    pub line: usize,
    pub ray: ShapeRay,
}

/// Reads every ray of a file, `-` for standard input.
pub fn read(path: &Path) -> Result<Vec<RayLine>, RayFileError> {
    let stdin = path == Path::new("-");
    let file = name(path);
    let text = if stdin {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(path)
    };
    parse(&file, &text.map_err(|source| RayFileError::Io { file: file.clone(), source })?)
}

/// What a file is called in messages.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

fn parse(file: &str, text: &str) -> Result<Vec<RayLine>, RayFileError> {
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rays = Vec::new();
    for (index, content) in text.lines().enumerate() {
        let content = content.split('#').next().unwrap_or_default();
        if !content.trim().is_empty() {
            rays.push(RayLine { line: index + 1, ray: ray(file, index + 1, content)? });
        }
    }
    Ok(rays)
}

fn ray(file: &str, line: usize, content: &str) -> Result<ShapeRay, RayFileError> {
    let file = || file.to_owned();
    let fields: Vec<&str> = content.split_whitespace().collect();
    if !(6..=7).contains(&fields.len()) {
        return Err(RayFileError::Fields { file: file(), line, fields: fields.len() });
    }
    let mut values = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, f64::INFINITY];
    for ((value, text), name) in values.iter_mut().zip(&fields).zip(FIELDS) {
        *value = text.parse().map_err(|_| RayFileError::Number {
            file: file(),
            line,
            name,
            text: (*text).to_owned(),
        })?;
    }
    let [x, y, z, dx, dy, dz, length] = values;
    Ok(ShapeRay::new([x, y, z], [dx, dy, dz]).length(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_may_have_an_end_and_comments() {
        let text = "\u{feff}# rays\n\n1 2 3 0 0 -1 # down\r\n 1e-3 .5 +7 2 0 0 0.25\n";
        let rays = parse("r", text).unwrap();
        assert_eq!(rays[0], RayLine { line: 3, ray: ShapeRay::new([1.0, 2.0, 3.0], [0.0, 0.0, -1.0]) });
        assert_eq!(rays[1].ray, ShapeRay::new([1e-3, 0.5, 7.0], [2.0, 0.0, 0.0]).length(0.25));
        assert_eq!(rays.len(), 2);
    }

    #[test]
    fn bad_lines_are_named() {
        let message = |text: &str| parse("r.txt", text).unwrap_err().to_string();
        assert!(message("0 0 0 1 0 0\n1 2 3").starts_with("r.txt:2: 3 fields; a line holds 6 or 7 numbers"));
        assert!(message("\n0 0 0 1 zero 0").starts_with("r.txt:2: dy is `zero`, which is not a number"));
    }
}
