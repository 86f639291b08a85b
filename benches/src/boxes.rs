//! Moving boxes: the scenes of the broad phase suite.

use impinge_broadphase::Filter;
use impinge_geometry::Aabb;

/// How the boxes of a scene lie and move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Uniform in a cube, 5 to 6 overlaps each, each moves by 1 % of its size per step.
    Drift,
    /// As `Drift`, and 1 % of the boxes jump anywhere each step.
    Teleport,
    /// A heap on the ground, tiny jitter.
    Pile,
    /// Small ones, 50 huge ones and the ground.
    Mixed,
    /// As `Drift`, but only 2 % of the boxes move.
    Few,
    /// As `Drift`, but only every fifth box moves; the others are static.
    Rest,
    /// As `Drift`, each moves by 20 % of its size per step.
    Fast,
    /// Extents log-uniform from 0.2 to 20 m.
    LogUniform,
    /// Flat along z.
    FlatZ,
    /// Flat along x.
    FlatX,
    /// In a line.
    Line,
    /// In clusters.
    Clusters,
}

/// A scene: its name, its kind, and the number of boxes.
#[derive(Clone, Copy, Debug)]
pub struct BoxScene {
    pub name: &'static str,
    pub kind: Kind,
    pub count: usize,
}

/// Every scene of the suite.
pub const SCENES: &[BoxScene] = &[
    BoxScene { name: "b1-10k", kind: Kind::Drift, count: 10_000 },
    BoxScene { name: "b1-100k", kind: Kind::Drift, count: 100_000 },
    BoxScene { name: "b1-1m", kind: Kind::Drift, count: 1_000_000 },
    BoxScene { name: "b2-10k", kind: Kind::Teleport, count: 10_000 },
    BoxScene { name: "b2-100k", kind: Kind::Teleport, count: 100_000 },
    BoxScene { name: "b3-20k", kind: Kind::Pile, count: 20_000 },
    BoxScene { name: "b4-10k", kind: Kind::Mixed, count: 10_000 },
    BoxScene { name: "b5-100k", kind: Kind::Few, count: 100_000 },
    BoxScene { name: "rest-100k", kind: Kind::Rest, count: 100_000 },
    BoxScene { name: "fast-100k", kind: Kind::Fast, count: 100_000 },
    BoxScene { name: "log-100k", kind: Kind::LogUniform, count: 100_000 },
    BoxScene { name: "flat-z-100k", kind: Kind::FlatZ, count: 100_000 },
    BoxScene { name: "flat-x-100k", kind: Kind::FlatX, count: 100_000 },
    BoxScene { name: "line-100k", kind: Kind::Line, count: 100_000 },
    BoxScene { name: "clusters-100k", kind: Kind::Clusters, count: 100_000 },
];

/// Boxes that move; slots are indices.
pub struct Boxes {
    kind: Kind,
    random: Random,
    /// Where boxes may be (m).
    side: [f32; 3],
    velocity: Vec<[f32; 3]>,
    pub boxes: Vec<Aabb>,
    pub filters: Vec<Filter>,
    /// The boxes that the last step changed.
    pub moved: Vec<(u32, Aabb)>,
}

impl Boxes {
    /// The scene at its start.
    pub fn new(scene: &BoxScene) -> Boxes {
        let mut random = Random::new(1);
        let n = scene.count;
        let side = sides(scene.kind, n);
        let mut boxes = Boxes {
            kind: scene.kind,
            side,
            velocity: Vec::with_capacity(n),
            boxes: Vec::with_capacity(n + 51),
            filters: (0..n).map(|i| filter(scene.kind, i)).collect(),
            moved: Vec::new(),
            random: Random::new(2),
        };
        let centers: Vec<[f32; 3]> = (0..200).map(|_| side.map(|s| unit(&mut random) * s)).collect();
        for i in 0..n {
            let size = [0; 3].map(|_| match scene.kind {
                Kind::LogUniform => 0.2 * 100f32.powf(unit(&mut random)),
                _ => 0.5 + unit(&mut random),
            });
            let mut center = side.map(|s| unit(&mut random) * s);
            match scene.kind {
                Kind::Clusters => {
                    let spread = (n as f32 / 200.0).cbrt() * 1.5;
                    for k in 0..3 {
                        let bell: f32 = (0..4).map(|_| unit(&mut random) - 0.5).sum();
                        center[k] = centers[i % 200][k] + bell * spread;
                    }
                }
                Kind::Pile => {
                    // A cone: the heap is lower away from its middle.
                    let height = 1.0 - ((center[0] / side[0] - 0.5).hypot(center[1] / side[1] - 0.5) * 1.6);
                    center[2] = 0.5 + center[2] * height.max(0.0);
                }
                _ => {}
            }
            let direction = [0; 3].map(|_| random.signed() as f32);
            let length = direction.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-3);
            let speed = match scene.kind {
                Kind::Fast => 0.2,
                Kind::Pile => 0.001,
                _ => 0.01,
            };
            let mean = size.iter().sum::<f32>() / 3.0;
            boxes.velocity.push(direction.map(|x| x / length * speed * mean));
            boxes.boxes.push(around(center, size));
        }
        if scene.kind == Kind::Mixed {
            for _ in 0..50 {
                let center = side.map(|s| unit(&mut random) * s);
                let size = side.map(|s| s * (0.2 + 0.3 * unit(&mut random)));
                boxes.boxes.push(around(center, size));
                boxes.velocity.push([0; 3].map(|_| 0.01 * random.signed() as f32));
                boxes.filters.push(Filter::default());
            }
        }
        if matches!(scene.kind, Kind::Mixed | Kind::Pile) {
            let ground = Aabb { min: [-1e3, -1e3, -10.0], max: [1e3, 1e3, 0.2] };
            boxes.boxes.push(ground);
            boxes.velocity.push([0.0; 3]);
            boxes.filters.push(Filter { is_static: true, ..Filter::default() });
        }
        boxes
    }

    /// Moves the boxes by one step.
    pub fn step(&mut self) {
        self.moved.clear();
        for i in 0..self.boxes.len() {
            let rests = match self.kind {
                Kind::Few => i % 50 != 0,
                Kind::Rest => i % 5 != 0,
                _ => false,
            };
            if rests || self.velocity[i] == [0.0; 3] {
                continue;
            }
            let aabb = &mut self.boxes[i];
            let jumps = self.kind == Kind::Teleport && self.random.unit() < 0.01;
            for k in 0..3 {
                let size = aabb.max[k] - aabb.min[k];
                if jumps {
                    aabb.min[k] = unit(&mut self.random) * self.side[k] - 0.5 * size;
                } else if self.kind == Kind::Pile {
                    aabb.min[k] += self.velocity[i][k] * self.random.signed() as f32;
                } else {
                    aabb.min[k] += self.velocity[i][k];
                    let center = aabb.min[k] + 0.5 * size;
                    let turns = (center < 0.0 && self.velocity[i][k] < 0.0)
                        || (center > self.side[k] && self.velocity[i][k] > 0.0);
                    if turns {
                        self.velocity[i][k] *= -1.0;
                    }
                }
                aabb.max[k] = aabb.min[k] + size;
            }
            self.moved.push((i as u32, *aabb));
        }
    }
}

/// Boxes of the scene of resting ones are static but for every fifth.
fn filter(kind: Kind, i: usize) -> Filter {
    Filter { is_static: kind == Kind::Rest && !i.is_multiple_of(5), ..Filter::default() }
}

/// The sides of the space (m) such that a box has 5 to 6 overlaps.
fn sides(kind: Kind, n: usize) -> [f32; 3] {
    let n = n as f32;
    let cube = [(8.0 * n / 5.5).cbrt(); 3];
    match kind {
        Kind::FlatZ | Kind::FlatX => {
            let side = (4.0 * n / 5.5).sqrt();
            if kind == Kind::FlatZ { [side, side, 0.5] } else { [0.5, side, side] }
        }
        Kind::Line => [2.0 * n / 5.5, 0.5, 0.5],
        // The mean of (x + y)^3 over two extents per axis is about 640 times that of unit boxes.
        Kind::LogUniform => cube.map(|x| x * 8.6 * 0.5),
        Kind::Clusters => cube.map(|x| 6.0 * x),
        Kind::Pile => {
            let side = (8.0 * n / 5.5).cbrt();
            [1.6 * side, 1.6 * side, 1.2 * side]
        }
        _ => cube,
    }
}

fn unit(random: &mut Random) -> f32 {
    random.unit() as f32
}

fn around(center: [f32; 3], size: [f32; 3]) -> Aabb {
    let min = std::array::from_fn(|k| center[k] - 0.5 * size[k]);
    Aabb { min, max: std::array::from_fn(|k| min[k] + size[k]) }
}

/// Random numbers that are the same everywhere (Steele, Lea, Flood, "Fast splittable pseudorandom
/// number generators", 2014).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// From 0 up to but not 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// From -1 to 1.
    fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
}
