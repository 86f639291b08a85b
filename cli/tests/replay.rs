//! A simulation is recorded, made into a page, and the page is opened in a browser without a window.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const STEPS: u32 = 40;

fn impinge(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_impinge")).args(arguments).output().expect("the binary runs")
}

/// A recording of two knots, one dropped onto the other, and its page.
fn page(folder: &Path) -> PathBuf {
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let steps = STEPS.to_string();
    let (out, file) = (path("out"), path("knots.rec"));
    let simulate =
        impinge(&["simulate", "--scene", "two-knots", "--steps", &steps, "--out", &out, "--record", &file]);
    assert_eq!(simulate.status.code(), Some(0), "{simulate:?}");
    let view = impinge(&["view", &file]);
    assert_eq!(view.status.code(), Some(0), "{view:?}");
    let said = String::from_utf8(view.stdout).unwrap();
    assert!(said.contains(&format!("{} frames of scene two-knots", STEPS + 1)), "{said}");
    folder.join("knots.html")
}

/// A browser that draws without a window, if there is one.
fn browser() -> Option<&'static str> {
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success()))
}

/// Runs the browser on the page; what it prints. `timeout` ends one that does not end by itself.
fn open(browser: &str, page: &Path, frame: u32, arguments: &[&str]) -> String {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new("timeout")
        .args(["120", browser, "--headless=new", "--no-sandbox", "--use-angle=swiftshader"])
        .args(["--enable-unsafe-swiftshader", "--window-size=900,700", "--virtual-time-budget=4000"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(arguments)
        .arg(format!("file://{}#frame={frame}", page.display()))
        .stdin(Stdio::null())
        .output()
        .expect("the browser runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The value of an attribute of the page's body.
fn attribute<'a>(page: &'a str, name: &str) -> &'a str {
    let from = page.split_once(&format!(" data-{name}=\"")).expect("the page has the attribute").1;
    from.split_once('"').expect("the attribute ends").0
}

/// Red, green and blue of a picture's pixels.
fn pixels(file: &Path) -> Vec<[u8; 3]> {
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(file).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut bytes).unwrap();
    let step = frame.color_type.samples();
    bytes[..frame.buffer_size()].chunks(step).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
}

#[test]
fn the_page_shows_what_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(folder.path());
    let Some(browser) = browser() else {
        assert!(std::env::var_os("CI").is_none(), "no browser to open the page with: install chromium");
        eprintln!("SKIPPED: no chromium to open the page with");
        return;
    };
    let summary = std::fs::read(folder.path().join("out/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
    let points = summary["counts"]["points"]["last"].as_u64().unwrap();
    assert!(points > 0, "the knots have met");

    let first = open(browser, &page, 0, &["--dump-dom"]);
    assert_eq!((attribute(&first, "frame"), attribute(&first, "contacts")), ("0", "0"));
    let last = open(browser, &page, STEPS, &["--dump-dom"]);
    assert_eq!(attribute(&last, "frame"), STEPS.to_string());
    assert_eq!(attribute(&last, "contacts"), points.to_string());
    let drawn: f64 = attribute(&last, "drawn").parse().expect("the page has drawn");
    assert!((0.02..1.0).contains(&drawn), "{drawn} of the picture are drawn");

    let picture = folder.path().join("page.png");
    open(browser, &page, STEPS, &[&format!("--screenshot={}", picture.display())]);
    let pixels = pixels(&picture);
    let red = pixels.iter().filter(|p| p[0] > 190 && p[1] < 30 && p[2] < 45).count();
    assert!(red >= points as usize, "{red} pixels of {points} contact points are to be seen");
    assert!(!pixels.iter().all(|p| *p == pixels[0]), "the picture is empty");
}

#[test]
fn what_is_no_recording_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mesh.rec");
    std::fs::write(&file, "solid cube").unwrap();
    let output = impinge(&["view", file.to_str().unwrap()]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("mesh.rec") && error.contains("impinge recording 1"), "{error}");
    assert!(!folder.path().join("mesh.html").exists());
    let missing = impinge(&["view", folder.path().join("none.rec").to_str().unwrap()]);
    assert_eq!(missing.status.code(), Some(2));
}
