//! A recording as one web page that needs nothing else: no network, no server.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::recording;
use crate::arguments::View;

/// The page around the recording.
const PAGE: &str = include_str!("page/page.html");
/// How it is laid out.
const STYLE: &str = include_str!("page/page.css");
/// What it does: the files use what those before them define.
const SCRIPT: &str = concat!(
    include_str!("page/recording.js"),
    include_str!("page/matrix.js"),
    include_str!("page/extent.js"),
    include_str!("page/camera.js"),
    include_str!("page/shaders.js"),
    include_str!("page/picture.js"),
    include_str!("page/panel.js"),
    include_str!("page/controls.js"),
    include_str!("page/player.js"),
);

/// Makes the page and says where it is.
pub fn run(arguments: &View) -> Result<ExitCode> {
    let name = arguments.file.display();
    let bytes = std::fs::read(&arguments.file).with_context(|| format!("{name}: cannot be read"))?;
    let contents = recording::check(&bytes).with_context(|| name.to_string())?;
    let out = arguments.out.clone().unwrap_or_else(|| arguments.file.with_extension("html"));
    std::fs::write(&out, page(&contents.header.scene, &bytes))
        .with_context(|| format!("{}: the page cannot be written", out.display()))?;
    writeln!(
        std::io::stdout().lock(),
        "{}: {} frames of scene {}, {} bodies, {} contacts; open it in a browser",
        out.display(),
        contents.frames,
        contents.header.scene,
        contents.header.bodies.len(),
        contents.contacts
    )?;
    Ok(ExitCode::SUCCESS)
}

fn page(scene: &str, recording: &[u8]) -> String {
    let title = scene.replace('&', "&amp;").replace('<', "&lt;");
    let mut page =
        String::with_capacity(PAGE.len() + STYLE.len() + SCRIPT.len() + recording.len() * 4 / 3 + 64);
    for piece in PAGE.split_inclusive("-->") {
        match piece.rsplit_once("<!--") {
            Some((before, "title-->")) => page.extend([before, &title]),
            Some((before, "style-->")) => page.extend([before, STYLE]),
            Some((before, "script-->")) => page.extend([before, SCRIPT]),
            Some((before, "recording-->")) => {
                page.push_str(before);
                STANDARD.encode_string(recording, &mut page);
            }
            _ => page.push_str(piece),
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_in_the_page_is_filled() {
        let page = page("a<b", b"recording");
        assert!(!page.contains("<!--"), "a place is left over");
        for part in ["impinge: a&lt;b", &STANDARD.encode(b"recording"), "requestAnimationFrame"] {
            assert!(page.contains(part), "`{part}` is missing");
        }
        assert!(!page.contains("http:") && !page.contains("https:"), "the page asks for something else");
    }
}
