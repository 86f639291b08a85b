//! The table of pairs of materials, against a plain map.

use std::collections::BTreeMap;

use impinge_contacts::{CombineRules, Material, MaterialError, MaterialTable, PairMaterial};
use proptest::prelude::*;

fn of_kind(kind: u32) -> Material {
    Material { kind, friction: 0.25 * f64::from(kind), restitution: 0.1, ..Material::default() }
}

fn pair(friction: f64) -> PairMaterial {
    PairMaterial { friction, restitution: 0.3, stiffness: Some(1e4), damping: None }
}

/// Ice on steel is slippery although neither is so by itself; everything else goes by the rules.
#[test]
fn an_entry_overrides_the_rules_both_ways_round() {
    let (steel, ice, wood) = (of_kind(1), of_kind(2), of_kind(3));
    let mut table = MaterialTable::new(CombineRules::default());
    let by_rules = table.combine(&steel, &ice);
    assert_eq!(table.set(2, 1, pair(0.01)), Ok(None));
    assert_eq!(table.combine(&steel, &ice), pair(0.01));
    assert_eq!(table.combine(&ice, &steel), pair(0.01));
    assert_eq!(table.combine(&steel, &wood), CombineRules::default().combine(&steel, &wood));
    assert_eq!(table.combine(&ice, &ice), CombineRules::default().combine(&ice, &ice));
    assert_eq!(table.set(1, 2, pair(0.02)), Ok(Some(pair(0.01))));
    assert_eq!(table.remove(1, 2), Some(pair(0.02)));
    assert_eq!(table.combine(&steel, &ice), by_rules);
}

#[test]
fn what_cannot_be_used_is_refused_and_the_table_stays() {
    let mut table = MaterialTable::new(CombineRules::default());
    table.set(1, 1, pair(0.5)).unwrap();
    let before = table.clone();
    assert_eq!(table.set(0, 1, pair(0.5)), Err(MaterialError::NoKind));
    let bad = PairMaterial { stiffness: Some(f64::NAN), ..pair(0.5) };
    let Err(MaterialError::Coefficient { coefficient, .. }) = table.set(1, 1, bad) else { panic!("taken") };
    assert_eq!(coefficient, "stiffness");
    assert_eq!(table, before);
}

proptest! {
    #[test]
    fn it_is_a_map_of_unordered_pairs(calls in prop::collection::vec((1u32..6, 1u32..6, prop::option::of(0.0..2.0f64)), 0..40)) {
        let mut table = MaterialTable::new(CombineRules::default());
        let mut model: BTreeMap<(u32, u32), PairMaterial> = BTreeMap::new();
        for (a, b, friction) in calls {
            let key = (a.min(b), a.max(b));
            match friction {
                Some(friction) => prop_assert_eq!(table.set(a, b, pair(friction)), Ok(model.insert(key, pair(friction)))),
                None => prop_assert_eq!(table.remove(a, b), model.remove(&key)),
            }
        }
        for a in 0..6 {
            for b in 0..6 {
                let expected = model.get(&(a.min(b), a.max(b)));
                prop_assert_eq!(table.get(a, b), expected);
                let (p, q) = (of_kind(a), of_kind(b));
                let by_rules = CombineRules::default().combine(&p, &q);
                prop_assert_eq!(table.combine(&p, &q), expected.copied().unwrap_or(by_rules));
            }
        }
    }
}
