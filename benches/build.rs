//! With the feature `peers-cpp`: compiles the C interfaces of FCL and Bullet.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "peers-cpp")]
    peers_cpp();
}

#[cfg(feature = "peers-cpp")]
fn peers_cpp() {
    const NEEDED: &str = "the feature `peers-cpp` needs a C++ compiler, pkg-config, FCL and Bullet: \
                          apt-get install g++ pkg-config libfcl-dev libccd-dev libbullet-dev";
    let output = std::process::Command::new("pkg-config").args(["--cflags-only-I", "fcl", "bullet"]).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        panic!("{NEEDED}");
    };
    let mut build = cc::Build::new();
    for flag in String::from_utf8_lossy(&output.stdout).split_whitespace() {
        // As system headers: their warnings are not ours.
        build.flag("-isystem").flag(flag.trim_start_matches("-I"));
    }
    build.cpp(true).std("c++17").opt_level(3).define("NDEBUG", None);
    for file in ["peers_cpp/fcl.cpp", "peers_cpp/bullet.cpp"] {
        println!("cargo:rerun-if-changed={file}");
        build.file(file);
    }
    build.compile("impinge_peers");
    for library in ["fcl", "ccd", "BulletCollision", "LinearMath"] {
        println!("cargo:rustc-link-lib={library}");
    }
}
