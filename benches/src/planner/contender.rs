//! The contenders.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use impinge::query::QueryScratch;
use impinge::{Backend, Collider, PairQuery, QueryFilter, QuerySettings, Shape, ShapeId, World};
use nalgebra::Isometry3;

use super::scene::{PlacedMesh, PlannerScene, merged};

/// Says at which poses the gripper touches an object.
pub trait Contender {
    /// The name in the rows.
    fn who(&self) -> &'static str;
    /// The answers at some poses of the gripper.
    fn ask(&mut self, poses: &[Isometry3<f64>]) -> anyhow::Result<Vec<bool>>;
}

/// All in this build, made ready.
pub fn contenders(scene: &PlannerScene) -> anyhow::Result<Vec<Box<dyn Contender>>> {
    let [gripper, objects] = [&scene.gripper, &scene.objects];
    let pair = |who, a: &Shape, b: &Shape| -> anyhow::Result<Box<dyn Contender>> {
        let query = PairQuery::new(a, b, QuerySettings::default())?;
        Ok(Box::new(Pair { who, query, scratch: QueryScratch::default() }))
    };
    let one = |parts: &[PlacedMesh]| anyhow::Ok(Shape::from(Arc::new(merged(parts)?)));
    #[cfg_attr(not(feature = "peers-cpp"), expect(unused_mut, reason = "peers come with the feature"))]
    let mut all = vec![
        pair("impinge, two composites", &composite(gripper)?, &composite(objects)?)?,
        Box::new(InWorld::new(gripper, objects)?),
        pair("impinge, two merged meshes", &one(gripper)?, &one(objects)?)?,
    ];
    #[cfg(feature = "peers-cpp")]
    all.push(Box::new(fcl::Managers::new(gripper, objects)));
    Ok(all)
}

fn composite(parts: &[PlacedMesh]) -> anyhow::Result<Shape> {
    Ok(Shape::composite(parts.iter().map(|(pose, mesh)| (*pose, Shape::from(mesh.clone()))).collect())?)
}

/// Two shapes.
struct Pair {
    who: &'static str,
    query: PairQuery,
    scratch: QueryScratch,
}

impl Contender for Pair {
    fn who(&self) -> &'static str {
        self.who
    }

    fn ask(&mut self, poses: &[Isometry3<f64>]) -> anyhow::Result<Vec<bool>> {
        let here = Isometry3::identity();
        let ask = |pose| Ok(self.query.touching_with(pose, &here, &mut self.scratch)?);
        poses.iter().map(ask).collect()
    }
}

/// A collider for each object.
struct InWorld {
    world: World,
    gripper: ShapeId,
}

impl InWorld {
    fn new(gripper: &[PlacedMesh], objects: &[PlacedMesh]) -> anyhow::Result<InWorld> {
        let mut world = World::builder().backend(Backend::Cpu).threads(1).build()?;
        let mut shapes = BTreeMap::new();
        for (pose, mesh) in objects {
            let shape = match shapes.entry(Arc::as_ptr(mesh)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => *new.insert(world.add_shape(mesh.clone())?),
            };
            world.add_collider(Collider::new(shape).pose(*pose).fixed(true))?;
        }
        let gripper = world.add_shape(composite(gripper)?)?;
        Ok(InWorld { world, gripper })
    }
}

impl Contender for InWorld {
    fn who(&self) -> &'static str {
        "impinge, a world"
    }

    fn ask(&mut self, poses: &[Isometry3<f64>]) -> anyhow::Result<Vec<bool>> {
        Ok(self.world.shape_queries().touches_many(self.gripper, poses, &QueryFilter::new())?)
    }
}

#[cfg(feature = "peers-cpp")]
mod fcl {
    use nalgebra::Isometry3;

    use super::{Contender, PlacedMesh};
    use crate::cpp::FclGroup;

    /// A manager for the gripper and one for the objects.
    pub struct Managers {
        gripper: FclGroup,
        objects: FclGroup,
    }

    impl Managers {
        pub fn new(gripper: &[PlacedMesh], objects: &[PlacedMesh]) -> Managers {
            Managers { gripper: FclGroup::new(gripper), objects: FclGroup::new(objects) }
        }
    }

    impl Contender for Managers {
        fn who(&self) -> &'static str {
            "fcl, two managers"
        }

        fn ask(&mut self, poses: &[Isometry3<f64>]) -> anyhow::Result<Vec<bool>> {
            Ok(poses.iter().map(|pose| self.objects.touches(&mut self.gripper, pose)).collect())
        }
    }
}
