// Bullet behind a C interface: GImpact's contacts of two meshes, and two broad phases. Single precision.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletCollisionCommon.h>

namespace {

struct Mesh {
  std::vector<float> vertices;
  std::vector<int> triangles;
  std::unique_ptr<btTriangleIndexVertexArray> arrays;
  std::unique_ptr<btGImpactMeshShape> shape;

  std::unique_ptr<btGImpactMeshShape> build() const {
    auto built = std::make_unique<btGImpactMeshShape>(arrays.get());
    built->setMargin(0.0f);
    built->updateBound();
    return built;
  }
};

struct Pair {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btCollisionObject objects[2];
  btDispatcherInfo info;

  Pair(Mesh* a, Mesh* b) {
    btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
    objects[0].setCollisionShape(a->shape.get());
    objects[1].setCollisionShape(b->shape.get());
  }
};

// Takes contacts as they come, instead of reducing them to four.
struct Contacts : btManifoldResult {
  std::vector<double>* out;
  Contacts(const btCollisionObjectWrapper* a, const btCollisionObjectWrapper* b, std::vector<double>* to)
      : btManifoldResult(a, b), out(to) {}
  void addContactPoint(const btVector3& normal_on_b, const btVector3& point_on_b, btScalar distance) override {
    // Bullet's normal points from B to A.
    for (int k = 0; k < 3; ++k) out->push_back(point_on_b[k]);
    for (int k = 0; k < 3; ++k) out->push_back(-normal_on_b[k]);
    out->push_back(-distance);
  }
};

thread_local std::vector<double> found;

btTransform pose(const double* p) {
  return btTransform(btQuaternion(float(p[4]), float(p[5]), float(p[6]), float(p[3])),
                     btVector3(float(p[0]), float(p[1]), float(p[2])));
}

struct Boxes {
  std::unique_ptr<btBroadphaseInterface> broad_phase;
  std::vector<btBroadphaseProxy*> proxies;
  std::vector<uint32_t> pairs;
};

btVector3 corner(const float* x) { return {x[0], x[1], x[2]}; }

}  // namespace

extern "C" {

Mesh* gimpact_mesh_new(const float* vertices, size_t vertex_count, const uint32_t* triangles, size_t triangle_count) {
  auto* mesh = new Mesh;
  mesh->vertices.assign(vertices, vertices + 3 * vertex_count);
  mesh->triangles.assign(triangles, triangles + 3 * triangle_count);
  mesh->arrays = std::make_unique<btTriangleIndexVertexArray>(
      int(triangle_count), mesh->triangles.data(), int(3 * sizeof(int)), int(vertex_count), mesh->vertices.data(),
      int(3 * sizeof(float)));
  mesh->shape = mesh->build();
  return mesh;
}

void gimpact_mesh_free(Mesh* mesh) { delete mesh; }

void gimpact_mesh_build(const Mesh* mesh) { mesh->build(); }

Pair* gimpact_pair_new(Mesh* a, Mesh* b) { return new Pair(a, b); }

void gimpact_pair_free(Pair* pair) { delete pair; }

// Contacts: place on B (3), unit normal from A to B (3), depth (1) each; at most `room` are written.
size_t gimpact_contacts(Pair* pair, const double* pa, const double* pb, double* out, size_t room) {
  pair->objects[0].setWorldTransform(pose(pa));
  pair->objects[1].setWorldTransform(pose(pb));
  found.clear();
  btCollisionObjectWrapper wraps[2] = {
      {nullptr, pair->objects[0].getCollisionShape(), &pair->objects[0], pair->objects[0].getWorldTransform(), -1, -1},
      {nullptr, pair->objects[1].getCollisionShape(), &pair->objects[1], pair->objects[1].getWorldTransform(), -1, -1}};
  btCollisionAlgorithm* algorithm =
      pair->dispatcher.findAlgorithm(&wraps[0], &wraps[1], nullptr, BT_CONTACT_POINT_ALGORITHMS);
  Contacts contacts(&wraps[0], &wraps[1], &found);
  algorithm->processCollision(&wraps[0], &wraps[1], pair->info, &contacts);
  algorithm->~btCollisionAlgorithm();
  pair->dispatcher.freeCollisionAlgorithm(algorithm);
  size_t count = found.size() / 7;
  for (size_t i = 0; i < 7 * count && i < 7 * room; ++i) out[i] = found[i];
  return count;
}

// A broad phase of boxes, each min x y z, max x y z: the dynamic tree, or sweep-and-prune within `bounds`.
Boxes* bullet_boxes_new(const float* aabbs, size_t count, int sweep, const float* bounds) {
  auto* boxes = new Boxes;
  if (sweep) {
    boxes->broad_phase = std::make_unique<bt32BitAxisSweep3>(corner(bounds), corner(bounds + 3), unsigned(count + 1));
  } else {
    boxes->broad_phase = std::make_unique<btDbvtBroadphase>();
  }
  for (size_t i = 0; i < count; ++i) {
    auto* user = reinterpret_cast<void*>(static_cast<uintptr_t>(i));
    boxes->proxies.push_back(boxes->broad_phase->createProxy(corner(aabbs + 6 * i), corner(aabbs + 6 * i + 3),
                                                             BOX_SHAPE_PROXYTYPE, user, 1, -1, nullptr));
  }
  boxes->broad_phase->calculateOverlappingPairs(nullptr);
  return boxes;
}

void bullet_boxes_free(Boxes* boxes) {
  for (btBroadphaseProxy* proxy : boxes->proxies) boxes->broad_phase->destroyProxy(proxy, nullptr);
  delete boxes;
}

void bullet_boxes_move(Boxes* boxes, uint32_t slot, const float* aabb) {
  boxes->broad_phase->setAabb(boxes->proxies[slot], corner(aabb), corner(aabb + 3), nullptr);
}

void bullet_boxes_update(Boxes* boxes) { boxes->broad_phase->calculateOverlappingPairs(nullptr); }

// The pairs kept; the list stays until the next call.
size_t bullet_boxes_pairs(Boxes* boxes, const uint32_t** pairs) {
  btBroadphasePairArray& kept = boxes->broad_phase->getOverlappingPairCache()->getOverlappingPairArray();
  boxes->pairs.clear();
  for (int i = 0; i < kept.size(); ++i) {
    for (const btBroadphaseProxy* proxy : {kept[i].m_pProxy0, kept[i].m_pProxy1}) {
      boxes->pairs.push_back(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(proxy->m_clientObject)));
    }
  }
  *pairs = boxes->pairs.data();
  return size_t(kept.size());
}

}  // extern "C"
