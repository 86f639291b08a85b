//! What a step tells a subscriber of the caller's thread, though it is taken on a worker. In a process of its own, because whether
//! spans are recorded is decided once for all threads.

use std::sync::{Arc, Mutex};

use impinge::prelude::*;
use nalgebra::Isometry3;
use tracing::span::{Attributes, Id};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

/// Each span's name and its parent's.
#[derive(Clone, Default)]
struct Names(Arc<Mutex<Vec<[String; 2]>>>);

impl<S: tracing::Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Names {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let parent = context.span(id).and_then(|span| span.parent().map(|parent| parent.name().to_owned()));
        let names = [attributes.metadata().name().to_owned(), parent.unwrap_or_default()];
        self.0.lock().unwrap().push(names);
    }
}

#[test]
fn a_step_stands_in_the_callers_span() {
    let mut world = World::builder().threads(2).build().unwrap();
    let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    for at in [0.0, 0.9] {
        let id = world.add_collider(Collider::new(ball)).unwrap();
        world.set_pose(id, Isometry3::translation(at, 0.0, 0.0)).unwrap();
    }
    let names = Names::default();
    let subscriber = tracing_subscriber::registry().with(names.clone());
    let report = tracing::subscriber::with_default(subscriber, || {
        tracing::info_span!("caller").in_scope(|| world.step())
    });
    assert_eq!(report.counts.touching, 1);
    let names = names.0.lock().unwrap();
    for [name, parent] in
        [["impinge::step", "caller"], ["boxes", "impinge::step"], ["broadphase", "impinge::step"]]
    {
        assert!(names.contains(&[name, parent].map(str::to_owned)), "{name} in {parent}: {names:?}");
    }
}
