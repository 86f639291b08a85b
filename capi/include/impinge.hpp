// impinge for C++17, header only, over impinge.h: objects own their handles, spans are a pointer and a size, and nothing is thrown across the border.
// A call that fails throws impinge::Error on this side; with IMPINGE_NO_EXCEPTIONS (or without exceptions at all) it calls impinge::on_error, which by
// default prints the text and aborts.
#ifndef IMPINGE_HPP
#define IMPINGE_HPP

#include "impinge.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#if !defined(IMPINGE_NO_EXCEPTIONS) && !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
#define IMPINGE_NO_EXCEPTIONS
#endif

namespace impinge {

/// A call that failed: its status and the library's text.
class Error : public std::exception {
public:
    Error(ImpStatus status, std::string text) : status_(status), text_(std::move(text)) {}
    ImpStatus status() const noexcept { return status_; }
    const char *what() const noexcept override { return text_.c_str(); }

private:
    ImpStatus status_;
    std::string text_;
};

/// What is done about a failure where exceptions are off; may be replaced, and must not return.
inline void (*on_error)(const Error &) = [](const Error &error) {
    std::fprintf(stderr, "impinge: %s\n", error.what());
    std::abort();
};

inline void check(ImpStatus status) {
    if (status == IMP_STATUS_OK) {
        return;
    }
    Error error(status, imp_last_error());
#ifdef IMPINGE_NO_EXCEPTIONS
    on_error(error);
    std::abort();
#else
    throw error;
#endif
}

/// A borrowed array.
template <class T>
class Span {
public:
    constexpr Span() = default;
    constexpr Span(T *data, std::size_t size) : data_(data), size_(size) {}
    template <class C, class = decltype(static_cast<T *>(std::declval<C &>().data()))>
    constexpr Span(C &all) : data_(all.data()), size_(all.size()) {}
    constexpr T *data() const { return data_; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T *begin() const { return data_; }
    constexpr T *end() const { return data_ + size_; }
    constexpr T &operator[](std::size_t k) const { return data_[k]; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

using Pose = ImpPose;

/// A pose that turns nothing.
inline Pose at(double x, double y, double z) {
    return Pose{{x, y, z}, {0.0, 0.0, 0.0, 1.0}};
}

/// Manifolds and their points, borrowed until the next use of what was asked.
class Contacts {
public:
    explicit Contacts(const ImpContacts &rows) : rows_(rows) {}
    Span<const ImpManifold> manifolds() const { return {rows_.manifolds, rows_.manifold_count}; }
    Span<const ImpContactPoint> points() const { return {rows_.points, rows_.point_count}; }
    Span<const ImpContactPoint> points(const ImpManifold &manifold) const {
        return {rows_.points + manifold.first_point, static_cast<std::size_t>(manifold.point_count)};
    }
    /// Of batches, the manifolds of one answer.
    Span<const ImpManifold> answer(std::size_t k) const {
        return {rows_.manifolds + rows_.offsets[k], rows_.offsets[k + 1] - rows_.offsets[k]};
    }

private:
    ImpContacts rows_;
};

namespace detail {
template <class H, ImpStatus (*Free)(H *)>
struct Deleter {
    void operator()(H *handle) const noexcept { Free(handle); }
};
template <class H, ImpStatus (*Free)(H *)>
using Owner = std::unique_ptr<H, Deleter<H, Free>>;
} // namespace detail

/// A shape; copies are the same shape.
class Shape {
public:
    static Shape sphere(float radius) { return make(imp_sphere_new, radius); }
    static Shape box(float half_x, float half_y, float half_z) { return make(imp_box_new, half_x, half_y, half_z); }
    static Shape capsule(float half_height, float radius) { return make(imp_capsule_new, half_height, radius); }
    static Shape cylinder(float half_height, float radius) { return make(imp_cylinder_new, half_height, radius); }
    static Shape half_space() { return make(imp_half_space_new); }
    /// Points as x, y, z.
    static Shape hull(Span<const float> points) { return make(imp_hull_new, points.data(), points.size() / 3); }
    /// Vertices as x, y, z; triangles as three indices, counter-clockwise seen from outside.
    static Shape mesh(Span<const float> vertices, Span<const std::uint32_t> triangles, const ImpMeshSettings *settings = nullptr) {
        return make(imp_mesh_new, vertices.data(), vertices.size() / 3, triangles.data(), triangles.size() / 3, settings);
    }
    static Shape load(const std::string &path, const ImpMeshSettings *settings = nullptr) {
        return make(imp_mesh_load, path.c_str(), settings);
    }
    static Shape composite(const std::vector<std::pair<Pose, Shape>> &children) {
        std::vector<ImpChild> rows;
        for (const auto &child : children) {
            rows.push_back(ImpChild{child.first, child.second.get()});
        }
        return make(imp_composite_new, rows.data(), rows.size());
    }
    ImpShapeInfo info() const {
        ImpShapeInfo info;
        check(imp_shape_info(get(), &info));
        return info;
    }
    /// What was done to close a mesh, and what keeps it open, a line each.
    std::string repairs() const {
        std::size_t length = 0;
        check(imp_shape_repairs(get(), nullptr, 0, &length));
        std::string text(length + 1, '\0');
        check(imp_shape_repairs(get(), &text[0], text.size(), &length));
        text.resize(length);
        return text;
    }
    ImpRayHit ray(const Pose &pose, const ImpRay &ray) const {
        ImpRayHit hit;
        check(imp_ray(get(), &pose, &ray, nullptr, &hit));
        return hit;
    }
    const ImpShape *get() const { return handle_.get(); }

private:
    template <class F, class... A>
    static Shape make(F call, A... given) {
        ImpShape *handle = nullptr;
        check(call(given..., &handle));
        Shape shape;
        shape.handle_ = std::shared_ptr<ImpShape>(handle, [](ImpShape *gone) { imp_shape_free(gone); });
        return shape;
    }
    std::shared_ptr<ImpShape> handle_;
};

/// Buffers and borrowed contacts of one thread.
class Scratch {
public:
    Scratch() {
        ImpScratch *handle = nullptr;
        check(imp_scratch_new(&handle));
        handle_.reset(handle);
    }
    ImpScratch *get() const { return handle_.get(); }

private:
    detail::Owner<ImpScratch, imp_scratch_free> handle_;
};

/// Two shapes to be asked about; may be shared by threads.
class Query {
public:
    Query(const Shape &a, const Shape &b, const ImpQuerySettings *settings = nullptr) {
        ImpQuery *handle = nullptr;
        check(imp_query_new(a.get(), b.get(), settings, &handle));
        handle_.reset(handle);
    }
    bool touching(const Pose &a, const Pose &b, Scratch *scratch = nullptr) const {
        bool found = false;
        check(imp_touching(get(), &a, &b, raw(scratch), &found));
        return found;
    }
    ImpDistance distance(const Pose &a, const Pose &b, double bound = std::numeric_limits<double>::infinity(),
                         Scratch *scratch = nullptr) const {
        ImpDistance found;
        check(imp_distance(get(), &a, &b, bound, raw(scratch), &found));
        return found;
    }
    /// Borrowed from the scratch.
    Contacts contacts(const Pose &a, const Pose &b, Scratch &scratch, double margin = 0.0) const {
        ImpContacts found;
        check(imp_contacts(get(), &a, &b, margin, scratch.get(), &found));
        return Contacts(found);
    }
    ImpIntersection intersection(const Pose &a, const Pose &b, Scratch *scratch = nullptr) const {
        ImpIntersection found;
        check(imp_intersection(get(), &a, &b, raw(scratch), &found));
        return found;
    }
    ImpImpact cast(const Pose &a, const Pose &b, const double (&way)[3], Scratch *scratch = nullptr) const {
        ImpImpact found;
        check(imp_cast(get(), &a, &b, way, raw(scratch), &found));
        return found;
    }
    ImpImpact sweep(const Pose &a_from, const Pose &a_to, const Pose &b_from, const Pose &b_to, Scratch *scratch = nullptr) const {
        ImpImpact found;
        check(imp_sweep(get(), &a_from, &a_to, &b_from, &b_to, raw(scratch), &found));
        return found;
    }
    std::vector<std::uint8_t> touching(Span<const Pose> poses) const {
        std::vector<std::uint8_t> found(poses.size());
        check(imp_touching_many(get(), poses.data(), poses.size(), found.data()));
        return found;
    }
    std::vector<double> distances(Span<const Pose> poses, double bound = std::numeric_limits<double>::infinity()) const {
        std::vector<double> found(poses.size());
        check(imp_distance_many(get(), poses.data(), poses.size(), bound, found.data()));
        return found;
    }
    /// Borrowed from the scratch.
    Contacts contacts(Span<const Pose> poses, Scratch &scratch) const {
        ImpContacts found;
        check(imp_contacts_many(get(), poses.data(), poses.size(), scratch.get(), &found));
        return Contacts(found);
    }
    const ImpQuery *get() const { return handle_.get(); }

private:
    static ImpScratch *raw(Scratch *scratch) { return scratch ? scratch->get() : nullptr; }
    detail::Owner<ImpQuery, imp_query_free> handle_;
};

/// A pair followed from step to step, by one thread.
class Tracker {
public:
    explicit Tracker(const Query &query) {
        ImpTracker *handle = nullptr;
        check(imp_tracker_new(query.get(), &handle));
        handle_.reset(handle);
    }
    bool touching(const Pose &a, const Pose &b) {
        bool found = false;
        check(imp_tracker_touching(handle_.get(), &a, &b, &found));
        return found;
    }
    ImpDistance distance(const Pose &a, const Pose &b, double bound = std::numeric_limits<double>::infinity()) {
        ImpDistance found;
        check(imp_tracker_distance(handle_.get(), &a, &b, bound, &found));
        return found;
    }
    /// Borrowed from the tracker.
    Contacts contacts(const Pose &a, const Pose &b, double margin = 0.0) {
        ImpContacts found;
        check(imp_tracker_contacts(handle_.get(), &a, &b, margin, &found));
        return Contacts(found);
    }
    void forget() { check(imp_tracker_forget(handle_.get())); }

private:
    detail::Owner<ImpTracker, imp_tracker_free> handle_;
};

/// Colliders with poses in, contacts out; used by one thread at a time.
class World {
public:
    using Filter = std::function<int(const ImpPair &)>;

    explicit World(const ImpWorldSettings *settings = nullptr) {
        ImpWorld *handle = nullptr;
        check(imp_world_new(settings, &handle));
        handle_.reset(handle);
    }
    std::uint64_t add(const Shape &shape, const Pose &pose, const ImpColliderSettings *settings = nullptr) {
        std::uint64_t collider = 0;
        check(imp_world_add(get(), shape.get(), &pose, settings, &collider));
        return collider;
    }
    void remove(std::uint64_t collider) { check(imp_world_remove(get(), collider)); }
    Pose pose(std::uint64_t collider) const {
        Pose found;
        check(imp_world_pose(get(), collider, &found));
        return found;
    }
    void set_pose(std::uint64_t collider, const Pose &pose) { check(imp_world_set_pose(get(), collider, &pose)); }
    /// `IMP_NARROW_EXACT` or `IMP_NARROW_HEIGHT_MAP`.
    void set_narrow_method(std::uint64_t collider, std::uint32_t method) {
        check(imp_world_set_narrow_method(get(), collider, method));
    }
    /// One pose for each collider.
    void set_poses(Span<const std::uint64_t> colliders, Span<const Pose> poses) {
        if (colliders.size() != poses.size()) {
            fail(std::to_string(colliders.size()) + " colliders and " + std::to_string(poses.size()) + " poses; give one for each");
        }
        check(imp_world_set_poses(get(), colliders.data(), poses.data(), poses.size()));
    }
    std::size_t count() const {
        std::size_t found = 0;
        check(imp_world_count(get(), &found));
        return found;
    }
    /// What the filter throws comes out here; the pairs after it have contacts as usual.
    ImpStepReport step() {
        ImpStepReport report;
        check(imp_world_step(get(), &report));
#ifndef IMPINGE_NO_EXCEPTIONS
        if (filter_ && filter_->thrown) {
            std::rethrow_exception(std::exchange(filter_->thrown, nullptr));
        }
#endif
        return report;
    }
    /// Borrowed until the next step.
    Contacts contacts() {
        ImpContacts found;
        check(imp_world_contacts(get(), &found));
        return Contacts(found);
    }
    /// Borrowed until the next step.
    Span<const ImpEvent> events() {
        const ImpEvent *first = nullptr;
        std::size_t count = 0;
        check(imp_world_events(get(), &first, &count));
        return {first, count};
    }
    std::vector<std::uint8_t> touches(const Shape &shape, Span<const Pose> poses, const ImpQueryFilter *filter = nullptr) {
        std::vector<std::uint8_t> found(poses.size());
        check(imp_world_touches(get(), shape.get(), poses.data(), poses.size(), filter, found.data()));
        return found;
    }
    ImpRayHit ray(const ImpRay &ray, const ImpQueryFilter *filter = nullptr) {
        ImpRayHit hit;
        check(imp_world_ray(get(), &ray, filter, &hit));
        return hit;
    }
    /// The collider met, UINT64_MAX where there is none, and how.
    std::pair<std::uint64_t, ImpImpact> cast(const Shape &shape, const Pose &pose, const double (&way)[3],
                                             const ImpQueryFilter *filter = nullptr) {
        std::pair<std::uint64_t, ImpImpact> found;
        check(imp_world_cast(get(), shape.get(), &pose, way, filter, &found.first, &found.second));
        return found;
    }
    /// Says IMP_PAIR_CONTACTS, IMP_PAIR_TOUCHING or IMP_PAIR_IGNORE of a pair; none asks no more.
    void set_filter(Filter filter) {
        auto held = filter ? std::make_unique<Held>(Held{std::move(filter), nullptr}) : nullptr;
        check(imp_world_set_filter(get(), held ? ask : nullptr, held.get()));
        filter_ = std::move(held);
    }
    ImpWorld *get() const { return handle_.get(); }

private:
    struct Held {
        Filter filter;
        std::exception_ptr thrown;
    };
    static void fail(const std::string &text) {
        Error error(IMP_STATUS_SETTING, text);
#ifdef IMPINGE_NO_EXCEPTIONS
        on_error(error);
        std::abort();
#else
        throw error;
#endif
    }
    static std::int32_t ask(void *user, const ImpPair *pair) noexcept {
        Held &held = *static_cast<Held *>(user);
#ifdef IMPINGE_NO_EXCEPTIONS
        return held.filter(*pair);
#else
        try {
            return held.thrown ? IMP_PAIR_CONTACTS : held.filter(*pair);
        } catch (...) {
            held.thrown = std::current_exception();
            return IMP_PAIR_CONTACTS;
        }
#endif
    }
    // The filter goes after the world that asks it.
    std::unique_ptr<Held> filter_;
    detail::Owner<ImpWorld, imp_world_free> handle_;
};

} // namespace impinge

#endif
