//! The scenes of the contact suite: overlapping meshes whose true depth can be found.

use std::sync::Arc;

use anyhow::bail;
use impinge_geometry::TriMesh;
use impinge_scenes::mesh::{
    Blob, Bolt, Bowl, ChainLink, Gear, HoleBlock, Hook, Knot, Nut, OpenBox, Peg, Terrain, Torus,
};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::f64::consts::{FRAC_PI_2, TAU};

use crate::mesh_peers::{Ours, Way};
use crate::meshes::poses::{Mix, Overlap, Poses};

/// What is asked of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Tori,
    Gears,
    Terrain,
    Peg,
    /// A peg that no short translation frees: what it says of each side can be right, but no single one
    /// is the pair's.
    Wedged,
    Nut,
    Random,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 7] =
        [Kind::Tori, Kind::Gears, Kind::Terrain, Kind::Peg, Kind::Wedged, Kind::Nut, Kind::Random];

    /// The name of the scene.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Tori => "tori",
            Kind::Gears => "gears",
            Kind::Terrain => "terrain",
            Kind::Peg => "peg",
            Kind::Wedged => "wedged",
            Kind::Nut => "nut",
            Kind::Random => "random",
        }
    }
}

/// Two meshes that overlap.
pub struct Case {
    pub kind: Kind,
    pub name: String,
    pub meshes: [Arc<TriMesh>; 2],
    pub poses: [Isometry3<f64>; 2],
}

/// How many random pairs there are.
pub const RANDOM_PAIRS: usize = 200;

/// The cases of a scene, or of all of them.
pub fn cases(scene: Option<&str>, random_pairs: usize) -> anyhow::Result<Vec<Case>> {
    let kinds: Vec<Kind> =
        Kind::ALL.into_iter().filter(|kind| scene.is_none_or(|name| name == kind.name())).collect();
    if kinds.is_empty() {
        bail!("no such scene; there are {}", Kind::ALL.map(Kind::name).join(", "));
    }
    let mut cases = Vec::new();
    for kind in kinds {
        match kind {
            Kind::Tori => tori(&mut cases)?,
            Kind::Gears => gears(&mut cases)?,
            Kind::Terrain => terrain(&mut cases)?,
            Kind::Peg | Kind::Wedged => peg(kind, &mut cases)?,
            Kind::Nut => nut(&mut cases)?,
            Kind::Random => random(&mut cases, random_pairs)?,
        }
    }
    Ok(cases)
}

fn at(x: f64, y: f64, z: f64, rotation: UnitQuaternion<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::new(x, y, z), rotation)
}

fn about(axis: Vector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(axis * angle)
}

/// Two rings hooked into each other, the tube of one pressed into that of the other by d.
fn tori(cases: &mut Vec<Case>) -> anyhow::Result<()> {
    let mesh = Arc::new(Torus { major: 1.0, minor: 0.25, around: 64, across: 24 }.mesh()?);
    for d in [0.02, 0.10, 0.20, 0.35] {
        let b = at(0.5 - d, 0.0, 0.0, about(Vector3::x(), FRAC_PI_2));
        cases.push(Case {
            kind: Kind::Tori,
            name: format!("tori {d:.2}"),
            meshes: [mesh.clone(), mesh.clone()],
            poses: [Isometry3::identity(), b],
        });
    }
    Ok(())
}

/// A tooth of one gear in a gap of the other, a little too far in. Their flat sides lie in two planes.
fn gears(cases: &mut Vec<Case>) -> anyhow::Result<()> {
    let gear = Gear { teeth: 16, outer: 1.0, root: 0.8, bore: 0.3, half_width: 0.15 };
    let mesh = Arc::new(gear.mesh()?);
    // The middle of a gap looks along +x, that of a tooth along −x.
    let (gap, tooth) = (TAU * 0.18 / 16.0, TAU * 0.68 / 16.0);
    for overlap in [0.05, 0.10, 0.15, 0.19] {
        let a = at(0.0, 0.0, 0.0, about(Vector3::z(), -gap));
        let b = at(2.0 - overlap, 0.0, 0.0, about(Vector3::z(), 0.5 * TAU - tooth + 0.03));
        cases.push(Case {
            kind: Kind::Gears,
            name: format!("gears {overlap:.2}"),
            meshes: [mesh.clone(), mesh.clone()],
            poses: [a, b],
        });
    }
    Ok(())
}

/// A bumpy blob let down on bumpy ground until it touches, then pushed in.
fn terrain(cases: &mut Vec<Case>) -> anyhow::Result<()> {
    let sheet = Terrain { half: 2.0, relief: 0.35, cells: 48, ..Terrain::default() }.mesh()?;
    let ground = Arc::new(sheet.one_sided(1.0, Vector3::z())?);
    let blob = Arc::new(Blob { radius: 0.5, bump: 0.15, ..Blob::default() }.mesh()?);
    let meshes = [ground, blob];
    let mut oracle = Ours::new(Way::Best, &meshes);
    let a = Isometry3::identity();
    let turned = about(Vector3::new(0.6, 0.8, 0.0), 1.1);
    let lowered = |z: f64| at(0.25, -0.15, z, turned);
    let (mut touching, mut free) = (0.0, 3.0);
    for _ in 0..40 {
        let middle = 0.5 * (touching + free);
        if oracle.touching(&a, &lowered(middle)) { touching = middle } else { free = middle }
    }
    for overlap in [0.01, 0.04, 0.13, 0.26] {
        cases.push(Case {
            kind: Kind::Terrain,
            name: format!("terrain {overlap:.2}"),
            meshes: meshes.clone(),
            poses: [a, lowered(free - overlap)],
        });
    }
    Ok(())
}

/// A peg in a hole: pushed against its side; or wedged, tilted until it jams or too thick.
fn peg(kind: Kind, cases: &mut Vec<Case>) -> anyhow::Result<()> {
    let block = Arc::new(HoleBlock::default().mesh()?);
    let thin = Arc::new(Peg::default().mesh()?);
    let thick = Arc::new(Peg { radius: 0.31, ..Peg::default() }.mesh()?);
    let none = UnitQuaternion::identity();
    let tilt = about(Vector3::new(0.2, 0.98, 0.0), 0.075);
    let pegs = match kind {
        Kind::Wedged => [
            ("peg tilted", thin, at(0.0, 0.0, 0.05, tilt)),
            ("peg too thick", thick, at(0.01, 0.002, 0.05, none)),
        ],
        _ => [
            ("peg aside 0.01", thin.clone(), at(0.03, 0.003, 0.05, none)),
            ("peg aside 0.04", thin, at(0.058, 0.016, 0.05, none)),
        ],
    };
    for (name, peg, pose) in pegs {
        cases.push(Case {
            kind,
            name: name.to_owned(),
            meshes: [block.clone(), peg],
            poses: [Isometry3::identity(), pose],
        });
    }
    Ok(())
}

/// A nut on its bolt, moved along and aside until the flanks overlap.
fn nut(cases: &mut Vec<Case>) -> anyhow::Result<()> {
    let meshes = [Arc::new(Bolt::default().mesh()?), Arc::new(Nut::default().mesh()?)];
    for (name, x, z) in
        [("nut along 0.015", 0.0, 0.215), ("nut along 0.020", 0.0, 0.220), ("nut aside 0.015", 0.015, 0.2)]
    {
        cases.push(Case {
            kind: Kind::Nut,
            name: name.to_owned(),
            meshes: meshes.clone(),
            poses: [Isometry3::identity(), at(x, 0.3 * x, z, UnitQuaternion::identity())],
        });
    }
    Ok(())
}

/// Pairs out of ten closed shapes, half of them shallow and half of them deep.
fn random(cases: &mut Vec<Case>, count: usize) -> anyhow::Result<()> {
    let shapes = [
        ("knot", Knot { along: 80, across: 10, ..Knot::default() }.mesh()?),
        ("torus", Torus { around: 36, across: 14, ..Torus::default() }.mesh()?),
        ("gear", Gear::default().mesh()?),
        ("hook", Hook::default().mesh()?),
        ("bowl", Bowl::default().mesh()?),
        ("link", ChainLink::default().mesh()?),
        ("blob", Blob::default().mesh()?),
        ("box", OpenBox { half_inside: [0.3, 0.3], height: 0.4, wall: 0.08, ..OpenBox::default() }.mesh()?),
        ("nut", Nut::default().mesh()?),
        ("bolt", Bolt::default().mesh()?),
    ]
    .map(|(name, mesh)| (name, Arc::new(mesh)));
    let mut random = Random::new(2026);
    for k in 0..count {
        let [(name_a, a), (name_b, b)] = [0; 2].map(|_| &shapes[random.index(shapes.len())]);
        let meshes = [a.clone(), b.clone()];
        let size = f64::from(a.bounding_sphere().radius.min(b.bounding_sphere().radius));
        let (depth, overlap) = match k % 2 {
            0 => ("shallow", Overlap::Length(0.002 * size, 0.05 * size)),
            _ => ("deep", Overlap::Length(0.05 * size, 0.6 * size)),
        };
        let reach = [a, b].map(|mesh| {
            let sphere = mesh.bounding_sphere();
            f64::from(sphere.radius) + f64::from(sphere.center.coords.norm())
        });
        let mut oracle = Ours::new(Way::Best, &meshes);
        let mut poses =
            Poses { oracle: &mut oracle, reach: reach[0] + reach[1], random: Random::new(k as u64) };
        let mix = Mix { colliding: 1, near_misses: 0, clear: 0, gap: 1e-4, overlap };
        cases.push(Case {
            kind: Kind::Random,
            name: format!("{k:03} {depth} {name_a} {name_b}"),
            meshes,
            poses: poses.mixed(&mix)[0],
        });
    }
    Ok(())
}
