//! Recordings of bodies that deform, made byte by byte.

use super::{attribute, browser, impinge, open, with_script};

#[test]
fn a_body_that_deforms_is_shown_as_it_is() {
    a_triangle_grows(true);
}

#[test]
fn a_mesh_that_becomes_another_is_shown_as_it_is() {
    a_triangle_grows(false);
}

/// A recording byte for byte: over a large triangle a small one that grows, because it deforms or because its mesh becomes another. The second frame
/// has it under more places of the picture, and the page is told of it as of any body.
fn a_triangle_grows(deforms: bool) {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let header = r#"{"scene":"grows","dt":0.25,"direction":[0,1,0],"target":[0,0,0],"half_height":1,"container":false,
        "stages":["step"],"meshes":[{"name":"flake","kind":"mesh","vertices":3,"triangles":1},
        {"name":"leaf","kind":"mesh","vertices":3,"triangles":1}],
        "bodies":[{"mesh":0,"color":[200,160,40],"fixed":false},
        {"mesh":1,"color":[40,160,200],"fixed":false,"deforms":DEFORMS}]}"#;
    let header = header.replace("DEFORMS", &deforms.to_string()).replace('\n', "");
    let version = if deforms { 4 } else { 5 };
    let mut bytes = format!("impinge recording {version}\n{header}").into_bytes();
    while bytes.len() % 4 != 3 {
        bytes.push(b' ');
    }
    bytes.push(b'\n');
    let put =
        |bytes: &mut Vec<u8>, numbers: &[f32]| bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
    let triangle = |y: f32, size: f32| [-size, y, -size, size, y, -size, 0.0, y, size];
    // The view is laid by the meshes of the beginning.
    for size in [1.0, if deforms { 0.1 } else { 0.8 }] {
        put(&mut bytes, &triangle(0.0, size));
        bytes.extend([0_u32, 1, 2].iter().flat_map(|corner| corner.to_le_bytes()));
    }
    for size in [0.1, 0.8] {
        bytes.extend(0_u32.to_le_bytes());
        put(&mut bytes, &[1500.0]);
        put(&mut bytes, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0].repeat(2));
        bytes.extend([0_u8; 8]);
        if !deforms {
            // One mesh, number 1, of three vertices and one triangle.
            bytes.extend([1_u32, 1, 3, 1].iter().flat_map(|number| number.to_le_bytes()));
        }
        put(&mut bytes, &triangle(-0.1, size));
        if !deforms {
            bytes.extend([0_u32, 1, 2].iter().flat_map(|corner| corner.to_le_bytes()));
        }
    }
    let file = folder.path().join("grows.rec");
    std::fs::write(&file, bytes).unwrap();
    let view = impinge(&["view", file.to_str().unwrap()]);
    assert_eq!(view.status.code(), Some(0), "{view:?}");
    let code = "
        const view = document.getElementById('view'), box = view.getBoundingClientRect();
        const tip = document.getElementById('tip');
        const count = () => {
            let found = 0;
            for (let k = 0; k < 100; k++) {
                const [x, y] = [(k % 10 + 0.5) / 10, (Math.floor(k / 10) + 0.5) / 10];
                const [clientX, clientY] = [box.left + box.width * x, box.top + box.height * y];
                view.dispatchEvent(new PointerEvent('pointermove', { clientX, clientY }));
                found += !tip.hidden && tip.textContent.startsWith('leaf (body 1)');
            }
            return found;
        };
        const first = count(); press('ArrowRight'); const second = count(); press('ArrowLeft');
        tell('counts', [first, second, count()]);";
    let page = with_script(&file.with_extension("html"), code);
    let dom = open(browser, &page, "#frame=0", &["--dump-dom"]);
    let counts: Vec<u32> = attribute(&dom, "counts").split(',').map(|x| x.parse().unwrap()).collect();
    assert!(counts[1] > 4 * counts[0].max(2) && counts[0] == counts[2], "{counts:?}");
}
