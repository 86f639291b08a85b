use impinge_geometry::{Side, SimdLevel};
use nalgebra::Vector3;

use super::balls::BallBounds;
use super::tests::{Numbers, random};
use crate::inner_balls::inner_balls;
use crate::intersect::Surfaces;

/// How far a direction is covered by all pairs of balls, whose radii are `part` of what they are.
fn covered(surfaces: &Surfaces<'_>, d: &Vector3<f64>, part: f64) -> f64 {
    let of = |side: Side| {
        let balls = inner_balls(surfaces.meshes[side.index()], surfaces.trees[side.index()]);
        balls.iter().map(move |ball| (surfaces.frame.place_f64(side, &ball.center), part * ball.radius))
    };
    let mut ranges: Vec<[f64; 2]> = Vec::new();
    for (p, own) in of(Side::A) {
        for (q, other) in of(Side::B) {
            let (center, radius) = (p - q, own + other);
            let along = center.dot(d);
            let square = radius * radius - center.norm_squared() + along * along;
            if square > 0.0 {
                ranges.push([along - square.sqrt(), along + square.sqrt()]);
            }
        }
    }
    ranges.sort_by(|p, q| p[0].total_cmp(&q[0]));
    ranges.iter().fold(0.0, |until: f64, range| if range[0] <= until { until.max(range[1]) } else { until })
}

#[test]
fn balls_bound_the_first_free_shift_as_far_as_they_cover_the_way() {
    let mut numbers = Numbers(21);
    let (mut blocked, mut cut, mut close) = (0, 0, 0);
    for case in 0..600 {
        let (pair, d) = random(&mut numbers);
        let surfaces = pair.surfaces();
        let mut bounds = BallBounds::default();
        let Some(first) = bounds.start(&surfaces, 1e-7) else { panic!("case {case}: no balls") };
        let truth = pair.exit(&d).length;
        let [most, least] = [1.0, 0.999].map(|part| covered(&surfaces, &d, part));
        assert!(most <= truth + 1e-7, "case {case}: {most} of {truth}");
        // Ring after ring, and all at once.
        let mut known = 0.0;
        let mut limit = first * numbers.within(0.1, 1.0);
        while limit < 4.0 {
            bounds.extend(limit);
            known = bounds.bound(&d, [known, limit]);
            assert!(known <= most, "case {case}: {known} of {most}");
            assert!(known >= least.min(limit * (1.0 - 1e-6)), "case {case}: {known} of {least}, to {limit}");
            cut += usize::from(known < least);
            limit *= 1.5;
        }
        assert_eq!(bounds.bound(&d, [0.0, 4.0]).max(known), known);
        assert!(bounds.bound(&d, [truth, 4.0]) >= truth);
        blocked += usize::from(known > 0.0);
        close += usize::from(truth > 0.0 && known > 0.7 * truth);
    }
    assert!(blocked > 150 && cut > 50 && close > 50, "{blocked} {cut} {close}");
}

#[test]
fn balls_say_the_same_with_any_instructions() {
    let mut numbers = Numbers(22);
    for _ in 0..100 {
        let (mut pair, d) = random(&mut numbers);
        let said: Vec<f64> = SimdLevel::available()
            .map(|level| {
                pair.set_simd(level);
                let mut bounds = BallBounds::default();
                let first = bounds.start(&pair.surfaces(), 1e-7).unwrap();
                bounds.extend(2.0 * first);
                bounds.bound(&d, [0.0, 2.0 * first])
            })
            .collect();
        assert!(said.iter().all(|one| *one == said[0]), "{said:?}");
    }
}
