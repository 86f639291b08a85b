// ODE with meshes as they are: impinge_ode::install() before the first collision, and trimesh against trimesh, box, sphere, capsule and cylinder is
// impinge's. Nothing else of a program changes. Needs ODE 0.16 and <impinge.hpp>.
//
// Each trimesh is prepared once, by its data, whose vertices and triangles must not change afterwards (forget(data) before it is destroyed or rebuilt).
// Contacts are those of the pair's manifolds, the deepest first, at most as many as the caller has room for. Holes of a mesh that are small are
// closed; one that stays open touches where its surface is crossed. May be called from several threads.
#ifndef IMPINGE_ODE_HPP
#define IMPINGE_ODE_HPP

#include <impinge.hpp>
#include <ode/ode.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

namespace impinge_ode {

/// The pose of a geom, its rotation made unit (ODE's matrices drift by rounding).
inline impinge::Pose pose_of(dGeomID geom) {
    const dReal *p = dGeomGetPosition(geom);
    dQuaternion q;
    dGeomGetQuaternion(geom, q); // w, x, y, z
    return impinge::Pose{{p[0], p[1], p[2]}, {q[1], q[2], q[3], q[0]}};
}

class Meshes {
public:
    static Meshes &all() {
        static Meshes meshes;
        return meshes;
    }

    /// The shape of a geom, made when it is first met; of a trimesh or one of four primitives.
    impinge::Shape shape_of(dGeomID geom) {
        const std::lock_guard<std::mutex> lock(mutex_);
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
        default: return mesh(geom);
        }
        const auto key = std::make_tuple(kind, size[0], size[1], size[2]);
        const auto known = primitives_.find(key);
        return known != primitives_.end() ? known->second : primitives_.emplace(key, primitive(kind, size)).first->second;
    }

    void forget(dTriMeshDataID data) {
        const std::lock_guard<std::mutex> lock(mutex_);
        meshes_.erase(data);
    }

private:
    impinge::Shape mesh(dGeomID geom) {
        const dTriMeshDataID data = dGeomTriMeshGetData(geom);
        const auto known = meshes_.find(data);
        if (known != meshes_.end()) {
            return known->second;
        }
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
        return meshes_.emplace(data, impinge::Shape::mesh(corners, faces)).first->second;
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
    std::map<dTriMeshDataID, impinge::Shape> meshes_;
    std::map<std::tuple<int, dReal, dReal, dReal>, impinge::Shape> primitives_;
};

/// The collider function: contacts of two geoms, of which one is a trimesh.
inline int collide(dGeomID a, dGeomID b, int flags, dContactGeom *contact, int skip) noexcept {
    try {
        thread_local impinge::Scratch scratch;
        const impinge::Shape shape_a = Meshes::all().shape_of(a), shape_b = Meshes::all().shape_of(b);
        const auto found = impinge::Query(shape_a, shape_b).contacts(pose_of(a), pose_of(b), scratch);
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
    Meshes::all().forget(data);
}

} // namespace impinge_ode

#endif
