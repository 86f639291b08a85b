// FCL behind a C interface: meshes of triangles, and a broad phase of boxes. Double precision.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <fcl/narrowphase/distance.h>

namespace {

using Model = fcl::BVHModel<fcl::OBBd>;
using DistanceModel = fcl::BVHModel<fcl::OBBRSSd>;

struct Mesh {
  std::vector<fcl::Vector3d> vertices;
  std::vector<fcl::Triangle> triangles;
  std::unique_ptr<Model> boxes;
  std::unique_ptr<DistanceModel> spheres;
};

template <class M>
std::unique_ptr<M> build(const Mesh& mesh) {
  auto model = std::make_unique<M>();
  model->beginModel(static_cast<int>(mesh.triangles.size()), static_cast<int>(mesh.vertices.size()));
  model->addSubModel(mesh.vertices, mesh.triangles);
  model->endModel();
  return model;
}

// A pose is x y z qw qx qy qz.
fcl::Transform3d pose(const double* p) {
  fcl::Transform3d t = fcl::Transform3d::Identity();
  t.linear() = fcl::Quaterniond(p[3], p[4], p[5], p[6]).toRotationMatrix();
  t.translation() = fcl::Vector3d(p[0], p[1], p[2]);
  return t;
}

thread_local fcl::CollisionResultd found;

size_t collide(const Mesh* a, const double* pa, const Mesh* b, const double* pb, size_t most, bool contacts) {
  found.clear();
  fcl::CollisionRequestd request(most, contacts);
  return fcl::collide(a->boxes.get(), pose(pa), b->boxes.get(), pose(pb), request, found);
}

struct Boxes {
  fcl::DynamicAABBTreeCollisionManagerd manager;
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
  std::vector<fcl::CollisionObjectd*> moved;
  std::vector<uint32_t> pairs;
};

// Meshes that move as one, or stand: a manager with a tree of their boxes.
struct Group {
  fcl::DynamicAABBTreeCollisionManagerd manager;
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
  std::vector<fcl::Transform3d> poses;
};

bool touch(fcl::CollisionObjectd* x, fcl::CollisionObjectd* y, void* data) {
  auto* result = static_cast<fcl::CollisionResultd*>(data);
  static const fcl::CollisionRequestd request(1, false);
  fcl::collide(x, y, request, *result);
  return result->isCollision();
}

bool note(fcl::CollisionObjectd* x, fcl::CollisionObjectd* y, void* data) {
  auto* pairs = static_cast<std::vector<uint32_t>*>(data);
  pairs->push_back(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(x->getUserData())));
  pairs->push_back(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(y->getUserData())));
  return false;
}

fcl::Vector3d center(const float* aabb) {
  return {0.5 * (double(aabb[0]) + aabb[3]), 0.5 * (double(aabb[1]) + aabb[4]), 0.5 * (double(aabb[2]) + aabb[5])};
}

}  // namespace

extern "C" {

Mesh* fcl_mesh_new(const float* vertices, size_t vertex_count, const uint32_t* triangles, size_t triangle_count) {
  auto* mesh = new Mesh;
  for (size_t i = 0; i < vertex_count; ++i) {
    mesh->vertices.emplace_back(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]);
  }
  for (size_t i = 0; i < triangle_count; ++i) {
    mesh->triangles.emplace_back(triangles[3 * i], triangles[3 * i + 1], triangles[3 * i + 2]);
  }
  mesh->boxes = build<Model>(*mesh);
  return mesh;
}

void fcl_mesh_free(Mesh* mesh) { delete mesh; }

// Makes ready for distances: those need another kind of tree.
void fcl_mesh_prepare_distance(Mesh* mesh) {
  if (!mesh->spheres) mesh->spheres = build<DistanceModel>(*mesh);
}

// Builds the tree of boxes anew and forgets it.
void fcl_mesh_build(const Mesh* mesh) { build<Model>(*mesh); }

// Bytes of the tree.
size_t fcl_mesh_memory(const Mesh* mesh) {
  return static_cast<size_t>(mesh->boxes->getNumBVs()) * sizeof(fcl::BVNode<fcl::OBBd>) +
         mesh->triangles.size() * sizeof(unsigned int);
}

size_t fcl_pairs(const Mesh* a, const double* pa, const Mesh* b, const double* pb, size_t most) {
  return collide(a, pa, b, pb, most, false);
}

// Contacts: place (3), unit normal from A to B (3), depth (1) each; at most `room` of them are written.
size_t fcl_contacts(const Mesh* a, const double* pa, const Mesh* b, const double* pb, double* out, size_t room) {
  size_t count = collide(a, pa, b, pb, std::numeric_limits<int>::max(), true);
  for (size_t i = 0; i < count && i < room; ++i) {
    const fcl::Contactd& contact = found.getContact(i);
    for (int k = 0; k < 3; ++k) {
      out[7 * i + k] = contact.pos[k];
      out[7 * i + 3 + k] = contact.normal[k];
    }
    out[7 * i + 6] = contact.penetration_depth;
  }
  return count;
}

double fcl_distance(const Mesh* a, const double* pa, const Mesh* b, const double* pb) {
  fcl::DistanceRequestd request(true);
  fcl::DistanceResultd result;
  return fcl::distance(a->spheres.get(), pose(pa), b->spheres.get(), pose(pb), request, result);
}

// The part of a motion (line and even turn) after which the meshes meet, by collision at a number of poses; above 1 where they do not.
double fcl_sweep(const Mesh* a, const double* pa, const Mesh* b, const double* from, const double* to, size_t poses) {
  fcl::ContinuousCollisionRequestd request(poses, 1e-4, fcl::CCDM_LINEAR, fcl::GST_INDEP, fcl::CCDC_NAIVE);
  fcl::ContinuousCollisionResultd result;
  fcl::continuousCollide<double>(a->boxes.get(), pose(pa), pose(pa), b->boxes.get(), pose(from), pose(to), request, result);
  return result.is_collide ? result.time_of_contact : 2.0;
}

// A group of meshes, which have to live as long; each pose is that of the mesh in the group.
Group* fcl_group_new(const Mesh* const* meshes, const double* poses, size_t count) {
  auto* group = new Group;
  std::vector<fcl::CollisionObjectd*> all;
  for (size_t i = 0; i < count; ++i) {
    std::shared_ptr<Model> borrowed(meshes[i]->boxes.get(), [](Model*) {});
    group->poses.push_back(pose(poses + 7 * i));
    group->objects.push_back(std::make_unique<fcl::CollisionObjectd>(borrowed, group->poses.back()));
    all.push_back(group->objects.back().get());
  }
  group->manager.registerObjects(all);
  group->manager.setup();
  return group;
}

void fcl_group_free(Group* group) { delete group; }

// Whether two groups touch, the second one moved to a pose.
bool fcl_group_touch(Group* world, Group* moved, const double* p) {
  fcl::Transform3d at = pose(p);
  for (size_t i = 0; i < moved->objects.size(); ++i) {
    moved->objects[i]->setTransform(at * moved->poses[i]);
    moved->objects[i]->computeAABB();
  }
  moved->manager.update();
  fcl::CollisionResultd result;
  moved->manager.collide(&world->manager, &result, touch);
  return result.isCollision();
}

// A broad phase of boxes, each min x y z, max x y z.
Boxes* fcl_boxes_new(const float* aabbs, size_t count) {
  auto* boxes = new Boxes;
  std::vector<fcl::CollisionObjectd*> all;
  for (size_t i = 0; i < count; ++i) {
    const float* x = aabbs + 6 * i;
    // A shape keeps its size, and boxes of single precision that move do not, by an ulp: 0.1 mm on each side.
    auto side = [x](int k) { return double(x[k + 3]) - x[k] + 2e-4; };
    auto shape = std::make_shared<fcl::Boxd>(side(0), side(1), side(2));
    boxes->objects.push_back(
        std::make_unique<fcl::CollisionObjectd>(shape, fcl::Matrix3d::Identity(), center(x)));
    boxes->objects.back()->setUserData(reinterpret_cast<void*>(static_cast<uintptr_t>(i)));
    all.push_back(boxes->objects.back().get());
  }
  boxes->manager.registerObjects(all);
  boxes->manager.setup();
  return boxes;
}

void fcl_boxes_free(Boxes* boxes) { delete boxes; }

void fcl_boxes_move(Boxes* boxes, uint32_t slot, const float* aabb) {
  fcl::CollisionObjectd* object = boxes->objects[slot].get();
  object->setTranslation(center(aabb));
  object->computeAABB();
  boxes->moved.push_back(object);
}

// Finds all pairs; the list stays until the next call.
size_t fcl_boxes_update(Boxes* boxes, const uint32_t** pairs) {
  // Few boxes are taken out and put in again; of many the tree is refitted.
  if (4 * boxes->moved.size() > boxes->objects.size()) {
    boxes->manager.update();
  } else {
    boxes->manager.update(boxes->moved);
  }
  boxes->moved.clear();
  boxes->pairs.clear();
  boxes->manager.collide(&boxes->pairs, note);
  *pairs = boxes->pairs.data();
  return boxes->pairs.size() / 2;
}

}  // extern "C"
