//! Files of poses: a line `x y z qw qx qy qz` each; `#` begins a comment.

use std::io::Read;
use std::path::Path;

use impinge::geometry::PoseError;
use impinge::geometry::canonical::checked_pose;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

const FIELDS: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];
const FORM: &str = "a line holds 7 numbers: x y z (m) and the rotation's quaternion qw qx qy qz";

/// A file of poses that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PoseFileError {
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Io { file: String, source: std::io::Error },
    /// A line has too few or too many fields.
    #[error("{file}:{line}: {fields} fields; {FORM}")]
    Fields { file: String, line: usize, fields: usize },
    /// A field is no number.
    #[error("{file}:{line}: {name} is `{text}`, which is not a number; {FORM}")]
    Number { file: String, line: usize, name: &'static str, text: String },
    /// The numbers are no pose.
    #[error("{file}:{line}: {source}")]
    Pose { file: String, line: usize, source: PoseError },
}

/// Reads every pose of a file, `-` for standard input.
pub fn read(path: &Path) -> Result<Vec<Isometry3<f64>>, PoseFileError> {
    let stdin = path == Path::new("-");
    let file = if stdin { "standard input".to_owned() } else { path.display().to_string() };
    let text = if stdin {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(path)
    };
    parse(&file, &text.map_err(|source| PoseFileError::Io { file: file.clone(), source })?)
}

fn parse(file: &str, text: &str) -> Result<Vec<Isometry3<f64>>, PoseFileError> {
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut poses = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default();
        if !content.trim().is_empty() {
            poses.push(pose(file, index + 1, content)?);
        }
    }
    Ok(poses)
}

fn pose(file: &str, line: usize, content: &str) -> Result<Isometry3<f64>, PoseFileError> {
    let file = || file.to_owned();
    let fields: Vec<&str> = content.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Err(PoseFileError::Fields { file: file(), line, fields: fields.len() });
    }
    let mut values = [0.0f64; 7];
    for ((value, text), name) in values.iter_mut().zip(&fields).zip(FIELDS) {
        *value = text.parse().map_err(|_| PoseFileError::Number {
            file: file(),
            line,
            name,
            text: (*text).to_owned(),
        })?;
    }
    let [x, y, z, qw, qx, qy, qz] = values;
    let rotation = UnitQuaternion::new_unchecked(Quaternion::new(qw, qx, qy, qz));
    let pose = Isometry3::from_parts(Translation3::new(x, y, z), rotation);
    checked_pose(&pose).map_err(|source| PoseFileError::Pose { file: file(), line, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_passed_over_and_rotations_normalised() {
        let text = "# poses\n\n1 2 3 2 0 0 0  # twice the unit\r\n -1e-3 .5 +7 0 0 0 -1\n";
        let poses = parse("p", text).unwrap();
        assert_eq!(poses.len(), 2);
        assert_eq!(poses[0], Isometry3::translation(1.0, 2.0, 3.0));
        assert_eq!(poses[1].translation.vector.as_slice(), [-1e-3, 0.5, 7.0]);
    }

    #[test]
    fn a_byte_order_mark_and_either_line_end_are_passed_over() {
        let poses = parse("p", "\u{feff}1 2 3 1 0 0 0\r\n4 5 6 1 0 0 0\r\n").unwrap();
        assert_eq!(poses, [Isometry3::translation(1.0, 2.0, 3.0), Isometry3::translation(4.0, 5.0, 6.0)]);
        for nothing in ["", "\u{feff}", "\r\n\r\n", "# none\n"] {
            assert_eq!(parse("p", nothing).unwrap(), []);
        }
    }

    #[test]
    fn bad_lines_are_named() {
        let message = |text: &str| parse("p.txt", text).unwrap_err().to_string();
        assert!(message("0 0 0 1 0 0 0\n1 2 3").starts_with("p.txt:2: 3 fields; a line holds 7 numbers"));
        assert!(message("0 0 0 1 0 0 0 9").contains(":1: 8 fields"));
        assert!(message("\n0 0 zero 1 0 0 0").starts_with("p.txt:2: z is `zero`, which is not a number"));
        assert!(message("0 NaN 0 1 0 0 0").contains("p.txt:1: pose component y is NaN"));
        assert!(message("0 0 0 0 0 0 0").contains("quaternion has length 0"));
    }
}
