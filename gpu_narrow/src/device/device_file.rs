//! Device files of GPUs, which tell in microseconds where there can be no hardware.

use std::path::Path;

/// How the device files of GPU drivers begin: NVIDIA's, those of its embedded boards, the Windows subsystem for Linux, Mali,
/// Adreno, PowerVR.
const NAMES: [&str; 7] = ["nvidia", "nvgpu", "nvhost", "dxg", "mali", "kgsl", "pvr"];

/// Device files in `/dev/dri`, where all other drivers have theirs.
const DRI_NAMES: [&str; 2] = ["renderD", "card"];

/// Whether the system may have a GPU. On Linux each has a device file, without which no driver reaches it; nothing is known
/// of other systems.
pub(super) fn may_be_there() -> bool {
    !cfg!(target_os = "linux") || are_below(Path::new("/dev"))
}

/// Whether a GPU has its file in a folder, or in its `dri`. What cannot be read may hold one.
fn are_below(folder: &Path) -> bool {
    let dri = folder.join("dri");
    holds(folder, &NAMES) || (dri.exists() && holds(&dri, &DRI_NAMES))
}

/// Whether a name in a folder begins as one of these.
fn holds(folder: &Path, beginnings: &[&str]) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return true };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        beginnings.iter().any(|beginning| name.to_string_lossy().starts_with(beginning))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_of_any_driver_is_seen_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let dev = folder.path();
        fs::write(dev.join("null"), "").unwrap();
        assert!(!are_below(dev));
        fs::create_dir(dev.join("dri")).unwrap();
        fs::create_dir(dev.join("dri/by-path")).unwrap();
        assert!(!are_below(dev));
        for name in ["dri/renderD128", "dri/card0", "nvidiactl", "nvidia0", "dxg", "mali0", "kgsl-3d0"] {
            let file = dev.join(name);
            fs::write(&file, "").unwrap();
            assert!(are_below(dev), "{name}");
            fs::remove_file(file).unwrap();
            assert!(!are_below(dev));
        }
        // A folder that cannot be read says nothing.
        assert!(are_below(&dev.join("nowhere")));
    }
}
