// Jolt with meshes that collide with each other: impinge_jolt::install() after JPH::RegisterTypes(). Jolt itself has no contacts of two MeshShapes.
// Written after Jolt's headers and compiled in tests against jolt_stub.hpp alone: it was not run inside Jolt.
//
// A dynamic body with a MeshShape needs its mass properties by hand (BodyCreationSettings::mOverrideMassProperties = MassAndInertiaProvided).
// Each shape is prepared once for each scale; forget(shape) before it is released. One CollideShapeResult per region of contact, whose points are its
// faces, in order around the normal. Regions differ in the lowest bits of the sub shape, which therefore says nothing of a triangle: use meshes without
// materials of their own.
#ifndef IMPINGE_JOLT_HPP
#define IMPINGE_JOLT_HPP

#ifdef IMPINGE_JOLT_STUB
#include "jolt_stub.hpp"
#else
#include <Jolt/Jolt.h>

#include <Jolt/Physics/Collision/CollideShape.h>
#include <Jolt/Physics/Collision/CollisionDispatch.h>
#include <Jolt/Physics/Collision/Shape/MeshShape.h>
#include <Jolt/Physics/Collision/TransformedShape.h>
#endif

#include <impinge.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

namespace impinge_jolt {

class Meshes {
public:
    static Meshes &all() {
        static Meshes meshes;
        return meshes;
    }

    /// The shape of a mesh at a scale, about its centre of mass.
    impinge::Shape shape_of(const JPH::Shape *shape, JPH::Vec3Arg scale) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto key = std::make_tuple(shape, scale.GetX(), scale.GetY(), scale.GetZ());
        const auto known = meshes_.find(key);
        if (known != meshes_.end()) {
            return known->second;
        }
        JPH::Shape::GetTrianglesContext context;
        shape->GetTrianglesStart(context, JPH::AABox::sBiggest(), JPH::Vec3::sZero(), JPH::Quat::sIdentity(), scale);
        constexpr int MOST = JPH::Shape::cGetTrianglesMinTrianglesRequested;
        JPH::Float3 corners[3 * MOST];
        std::vector<float> places;
        std::vector<std::uint32_t> faces;
        for (int count; (count = shape->GetTrianglesNext(context, MOST, corners)) > 0;) {
            for (int k = 0; k < 3 * count; ++k) {
                faces.push_back(std::uint32_t(places.size() / 3));
                places.insert(places.end(), {corners[k].x, corners[k].y, corners[k].z});
            }
        }
        return meshes_.emplace(key, impinge::Shape::mesh(places, faces)).first->second;
    }

    void forget(const JPH::Shape *shape) {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto at = meshes_.begin(); at != meshes_.end();) {
            at = std::get<0>(at->first) == shape ? meshes_.erase(at) : std::next(at);
        }
    }

private:
    std::mutex mutex_;
    std::map<std::tuple<const JPH::Shape *, float, float, float>, impinge::Shape> meshes_;
};

inline impinge::Pose pose_of(JPH::Mat44Arg at) {
    const JPH::Vec3 p = at.GetTranslation();
    const JPH::Quat q = at.GetQuaternion().Normalized();
    return impinge::Pose{{p.GetX(), p.GetY(), p.GetZ()}, {q.GetX(), q.GetY(), q.GetZ(), q.GetW()}};
}

/// The points of a region in order around its normal, counter-clockwise seen against it.
inline std::vector<ImpContactPoint> around(const ImpManifold &region, impinge::Span<const ImpContactPoint> points) {
    std::vector<ImpContactPoint> sorted(points.begin(), points.end());
    double middle[3] = {0, 0, 0};
    for (const auto &point : sorted) {
        for (int c = 0; c < 3; ++c) {
            middle[c] += point.position[c] / double(sorted.size());
        }
    }
    // Two directions across the normal: t from its smallest component, u = n x t.
    const double *n = region.normal;
    const int least = std::abs(n[0]) < std::abs(n[1]) ? (std::abs(n[0]) < std::abs(n[2]) ? 0 : 2) : (std::abs(n[1]) < std::abs(n[2]) ? 1 : 2);
    double t[3];
    for (int c = 0; c < 3; ++c) {
        t[c] = (c == least) - n[least] * n[c];
    }
    const double u[3] = {n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]};
    const auto angle = [&](const ImpContactPoint &point) {
        double x = 0, y = 0;
        for (int c = 0; c < 3; ++c) {
            x += (point.position[c] - middle[c]) * t[c];
            y += (point.position[c] - middle[c]) * u[c];
        }
        return std::atan2(y, x);
    };
    std::stable_sort(sorted.begin(), sorted.end(), [&](const auto &p, const auto &q) { return angle(p) < angle(q); });
    return sorted;
}

/// The collide function of two meshes. Threads may call it at once.
inline void collide(const JPH::Shape *shape1, const JPH::Shape *shape2, JPH::Vec3Arg scale1, JPH::Vec3Arg scale2, JPH::Mat44Arg at1,
                    JPH::Mat44Arg at2, const JPH::SubShapeIDCreator &id1, const JPH::SubShapeIDCreator &id2,
                    const JPH::CollideShapeSettings &settings, JPH::CollideShapeCollector &collector, const JPH::ShapeFilter &) {
    thread_local impinge::Scratch scratch;
    const impinge::Query query(Meshes::all().shape_of(shape1, scale1), Meshes::all().shape_of(shape2, scale2));
    const auto found = query.contacts(pose_of(at1), pose_of(at2), scratch, settings.mMaxSeparationDistance);
    const auto place = [](const ImpContactPoint &point, double side) {
        float at[3];
        for (int c = 0; c < 3; ++c) {
            at[c] = float(point.position[c] + side * 0.5 * point.depth * point.normal[c]);
        }
        return JPH::Vec3(at[0], at[1], at[2]);
    };
    const auto body2 = JPH::CollideShapeCollector::sGetBodyID(collector.GetContext());
    JPH::uint region = 0;
    for (const auto &manifold : found.manifolds()) {
        const auto points = found.points(manifold);
        const JPH::Vec3 axis(float(manifold.normal[0]), float(manifold.normal[1]), float(manifold.normal[2]));
        // A's surface lies deeper along the normal than B's.
        JPH::CollideShapeResult hit(place(points[0], 1), place(points[0], -1), axis, float(manifold.depth), id1.PushID(region, 2).GetID(),
                                    id2.PushID(region, 2).GetID(), body2);
        for (const auto &point : around(manifold, points)) {
            hit.mShape1Face.push_back(place(point, 1));
            hit.mShape2Face.push_back(place(point, -1));
        }
        collector.AddHit(hit);
        if (collector.ShouldEarlyOut() || ++region == 4) {
            return;
        }
    }
}

/// Makes pairs of meshes impinge's, after JPH::RegisterTypes.
inline void install() {
    JPH::CollisionDispatch::sRegisterCollideShape(JPH::EShapeSubType::Mesh, JPH::EShapeSubType::Mesh, collide);
}

/// Before a shape is released.
inline void forget(const JPH::Shape *shape) {
    Meshes::all().forget(shape);
}

} // namespace impinge_jolt

#endif
