// The client of Jolt against the stub: a cube a millimetre deep in another gives one result with four points on both faces, in order around the normal.
#define IMPINGE_JOLT_STUB
#include "jolt.hpp"

#include <cstdio>

int main() {
    const float h = 0.5f;
    JPH::Shape cube;
    const int faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    for (const auto &face : faces) {
        for (const int k : face) {
            cube.triangles.push_back({k & 1 ? h : -h, k & 2 ? h : -h, k & 4 ? h : -h});
        }
    }
    impinge_jolt::install();
    JPH::CollideShapeCollector collector;
    JPH::CollisionDispatch::registered(&cube, &cube, JPH::Vec3::sReplicate(1), JPH::Vec3::sReplicate(1), JPH::Mat44(JPH::Vec3::sZero()),
                                       JPH::Mat44(JPH::Vec3(0.2f, 0.1f, 0.999f)), {}, {}, {}, collector, {});
    bool right = collector.hits.size() == 1;
    if (right) {
        const auto &hit = collector.hits[0];
        right = std::abs(hit.mPenetrationAxis.GetZ() - 1) < 1e-5f && std::abs(hit.mPenetrationDepth - 0.001f) < 1e-6f &&
                std::abs(hit.mContactPointOn1.GetZ() - 0.5f) < 1e-5f && std::abs(hit.mContactPointOn2.GetZ() - 0.499f) < 1e-5f &&
                hit.mShape1Face.size() == 4 && hit.mShape2Face.size() == 4;
        for (std::size_t k = 0; right && k < 4; ++k) {
            // Each corner turns left.
            const auto &a = hit.mShape1Face[k], &b = hit.mShape1Face[(k + 1) % 4], &c = hit.mShape1Face[(k + 2) % 4];
            right = (b.GetX() - a.GetX()) * (c.GetY() - b.GetY()) - (b.GetY() - a.GetY()) * (c.GetX() - b.GetX()) > 0.1f;
        }
    }
    impinge_jolt::forget(&cube);
    std::printf("Jolt (stub): %zu result(s), %s\n", collector.hits.size(), right ? "as they should be" : "WRONG");
    return !right;
}
