//! Into a world, with the settings that suit.

use rapier3d::dynamics::IntegrationParameters;
use rapier3d::pipeline::PhysicsWorld;

use crate::dispatcher::MeshDispatcher;

/// A world that cannot take the dispatcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// The narrow phase already follows pairs, which would be lost.
    #[error(
        "the world's narrow phase already follows {pairs} pairs, which would be lost; install before the first step"
    )]
    Stepped {
        /// How many.
        pairs: usize,
    },
}

/// Puts a dispatcher into a world before its first step, and [`tune`]s its parameters. The dispatcher given back is the
/// world's own: with it shapes are made ready ahead, or left to rapier.
///
/// # Errors
/// [`InstallError::Stepped`]: a world that has contacts already. It stays as it was.
pub fn install(world: &mut PhysicsWorld) -> Result<MeshDispatcher, InstallError> {
    let narrow = &world.narrow_phase;
    let pairs = narrow.contact_pairs().count() + narrow.intersection_pairs().count();
    if pairs > 0 {
        return Err(InstallError::Stepped { pairs });
    }
    tune(&mut world.integration_parameters);
    let dispatcher = MeshDispatcher::new(world.integration_parameters.prediction_distance());
    world.narrow_phase = dispatcher.narrow_phase();
    Ok(dispatcher)
}

/// Sets what suits four points a manifold where rapier had one manifold for each pair of triangles:
///
/// - Contacts are recycled up to 0.005 length units of drift (rapier: 0.05). With dense points rapier can afford to keep old
///   ones for longer; with four, a torus sank 14 mm before new ones were asked for.
/// - Clusters of manifolds are off. They merge regions whose normals are alike, which ours are not; merged, each of them
///   would lose its depth.
///
/// The prediction distance stays: pairs in touch are not asked beyond their surfaces whatever it is, and a pair that begins
/// needs it (see [`MeshDispatcher`]).
pub fn tune(parameters: &mut IntegrationParameters) {
    parameters.normalized_contact_recycle_distance = 0.005;
    parameters.contact_clustering = false;
}
