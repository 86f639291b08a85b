//! Where a glTF buffer's bytes are: inside the file, or in a file beside it.

use std::path::{Path, PathBuf};

/// The bytes that a URI stands for: `data:…;base64,…`, or a path relative to `folder`.
pub(super) fn fetch(uri: &str, folder: &Path) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (kind, text) = data.split_once(',').ok_or("a data URI has no comma")?;
        if !kind.ends_with(";base64") {
            return Err("a data URI is not in base64".into());
        }
        return base64(text.as_bytes());
    }
    // A scheme has at least two letters; one is a drive.
    if uri.split_once(':').is_some_and(|(scheme, _)| scheme.len() > 1) {
        return Err(format!("the buffer `{uri}` is not a file beside it; only such files are read"));
    }
    let path = folder.join(unescaped(uri)?);
    let beside = |e: std::io::Error| format!("its buffer {}: {e}", path.display());
    if !std::fs::metadata(&path).map_err(beside)?.is_file() {
        return Err(format!("its buffer {} is not a file", path.display()));
    }
    std::fs::read(&path).map_err(beside)
}

/// Undoes percent-encoding.
fn unescaped(uri: &str) -> Result<PathBuf, String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, more @ ..] = rest {
        rest = more;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = rest.get(..2).and_then(|d| std::str::from_utf8(d).ok());
        let byte = digits.and_then(|d| u8::from_str_radix(d, 16).ok());
        bytes.push(byte.ok_or_else(|| format!("`{uri}` has a % without two hexadecimal digits"))?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).map(PathBuf::from).map_err(|_| format!("`{uri}` is not UTF-8"))
}

/// Decodes base64 (RFC 4648), with or without padding.
fn base64(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let end = text.iter().rposition(|&b| b != b'=').map_or(0, |last| last + 1);
    for group in text[..end].chunks(4) {
        let mut bits = 0u32;
        for &symbol in group {
            let value = match symbol {
                b'A'..=b'Z' => symbol - b'A',
                b'a'..=b'z' => symbol - b'a' + 26,
                b'0'..=b'9' => symbol - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return Err(format!("base64 does not have the symbol `{}`", char::from(symbol))),
            };
            bits = bits << 6 | u32::from(value);
        }
        if group.len() == 1 {
            return Err("base64 has been cut off".into());
        }
        bits <<= 6 * (4 - group.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_standard_is_decoded() {
        for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmE", "fooba")]
        {
            assert_eq!(base64(text.as_bytes()), Ok(bytes.as_bytes().to_vec()));
        }
        assert!(base64(b"Zm9vY").is_err());
        assert!(base64(b"Zm 9v").is_err());
    }

    #[test]
    fn addresses_elsewhere_are_refused() {
        let here = Path::new(".");
        assert!(fetch("https://example.org/mesh.bin", here).unwrap_err().contains("beside"));
        assert!(fetch("data:text/plain,abc", here).unwrap_err().contains("base64"));
        assert!(fetch("no%2", here).unwrap_err().contains("hexadecimal"));
        assert_eq!(unescaped("a%20b").unwrap(), PathBuf::from("a b"));
    }
}
