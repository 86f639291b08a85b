//! The mesh files hold exactly the meshes that their formulas give.

use impinge_geometry::TriMesh;
use impinge_scenes::asset;

/// Corners of every triangle, bit for bit, the same for any order of vertices and triangles.
fn faces(mesh: &TriMesh) -> Vec<[[u32; 3]; 3]> {
    let mut faces: Vec<[[u32; 3]; 3]> = (0..mesh.triangles().len() as u32)
        .map(|t| {
            let corners = mesh.corners(t).map(|p| [p.x + 0.0, p.y + 0.0, p.z + 0.0].map(f32::to_bits));
            let least = (0..3).min_by_key(|&k| corners[k]).unwrap();
            [0, 1, 2].map(|k| corners[(least + k) % 3])
        })
        .collect();
    faces.sort_unstable();
    faces
}

#[test]
fn every_file_holds_the_mesh_of_its_formula() {
    let folder = asset::folder(None);
    let files = asset::load_all(&folder).unwrap();
    assert!(files.len() >= 5);
    for (name, file) in &files {
        let made = asset::make(name).unwrap().unwrap();
        assert!(file.is_closed(), "{name}");
        assert!(file.report().defects.is_empty(), "{name}: {:?}", file.report());
        assert_eq!(file.vertices().len(), made.vertices().len(), "{name}: vertices are welded");
        assert!(
            faces(file) == faces(&made),
            "{name}: run `cargo run -p impinge-scenes --example make_assets`"
        );
    }
}

#[test]
fn all_formats_are_there_and_the_files_stay_small() {
    let files: Vec<&str> = asset::names().map(|(_, file)| file).collect();
    for format in [".obj", ".stl", ".ply", ".glb"] {
        assert!(files.iter().any(|f| f.ends_with(format)), "{format}");
    }
    let folder = asset::folder(None);
    let size: u64 = std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap().metadata().unwrap().len()).sum();
    assert!(size < 2_000_000, "{size} bytes");
}
