/* impinge: collision detection between arbitrary meshes. Made by cbindgen from capi/src; do not edit.
 *
 * Objects are handles with _new and _free; freeing null is nothing. Shapes and queries never change and may be used by many threads at once; a scratch,
 * a tracker and a world by one thread at a time (else IMP_STATUS_BUSY). A handle that was freed or never was one is IMP_STATUS_HANDLE, not a crash.
 * Every call returns a status; imp_last_error has the text of this thread's last failure. Where a call fails, nothing has changed.
 * Arrays are copied in. Contacts and events are borrowed from the object that was asked, until its next use.
 * Settings begin with their size: begin with imp_..._default, change fields, hand over their address, or null for the defaults.
 * Lengths are metres, angles radians; frames are right-handed. Results must not overlap what is given.
 */

#ifndef IMPINGE_H
#define IMPINGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version of this interface: it grows with every change that a compiled program would notice. Functions and fields at the end of settings may be added
// without. Compare with `imp_abi_version` when the program starts.
#define IMP_ABI_VERSION 1

// Errors alone.
#define IMP_LOG_ERROR 1

// Warnings, too.
#define IMP_LOG_WARN 2

// What happens now and then, too.
#define IMP_LOG_INFO 3

// What helps to find a fault, too; spans of work as they begin.
#define IMP_LOG_DEBUG 4

// Contacts by views as close as it takes, exact volumes and the shortest translation.
#define IMP_NARROW_EXACT 0

// Contacts by a height map of each body: for bodies that are seen whole from one side where they touch, as on terrain. What it
// does not do for is found exactly; whether a pair touches always is.
#define IMP_NARROW_HEIGHT_MAP 1

// A filter's answer: contacts as usual (and any number but the two below).
#define IMP_PAIR_CONTACTS 0

// A filter's answer: only whether they touch, for events.
#define IMP_PAIR_TOUCHING 1

// A filter's answer: neither contacts nor events.
#define IMP_PAIR_IGNORE 2

// Bits of `ImpStepReport.notes`: some pair had more regions of contact than `max_manifolds`.
#define IMP_NOTE_MANIFOLDS_DROPPED 1

// Some pair includes a mesh that bounds no volume: close it.
#define IMP_NOTE_OPEN_MESH 2

// Some volume is less certain: raise `resolution`.
#define IMP_NOTE_UNCERTAIN_VOLUME 4

// Some pair includes a mesh whose holes were closed when it was repaired.
#define IMP_NOTE_CLOSED_HOLES 128

// Some search for a least translation had cost as much as it may: what was found parts the bodies, but may not be the shortest.
#define IMP_NOTE_SEARCH_CUT 256

// How a call ended. Of all but `IMP_STATUS_OK`, `imp_last_error` has the text, and nothing was changed.
typedef enum {
  // It did what was asked.
  IMP_STATUS_OK = 0,
  // A pointer is null where it must not be, or not aligned.
  IMP_STATUS_NULL = 1,
  // A handle is of another type, was freed, or never was one.
  IMP_STATUS_HANDLE = 2,
  // The object is in use, by another thread or by the call whose callback this is.
  IMP_STATUS_BUSY = 3,
  // A pose, point, path or ray has a number that cannot be used.
  IMP_STATUS_POSE = 4,
  // A size, setting, bound or margin is out of range.
  IMP_STATUS_SETTING = 5,
  // A mesh or another shape cannot be made of what was given.
  IMP_STATUS_SHAPE = 6,
  // A file cannot be read, or is of no known format.
  IMP_STATUS_FILE = 7,
  // No collider of the world has this number.
  IMP_STATUS_COLLIDER = 8,
  // A fault of the library: it panicked. The object in use, if any, may be half changed; free it.
  IMP_STATUS_PANIC = 9,
} ImpStatus;

// How two bodies that move meet.
typedef enum {
  // They do not: that is proved.
  IMP_MEETING_FREE = 0,
  // They touch before anything moves.
  IMP_MEETING_AT_START = 1,
  // They meet on the way.
  IMP_MEETING_IMPACT = 2,
} ImpMeeting;

// What happened to a contact.
typedef enum {
  // The two did not touch in the step before.
  IMP_PHASE_BEGIN = 0,
  // They touch no more.
  IMP_PHASE_END = 1,
} ImpPhase;

// Two shapes to be asked about at any poses; never changes, may be used by many threads at once.
typedef struct ImpQuery ImpQuery;

// Buffers of questions, and their contacts; for one thread at a time.
typedef struct ImpScratch ImpScratch;

// A shape; never changes, may be used by many threads at once.
typedef struct ImpShape ImpShape;

// A pair that is followed; for one thread at a time.
typedef struct ImpTracker ImpTracker;

// Colliders with poses in, contacts out, step by step; for one thread at a time. A step runs on threads of the world's own.
typedef struct ImpWorld ImpWorld;

// Where something stands.
typedef struct {
  // Place of its origin (m).
  double position[3];
  // Unit quaternion x, y, z, w.
  double rotation[4];
} ImpPose;

// One region of contact with its points.
typedef struct {
  // The colliders A and B; of queries and trackers 0 and 1.
  uint64_t colliders[2];
  // The touching children of composites; 0 of simple shapes.
  uint32_t subshapes[2];
  // The first of its points in `ImpContacts.points`.
  uint64_t first_point;
  // How many it has: one to four, the deepest first.
  uint64_t point_count;
  // Unit normal from A to B (world).
  double normal[3];
  // How far B has to move along the normal to be free (m); negative for a gap.
  double depth;
  // Volume of the overlap (m³).
  double volume;
  // Its area seen along the normal (m²).
  double area;
  // Its centroid (m, world).
  double centroid[3];
} ImpManifold;

// One point of contact.
typedef struct {
  // Halfway between the two surfaces (m, world).
  double position[3];
  // Unit normal from A to B at the point (world).
  double normal[3];
  // Overlap along the normal (m); negative for a gap.
  double depth;
  // The share of the contact's area that the point stands for (m²).
  double weight;
  // The point on A's surface, in A's frame (m).
  float local_a[3];
  // The point on B's surface, in B's frame (m).
  float local_b[3];
  // Of trackers and worlds: the same for as long as the contact lasts, for impulses that are carried from step to step.
  uint64_t key;
} ImpContactPoint;

// Contacts, borrowed from the object that was asked: valid until its next use, or until it is freed.
typedef struct {
  // The manifolds.
  const ImpManifold *manifolds;
  // How many there are.
  size_t manifold_count;
  // The points of all of them.
  const ImpContactPoint *points;
  // How many there are.
  size_t point_count;
  // Of batches, the first manifold of each answer, and in the end `manifold_count`: `answer_count + 1` numbers.
  const size_t *offsets;
  // How many answers there are: 1 but of batches.
  size_t answer_count;
} ImpContacts;

// Takes a line of the log (UTF-8, valid during the call) and its level.
typedef void (*ImpLog)(void *user, int32_t level, const char *text);

// How contacts of a pair are found.
typedef struct {
  // Size of the structure.
  uint32_t size;
  // Columns per side of a view: a power of two from 4 to 256.
  uint32_t resolution;
  // Points of a manifold: 1 to 4.
  uint32_t max_points;
  // Manifolds of a pair of subshapes: at least 1; the deepest are kept.
  uint32_t max_manifolds;
  // Bodies closer than this give points of negative depth (m).
  double margin;
} ImpQuerySettings;

// How far apart two shapes are.
typedef struct {
  // The distance (m): 0 where they touch, infinite where they are farther apart than the bound.
  double distance;
  // Unit normal from A's point to B's (world); NaN, as the points, where there are none: where they touch, and beyond the bound.
  double normal[3];
  // A's nearest point (m, world).
  double on_a[3];
  // B's nearest point (m, world).
  double on_b[3];
  // The subshapes these belong to.
  uint32_t subshapes[2];
} ImpDistance;

// The volume that two bodies share.
typedef struct {
  // Volume of the overlap (m³); NaN where it is not known: a body bounds none, or both are primitives without a closed form for it, such as
  // a box and a ball.
  double volume;
  // It is off by no more than this (m³).
  double error;
  // What it changes by when A is moved (m²); moving B along it makes the overlap smaller.
  double gradient[3];
  // Its centroid (m, world); NaN where there is no overlap.
  double centroid[3];
} ImpIntersection;

// When and where bodies that move first meet.
typedef struct {
  // Whether they do.
  ImpMeeting meeting;
  // The subshapes that meet.
  uint32_t subshapes[2];
  // When (0 to 1): they share no point before; infinite where they never meet.
  double time;
  // How far apart they are then (m).
  double gap;
  // Unit normal from A to B (world); NaN, as the points, but of an impact.
  double normal[3];
  // A's point then (m, world).
  double on_a[3];
  // B's point then (m, world).
  double on_b[3];
} ImpImpact;

// A ray: the points `origin + t * direction`, t from 0 to `length`.
typedef struct {
  // Where it begins (m, world).
  double origin[3];
  // Where it goes, of any length but 0.
  double direction[3];
  // Where it ends, in units of the direction; may be infinite.
  double length;
} ImpRay;

// Where a ray meets a surface.
typedef struct {
  // Whether it meets one; else nothing below means anything.
  bool hit;
  // Whether it goes in there.
  bool entering;
  // The child of a composite.
  uint32_t subshape;
  // The triangle of a mesh or hull; `UINT32_MAX` of others.
  uint32_t triangle;
  // The collider, where a world was asked.
  uint64_t collider;
  // The ray's t.
  double time;
  // Where (m, world).
  double point[3];
  // Outward unit normal of the surface (world).
  double normal[3];
} ImpRayHit;

// How meshes are made.
typedef struct {
  // Size of the structure.
  uint32_t size;
  // Whether T-junctions, seams of rounding, doubled and turned faces and small holes are closed (1), or the mesh is taken as it is (0).
  uint32_t repair;
  // The farthest that a repair may move a place, as a part of the diagonal of the mesh's box.
  double tolerance;
  // The largest holes that are closed, as a part of the diagonal of the surface around them.
  double close_holes;
} ImpMeshSettings;

// A shape in a composite.
typedef struct {
  // Where it stands in the composite.
  ImpPose pose;
  // The shape.
  const ImpShape *shape;
} ImpChild;

// What is known of a shape.
typedef struct {
  // Lowest corner of its box (m); infinite of a half-space.
  float lowest[3];
  // Highest corner of its box (m).
  float highest[3];
  // Volume (m³); NaN where it has none: open meshes, half-spaces.
  double volume;
  // Triangles of a mesh; 0 of other shapes.
  uint64_t triangles;
  // Vertices of a mesh; 0 of other shapes.
  uint64_t vertices;
  // Whether it has an inside: whether no mesh of it is open.
  bool is_solid;
} ImpShapeInfo;

// How a world works.
typedef struct {
  // Size of the structure.
  uint32_t size;
  // Worker threads; 0 for one per core. No answer depends on it.
  uint32_t threads;
  // Columns per side of a view: a power of two from 4 to 256.
  uint32_t resolution;
  // Points of a manifold: 1 to 4.
  uint32_t max_points;
  // Manifolds of a pair of subshapes: at least 1; the deepest are kept.
  uint32_t max_manifolds;
  // 0; not used.
  uint32_t reserved;
  // Bodies closer than this give points of negative depth (m).
  double margin;
  // Overlaps no deeper than the sum of both colliders' tolerances are dropped (m).
  double tolerance;
} ImpWorldSettings;

// What a collider is beside its shape and pose.
typedef struct {
  // Size of the structure.
  uint32_t size;
  // Whether it never collides with other fixed ones (1).
  uint32_t fixed;
  // Whether it tells that it touches, and has no contacts (1).
  uint32_t sensor;
  // The groups it is in, a bit each.
  uint32_t groups;
  // The groups it may collide with, a bit each.
  uint32_t mask;
  // Colliders of one part never collide with each other; `UINT32_MAX` is no part.
  uint32_t part;
  // Overlaps no deeper than the sum of both colliders' tolerances are dropped (m); negative for the world's.
  double tolerance;
  // The caller's own number, which filters and events carry.
  uint64_t user_data;
  // How contacts of its mesh are found: `IMP_NARROW_EXACT`, or `IMP_NARROW_HEIGHT_MAP` where one of both asks for it.
  uint32_t narrow_method;
  // Not read.
  uint32_t reserved;
} ImpColliderSettings;

// A particle that touches.
typedef struct {
  // The collider of the particle, and what it touches; twice the same where it is another particle of it.
  uint64_t colliders[2];
  // Midway between the deepest point of each in the other (m, world).
  double position[3];
  // Unit, towards the particle (world): along it the particle is freed soonest.
  float normal[3];
  // The particle.
  uint32_t particle;
  // How far it has to go along the normal until it is free (m).
  double depth;
} ImpParticleContact;

// A pair whose boxes overlap, as a filter sees it.
typedef struct {
  // The colliders; the first has the lower index.
  uint64_t colliders[2];
  // The caller's own numbers of the two.
  uint64_t user_data[2];
} ImpPair;

// Says `IMP_PAIR_CONTACTS`, `IMP_PAIR_TOUCHING` or `IMP_PAIR_IGNORE` of a pair.
typedef int32_t (*ImpPairFilter)(void *user, const ImpPair *pair);

// The colliders that a question finds.
typedef struct {
  // Size of the structure.
  uint32_t size;
  // The groups in which it is asked, a bit each: only colliders whose mask meets them are found.
  uint32_t groups;
  // The groups that are asked for, a bit each.
  uint32_t mask;
  // Colliders of this part are left out; `UINT32_MAX` is none.
  uint32_t part;
  // Whether sensors are found (1).
  uint32_t sensors;
  // Whether fixed colliders are found (1).
  uint32_t fixed;
  // A collider that is left out; `UINT64_MAX` is none.
  uint64_t exclude;
} ImpQueryFilter;

// Counts of a step.
typedef struct {
  // Colliders in the world.
  uint64_t colliders;
  // Pairs whose boxes overlap and whose filters allow it.
  uint64_t pairs;
  // Pairs that touch.
  uint64_t touching;
  // Manifolds.
  uint64_t manifolds;
  // Their points.
  uint64_t points;
  // How long it took (s).
  double seconds;
  // Bits `IMP_NOTE_*`: what was dropped or is less certain.
  uint32_t notes;
  // 0; not used.
  uint32_t reserved;
} ImpStepReport;

// A contact that began or ended with the last step.
typedef struct {
  // What happened.
  ImpPhase phase;
  // Whether only touching is known of it: one of them is a sensor, or a filter asked for no more.
  bool sensor;
  // The colliders; the first has the lower index.
  uint64_t colliders[2];
  // The caller's own numbers of the two.
  uint64_t user_data[2];
} ImpEvent;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the interface that the library was built with.
uint32_t imp_abi_version(void);

// The version of the library, such as `0.1.0`. Valid for ever.
const char *imp_version(void);

// Whether two bodies touch with A at the origin and B at each of `count` poses: as many results, 0 or 1. The answers are the same for any number of
// threads (`RAYON_NUM_THREADS`, by default one a core). Where a pose cannot be used nothing is written.
//
// # Safety
// `at` and `touching` have `count` elements.
ImpStatus imp_touching_many(const ImpQuery *query,
                            const ImpPose *at,
                            size_t count,
                            uint8_t *touching);

// The distances (m) of two bodies with A at the origin and B at each of `count` poses; infinite beyond `bound` (m). As `imp_touching_many`.
//
// # Safety
// `at` and `distances` have `count` elements.
ImpStatus imp_distance_many(const ImpQuery *query,
                            const ImpPose *at,
                            size_t count,
                            double bound,
                            double *distances);

// The contacts of two bodies with A at the origin and B at each of `count` poses, borrowed from `scratch`: those of answer k are manifolds
// `offsets[k]` to below `offsets[k + 1]`. As `imp_touching_many`.
//
// # Safety
// `at` has `count` elements.
ImpStatus imp_contacts_many(const ImpQuery *query,
                            const ImpPose *at,
                            size_t count,
                            ImpScratch *scratch,
                            ImpContacts *contacts);

// Terrain: `count_x` times `count_y` heights (m), row by row from y = 0, NaN where there is none; `spacing_x` and `spacing_y` (m) from sample to sample.
// The ground ends at `bottom` (m), or, where that is NaN, as far below as the field is long.
//
// # Safety
// `heights` has as many numbers as that.
ImpStatus imp_height_field_new(const float *heights,
                               uint32_t count_x,
                               uint32_t count_y,
                               float spacing_x,
                               float spacing_y,
                               float bottom,
                               ImpShape **shape);

// A body given by a function over a grid, negative inside: `counts[0] * counts[1] * counts[2]` values, x fastest, then y, then z; those at the border must not
// be negative. `spacing` (m) from sample to sample and `origin` (m), where the first one stands, have three numbers; no origin is the frame's.
//
// # Safety
// The arrays have as many numbers as that.
ImpStatus imp_level_set_new(const float *values,
                            const uint32_t *counts,
                            const float *spacing,
                            const float *origin,
                            ImpShape **shape);

// The level set of a closed mesh: its signed distances, a sample every `spacing` metres.
ImpStatus imp_level_set_of_mesh(const ImpShape *mesh, float spacing, ImpShape **shape);

// Balls that are one shape: `count` times x, y, z (m), and `radius_count` radii (m): one for all, or one for each. Worlds find their contacts
// (`imp_world_particle_contacts`); other questions see nothing of them.
//
// # Safety
// The arrays have as many numbers as that.
ImpStatus imp_particles_new(const float *centers,
                            size_t count,
                            const float *radii,
                            size_t radius_count,
                            ImpShape **shape);

// A shape less a hole: a ball, cylinder or box at a pose (at the origin where none is given). `open` has a bit for each flat side that has no end, 1 and 2 for the low
// and the high end of x, 4 and 8 of y, 16 and 32 of z. `facets` around a round hole; 0 is 96. The shape itself stays what it was.
ImpStatus imp_shape_cut(const ImpShape *shape,
                        const ImpShape *hole,
                        const ImpPose *at,
                        uint32_t open,
                        uint32_t facets,
                        ImpShape **left);

// How many objects are held: 0 once everything that was made is freed. For tests of a program's own.
size_t imp_live_objects(void);

// Has the library's log written by `log`, up to a level from `IMP_LOG_ERROR` to `IMP_LOG_DEBUG`; null writes no more. It is called from any thread,
// from several at once, and must return (no exceptions, no `longjmp`). A call that began before another was set may end after.
//
// # Safety
// `log` may be called with `user` until another is set and all calls have ended.
ImpStatus imp_set_log(ImpLog log,
                      void *user,
                      int32_t level);

// The pose that turns and moves nothing.
ImpPose imp_pose_identity(void);

// The defaults of queries.
ImpQuerySettings imp_query_settings_default(void);

// A query of two shapes, which may be one and the same. No settings are the defaults.
//
// # Safety
// `query_settings` is null or has its size in front.
ImpStatus imp_query_new(const ImpShape *a, const ImpShape *b, const ImpQuerySettings *query_settings, ImpQuery **query);

// Lets go of a query. Null is nothing.
ImpStatus imp_query_free(ImpQuery *query);

// Buffers for questions.
ImpStatus imp_scratch_new(ImpScratch **scratch);

// Lets go of buffers, and of the contacts borrowed from them. Null is nothing.
ImpStatus imp_scratch_free(ImpScratch *scratch);

// Whether two bodies touch: their surfaces share a point (exact for triangles), or one is inside the other. `scratch` may be null.
ImpStatus imp_touching(const ImpQuery *query,
                       const ImpPose *a,
                       const ImpPose *b,
                       ImpScratch *scratch,
                       bool *touching);

// The distance and the nearest points of two bodies no farther apart than `bound` (m), which may be infinite; what is farther is told sooner.
// `scratch` may be null.
ImpStatus imp_distance(const ImpQuery *query,
                       const ImpPose *a,
                       const ImpPose *b,
                       double bound,
                       ImpScratch *scratch,
                       ImpDistance *distance);

// The contacts of two bodies, with points of negative depth where they are closer than `margin` (m). Borrowed from `scratch`, which must be given.
ImpStatus imp_contacts(const ImpQuery *query,
                       const ImpPose *a,
                       const ImpPose *b,
                       double margin,
                       ImpScratch *scratch,
                       ImpContacts *contacts);

// The volume that two bodies share. `scratch` may be null.
ImpStatus imp_intersection(const ImpQuery *query,
                           const ImpPose *a,
                           const ImpPose *b,
                           ImpScratch *scratch,
                           ImpIntersection *intersection);

// When B, moved along `way` (m, world; three numbers) without a turn, first meets A, which stands still. `scratch` may be null.
//
// # Safety
// `way` has three numbers.
ImpStatus imp_cast(const ImpQuery *query,
                   const ImpPose *a,
                   const ImpPose *b,
                   const double *way,
                   ImpScratch *scratch,
                   ImpImpact *impact);

// When A and B first meet while each moves from one pose to another, by the shorter turn. `scratch` may be null.
ImpStatus imp_sweep(const ImpQuery *query,
                    const ImpPose *a_from,
                    const ImpPose *a_to,
                    const ImpPose *b_from,
                    const ImpPose *b_to,
                    ImpScratch *scratch,
                    ImpImpact *impact);

// The first place where a ray meets a shape that stands at a pose. `scratch` may be null.
ImpStatus imp_ray(const ImpShape *shape, const ImpPose *at, const ImpRay *ray, ImpScratch *scratch, ImpRayHit *hit);

// The defaults of meshes.
ImpMeshSettings imp_mesh_settings_default(void);

// A ball of a radius (m).
ImpStatus imp_sphere_new(float radius, ImpShape **shape);

// A box with edges of twice these (m) along x, y and z.
ImpStatus imp_box_new(float half_x, float half_y, float half_z, ImpShape **shape);

// A capsule along z, of a half height without its caps and a radius (m).
ImpStatus imp_capsule_new(float half_height, float radius, ImpShape **shape);

// A cylinder along z, of a half height and a radius (m).
ImpStatus imp_cylinder_new(float half_height, float radius, ImpShape **shape);

// Everything at or below z = 0.
ImpStatus imp_half_space_new(ImpShape **shape);

// The convex hull of points: `point_count` times x, y, z (m).
//
// # Safety
// `points` has as many numbers as that.
ImpStatus imp_hull_new(const float *points, size_t point_count, ImpShape **shape);

// A triangle mesh, convex or not: `vertex_count` times x, y, z (m), and `triangle_count` times three indices, counter-clockwise seen from outside.
// The arrays are copied. No settings are the defaults: small faults are repaired.
//
// # Safety
// The arrays have as many numbers as that; `settings` is null or has its size in front.
ImpStatus imp_mesh_new(const float *vertices,
                       size_t vertex_count,
                       const uint32_t *triangles,
                       size_t triangle_count,
                       const ImpMeshSettings *mesh_settings,
                       ImpShape **shape);

// The mesh in an obj, stl, ply, off, gltf or glb file; the path is UTF-8.
//
// # Safety
// `path` is null or ends with a zero byte; `mesh_settings` is null or has its size in front.
ImpStatus imp_mesh_load(const char *path, const ImpMeshSettings *mesh_settings, ImpShape **shape);

// Several shapes that move as one. Composites in composites are laid open; the children stay the caller's to free.
//
// # Safety
// `children` has as many elements as `child_count` says.
ImpStatus imp_composite_new(const ImpChild *children, size_t child_count, ImpShape **shape);

// Lets go of a shape; queries, worlds and composites made of it keep what they need. Null is nothing.
ImpStatus imp_shape_free(ImpShape *shape);

// What is known of a shape.
ImpStatus imp_shape_info(const ImpShape *shape, ImpShapeInfo *info);

// What was done to close a mesh, and what keeps it open, a line each (UTF-8), as far as `capacity` bytes hold it, a zero byte in the end. `length` is that of
// all of it without the zero byte; empty where nothing is to be said. The text may be null where `capacity` is 0.
//
// # Safety
// `text` has `capacity` bytes.
ImpStatus imp_shape_repairs(const ImpShape *shape,
                            char *text,
                            size_t capacity,
                            size_t *length);

// What was wrong in this thread's last call that failed, where, and what would be right (UTF-8); empty where none has. Valid until the
// thread's next call that fails.
const char *imp_last_error(void);

// The name of a status, such as `IMP_STATUS_OK`; `unknown` of what is none. Valid for ever.
const char *imp_status_name(int32_t status);

// Begins to follow the pair of a query.
ImpStatus imp_tracker_new(const ImpQuery *query, ImpTracker **tracker);

// Lets go of a tracker, and of the contacts borrowed from it. Null is nothing.
ImpStatus imp_tracker_free(ImpTracker *tracker);

// As `imp_touching`, where they touched last first.
ImpStatus imp_tracker_touching(ImpTracker *tracker, const ImpPose *a, const ImpPose *b, bool *touching);

// As `imp_distance`, from where they were nearest last.
ImpStatus imp_tracker_distance(ImpTracker *tracker, const ImpPose *a, const ImpPose *b, double bound, ImpDistance *distance);

// As `imp_contacts`, with keys that last as long as their contact. Borrowed from the tracker.
ImpStatus imp_tracker_contacts(ImpTracker *tracker, const ImpPose *a, const ImpPose *b, double margin, ImpContacts *contacts);

// Forgets what was found: the next contacts are new ones.
ImpStatus imp_tracker_forget(ImpTracker *tracker);

// The defaults of worlds.
ImpWorldSettings imp_world_settings_default(void);

// A world without colliders. No settings are the defaults.
//
// # Safety
// `world_settings` is null or has its size in front.
ImpStatus imp_world_new(const ImpWorldSettings *world_settings, ImpWorld **world);

// Lets go of a world with all its colliders, and of what is borrowed from it. Null is nothing.
ImpStatus imp_world_free(ImpWorld *world);

// The defaults of colliders.
ImpColliderSettings imp_collider_settings_default(void);

// Places a shape (at the origin where no pose is given) and gives the collider's number, which no other of this world has later.
//
// # Safety
// `collider_settings` is null or has its size in front.
ImpStatus imp_world_add(ImpWorld *world,
                        const ImpShape *shape,
                        const ImpPose *at,
                        const ImpColliderSettings *collider_settings,
                        uint64_t *collider);

// Removes a collider; its shape stays the caller's to free.
ImpStatus imp_world_remove(ImpWorld *world, uint64_t collider);

// Where a collider stands.
ImpStatus imp_world_pose(const ImpWorld *world, uint64_t collider, ImpPose *at);

// Moves a collider.
ImpStatus imp_world_set_pose(ImpWorld *world, uint64_t collider, const ImpPose *at);

// Moves `count` colliders to a pose each. Where one of the numbers or poses cannot be used, nothing is moved.
//
// # Safety
// `colliders` and `at` have `count` elements.
ImpStatus imp_world_set_poses(ImpWorld *world, const uint64_t *colliders, const ImpPose *at, size_t count);

// How many colliders there are.
ImpStatus imp_world_count(const ImpWorld *world, size_t *count);

// Changes how contacts of a collider are found: `IMP_NARROW_EXACT` or `IMP_NARROW_HEIGHT_MAP`.
ImpStatus imp_world_set_narrow_method(ImpWorld *world, uint64_t collider, uint32_t narrow_method);

// Gives samples of the height field that a collider places other heights (m): `count_x` times `count_y`, row by row, from the sample `first_x` of the row `first_y` on.
// All colliders of this world that place it change; contacts keep their keys. The shape's handle is what it was: so it is with all of these calls.
//
// # Safety
// `heights` has as many numbers as that.
ImpStatus imp_world_set_heights(ImpWorld *world,
                                uint64_t collider,
                                uint32_t first_x,
                                uint32_t first_y,
                                uint32_t count_x,
                                uint32_t count_y,
                                const float *heights);

// Gives samples of the level set that a collider places other values: `counts[0] * counts[1] * counts[2]`, x fastest, from the sample `first` on (three numbers each).
//
// # Safety
// The arrays have as many numbers as that.
ImpStatus imp_world_edit_levels(ImpWorld *world,
                                uint64_t collider,
                                const uint32_t *first,
                                const uint32_t *counts,
                                const float *values);

// Has `count` vertices of the mesh that a collider places stand elsewhere: their indices, and x, y, z (m) of each.
//
// # Safety
// The arrays have as many numbers as that.
ImpStatus imp_world_edit_vertices(ImpWorld *world,
                                  uint64_t collider,
                                  const uint32_t *vertices,
                                  const float *places,
                                  size_t count);

// Takes `count` triangles out of the mesh that a collider places, by their indices.
//
// # Safety
// `triangles` has as many numbers as that.
ImpStatus imp_world_remove_triangles(ImpWorld *world, uint64_t collider, const uint32_t *triangles, size_t count);

// Puts `count` particles of the shape that a collider places from index `first` on elsewhere: x, y, z (m) of each.
//
// # Safety
// `centers` has as many numbers as that.
ImpStatus imp_world_set_particles(ImpWorld *world, uint64_t collider, size_t first, const float *centers, size_t count);

// Puts another shape in the place of the one that a collider places, for all of the world that place it: ground that is loaded, a ball of another radius. Contacts that
// go on keep their keys.
ImpStatus imp_world_replace_shape(ImpWorld *world,
                                  uint64_t collider,
                                  const ImpShape *shape);

// The contacts of particles that the last step found. Borrowed from the world until its next step or call of this.
ImpStatus imp_world_particle_contacts(ImpWorld *world, const ImpParticleContact **contacts, size_t *count);

// Has `filter` asked in every step about each pair whose boxes overlap, on the thread that takes the step, in the order of the colliders' slots; null asks
// no more. It must return (no exceptions, no `longjmp`), and calls on this world from it are `IMP_STATUS_BUSY`.
//
// # Safety
// `filter` may be called with `user` until another is set or the world is freed.
ImpStatus imp_world_set_filter(ImpWorld *world,
                               ImpPairFilter filter,
                               void *user);

// The default filter finds all.
ImpQueryFilter imp_query_filter_default(void);

// Whether a shape at each of `count` poses touches any collider: as many results, 0 or 1. No filter finds all.
//
// # Safety
// `at` and `touches` have `count` elements; `query_filter` is null or has its size in front.
ImpStatus imp_world_touches(ImpWorld *world,
                            const ImpShape *shape,
                            const ImpPose *at,
                            size_t count,
                            const ImpQueryFilter *query_filter,
                            uint8_t *touches);

// The first collider that a ray meets. No filter finds all.
//
// # Safety
// `query_filter` is null or has its size in front.
ImpStatus imp_world_ray(ImpWorld *world, const ImpRay *ray, const ImpQueryFilter *query_filter, ImpRayHit *hit);

// The first collider (A) that a shape (B) meets, moved from a pose along `way` (m; three numbers) without a turn. Where none is met, `collider` is
// `UINT64_MAX`. No filter finds all.
//
// # Safety
// `way` has three numbers; `query_filter` is null or has its size in front.
ImpStatus imp_world_cast(ImpWorld *world,
                         const ImpShape *shape,
                         const ImpPose *at,
                         const double *way,
                         const ImpQueryFilter *query_filter,
                         uint64_t *collider,
                         ImpImpact *impact);

// Finds the contacts of the colliders where they stand now. The report may be null.
ImpStatus imp_world_step(ImpWorld *world, ImpStepReport *report);

// The contacts of the last step, in the order of the colliders' slots; those of colliders removed since are gone. Borrowed from the world until its
// next step or call of this, or until a collider is removed.
ImpStatus imp_world_contacts(ImpWorld *world,
                             ImpContacts *contacts);

// The contacts that began and ended with the last step, sensors' too. Borrowed from the world until its next step or call of this.
ImpStatus imp_world_events(ImpWorld *world,
                           const ImpEvent **events,
                           size_t *count);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* IMPINGE_H */
