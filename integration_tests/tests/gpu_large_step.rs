//! A thousand pairs in one warm step on the GPU: what it may cost, read from the spans. In a process of
//! its own, because whether spans are recorded is decided once for all threads.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use impinge::ColliderId;
use impinge::gpu_narrow::choose;
use impinge::prelude::*;
use impinge_gpu_narrow::testing::adapter_or_skip;
use impinge_scenes::mesh::Torus;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

const BODIES: usize = 1001;

/// The fields of the last span named `intersect` with `backend = "gpu"`.
#[derive(Clone, Default)]
struct Fields(Arc<Mutex<BTreeMap<String, String>>>);

/// Marks the spans of interest.
struct Watched;

struct Into<'a>(&'a mut BTreeMap<String, String>);

impl Visit for Into<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").trim_matches('"').to_owned());
    }
}

impl<S: tracing::Subscriber + for<'l> LookupSpan<'l>> Layer<S> for Fields {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut found = BTreeMap::new();
        attributes.record(&mut Into(&mut found));
        let is_gpu = found.get("backend").is_some_and(|backend| backend == "gpu");
        if attributes.metadata().name() == "intersect" && is_gpu {
            *self.0.lock().unwrap() = found;
            if let Some(span) = context.span(id) {
                span.extensions_mut().insert(Watched);
            }
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if context.span(id).is_some_and(|span| span.extensions().get::<Watched>().is_some()) {
            values.record(&mut Into(&mut self.0.lock().unwrap()));
        }
    }
}

/// Tori in a row, each touching the next.
struct Row {
    world: World,
    ids: Vec<ColliderId>,
}

impl Row {
    fn new(mut world: World) -> Row {
        let torus = world.add_shape(Torus::default().mesh().unwrap()).unwrap();
        let ids = (0..BODIES).map(|_| world.add_collider(Collider::new(torus)).unwrap()).collect();
        Row { world, ids }
    }

    /// Along x, each rolled a little farther than the last; the tori are 0.8 m wide.
    fn step(&mut self, step: u32) -> StepReport {
        for (k, &id) in self.ids.iter().enumerate() {
            let turn = UnitQuaternion::from_euler_angles(0.1 * k as f64, 0.01 * f64::from(step), 0.0);
            let pose = Isometry3::from_parts(Translation3::new(0.76 * k as f64, 0.0, 0.0), turn);
            self.world.set_pose(id, pose).unwrap();
        }
        self.world.step()
    }
}

#[test]
fn a_warm_step_of_a_thousand_pairs_costs_no_more_than_it_may_and_can_be_divided() {
    let Some(adapter) = adapter_or_skip("large step").and_then(|choice| choose(&choice).ok()) else { return };
    let on = |backend| {
        World::builder()
            .backend(backend)
            .parity(Parity::Bits)
            .adapter(&adapter.name)
            .threads(2)
            .build()
            .unwrap()
    };
    let mut gpu = Row::new(on(Backend::Gpu));
    let fields = Fields::default();
    let subscriber = tracing::Dispatch::new(tracing_subscriber::registry().with(fields.clone()));
    let mut report = StepReport::default();
    // Four steps to warm up: every buffer of the ring has then been used, and views are kept.
    for step in 0..5 {
        report = tracing::dispatcher::with_default(&subscriber, || gpu.step(step));
    }
    check_cost(&report, &fields);

    // The CPU does what the GPU is not given, and the answers are the same.
    let mut hybrid = Row::new(on(Backend::Hybrid));
    for step in 0..5 {
        let counts = hybrid.step(step).counts;
        // Half and half until both sides are measured, or one chunk of a device that works on the CPU's cores; then a device that
        // gains nothing is left alone.
        let first = if adapter.is_software() { 8..=8 } else { 400..=600 };
        assert!(step > 0 || first.contains(&counts.gpu_jobs), "{}", counts.gpu_jobs);
        assert_eq!(counts.touching, u64::try_from(BODIES).unwrap() - 1);
    }
    assert_eq!(gpu.world.manifolds(), hybrid.world.manifolds());
}

fn check_cost(report: &StepReport, fields: &Fields) {
    let counts = &report.counts;
    assert_eq!((counts.pairs, counts.gpu_redone), (1000, 0));
    assert!(counts.gpu_jobs >= 900 && counts.touching >= 900, "{counts:?}");
    let of_span = |name: &str| -> u64 { fields.0.lock().unwrap()[name].parse().unwrap() };
    assert_eq!(of_span("jobs"), counts.gpu_jobs);
    // Parts of 8, 64, 256, 256, 256 and 160 pairs, none of which is waited for while there is something else to do.
    assert_eq!(of_span("submissions"), 6);
    assert!(of_span("waits") <= 6, "{}", of_span("waits"));
    assert_eq!(of_span("buffers_created"), 0);
    let per_pair = of_span("bytes_back") as f64 / counts.pairs as f64;
    assert!(per_pair <= 1024.0, "{per_pair} bytes per pair");
    println!(
        "{} jobs, {} submissions, {} waits, {} buffers made, {per_pair:.0} bytes read back and {:.0} sent per pair",
        counts.gpu_jobs,
        counts.gpu_submissions,
        counts.gpu_waits,
        counts.gpu_buffers_created,
        counts.gpu_bytes_up as f64 / counts.pairs as f64
    );
}
