//! Scenes and meshes shared by impinge's tests, benchmarks, examples and command line.

pub mod asset;
pub mod fixtures;
pub mod mesh;
pub mod random;
pub mod scene;
pub mod soft;

pub use asset::AssetError;
pub use mesh::GeneratorError;
pub use scene::{
    Camera, Container, Demand, MeshOptions, RoadGround, Scene, SceneArm, SceneBody, SceneDigger, SceneError,
    SceneHand, SceneHinge, SceneLoad, SceneParams, ScenePowder, SceneRoad, SceneShape, scene, scenes,
};
pub use soft::{SoftScene, soft_scene, soft_scenes};
