//! Files of poses and motions: a line of numbers each; `#` begins a comment.

use std::io::Read;
use std::path::Path;

use impinge::geometry::PoseError;
use impinge::geometry::canonical::checked_pose;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// `x y z qw qx qy qz`.
const POSE: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];
const POSE_FORM: &str = "a line holds 7 numbers: x y z (m) and the rotation's quaternion qw qx qy qz";

/// Two poses.
const MOTION: [&str; 14] = [
    "x", "y", "z", "qw", "qx", "qy", "qz", "last x", "last y", "last z", "last qw", "last qx", "last qy",
    "last qz",
];
const MOTION_FORM: &str = "a line holds 14 numbers: the first pose and the last, x y z (m) qw qx qy qz each";

/// A pose and a way.
const CAST_NAMES: [&str; 10] = ["x", "y", "z", "qw", "qx", "qy", "qz", "way x", "way y", "way z"];
const CAST_FORM: &str =
    "a line holds 10 numbers: a pose, x y z (m) qw qx qy qz, and how far it goes, x y z (m)";

/// A file of poses that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PoseFileError {
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Io { file: String, source: std::io::Error },
    /// A line has too few or too many fields.
    #[error("{file}:{line}: {fields} fields; {form}")]
    Fields { file: String, line: usize, fields: usize, form: &'static str },
    /// A field is no number.
    #[error("{file}:{line}: {name} is `{text}`, which is not a number; {form}")]
    Number { file: String, line: usize, name: &'static str, text: String, form: &'static str },
    /// The numbers are no pose.
    #[error("{file}:{line}: {source}")]
    Pose { file: String, line: usize, source: PoseError },
}

/// Reads every pose of a file, `-` for standard input.
pub fn read(path: &Path) -> Result<Vec<Isometry3<f64>>, PoseFileError> {
    let (file, text) = text_of(path)?;
    parse(&file, &text)
}

/// Reads every motion of a file: a first and a last pose a line.
pub fn read_motions(path: &Path) -> Result<Vec<[Isometry3<f64>; 2]>, PoseFileError> {
    let (file, text) = text_of(path)?;
    parse_motions(&file, &text)
}

/// A pose, and how far it goes (m).
pub type Cast = (Isometry3<f64>, Vector3<f64>);

/// Reads every cast of a file, one a line.
pub fn read_casts(path: &Path) -> Result<Vec<Cast>, PoseFileError> {
    let (file, text) = text_of(path)?;
    rows(&text, &mut |line, content| {
        let v = numbers(&file, line, content, &CAST_NAMES, CAST_FORM)?;
        Ok((pose(&file, line, &v[..7])?, Vector3::new(v[7], v[8], v[9])))
    })
}

/// The file's name for errors, and what it holds.
fn text_of(path: &Path) -> Result<(String, String), PoseFileError> {
    let stdin = path == Path::new("-");
    let file = if stdin { "standard input".to_owned() } else { path.display().to_string() };
    let text = if stdin {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(path)
    };
    match text {
        Ok(text) => Ok((file, text)),
        Err(source) => Err(PoseFileError::Io { file, source }),
    }
}

fn parse(file: &str, text: &str) -> Result<Vec<Isometry3<f64>>, PoseFileError> {
    rows(text, &mut |line, content| pose(file, line, &numbers(file, line, content, &POSE, POSE_FORM)?))
}

fn parse_motions(file: &str, text: &str) -> Result<Vec<[Isometry3<f64>; 2]>, PoseFileError> {
    rows(text, &mut |line, content| {
        let values = numbers(file, line, content, &MOTION, MOTION_FORM)?;
        Ok([pose(file, line, &values[..7])?, pose(file, line, &values[7..])?])
    })
}

/// What each line holds that holds anything.
fn rows<T>(
    text: &str,
    row: &mut impl FnMut(usize, &str) -> Result<T, PoseFileError>,
) -> Result<Vec<T>, PoseFileError> {
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default();
        if !content.trim().is_empty() {
            found.push(row(index + 1, content)?);
        }
    }
    Ok(found)
}

/// The numbers of a line, as many as there are names.
fn numbers(
    file: &str,
    line: usize,
    content: &str,
    names: &[&'static str],
    form: &'static str,
) -> Result<Vec<f64>, PoseFileError> {
    let file = || file.to_owned();
    let fields: Vec<&str> = content.split_whitespace().collect();
    if fields.len() != names.len() {
        return Err(PoseFileError::Fields { file: file(), line, fields: fields.len(), form });
    }
    let number = |(text, name): (&&str, &&'static str)| {
        text.parse().map_err(|_| PoseFileError::Number {
            file: file(),
            line,
            name,
            text: (*text).to_owned(),
            form,
        })
    };
    fields.iter().zip(names).map(number).collect()
}

/// The pose of seven numbers.
fn pose(file: &str, line: usize, values: &[f64]) -> Result<Isometry3<f64>, PoseFileError> {
    let rotation = UnitQuaternion::new_unchecked(Quaternion::new(values[3], values[4], values[5], values[6]));
    let pose = Isometry3::from_parts(Translation3::new(values[0], values[1], values[2]), rotation);
    checked_pose(&pose).map_err(|source| PoseFileError::Pose { file: file.to_owned(), line, source })
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

    #[test]
    fn motions_are_two_poses_a_line() {
        let motions = parse_motions("m", "0 0 1 1 0 0 0  0 0 -1 1 0 0 0\n").unwrap();
        assert_eq!(
            motions,
            [[Isometry3::translation(0.0, 0.0, 1.0), Isometry3::translation(0.0, 0.0, -1.0)]]
        );
        let short = parse_motions("m", "0 0 1 1 0 0 0").unwrap_err().to_string();
        assert!(short.starts_with("m:1: 7 fields; a line holds 14 numbers"), "{short}");
        let odd = parse_motions("m", "0 0 1 1 0 0 0  0 0 -1 1 0 one 0").unwrap_err().to_string();
        assert!(odd.contains("last qy is `one`"), "{odd}");
    }
}
