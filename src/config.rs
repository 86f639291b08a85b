//! Settings of a world, each with its unit, usual value and limits, and the builder that checks them.

use std::sync::{Arc, OnceLock};

use impinge_broadphase::{BroadPhaseSettings, Margin};
use impinge_contacts::{CombineRules, ContactSettings};
use impinge_geometry::volume::round_up;
use impinge_geometry::{FARTHEST, SimdLevel};
use impinge_pair::{NarrowSettings, SEARCH_BUDGET};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::coherence::{COHERENCE, check_coherence};
use crate::gpu::{self, Gpu, GpuOptions};
use crate::query::QueryPool;
use crate::{Backend, BuildError, Parity, World};

/// Most worker threads that can be asked for: more gains nothing and the system may refuse them.
const MOST_THREADS: usize = 1024;

/// Collects the settings of a [`World`].
#[derive(Clone, Debug)]
pub struct WorldBuilder {
    backend: Backend,
    contact_tolerance: f64,
    contact_margin: f64,
    max_points: usize,
    max_manifolds: usize,
    image_resolution: u32,
    patch_samples: u32,
    search_budget: u64,
    coherence: f64,
    threads: usize,
    pool: Option<Arc<ThreadPool>>,
    rules: CombineRules,
    fat_boxes: Option<Margin>,
    pub(crate) gpu: GpuOptions,
    simd: SimdLevel,
}

/// Settings that have been checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    pub backend: Backend,
    pub parity: Parity,
    pub tolerance: f64,
    pub narrow: NarrowSettings,
    pub contacts: ContactSettings,
    pub rules: CombineRules,
    pub boxes: BroadPhaseSettings,
    /// Part of a pair's depth by which it may move before it is answered in full again.
    pub coherence: f64,
}

impl Config {
    /// By how much each collider's box is grown, so that the boxes of pairs closer than the margin meet
    /// (m).
    pub fn box_margin(&self) -> f32 {
        round_up(0.5 * self.narrow.margin)
    }
}

impl Default for WorldBuilder {
    fn default() -> WorldBuilder {
        WorldBuilder {
            backend: Backend::Auto,
            contact_tolerance: 0.0,
            contact_margin: 0.0,
            max_points: 4,
            max_manifolds: 4,
            image_resolution: 32,
            patch_samples: 0,
            search_budget: SEARCH_BUDGET,
            coherence: COHERENCE,
            threads: 0,
            pool: None,
            rules: CombineRules::default(),
            fat_boxes: None,
            gpu: GpuOptions::default(),
            simd: SimdLevel::detect(),
        }
    }
}

impl WorldBuilder {
    /// Where the narrow phase runs (default [`Backend::Auto`]).
    pub fn backend(mut self, backend: Backend) -> WorldBuilder {
        self.backend = backend;
        self
    }

    /// What contacts that a GPU takes part in have in common with the CPU's (default: [`Parity::Meaning`] with [`Backend::Gpu`] and
    /// [`Backend::Hybrid`], [`Parity::Bits`] where [`Backend::Auto`] takes a GPU). Without a GPU it is of no account.
    pub fn parity(mut self, parity: Parity) -> WorldBuilder {
        self.gpu.parity = Some(parity);
        self
    }

    /// The adapter to take, where the GPU is used: the first whose name or driver holds `name`, in any
    /// case of letters. Software adapters, which are far slower than the CPU, are taken only when they
    /// are named, or when [`Backend::Gpu`] is asked for and there is no other.
    pub fn adapter(mut self, name: impl Into<String>) -> WorldBuilder {
        self.gpu.adapter = Some(name.into());
        self
    }

    /// Contact tolerance of every collider that has none of its own (m, default 0): overlaps no deeper
    /// than the sum of both colliders' tolerances are dropped.
    pub fn contact_tolerance(mut self, tolerance: f64) -> WorldBuilder {
        self.contact_tolerance = tolerance;
        self
    }

    /// Pairs closer than this (m, default 0) give contact points of negative depth, so that a solver can
    /// stop what approaches before it overlaps. They do not count as touching: an impulse that stops a body there belongs to no
    /// contact of [`World::contacts`](crate::World::contacts), and [`Subscription::impulses_above`](crate::Subscription::impulses_above)
    /// does not tell of it.
    pub fn contact_margin(mut self, margin: f64) -> WorldBuilder {
        self.contact_margin = margin;
        self
    }

    /// Most points of a manifold, 1 to 4 (default 4).
    pub fn max_points(mut self, points: usize) -> WorldBuilder {
        self.max_points = points;
        self
    }

    /// Most manifolds of a pair of subshapes, at least 1 (default 4): the deepest are kept, and the status
    /// of the step says how many were dropped.
    pub fn max_manifolds(mut self, manifolds: usize) -> WorldBuilder {
        self.max_manifolds = manifolds;
        self
    }

    /// Columns per side of a view: a power of two from 4 to 256 (default 32). Volume errors are about
    /// 2 % at 16, 0.5 % at 32 and 0.15 % at 64; cost grows with the square.
    pub fn image_resolution(mut self, columns: u32) -> WorldBuilder {
        self.image_resolution = columns;
        self
    }

    /// Samples along the longer side of each contact region, from 4 to 256; 0 (the default) for none. With them
    /// [`Manifold::patch`](crate::Manifold::patch) has the region's outline and a field of local depths, for tactile
    /// sensors and pressure laws; without them it costs nothing. A fine lattice costs far more than the rest of a contact.
    pub fn patch_samples(mut self, samples: u32) -> WorldBuilder {
        self.patch_samples = samples;
        self
    }

    /// How many tests of boxes and of pairs of leaves the search for a pair's least translation may take, at least 1 (default 250,000,
    /// some ten milliseconds). When they are spent, the shortest that was found is taken: it parts the bodies, but a shorter one may
    /// have been missed, and the step's status says [`SEARCH_CUT`](crate::StepStatus::SEARCH_CUT). Less bounds the worst step.
    pub fn search_budget(mut self, tests: u64) -> WorldBuilder {
        self.search_budget = tests;
        self
    }

    /// How far the points of a contact may drift on the bodies before it is found again, as a part of its depth (default
    /// 0.02, at most 0.1): beside each other, or nearer to the other body than the deepest of them has come. No point of the smaller body
    /// may meanwhile have moved by ten times as much, nor by a quarter of the depth. Until then a contact's points stay where they are on both
    /// bodies and their depths follow the motion, so that what rests, or is carried, costs next to nothing. Those that have drifted farther stay
    /// where the first free shift along their normal, measured again and again, says that their depth is right. Bodies that are apart are
    /// not asked again before they may touch. 0 finds every contact of whatever moves again in every step, as those of two convex
    /// shapes, of contacts deeper than 1.25 % of the smaller body's radius, and with [`patch_samples`](WorldBuilder::patch_samples) always
    /// are.
    ///
    /// Whether a pair touches is exact in any case. With this part *c*, the depth of a pair's deepest manifold is off by no more than 2*c*
    /// of itself and 2 millionths of the smaller body's radius along its normal; in trials, by 0.12 % of itself, and by 3.4 % where a body rocked about its contact. Its other
    /// manifolds are off by no more than as many metres. Where else the bodies come to touch meanwhile, they are no deeper than 10*c* of that
    /// depth when contacts there are found.
    pub fn coherence(mut self, part: f64) -> WorldBuilder {
        self.coherence = part;
        self
    }

    /// The vector instructions to use, or the best below them that the processor has (default: the best).
    /// No answer depends on them.
    #[doc(hidden)]
    pub fn simd(mut self, level: SimdLevel) -> WorldBuilder {
        self.simd = level;
        self
    }

    /// Worker threads, up to 1024; 0 (the default) is one per core. The answer does not depend on it. WebAssembly has no
    /// threads: there all worlds work on the calling one, which the program must not have used `rayon` on before it calls this library.
    pub fn threads(mut self, threads: usize) -> WorldBuilder {
        self.threads = threads;
        self
    }

    /// A thread pool of the caller's to share, in place of one of the world's own;
    /// [`threads`](WorldBuilder::threads) is then of no account. A step may also be taken from within the
    /// pool. (Where a system keeps two workers on one core and leaves another idle, as a virtual machine may, a
    /// `start_handler` can give each a core of its own.)
    ///
    /// ```
    /// use std::sync::Arc;
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build()?);
    /// let mut world = World::builder().thread_pool(Arc::clone(&pool)).build()?;
    /// assert_eq!(world.threads(), 2);
    /// let report = pool.install(|| world.step());
    /// assert!(report.status.is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn thread_pool(mut self, pool: Arc<ThreadPool>) -> WorldBuilder {
        self.pool = Some(pool);
        self
    }

    /// How the materials of two colliders become one (default: [`CombineRules::default`]).
    pub fn combine_rules(mut self, rules: CombineRules) -> WorldBuilder {
        self.rules = rules;
        self
    }

    /// Grows the boxes of colliders that are not fixed by a margin (default: none). A collider that stays
    /// within its grown box costs the broad phase next to nothing, and boxes grow most on the side to which
    /// they move ([`World::set_motion`] announces it); in return more pairs are looked at closely.
    /// It pays where most colliders are nearly at rest. The contacts do not depend on it.
    pub fn fat_boxes(mut self, margin: Margin) -> WorldBuilder {
        self.fat_boxes = Some(margin);
        self
    }

    /// Makes the world.
    ///
    /// # Errors
    /// [`BuildError`] names the setting that cannot be used and what would be right.
    pub fn build(self) -> Result<World, BuildError> {
        let mut config = self.check()?;
        let pool = self.pool()?;
        let (backend, gpu) = gpu::open(self.backend, &self.gpu)?;
        config.backend = backend;
        config.parity = gpu.as_ref().map_or(Parity::Bits, Gpu::parity);
        Ok(World::with(config, pool, gpu))
    }

    /// Makes what answers many questions about one pair at once ([`PairQuery`](crate::PairQuery)), on
    /// this backend and with as many threads; of the other settings, the query has its own.
    ///
    /// # Errors
    /// As [`WorldBuilder::build`].
    pub fn query_pool(self) -> Result<QueryPool, BuildError> {
        let _ = self.check()?;
        let pool = self.pool()?;
        // No contacts are asked of it.
        let mut options = self.gpu.clone();
        options.parity = Some(Parity::Bits);
        let (_, gpu) = gpu::open(self.backend, &options)?;
        Ok(QueryPool::new(pool, gpu))
    }

    /// The caller's pool, or a new one.
    fn pool(&self) -> Result<Arc<ThreadPool>, BuildError> {
        match &self.pool {
            Some(pool) => Ok(Arc::clone(pool)),
            None => pool(self.threads),
        }
    }

    fn check(&self) -> Result<Config, BuildError> {
        for (setting, value) in
            [("contact_tolerance", self.contact_tolerance), ("contact_margin", self.contact_margin)]
        {
            if !(0.0..=FARTHEST).contains(&value) {
                return Err(BuildError::Setting {
                    setting,
                    value: format!("{value} m"),
                    remedy: "it must be from 0 to 1e30 m",
                });
            }
        }
        if !(1..=4).contains(&self.max_points) {
            return Err(BuildError::Setting {
                setting: "max_points",
                value: self.max_points.to_string(),
                remedy: "it must be from 1 to 4",
            });
        }
        if self.max_manifolds == 0 {
            return Err(BuildError::Setting {
                setting: "max_manifolds",
                value: "0".to_owned(),
                remedy: "it must be at least 1",
            });
        }
        check_coherence(self.coherence)?;
        check_resolution("image_resolution", self.image_resolution)?;
        check_patch_samples(self.patch_samples)?;
        check_search_budget(self.search_budget)?;
        if let Some(margin) = &self.fat_boxes {
            check_margin(margin)?;
        }
        let mut boxes = BroadPhaseSettings::default();
        boxes.margin = self.fat_boxes;
        boxes.simd = self.simd;
        Ok(Config {
            boxes,
            backend: self.backend,
            parity: Parity::Bits,
            tolerance: self.contact_tolerance,
            narrow: NarrowSettings {
                resolution: self.image_resolution,
                margin: self.contact_margin,
                patch_samples: self.patch_samples,
                search_budget: self.search_budget,
                ..NarrowSettings::default()
            },
            contacts: ContactSettings::default()
                .max_points(self.max_points)
                .max_manifolds(self.max_manifolds),
            rules: self.rules,
            coherence: self.coherence,
        })
    }
}

fn check_margin(margin: &Margin) -> Result<(), BuildError> {
    let Margin { metres, fraction, ahead } = *margin;
    let sizes = [metres, fraction].iter().all(|x| x.is_finite() && *x >= 0.0);
    if sizes && (0.5..=1.0).contains(&ahead) {
        return Ok(());
    }
    Err(BuildError::Setting {
        setting: "fat_boxes",
        value: format!("{metres} m, {fraction} of a box, {ahead} of it ahead"),
        remedy: "metres and fraction must be finite and not negative, ahead from 0.5 to 1",
    })
}

/// Checks a number of columns per side.
pub(crate) fn check_resolution(setting: &'static str, columns: u32) -> Result<(), BuildError> {
    if columns.is_power_of_two() && (4..=256).contains(&columns) {
        return Ok(());
    }
    Err(BuildError::Setting {
        setting,
        value: columns.to_string(),
        remedy: "it must be a power of two from 4 to 256",
    })
}

/// Checks how many tests a search may take.
pub(crate) fn check_search_budget(tests: u64) -> Result<(), BuildError> {
    if tests > 0 {
        return Ok(());
    }
    Err(BuildError::Setting {
        setting: "search_budget",
        value: "0".to_owned(),
        remedy: "it must be at least 1",
    })
}

/// Checks a number of samples along a contact region.
pub(crate) fn check_patch_samples(samples: u32) -> Result<(), BuildError> {
    if samples == 0 || (4..=256).contains(&samples) {
        return Ok(());
    }
    Err(BuildError::Setting {
        setting: "patch_samples",
        value: samples.to_string(),
        remedy: "it must be from 4 to 256, or 0 for none",
    })
}

fn pool(threads: usize) -> Result<Arc<ThreadPool>, BuildError> {
    if threads > MOST_THREADS {
        return Err(BuildError::Setting {
            setting: "threads",
            value: threads.to_string(),
            remedy: "it must be at most 1024; 0 is one per core",
        });
    }
    let built = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("impinge-{i}"))
        .build()
        .map(Arc::new);
    let built = if cfg!(target_family = "wasm") { built.or_else(|_| calling_thread()) } else { built };
    built.map_err(|error| BuildError::Threads { threads, reason: error.to_string() })
}

/// Makes the pool that worlds share where a system has no threads, before anything uses rayon: rayon's own pool would take the
/// calling thread for good. Does nothing elsewhere.
pub(crate) fn claim_thread() {
    if cfg!(target_family = "wasm") {
        // Where it cannot be made, the caller's own pool has the thread.
        let _ = calling_thread();
    }
}

/// A pool of the calling thread alone, where a system has no others. A thread can belong to one pool, so that all worlds
/// share it.
fn calling_thread() -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
    static SHARED: OnceLock<Arc<ThreadPool>> = OnceLock::new();
    if let Some(pool) = SHARED.get() {
        return Ok(Arc::clone(pool));
    }
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()?);
    Ok(Arc::clone(SHARED.get_or_init(|| pool)))
}
