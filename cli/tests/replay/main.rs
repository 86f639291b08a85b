//! A simulation is recorded, made into a page, and the page is opened in a browser without a window.

mod deforming;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const STEPS: u32 = 40;
/// The browser's argument for the size of its window.
const SIZE: &str = "--window-size=";

fn impinge(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_impinge")).args(arguments).output().expect("the binary runs")
}

/// Simulates what `arguments` say for so many steps and makes a page of the recording, `scene.html`.
fn page(folder: &Path, scene: &str, steps: u32, arguments: &[&str]) -> PathBuf {
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (out, file, frames) = (path("out"), path(&format!("{scene}.rec")), steps.to_string());
    let simulate = ["simulate", "--steps", &frames, "--out", &out, "--record", &file, "--backend", "cpu"];
    let simulate = impinge(&[&simulate, arguments].concat());
    assert_eq!(simulate.status.code(), Some(0), "{simulate:?}");
    let view = impinge(&["view", &file]);
    assert_eq!(view.status.code(), Some(0), "{view:?}");
    let said = String::from_utf8(view.stdout).unwrap();
    assert!(said.contains(&format!("{} frames of scene {scene}", steps + 1)), "{said}");
    folder.join(format!("{scene}.html"))
}

/// Two knots, one dropped onto the other.
fn knots(folder: &Path) -> PathBuf {
    page(folder, "two-knots", STEPS, &["--scene", "two-knots"])
}

/// A copy of the page that does more once it is there: `code` says by `tell(name, value)` what it finds.
fn with_script(page: &Path, code: &str) -> PathBuf {
    let text = std::fs::read_to_string(page).unwrap();
    let tell = "const tell = (name, value) => { document.body.dataset[name] = value; };
        const press = (key, more) => dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...more }));";
    let script = format!("<script>{{ {tell} {code} }}</script></body>");
    let file = page.with_extension("driven.html");
    std::fs::write(&file, text.replace("</body>", &script)).unwrap();
    file
}

/// A browser that draws without a window, if there is one.
fn browser() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success()));
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "no browser to open the page with: install chromium");
        eprintln!("SKIPPED: no chromium to open the page with");
    }
    found
}

/// Runs the browser on the page, at an address that ends with `place`; what it prints. `timeout` ends one that does not
/// end by itself.
fn open(browser: &str, page: &Path, place: &str, arguments: &[&str]) -> String {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new("timeout")
        .args(["120", browser, "--headless=new", "--no-sandbox", "--use-angle=swiftshader"])
        .args(["--enable-unsafe-swiftshader", "--virtual-time-budget=4000"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(if arguments.iter().any(|a| a.starts_with(SIZE)) {
            None
        } else {
            Some("--window-size=900,700")
        })
        .args(arguments)
        .arg(format!("file://{}{place}", page.display()))
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
    let page = knots(folder.path());
    let Some(browser) = browser() else { return };
    let summary = std::fs::read(folder.path().join("out/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
    let points = summary["counts"]["points"]["last"].as_u64().unwrap();
    assert!(points > 0, "the knots have met");

    let first = open(browser, &page, "#frame=0", &["--dump-dom"]);
    assert_eq!((attribute(&first, "frame"), attribute(&first, "contacts")), ("0", "0"));
    let place = format!("#frame={STEPS}");
    let last = open(browser, &page, &place, &["--dump-dom"]);
    assert_eq!(attribute(&last, "frame"), STEPS.to_string());
    assert_eq!(attribute(&last, "contacts"), points.to_string());
    let drawn: f64 = attribute(&last, "drawn").parse().expect("the page has drawn");
    assert!((0.02..1.0).contains(&drawn), "{drawn} of the picture are drawn");

    // Contact points are red, and gone after `c`: no body is of that red.
    let red = |page: &Path| {
        let picture = folder.path().join("page.png");
        open(browser, page, &place, &[&format!("--screenshot={}", picture.display())]);
        let pixels = pixels(&picture);
        assert!(!pixels.iter().all(|p| *p == pixels[0]), "the picture is empty");
        pixels.iter().filter(|p| p[0] > 190 && p[1] < 30 && p[2] < 45).count()
    };
    let seen = red(&page);
    assert!(seen >= points as usize, "{seen} pixels of {points} contact points are to be seen");
    assert_eq!(red(&with_script(&page, "press('c')")), 0);
}

/// At frame 12 of the address it rests; without a frame it plays to the end; a pause is noted in the address.
#[test]
fn the_address_holds_the_frame() {
    let folder = tempfile::tempdir().unwrap();
    let page = knots(folder.path());
    let Some(browser) = browser() else { return };
    let resting = open(browser, &page, "#frame=12", &["--dump-dom"]);
    assert_eq!((attribute(&resting, "frame"), attribute(&resting, "playing")), ("12", "false"));
    // Sixty times a second by a clock of the test's own, however slowly the machine draws.
    let played = with_script(
        &page,
        "let act = null;
        // The frame that the page has asked the browser for is called off first.
        press(' ');
        window.requestAnimationFrame = (next) => { act = next; return 1; };
        window.cancelAnimationFrame = () => { act = null; };
        press(' ');
        for (let time = 0; act && time < 60000; time += 1000 / 60) {
            const next = act;
            act = null;
            next(time);
        }",
    );
    let played = open(browser, &played, "", &["--dump-dom"]);
    assert_eq!((attribute(&played, "frame"), attribute(&played, "playing")), (&*STEPS.to_string(), "false"));
    let paused = with_script(
        &page,
        "tell('first', document.body.dataset.playing); press(' '); tell('hash', location.hash);",
    );
    let paused = open(browser, &paused, "", &["--dump-dom"]);
    assert_eq!((attribute(&paused, "first"), attribute(&paused, "playing")), ("true", "false"));
    assert_eq!(attribute(&paused, "hash"), format!("#frame={}", attribute(&paused, "frame")));
    let beyond = open(browser, &page, "#frame=99999", &["--dump-dom"]);
    assert_eq!(attribute(&beyond, "frame"), STEPS.to_string());
    let elsewhere = with_script(&page, "location.hash = '#frame=7'");
    assert_eq!(attribute(&open(browser, &elsewhere, "#frame=3", &["--dump-dom"]), "frame"), "7");
}

/// However often it is started, it plays by one request for a frame at a time.
#[test]
fn starting_again_plays_no_faster() {
    let folder = tempfile::tempdir().unwrap();
    let page = knots(folder.path());
    let Some(browser) = browser() else { return };
    let code = "
        const waiting = [];
        window.requestAnimationFrame = (next) => waiting.push(next);
        window.cancelAnimationFrame = (request) => { waiting[request - 1] = null; };
        for (let k = 0; k < 4; k++) dispatchEvent(new Event('hashchange'));
        tell('waiting', waiting.filter((next) => next).length);";
    let dom = open(browser, &with_script(&page, code), "", &["--dump-dom"]);
    assert_eq!(attribute(&dom, "waiting"), "1");
}

/// Thirty steps of the slider are one change of the address.
#[test]
fn the_slider_changes_the_address_once() {
    let folder = tempfile::tempdir().unwrap();
    let page = knots(folder.path());
    let Some(browser) = browser() else { return };
    let code = "
        const replace = history.replaceState.bind(history), seek = document.getElementById('seek');
        let notes = 0;
        history.replaceState = (...all) => { notes++; replace(...all); };
        for (let k = 1; k <= 30; k++) { seek.value = k; seek.dispatchEvent(new Event('input')); }
        setTimeout(() => { tell('notes', notes); tell('hash', location.hash); }, 1000);";
    let dom = open(browser, &with_script(&page, code), "#frame=0", &["--dump-dom"]);
    assert_eq!((attribute(&dom, "notes"), attribute(&dom, "hash")), ("1", "#frame=30"));
}

/// A recording of version 1, byte for byte as its programs wrote it: one triangle, two frames, two contacts in the second.
#[test]
fn a_page_of_the_first_version_is_shown() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let header = r#"{"scene":"old","dt":0.25,"direction":[0,1,0],"target":[0,0,0],"half_height":1,"container":false,
        "stages":["step"],"meshes":[{"name":"flake","vertices":3,"triangles":1}],
        "bodies":[{"mesh":0,"color":[200,160,40],"fixed":false}]}"#;
    let mut bytes = format!("impinge recording 1\n{}", header.replace('\n', "")).into_bytes();
    while bytes.len() % 4 != 3 {
        bytes.push(b' ');
    }
    bytes.push(b'\n');
    let put =
        |bytes: &mut Vec<u8>, numbers: &[f32]| bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
    put(&mut bytes, &[-1.0, 0.0, -1.0, 1.0, 0.0, -1.0, 0.0, 0.0, 1.0]);
    bytes.extend([0_u32, 1, 2].iter().flat_map(|corner| corner.to_le_bytes()));
    for contacts in [0_u32, 2] {
        bytes.extend(contacts.to_le_bytes());
        put(&mut bytes, &[1500.0]);
        put(&mut bytes, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        for _ in 0..contacts {
            put(&mut bytes, &[0.1, 0.0, 0.1, 0.0, 0.0, 1.0, 0.0125]);
        }
    }
    let file = folder.path().join("old.rec");
    std::fs::write(&file, bytes).unwrap();
    let view = impinge(&["view", file.to_str().unwrap()]);
    assert_eq!(view.status.code(), Some(0), "{view:?}");
    let dom = open(browser, &file.with_extension("html"), "#frame=1", &["--dump-dom"]);
    assert_eq!((attribute(&dom, "frame"), attribute(&dom, "contacts")), ("1", "2"));
    assert!(dom.contains("<td>12.50 mm</td>"), "the deepest contact is told");
    let drawn: f64 = attribute(&dom, "drawn").parse().expect("the page has drawn");
    assert!((0.1..1.0).contains(&drawn), "{drawn} of the picture are drawn");
}

#[test]
fn keys_drive_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let page = knots(folder.path());
    let Some(browser) = browser() else { return };
    let code = "
        const frames = [], { dataset } = document.body, id = (name) => document.getElementById(name);
        const keys = ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'End', 'ArrowRight', 'ArrowLeft', 'Home', 'ArrowLeft'];
        for (const key of keys) { press(key); frames.push(dataset.frame); }
        press('ArrowRight', { shiftKey: true }); frames.push(dataset.frame); tell('frames', frames);
        press('+'); tell('faster', id('speed').value); press('-'); press('-'); tell('slower', id('speed').value);
        press('c'); press('n'); press('w'); tell('shown', [id('points').checked, id('normals').checked, id('fixed').value]);
        press('?'); tell('help', id('help').open); press('?'); tell('closed', id('help').open);
        press(' '); tell('started', dataset.playing);";
    let dom = open(browser, &with_script(&page, code), "#frame=5", &["--dump-dom"]);
    assert_eq!(attribute(&dom, "frames"), "6,7,6,40,40,39,0,0,10");
    assert_eq!((attribute(&dom, "faster"), attribute(&dom, "slower")), ("2", "0.5"));
    assert_eq!(attribute(&dom, "shown"), "false,false,solid");
    assert_eq!((attribute(&dom, "help"), attribute(&dom, "closed")), ("true", "false"));
    assert_eq!(attribute(&dom, "started"), "true");
    assert!(dom.contains("<td>play or pause</td>"), "the help tells the keys");
}

/// Contact regions are recorded where they are asked for, and drawn until `g` hides them.
#[test]
fn contact_regions_are_drawn() {
    let (folder, plain) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let page = page(folder.path(), "two-knots", 40, &["--scene", "two-knots", "--patch-samples", "12"]);
    let Some(browser) = browser() else { return };
    let code = "
        const view = document.getElementById('view'), shown = () => view.toDataURL();
        // The window may have got its size after the page was drawn, which the page learns between scripts only.
        press('g'); press('g');
        const first = shown(); press('g'); const hidden = shown(); press('g');
        tell('hides', first !== hidden); tell('again', first === shown());
        tell('listed', !document.getElementById('has-regions').hidden);";
    let dom = open(browser, &with_script(&page, code), "#frame=40", &["--dump-dom"]);
    assert!(attribute(&dom, "samples").parse::<usize>().unwrap() > 20, "{}", attribute(&dom, "samples"));
    assert_eq!(["hides", "again", "listed"].map(|name| attribute(&dom, name)), ["true"; 3]);
    let dom = open(browser, &knots(plain.path()), "#frame=40", &["--dump-dom"]);
    assert_eq!(attribute(&dom, "samples"), "0");
}

/// What is told of the bodies under a lattice of places: ground and both knots are found, each with its contacts.
#[test]
fn a_body_under_the_pointer_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let page = knots(folder.path());
    let Some(browser) = browser() else { return };
    let code = "
        const told = new Set(), view = document.getElementById('view'), box = view.getBoundingClientRect();
        const tip = document.getElementById('tip');
        for (let k = 0; k < 49; k++) {
            const [x, y] = [(k % 7 + 0.5) / 7, (Math.floor(k / 7) + 0.5) / 7];
            const [clientX, clientY] = [box.left + box.width * x, box.top + box.height * y];
            view.dispatchEvent(new PointerEvent('pointermove', { clientX, clientY }));
            if (!tip.hidden) told.add([...tip.children].map((line) => line.textContent).join());
        }
        tell('told', [...told].sort().join(';'));";
    let dom = open(browser, &with_script(&page, code), &format!("#frame={STEPS}"), &["--dump-dom"]);
    let told = attribute(&dom, "told");
    let mut named = 0;
    for (line, body) in told.split(';').zip([
        "ground (body 0, fixed),half-space,",
        "knot (body 1),mesh, ",
        "knot (body 2),mesh, ",
    ]) {
        let rest = line.strip_prefix(body).unwrap_or_else(|| panic!("{line} is not of {body}"));
        let count = rest.trim_start_matches("3,360 triangles,").strip_suffix(" contacts").expect(rest);
        named += count.parse::<usize>().expect("a number");
    }
    // Every contact is one of two bodies.
    let contacts: usize = attribute(&dom, "contacts").parse().unwrap();
    assert_eq!(named, 2 * contacts, "{told}");
}

/// Bodies of one mesh have colours of their own in the recording, and the page draws them in these.
#[test]
fn bodies_of_one_mesh_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenes/assets/gear.ply");
    let page = page(folder.path(), "bin", 2, &["--mesh", mesh, "--bodies", "6"]);
    let recording = std::fs::read(folder.path().join("bin.rec")).unwrap();
    let header = recording.split(|byte| *byte == b'\n').nth(1).unwrap();
    let header: serde_json::Value = serde_json::from_slice(header).unwrap();
    let moving = header["bodies"].as_array().unwrap().iter().filter(|body| body["fixed"] == false);
    let colors: Vec<[u8; 3]> =
        moving.map(|body| serde_json::from_value(body["color"].clone()).unwrap()).collect();
    assert_eq!(colors.len(), 6);
    assert_eq!(colors.iter().collect::<std::collections::BTreeSet<_>>().len(), 6, "{colors:?}");

    let Some(browser) = browser() else { return };
    let picture = folder.path().join("bin.png");
    open(browser, &page, "#frame=0", &[&format!("--screenshot={}", picture.display())]);
    let pixels = pixels(&picture);
    for color in colors {
        // Light makes a colour brighter or darker, its channels stay in proportion.
        let of_it = |p: &[u8; 3]| {
            let light = f64::from(p[1]) / f64::from(color[1]);
            let off = |k: usize| (f64::from(p[k]) - light * f64::from(color[k])).abs();
            p[1] > 40 && off(0) < 3.0 && off(2) < 3.0
        };
        let count = pixels.iter().filter(|p| of_it(p)).count();
        assert!(count > 300, "{count} pixels in shades of {color:?}");
    }
}

/// The bin's walls change hardly any pixel of the bodies in it: only the lines of its edges cross them. From a side and from
/// below, solid walls hide much of them.
#[test]
fn walls_hide_no_body() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(folder.path(), "bin", 60, &["--scene", "bin", "--bodies", "8"]);
    let Some(browser) = browser() else { return };
    // Pixels of bodies alone, and how many of them are others with walls that are open or solid.
    let code = "
        const view = document.getElementById('view'), gl = view.getContext('webgl2');
        const shot = (fixed) => {
            document.getElementById('fixed').value = fixed;
            dispatchEvent(new Event('hashchange'));
            const pixels = new Uint8Array(4 * view.width * view.height);
            gl.readPixels(0, 0, view.width, view.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
            return new Uint32Array(pixels.buffer);
        };
        press('c'); press('n');
        const turned = (down) => {
            view.setPointerCapture = () => {};
            view.dispatchEvent(new PointerEvent('pointerdown', {}));
            view.dispatchEvent(new PointerEvent('pointermove', { movementX: 0, movementY: down }));
            view.dispatchEvent(new PointerEvent('pointerup', {}));
            const bodies = shot('hidden'), open = shot('open'), solid = shot('solid'), paper = bodies[0];
            let [all, hidden, much] = [0, 0, 0];
            bodies.forEach((color, k) => {
                if (color !== paper) { all++; hidden += open[k] !== color; much += solid[k] !== color; }
            });
            return [all, hidden, much];
        };
        tell('above', turned(0)); tell('aside', turned(-90)); tell('below', turned(-120));";
    let dom = open(browser, &with_script(&page, code), "#frame=60", &["--dump-dom"]);
    for (place, hides) in [("above", false), ("aside", true), ("below", true)] {
        let counts: Vec<f64> =
            attribute(&dom, place).split(',').map(|count| count.parse().expect("a number")).collect();
        let [all, open, solid] = counts[..] else { panic!("{counts:?}") };
        assert!(all > 5000.0 && open < 0.06 * all, "{place}: {counts:?}");
        assert!(!hides || solid > 0.5 * all, "{place}: {counts:?}");
    }
}

/// At the first frame and the last one the bodies reach over most of the picture, across or down, in any window, and not
/// beyond it.
#[test]
fn the_scene_fills_the_picture() {
    let folder = tempfile::tempdir().unwrap();
    let page = knots(folder.path());
    let Some(browser) = browser() else { return };
    let code = "
        const view = document.getElementById('view'), gl = view.getContext('webgl2');
        const measure = () => {
            const [wide, high] = [view.width, view.height], pixels = new Uint8Array(4 * wide * high);
            gl.readPixels(0, 0, wide, high, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
            const words = new Uint32Array(pixels.buffer);
            let [left, right, low, up] = [wide, 0, high, 0];
            words.forEach((color, k) => {
                if (color === words[0]) return;
                const [x, y] = [k % wide, Math.floor(k / wide)];
                [left, right, low, up] = [Math.min(left, x), Math.max(right, x), Math.min(low, y), Math.max(up, y)];
            });
            return [(right - left) / wide, (up - low) / high];
        };
        press('c'); press('n'); press('w'); press('w'); press('w');
        tell('first', measure()); press('End'); tell('last', measure());";
    let page = with_script(&page, code);
    for size in ["1200,900", "500,800", "1300,500"] {
        let dom = open(browser, &page, "#frame=0", &["--dump-dom", &format!("{SIZE}{size}")]);
        for frame in ["first", "last"] {
            let shares: Vec<f64> = attribute(&dom, frame).split(',').map(|x| x.parse().unwrap()).collect();
            let larger = shares.iter().fold(0.0, |a: f64, b| a.max(*b));
            assert!((0.8..0.99).contains(&larger), "{size}, {frame}: {shares:?} of the picture");
        }
    }
}

#[test]
fn what_is_no_recording_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mesh.rec");
    std::fs::write(&file, "solid cube").unwrap();
    let output = impinge(&["view", file.to_str().unwrap()]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    for part in ["mesh.rec", "`impinge recording 3`", "`impinge recording 2`", "`impinge recording 1`"] {
        assert!(error.contains(part), "`{part}` is missing in: {error}");
    }
    assert!(!folder.path().join("mesh.html").exists());
    let missing = impinge(&["view", folder.path().join("none.rec").to_str().unwrap()]);
    assert_eq!(missing.status.code(), Some(2));
}
