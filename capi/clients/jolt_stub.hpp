// The few types of Jolt that jolt.hpp uses, with the same names and signatures, so that it is compiled and called in tests without Jolt.
#ifndef IMPINGE_JOLT_STUB_HPP
#define IMPINGE_JOLT_STUB_HPP

#include <cstdint>
#include <vector>

namespace JPH {

using uint = unsigned;

class Vec3 {
public:
    Vec3() = default;
    Vec3(float x, float y, float z) : v{x, y, z} {}
    static Vec3 sZero() { return {0, 0, 0}; }
    static Vec3 sReplicate(float x) { return {x, x, x}; }
    float GetX() const { return v[0]; }
    float GetY() const { return v[1]; }
    float GetZ() const { return v[2]; }
    bool operator==(const Vec3 &o) const { return v[0] == o.v[0] && v[1] == o.v[1] && v[2] == o.v[2]; }

private:
    float v[3] = {0, 0, 0};
};
using Vec3Arg = const Vec3;

class Quat {
public:
    Quat(float x, float y, float z, float w) : v{x, y, z, w} {}
    static Quat sIdentity() { return {0, 0, 0, 1}; }
    float GetX() const { return v[0]; }
    float GetY() const { return v[1]; }
    float GetZ() const { return v[2]; }
    float GetW() const { return v[3]; }
    Quat Normalized() const { return *this; }

private:
    float v[4];
};
using QuatArg = const Quat;

/// Of this stub: a translation.
class Mat44 {
public:
    explicit Mat44(Vec3 place) : place_(place) {}
    Vec3 GetTranslation() const { return place_; }
    Quat GetQuaternion() const { return Quat::sIdentity(); }

private:
    Vec3 place_;
};
using Mat44Arg = const Mat44 &;

struct Float3 {
    float x, y, z;
};

class AABox {
public:
    static AABox sBiggest() { return {}; }
};

class SubShapeID {
public:
    std::uint32_t value = 0;
};

class SubShapeIDCreator {
public:
    SubShapeIDCreator PushID(uint value, uint bits) const {
        SubShapeIDCreator next;
        next.id_.value = id_.value | value << at_;
        next.at_ = at_ + bits;
        return next;
    }
    SubShapeID GetID() const { return id_; }

private:
    SubShapeID id_;
    uint at_ = 0;
};

class BodyID {};
class PhysicsMaterial;
class ShapeFilter {};
enum class EShapeSubType { Mesh };

class Shape {
public:
    struct GetTrianglesContext {
        mutable std::size_t next = 0;
    };
    static constexpr int cGetTrianglesMinTrianglesRequested = 32;
    std::vector<Float3> triangles;
    void GetTrianglesStart(GetTrianglesContext &, const AABox &, Vec3Arg, QuatArg, Vec3Arg) const {}
    int GetTrianglesNext(GetTrianglesContext &context, int most, Float3 *out, const PhysicsMaterial ** = nullptr) const {
        int count = 0;
        for (; count < most && context.next + 3 <= triangles.size(); ++count) {
            for (int k = 0; k < 3; ++k) {
                *out++ = triangles[context.next++];
            }
        }
        return count;
    }
};

class CollideShapeSettings {
public:
    float mMaxSeparationDistance = 0;
};

class CollideShapeResult {
public:
    CollideShapeResult(Vec3Arg on1, Vec3Arg on2, Vec3Arg axis, float depth, const SubShapeID &id1, const SubShapeID &id2, const BodyID &)
        : mContactPointOn1(on1), mContactPointOn2(on2), mPenetrationAxis(axis), mPenetrationDepth(depth), mSubShapeID1(id1), mSubShapeID2(id2) {}
    using Face = std::vector<Vec3>;
    Vec3 mContactPointOn1, mContactPointOn2, mPenetrationAxis;
    float mPenetrationDepth;
    SubShapeID mSubShapeID1, mSubShapeID2;
    Face mShape1Face, mShape2Face;
};

class TransformedShape {
public:
    BodyID mBodyID;
};

class CollideShapeCollector {
public:
    std::vector<CollideShapeResult> hits;
    void AddHit(const CollideShapeResult &hit) { hits.push_back(hit); }
    bool ShouldEarlyOut() const { return false; }
    const TransformedShape *GetContext() const { return nullptr; }
    static BodyID sGetBodyID(const TransformedShape *context) { return context ? context->mBodyID : BodyID(); }
};

class CollisionDispatch {
public:
    using CollideShape = void (*)(const Shape *, const Shape *, Vec3Arg, Vec3Arg, Mat44Arg, Mat44Arg, const SubShapeIDCreator &,
                                  const SubShapeIDCreator &, const CollideShapeSettings &, CollideShapeCollector &, const ShapeFilter &);
    static inline CollideShape registered = nullptr;
    static void sRegisterCollideShape(EShapeSubType, EShapeSubType, CollideShape function) { registered = function; }
};

} // namespace JPH

#endif
