//! Writes the scenes' mesh files again into `scenes/assets`, or into the folder given.

use impinge_scenes::asset;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given = std::env::args_os().nth(1).map(std::path::PathBuf::from);
    let folder = asset::folder(given.as_deref());
    std::fs::create_dir_all(&folder)?;
    for (name, file) in asset::names() {
        let Some(mesh) = asset::make(name) else { continue };
        let (mesh, path) = (mesh?, folder.join(file));
        mesh.save(&path)?;
        println!("{} ({} triangles)", path.display(), mesh.triangles().len());
    }
    Ok(())
}
