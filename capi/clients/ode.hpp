// ODE with meshes as they are: impinge_ode::install() before the first collision, and trimesh against trimesh, box, sphere, capsule and cylinder is
// impinge's. Nothing else of a program changes. Needs ODE 0.16 and <impinge.hpp>.
//
// Each trimesh is prepared once, by its data, whose vertices and triangles must not change afterwards (forget(data) before it is destroyed or rebuilt).
// Contacts are those of the pair's manifolds, the deepest first, at most as many as the caller has room for. Holes of a mesh that are small are
// closed; one that stays open touches where its surface is crossed. What is remembered of a pair from step to step (impinge::Tracker) is dropped when the
// pair is no longer asked about. May be called from several threads.
#ifndef IMPINGE_ODE_HPP
#define IMPINGE_ODE_HPP

#include <impinge.hpp>
#include <ode/ode.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

namespace impinge_ode {

/// The pose of a geom, its rotation made unit (ODE's matrices drift by rounding).
inline impinge::Pose pose_of(dGeomID geom) {
    const dReal *p = dGeomGetPosition(geom);
    dQuaternion q;
    dGeomGetQuaternion(geom, q); // w, x, y, z
    return impinge::Pose{{p[0], p[1], p[2]}, {q[1], q[2], q[3], q[0]}};
}

/// What a shape is made of: the data of a trimesh, or the kind and size of a primitive.
using ShapeKey = std::tuple<dTriMeshDataID, int, dReal, dReal, dReal>;

class Meshes {
public:
    static Meshes &all() {
        static Meshes meshes;
        return meshes;
    }

    static ShapeKey key_of(dGeomID geom) {
        dReal size[3] = {0, 0, 0};
        const int kind = dGeomGetClass(geom);
        switch (kind) {
        case dSphereClass: size[0] = dGeomSphereGetRadius(geom); break;
        case dBoxClass: {
            dVector3 sides;
            dGeomBoxGetLengths(geom, sides);
            std::copy(sides, sides + 3, size);
            break;
        }
        case dCapsuleClass: dGeomCapsuleGetParams(geom, &size[0], &size[1]); break;
        case dCylinderClass: dGeomCylinderGetParams(geom, &size[0], &size[1]); break;
        default: return {dGeomTriMeshGetData(geom), kind, 0, 0, 0};
        }
        return {nullptr, kind, size[0], size[1], size[2]};
    }

    /// The shape of a geom, made when it is first met; of a trimesh or one of four primitives.
    impinge::Shape shape_of(dGeomID geom, const ShapeKey &key) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto known = shapes_.find(key);
        return known != shapes_.end() ? known->second : shapes_.emplace(key, made(geom, key)).first->second;
    }

    void forget(dTriMeshDataID data) {
        const std::lock_guard<std::mutex> lock(mutex_);
        shapes_.erase({data, dTriMeshClass, 0, 0, 0});
    }

private:
    static impinge::Shape made(dGeomID geom, const ShapeKey &key) {
        const auto &[data, kind, x, y, z] = key;
        const dReal size[3] = {x, y, z};
        return data ? mesh(geom) : primitive(kind, size);
    }

    static impinge::Shape mesh(dGeomID geom) {
        // ODE shows triangles in the world; back to the geom's own frame, in which corners are where the program put them.
        std::vector<float> corners;
        std::vector<std::uint32_t> faces;
        const dReal *p = dGeomGetPosition(geom), *r = dGeomGetRotation(geom);
        for (int k = 0; k < dGeomTriMeshGetTriangleCount(geom); ++k) {
            dVector3 v[3];
            dGeomTriMeshGetTriangle(geom, k, &v[0], &v[1], &v[2]);
            for (const auto &x : v) {
                const dReal w[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
                faces.push_back(std::uint32_t(corners.size() / 3));
                for (int c = 0; c < 3; ++c) {
                    corners.push_back(float(r[c] * w[0] + r[4 + c] * w[1] + r[8 + c] * w[2]));
                }
            }
        }
        // Corners of equal place become one: those that were equal there and back are.
        return impinge::Shape::mesh(corners, faces);
    }

    static impinge::Shape primitive(int kind, const dReal *size) {
        switch (kind) {
        case dSphereClass: return impinge::Shape::sphere(float(size[0]));
        case dBoxClass: return impinge::Shape::box(float(size[0] / 2), float(size[1] / 2), float(size[2] / 2));
        case dCapsuleClass: return impinge::Shape::capsule(float(size[1] / 2), float(size[0]));
        default: return impinge::Shape::cylinder(float(size[1] / 2), float(size[0]));
        }
    }

    std::mutex mutex_;
    std::map<ShapeKey, impinge::Shape> shapes_;
};

/// Two geoms followed from step to step.
struct FollowedPair {
    FollowedPair(const std::pair<ShapeKey, ShapeKey> &of, const impinge::Query &query) : keys(of), tracker(query) {}

    std::pair<ShapeKey, ShapeKey> keys;
    std::mutex mutex;
    impinge::Tracker tracker;
    /// The number of the call that asked last.
    std::uint64_t used = 0;
};

class Pairs {
public:
    static Pairs &all() {
        static Pairs pairs;
        return pairs;
    }

    /// A pair's memory, a new one where a geom has another shape than it had.
    std::shared_ptr<FollowedPair> follow(dGeomID a, dGeomID b) {
        const std::pair<ShapeKey, ShapeKey> keys{Meshes::key_of(a), Meshes::key_of(b)};
        const std::lock_guard<std::mutex> lock(mutex_);
        drop_ended();
        auto &pair = pairs_[{a, b}];
        if (!pair || pair->keys != keys) {
            const impinge::Query query(Meshes::all().shape_of(a, keys.first), Meshes::all().shape_of(b, keys.second));
            pair = std::make_shared<FollowedPair>(keys, query);
        }
        pair->used = calls_;
        return pair;
    }

    std::size_t size() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return pairs_.size();
    }

    void forget(dTriMeshDataID data) {
        const std::lock_guard<std::mutex> lock(mutex_);
        erase([data](const FollowedPair &pair) { return std::get<0>(pair.keys.first) == data || std::get<0>(pair.keys.second) == data; });
    }

private:
    /// ODE does not say when pairs end: those that were not asked about while all others were asked about twice have ended.
    void drop_ended() {
        ++calls_;
        if (calls_ - looked_ > 2 * pairs_.size() + 64) {
            const std::uint64_t before = looked_;
            looked_ = calls_;
            erase([before](const FollowedPair &pair) { return pair.used <= before; });
        }
    }

    template <class Ended> void erase(Ended ended) {
        for (auto pair = pairs_.begin(); pair != pairs_.end();) {
            pair = !pair->second || ended(*pair->second) ? pairs_.erase(pair) : std::next(pair);
        }
    }

    std::mutex mutex_;
    std::map<std::pair<dGeomID, dGeomID>, std::shared_ptr<FollowedPair>> pairs_;
    std::uint64_t calls_ = 0, looked_ = 0;
};

/// The collider function: contacts of two geoms, of which one is a trimesh.
inline int collide(dGeomID a, dGeomID b, int flags, dContactGeom *contact, int skip) noexcept {
    try {
        const auto pair = Pairs::all().follow(a, b);
        const std::lock_guard<std::mutex> lock(pair->mutex);
        const auto found = pair->tracker.contacts(pose_of(a), pose_of(b));
        std::vector<ImpContactPoint> points(found.points().begin(), found.points().end());
        std::stable_sort(points.begin(), points.end(), [](const auto &p, const auto &q) { return p.depth > q.depth; });
        const int room = std::max(1, flags & 0xffff), count = std::min(room, int(points.size()));
        for (int k = 0; k < count; ++k) {
            auto *out = reinterpret_cast<dContactGeom *>(reinterpret_cast<char *>(contact) + std::ptrdiff_t(k) * skip);
            for (int c = 0; c < 3; ++c) {
                out->pos[c] = dReal(points[k].position[c]);
                out->normal[c] = dReal(-points[k].normal[c]); // ODE's points into the first
            }
            out->depth = dReal(points[k].depth);
            out->g1 = a;
            out->g2 = b;
            out->side1 = out->side2 = -1;
        }
        return count;
    } catch (const std::exception &error) {
        dDebug(0, "impinge: %s", error.what()); // ends the program, as ODE's own faults do
        return 0;
    }
}

/// Makes trimeshes impinge's, after dInitODE.
inline void install() {
    for (const int other : {dTriMeshClass, dBoxClass, dSphereClass, dCapsuleClass, dCylinderClass}) {
        dSetColliderOverride(dTriMeshClass, other, collide);
    }
}

/// Before the data of a trimesh is destroyed or built again.
inline void forget(dTriMeshDataID data) {
    Pairs::all().forget(data);
    Meshes::all().forget(data);
}

} // namespace impinge_ode

#endif
