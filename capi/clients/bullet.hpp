// Bullet with meshes as they are: impinge_bullet::install(dispatcher), and GImpact meshes against each other and against static triangle meshes are
// impinge's; shapes, inertia and the rest of a program stay as they are. Needs Bullet 2.83 or newer and <impinge.hpp>.
//
// Each shape is prepared once, with the scaling that it has then; forget(shape) before it is deleted or scaled. A mesh that cannot be used throws
// impinge::Error out of the step. Each region of contact has a btPersistentManifold of its own with at most four points, which keep Bullet's
// impulses where they stay; margins of shapes are not added.
#ifndef IMPINGE_BULLET_HPP
#define IMPINGE_BULLET_HPP

#include <BulletCollision/BroadphaseCollision/btCollisionAlgorithm.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletCollision/CollisionShapes/btConcaveShape.h>
#include <impinge.hpp>

#include <map>
#include <mutex>
#include <new>

namespace impinge_bullet {

inline impinge::Pose pose_of(const btTransform &at) {
    const btVector3 &p = at.getOrigin();
    const btQuaternion q = at.getRotation().normalized();
    return impinge::Pose{{p.x(), p.y(), p.z()}, {q.x(), q.y(), q.z(), q.w()}};
}

class Meshes {
public:
    static Meshes &all() {
        static Meshes meshes;
        return meshes;
    }

    /// The shape of a mesh, made when it is first met.
    impinge::Shape shape_of(const btCollisionShape *shape) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto known = meshes_.find(shape);
        if (known != meshes_.end()) {
            return known->second;
        }
        btVector3 low, high;
        shape->getAabb(btTransform::getIdentity(), low, high);
        const btVector3 more = (high - low) * btScalar(0.1) + btVector3(1, 1, 1);
        Corners corners;
        static_cast<const btConcaveShape *>(shape)->processAllTriangles(&corners, low - more, high + more);
        return meshes_.emplace(shape, impinge::Shape::mesh(corners.places, corners.faces)).first->second;
    }

    void forget(const btCollisionShape *shape) {
        const std::lock_guard<std::mutex> lock(mutex_);
        meshes_.erase(shape);
    }

private:
    struct Corners : btTriangleCallback {
        std::vector<float> places;
        std::vector<std::uint32_t> faces;
        void processTriangle(btVector3 *triangle, int, int) override {
            for (int k = 0; k < 3; ++k) {
                faces.push_back(std::uint32_t(places.size() / 3));
                for (int c = 0; c < 3; ++c) {
                    places.push_back(float(triangle[k][c]));
                }
            }
        }
    };

    std::mutex mutex_;
    std::map<const btCollisionShape *, impinge::Shape> meshes_;
};

/// The contacts of one pair of meshes.
class Algorithm final : public btCollisionAlgorithm {
public:
    Algorithm(const btCollisionAlgorithmConstructionInfo &info, const btCollisionObjectWrapper *a, const btCollisionObjectWrapper *b)
        : btCollisionAlgorithm(info),
          tracker_(impinge::Query(Meshes::all().shape_of(a->getCollisionShape()), Meshes::all().shape_of(b->getCollisionShape()))) {}

    ~Algorithm() override {
        for (int k = 0; k < manifolds_.size(); ++k) {
            m_dispatcher->releaseManifold(manifolds_[k]);
        }
    }

    void processCollision(const btCollisionObjectWrapper *a, const btCollisionObjectWrapper *b, const btDispatcherInfo &,
                          btManifoldResult *out) override {
        const auto found = tracker_.contacts(pose_of(a->getWorldTransform()), pose_of(b->getWorldTransform()));
        const auto regions = found.manifolds();
        while (manifolds_.size() < int(regions.size())) {
            manifolds_.push_back(m_dispatcher->getNewManifold(a->getCollisionObject(), b->getCollisionObject()));
        }
        for (int k = 0; k < manifolds_.size(); ++k) {
            btPersistentManifold *manifold = manifolds_[k];
            out->setPersistentManifold(manifold);
            btAlignedObjectArray<btVector3> places;
            for (const auto &point : k < int(regions.size()) ? found.points(regions[std::size_t(k)]) : impinge::Span<const ImpContactPoint>()) {
                const btVector3 normal = vector(point.normal); // from A to B; Bullet's is of B, to A
                places.push_back(vector(point.position) - normal * btScalar(point.depth / 2));
                out->addContactPoint(-normal, places[places.size() - 1], btScalar(-point.depth));
            }
            // What was not found again has ended.
            for (int p = manifold->getNumContacts() - 1; p >= 0; --p) {
                if (places.findLinearSearch(manifold->getContactPoint(p).getPositionWorldOnB()) == places.size()) {
                    manifold->removeContactPoint(p);
                }
            }
        }
    }

    btScalar calculateTimeOfImpact(btCollisionObject *, btCollisionObject *, const btDispatcherInfo &, btManifoldResult *) override {
        return btScalar(1);
    }

    void getAllContactManifolds(btManifoldArray &all) override {
        for (int k = 0; k < manifolds_.size(); ++k) {
            all.push_back(manifolds_[k]);
        }
    }

    struct Create : btCollisionAlgorithmCreateFunc {
        btCollisionAlgorithm *CreateCollisionAlgorithm(btCollisionAlgorithmConstructionInfo &info, const btCollisionObjectWrapper *a,
                                                       const btCollisionObjectWrapper *b) override {
            void *place = info.m_dispatcher1->allocateCollisionAlgorithm(sizeof(Algorithm));
            return new (place) Algorithm(info, a, b);
        }
    };

private:
    static btVector3 vector(const double (&v)[3]) { return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2])); }

    impinge::Tracker tracker_;
    btManifoldArray manifolds_;
};

/// Makes meshes impinge's, after btGImpactCollisionAlgorithm::registerAlgorithm where that is used for other pairs.
inline void install(btCollisionDispatcher *dispatcher) {
    static Algorithm::Create create;
    dispatcher->registerCollisionCreateFunc(GIMPACT_SHAPE_PROXYTYPE, GIMPACT_SHAPE_PROXYTYPE, &create);
    dispatcher->registerCollisionCreateFunc(GIMPACT_SHAPE_PROXYTYPE, TRIANGLE_MESH_SHAPE_PROXYTYPE, &create);
    dispatcher->registerCollisionCreateFunc(TRIANGLE_MESH_SHAPE_PROXYTYPE, GIMPACT_SHAPE_PROXYTYPE, &create);
}

/// Before a mesh is deleted or scaled.
inline void forget(const btCollisionShape *shape) {
    Meshes::all().forget(shape);
}

} // namespace impinge_bullet

#endif
