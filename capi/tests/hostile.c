/* What a program can do wrong: each call here must answer with the status that is right for it, and none may crash. Run under valgrind or ASan. */
#include <impinge.h>

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed = 0, checked = 0;

static void is(ImpStatus got, ImpStatus right, const char *text, int line) {
    ++checked;
    if (got != right) {
        printf("line %d: %s is %s, not %s (%s)\n", line, text, imp_status_name(got), imp_status_name(right), imp_last_error());
        failed = 1;
    } else if (got != IMP_STATUS_OK && strlen(imp_last_error()) < 10) {
        printf("line %d: %s has no text\n", line, text);
        failed = 1;
    }
}

#define IS(call, right) is((call), IMP_STATUS_##right, #call, __LINE__)
#define HOLDS(what) ((what) ? (void)__atomic_add_fetch(&checked, 1, __ATOMIC_RELAXED) : (void)(printf("line %d: not %s\n", __LINE__, #what), failed = 1))

static const ImpPose HERE = {{0, 0, 0}, {0, 0, 0, 1}};

typedef struct {
    ImpWorld *world;
    ImpStatus step, free_inside;
    int asked;
} Inside;

static int32_t inside(void *user, const ImpPair *pair) {
    Inside *in = user;
    size_t count;
    in->asked += pair != NULL;
    in->step = imp_world_step(in->world, NULL);
    in->free_inside = imp_world_count(in->world, &count);
    return 77; /* no answer that there is */
}

static int32_t frees(void *user, const ImpPair *pair) {
    (void)pair;
    return imp_world_free(user) == IMP_STATUS_OK ? IMP_PAIR_CONTACTS : IMP_PAIR_IGNORE;
}

static void count_lines(void *user, int32_t level, const char *text) {
    if (level >= IMP_LOG_ERROR && level <= IMP_LOG_DEBUG && strlen(text) > 0) {
        __atomic_add_fetch((int *)user, 1, __ATOMIC_RELAXED);
    }
}

typedef struct {
    ImpQuery *query;
    ImpScratch *scratch;
    ImpWorld *world;
    uint64_t collider;
    int ok, busy, other;
} Shared;

static void count(Shared *s, ImpStatus status) {
    int *to = status == IMP_STATUS_OK ? &s->ok : status == IMP_STATUS_BUSY ? &s->busy : &s->other;
    __atomic_add_fetch(to, 1, __ATOMIC_RELAXED);
}

static void *all_at_once(void *user) {
    Shared *s = user;
    int k;
    for (k = 0; k < 40; ++k) {
        ImpPose there = HERE;
        ImpDistance distance;
        ImpShape *shape = NULL;
        bool touching = false;
        there.position[0] = 0.03 * k;
        count(s, imp_touching(s->query, &HERE, &there, NULL, &touching));
        HOLDS(touching == (k <= 33));
        count(s, imp_distance(s->query, &HERE, &there, INFINITY, s->scratch, &distance));
        count(s, imp_world_set_pose(s->world, s->collider, &there));
        count(s, imp_world_step(s->world, NULL));
        count(s, imp_sphere_new(1.0f, &shape));
        count(s, imp_shape_free(shape));
    }
    return NULL;
}

/* One frees a query that the others ask: what runs ends, what comes later is refused. */
static void *frees_what_is_used(void *user) {
    Shared *s = user;
    count(s, imp_query_free(s->query));
    count(s, imp_scratch_free(s->scratch));
    return NULL;
}

static void *uses_what_is_freed(void *user) {
    Shared *s = user;
    int k;
    for (k = 0; k < 200; ++k) {
        bool touching;
        ImpStatus status = imp_touching(s->query, &HERE, &HERE, s->scratch, &touching);
        if (status != IMP_STATUS_OK && status != IMP_STATUS_BUSY && status != IMP_STATUS_HANDLE) {
            __atomic_add_fetch(&s->other, 1, __ATOMIC_RELAXED);
        }
    }
    return NULL;
}

static void shapes(ImpShape *ball) {
    const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const float lost[] = {0, 0, 0, 1, 0, 0, 0, NAN, 0, 0, 0, 1};
    const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, beyond[] = {0, 1, 4};
    _Alignas(8) char bytes[64] = {0};
    ImpShape *shape = (ImpShape *)bytes;
    ImpMeshSettings settings = imp_mesh_settings_default();
    ImpChild child = {HERE, ball}, children[2];
    ImpShapeInfo info;
    char text[4];
    size_t length;

    IS(imp_sphere_new(1.0f, NULL), NULL);
    IS(imp_sphere_new(-1.0f, &shape), SHAPE);
    HOLDS(shape == NULL);
    IS(imp_sphere_new(NAN, &shape), SHAPE);
    IS(imp_box_new(1, INFINITY, 1, &shape), SHAPE);
    IS(imp_capsule_new(0, 1, &shape), SHAPE);
    IS(imp_cylinder_new(1, 0, &shape), SHAPE);
    IS(imp_half_space_new(NULL), NULL);
    IS(imp_hull_new(NULL, 4, &shape), NULL);
    IS(imp_hull_new(corners, 0, &shape), SHAPE);
    IS(imp_hull_new(lost, 4, &shape), SHAPE);
    IS(imp_hull_new(corners, SIZE_MAX / 2, &shape), SETTING);
    IS(imp_mesh_new(NULL, 4, faces, 4, NULL, &shape), NULL);
    IS(imp_mesh_new(corners, 4, NULL, 4, NULL, &shape), NULL);
    IS(imp_mesh_new(corners, 4, faces, 4, NULL, NULL), NULL);
    IS(imp_mesh_new((const float *)(bytes + 1), 4, faces, 4, NULL, &shape), NULL);
    IS(imp_mesh_new(NULL, 0, NULL, 0, NULL, &shape), SHAPE);
    IS(imp_mesh_new(lost, 4, faces, 4, NULL, &shape), SHAPE);
    IS(imp_mesh_new(corners, 4, beyond, 1, NULL, &shape), SHAPE);
    settings.tolerance = NAN;
    IS(imp_mesh_new(corners, 4, faces, 4, &settings, &shape), SHAPE);
    settings = imp_mesh_settings_default();
    settings.size = 0;
    IS(imp_mesh_new(corners, 4, faces, 4, &settings, &shape), SETTING);
    settings.size = sizeof settings + 8;
    IS(imp_mesh_new(corners, 4, faces, 4, &settings, &shape), SETTING);
    /* An older program's settings end sooner: the rest are the defaults. */
    settings.size = 8;
    settings.tolerance = NAN;
    IS(imp_mesh_new(corners, 4, faces, 4, &settings, &shape), OK);
    IS(imp_shape_repairs(shape, NULL, 4, &length), NULL);
    IS(imp_shape_repairs(shape, text, sizeof text, &length), OK);
    IS(imp_shape_repairs(shape, text, sizeof text, NULL), NULL);
    IS(imp_shape_free(shape), OK);
    IS(imp_shape_free(shape), HANDLE);
    IS(imp_shape_info(shape, &info), HANDLE);
    IS(imp_mesh_load(NULL, NULL, &shape), NULL);
    IS(imp_mesh_load("no/such/file.obj", NULL, &shape), FILE);
    IS(imp_mesh_load("\xff\xfe.obj", NULL, &shape), FILE);
    IS(imp_mesh_load("", NULL, &shape), FILE);
    IS(imp_composite_new(NULL, 1, &shape), NULL);
    IS(imp_composite_new(&child, 0, &shape), SHAPE);
    children[0] = children[1] = child;
    children[1].shape = NULL;
    IS(imp_composite_new(children, 2, &shape), NULL);
    children[1].shape = (const ImpShape *)&child;
    IS(imp_composite_new(children, 2, &shape), HANDLE);
    children[1] = child;
    children[1].pose.rotation[0] = NAN;
    IS(imp_composite_new(children, 2, &shape), POSE);
    IS(imp_shape_free(NULL), OK);
    IS(imp_shape_free((ImpShape *)(uintptr_t)16001), HANDLE);
    IS(imp_shape_info(NULL, &info), NULL);
    IS(imp_shape_info(ball, NULL), NULL);
}

static void queries(ImpShape *ball, ImpQuery *query, ImpScratch *scratch, ImpWorld *world) {
    ImpQuerySettings settings = imp_query_settings_default();
    ImpPose lost = HERE, poses[2], far_away = HERE;
    ImpContacts contacts;
    ImpDistance distance;
    ImpImpact impact;
    ImpIntersection shared;
    ImpRay ray = {{0, 0, 0}, {0, 0, 0}, 1};
    ImpRayHit hit;
    ImpQuery *other = NULL;
    ImpTracker *tracker = NULL;
    double way[3] = {0, 0, NAN}, distances[2] = {-1, -1};
    uint8_t touching_many[2] = {9, 9};
    bool touching;

    lost.position[1] = NAN;
    far_away.position[0] = 1e300;
    IS(imp_query_new(ball, NULL, NULL, &other), NULL);
    IS(imp_query_new(ball, (const ImpShape *)world, NULL, &other), HANDLE);
    IS(imp_query_new(ball, ball, NULL, NULL), NULL);
    settings.resolution = 31;
    IS(imp_query_new(ball, ball, &settings, &other), SETTING);
    settings.resolution = 32;
    settings.margin = -1.0;
    IS(imp_query_new(ball, ball, &settings, &other), SETTING);
    IS(imp_touching(NULL, &HERE, &HERE, NULL, &touching), NULL);
    IS(imp_touching((ImpQuery *)ball, &HERE, &HERE, NULL, &touching), HANDLE);
    IS(imp_touching(query, NULL, &HERE, NULL, &touching), NULL);
    IS(imp_touching(query, &HERE, &lost, NULL, &touching), POSE);
    IS(imp_touching(query, &far_away, &HERE, NULL, &touching), POSE);
    IS(imp_touching(query, &HERE, &HERE, (ImpScratch *)query, &touching), HANDLE);
    IS(imp_touching(query, &HERE, &HERE, NULL, NULL), NULL);
    lost = HERE;
    memset(lost.rotation, 0, sizeof lost.rotation);
    IS(imp_touching(query, &HERE, &lost, NULL, &touching), POSE);
    lost.rotation[2] = INFINITY;
    IS(imp_touching(query, &HERE, &lost, NULL, &touching), POSE);
    IS(imp_distance(query, &HERE, &HERE, NAN, scratch, &distance), SETTING);
    IS(imp_distance(query, &HERE, &HERE, -1.0, scratch, &distance), SETTING);
    IS(imp_distance(query, &HERE, &HERE, 0.0, scratch, NULL), NULL);
    IS(imp_contacts(query, &HERE, &HERE, NAN, scratch, &contacts), SETTING);
    IS(imp_contacts(query, &HERE, &HERE, 0.0, NULL, &contacts), NULL);
    IS(imp_contacts(query, &HERE, &HERE, 0.0, scratch, NULL), NULL);
    IS(imp_intersection(query, &HERE, &lost, scratch, &shared), POSE);
    IS(imp_cast(query, &HERE, &HERE, way, scratch, &impact), POSE);
    IS(imp_cast(query, &HERE, &HERE, NULL, scratch, &impact), NULL);
    IS(imp_sweep(query, &HERE, &lost, &HERE, &HERE, scratch, &impact), POSE);
    IS(imp_ray(ball, &HERE, &ray, NULL, &hit), POSE);
    IS(imp_ray(ball, &HERE, NULL, NULL, &hit), NULL);
    poses[0] = HERE;
    poses[1] = lost;
    IS(imp_touching_many(query, poses, 2, touching_many), POSE);
    HOLDS(touching_many[0] == 9 && strstr(imp_last_error(), "at[1]"));
    IS(imp_touching_many(query, NULL, 2, touching_many), NULL);
    IS(imp_touching_many(query, poses, 1, NULL), NULL);
    IS(imp_touching_many(query, NULL, 0, NULL), OK);
    IS(imp_distance_many(query, poses, 1, NAN, distances), SETTING);
    IS(imp_contacts_many(query, NULL, 0, scratch, &contacts), OK);
    HOLDS(contacts.answer_count == 0 && contacts.offsets[0] == 0);
    IS(imp_contacts_many(query, poses, SIZE_MAX, scratch, &contacts), SETTING);
    IS(imp_tracker_new(NULL, &tracker), NULL);
    IS(imp_tracker_new(query, &tracker), OK);
    IS(imp_tracker_contacts(tracker, &HERE, &lost, 0.0, &contacts), POSE);
    IS(imp_tracker_contacts((ImpTracker *)scratch, &HERE, &HERE, 0.0, &contacts), HANDLE);
    IS(imp_tracker_distance(tracker, &HERE, &HERE, -1.0, &distance), SETTING);
    IS(imp_tracker_touching(tracker, &HERE, NULL, &touching), NULL);
    IS(imp_tracker_free(tracker), OK);
    IS(imp_tracker_forget(tracker), HANDLE);
}

static void worlds(ImpShape *ball, ImpWorld *world) {
    ImpWorldSettings settings = imp_world_settings_default();
    ImpColliderSettings mine = imp_collider_settings_default();
    ImpWorld *other = NULL;
    ImpPose lost = HERE, at, two[2];
    ImpContacts contacts;
    const ImpEvent *events;
    Inside in = {NULL, IMP_STATUS_OK, IMP_STATUS_OK, 0};
    uint64_t a, b, ids[2];
    size_t count;
    uint8_t touches;

    lost.rotation[3] = 0.5;
    settings.threads = 1u << 30;
    IS(imp_world_new(&settings, &other), SETTING);
    settings.threads = 1;
    settings.margin = NAN;
    IS(imp_world_new(&settings, &other), SETTING);
    settings.margin = 0.0;
    settings.max_points = 0;
    IS(imp_world_new(&settings, &other), SETTING);
    IS(imp_world_new(NULL, NULL), NULL);
    IS(imp_world_add(world, NULL, &HERE, NULL, &a), NULL);
    IS(imp_world_add(world, ball, &lost, NULL, &a), POSE);
    mine.narrow_method = 2;
    IS(imp_world_add(world, ball, &HERE, &mine, &a), SETTING);
    mine.narrow_method = IMP_NARROW_EXACT;
    IS(imp_world_add(NULL, ball, NULL, NULL, &a), NULL);
    mine.tolerance = NAN;
    IS(imp_world_add(world, ball, NULL, &mine, &a), SETTING);
    IS(imp_world_add(world, ball, NULL, NULL, NULL), NULL);
    IS(imp_world_count(world, &count), OK);
    HOLDS(count == 0);
    IS(imp_world_add(world, ball, NULL, NULL, &a), OK);
    IS(imp_world_add(world, ball, &HERE, NULL, &b), OK);
    ids[0] = a;
    ids[1] = b + 7;
    two[0] = two[1] = HERE;
    two[0].position[0] = 5.0;
    IS(imp_world_set_poses(world, ids, two, 2), COLLIDER);
    IS(imp_world_pose(world, a, &at), OK);
    HOLDS(at.position[0] == 0.0);
    IS(imp_world_set_pose(world, UINT64_MAX, &HERE), COLLIDER);
    IS(imp_world_set_pose(world, a, &lost), POSE);
    IS(imp_world_remove(world, 1ull << 40), COLLIDER);
    IS(imp_world_contacts(world, NULL), NULL);
    IS(imp_world_contacts(world, &contacts), OK);
    HOLDS(contacts.manifold_count == 0);
    IS(imp_world_events(world, &events, NULL), NULL);
    IS(imp_world_touches(world, ball, &lost, 1, NULL, &touches), POSE);
    IS(imp_world_touches(world, ball, NULL, 1, NULL, &touches), NULL);
    in.world = world;
    IS(imp_world_set_filter(world, inside, &in), OK);
    IS(imp_world_step(world, NULL), OK);
    HOLDS(in.asked == 1 && in.step == IMP_STATUS_BUSY && in.free_inside == IMP_STATUS_BUSY);
    IS(imp_world_set_filter(world, NULL, NULL), OK);
    IS(imp_world_remove(world, a), OK);
    IS(imp_world_remove(world, a), COLLIDER);
    IS(imp_world_remove(world, b), OK);
    /* Freed by its own filter: the step ends, then the world is gone. */
    settings = imp_world_settings_default();
    settings.threads = 2;
    IS(imp_world_new(&settings, &other), OK);
    IS(imp_world_add(other, ball, NULL, NULL, &a), OK);
    IS(imp_world_add(other, ball, NULL, NULL, &b), OK);
    IS(imp_world_set_filter(other, frees, other), OK);
    IS(imp_world_step(other, NULL), OK);
    IS(imp_world_step(other, NULL), HANDLE);
}

/* Fields, level sets, particles, holes, and their edits: what is refused has a status, gives no shape, and leaves the world as it was. */
static void grids(ImpShape *ball, ImpWorld *world) {
    float flat[9] = {0}, bad[9] = {0, 0, 0, 0, INFINITY}, none[9], values[125], centers[6] = {0, 0, 0, 1, 0, 0};
    const float step[3] = {1, 1, 1}, no_step[3] = {1, 0, 1}, radii[2] = {0.1f, -1}, lost[3] = {0, NAN, 0}, corner[3] = {0, 0, 1};
    const uint32_t size[3] = {5, 5, 5}, thin[3] = {2, 5, 5}, one[3] = {1, 1, 1}, at[3] = {2, 2, 2}, end[3] = {5, 5, 5}, border[3] = {0, 2, 2};
    const uint32_t face = 0, far = 99;
    const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, minus = -1, up = 0.5f, down = -1e6f, endless = INFINITY, nan = NAN;
    const uint32_t faces[] = {0, 1, 2, 1, 3, 2};
    ImpColliderSettings fixed = imp_collider_settings_default();
    const ImpParticleContact *contacts;
    ImpShape *field, *set, *powder, *sheet, *out;
    ImpPose away = HERE, askew = HERE;
    ImpStepReport before, after;
    uint64_t ground, body, cloud, cloth, round;
    size_t count, points;
    int k;

    for (k = 0; k < 9; ++k) {
        none[k] = NAN;
    }
    for (k = 0; k < 125; ++k) {
        values[k] = k == 62 ? -1 : 1;
    }
    askew.rotation[3] = 0.5;
    IS(imp_height_field_new(NULL, 3, 3, 1, 1, -1, &out), NULL);
    IS(imp_height_field_new(flat, 3, 3, 1, 1, -1, NULL), NULL);
    IS(imp_height_field_new(flat, 1, 9, 1, 1, -1, &out), SHAPE);
    HOLDS(out == NULL);
    IS(imp_height_field_new(flat, 0, 0, 1, 1, -1, &out), SHAPE);
    IS(imp_height_field_new(flat, 3, 3, 1, 0, -1, &out), SHAPE);
    IS(imp_height_field_new(flat, 3, 3, NAN, 1, -1, &out), SHAPE);
    IS(imp_height_field_new(flat, 3, 3, 1, 1, 0, &out), SHAPE);
    IS(imp_height_field_new(bad, 3, 3, 1, 1, -1, &out), SHAPE);
    IS(imp_height_field_new(none, 3, 3, 1, 1, -1, &out), SHAPE);
    IS(imp_height_field_new(flat, 3, 3, 1, 1, -1, &field), OK);
    IS(imp_level_set_new(NULL, size, step, NULL, &out), NULL);
    IS(imp_level_set_new(values, NULL, step, NULL, &out), NULL);
    IS(imp_level_set_new(values, size, NULL, NULL, &out), NULL);
    IS(imp_level_set_new(values, thin, step, NULL, &out), SHAPE);
    IS(imp_level_set_new(values, size, no_step, NULL, &out), SHAPE);
    IS(imp_level_set_new(values, size, step, lost, &out), SHAPE);
    values[0] = -1;
    IS(imp_level_set_new(values, size, step, NULL, &out), SHAPE);
    values[0] = NAN;
    IS(imp_level_set_new(values, size, step, NULL, &out), SHAPE);
    values[0] = 1;
    values[62] = 1;
    IS(imp_level_set_new(values, size, step, NULL, &out), SHAPE);
    HOLDS(out == NULL);
    values[62] = -1;
    IS(imp_level_set_new(values, size, step, NULL, &set), OK);
    IS(imp_level_set_of_mesh(NULL, 0.1f, &out), NULL);
    IS(imp_level_set_of_mesh(ball, 0.1f, &out), SHAPE);
    IS(imp_mesh_new(corners, 4, faces, 2, NULL, &sheet), OK);
    IS(imp_level_set_of_mesh(sheet, 0.1f, &out), SHAPE);
    IS(imp_particles_new(NULL, 2, radii, 1, &out), NULL);
    IS(imp_particles_new(centers, 0, radii, 1, &out), SHAPE);
    IS(imp_particles_new(centers, 2, radii, 2, &out), SHAPE);
    IS(imp_particles_new(centers, 2, radii, 0, &out), SHAPE);
    IS(imp_particles_new(lost, 1, radii, 1, &out), SHAPE);
    IS(imp_particles_new(centers, 2, radii, 1, &powder), OK);
    IS(imp_shape_cut(NULL, ball, NULL, 0, 0, &out), NULL);
    IS(imp_shape_cut(ball, NULL, NULL, 0, 0, &out), NULL);
    IS(imp_shape_cut(sheet, ball, &askew, 0, 0, &out), POSE);
    IS(imp_shape_cut(sheet, ball, NULL, 0, 6, &out), SHAPE);
    IS(imp_shape_cut(sheet, ball, NULL, 1, 0, &out), SHAPE);
    IS(imp_shape_cut(sheet, ball, NULL, 1u << 6, 0, &out), SETTING);
    IS(imp_shape_cut(sheet, ball, NULL, 0, 0, &out), SHAPE);
    IS(imp_shape_cut(field, ball, NULL, 0, 0, &out), SHAPE);
    IS(imp_shape_cut(ball, sheet, NULL, 0, 0, &out), SHAPE);
    HOLDS(out == NULL);

    fixed.fixed = true;
    IS(imp_world_add(world, field, &away, &fixed, &ground), OK);
    away.position[0] = 10;
    IS(imp_world_add(world, set, &away, &fixed, &body), OK);
    away.position[0] = 12;
    away.position[1] = away.position[2] = 2;
    IS(imp_world_add(world, ball, &away, NULL, &round), OK);
    away.position[0] = 30;
    IS(imp_world_add(world, sheet, &away, &fixed, &cloth), OK);
    away.position[0] = away.position[1] = 1;
    away.position[2] = 0.05;
    IS(imp_world_add(world, powder, &away, NULL, &cloud), OK);
    IS(imp_world_step(world, &before), OK);
    IS(imp_world_particle_contacts(world, &contacts, &points), OK);
    HOLDS(before.touching >= 2 && points > 0);
    IS(imp_world_set_heights(world, ground, 0, 0, 1, 1, NULL), NULL);
    IS(imp_world_set_heights(NULL, ground, 0, 0, 1, 1, flat), NULL);
    IS(imp_world_set_heights(world, UINT64_MAX, 0, 0, 1, 1, flat), COLLIDER);
    IS(imp_world_set_heights(world, ground, 3, 0, 1, 1, flat), SETTING);
    IS(imp_world_set_heights(world, ground, UINT32_MAX, 1, 3, 1, flat), SETTING);
    IS(imp_world_set_heights(world, ground, 0, 0, 1, 1, &endless), SETTING);
    IS(imp_world_set_heights(world, ground, 0, 0, 1, 1, &down), SETTING);
    IS(imp_world_set_heights(world, ground, 0, 0, 3, 3, none), SETTING);
    IS(imp_world_set_heights(world, body, 0, 0, 1, 1, flat), SETTING);
    IS(imp_world_edit_levels(world, body, NULL, one, &up), NULL);
    IS(imp_world_edit_levels(world, body, at, NULL, &up), NULL);
    IS(imp_world_edit_levels(world, body, at, one, NULL), NULL);
    IS(imp_world_edit_levels(world, 1ull << 40, at, one, &up), COLLIDER);
    IS(imp_world_edit_levels(world, body, end, one, &up), SETTING);
    IS(imp_world_edit_levels(world, body, border, one, &minus), SETTING);
    IS(imp_world_edit_levels(world, body, at, one, &nan), SETTING);
    IS(imp_world_edit_levels(world, body, at, one, &up), SETTING);
    IS(imp_world_edit_levels(world, ground, at, one, &up), SETTING);
    IS(imp_world_edit_vertices(world, cloth, NULL, corner, 1), NULL);
    IS(imp_world_edit_vertices(world, cloth, &face, NULL, 1), NULL);
    IS(imp_world_edit_vertices(world, cloth, &far, corner, 1), SETTING);
    IS(imp_world_edit_vertices(world, cloth, &face, lost, 1), SETTING);
    IS(imp_world_edit_vertices(world, ground, &face, corner, 1), SETTING);
    IS(imp_world_remove_triangles(world, cloth, NULL, 1), NULL);
    IS(imp_world_remove_triangles(world, cloth, &far, 1), SETTING);
    IS(imp_world_remove_triangles(world, body, &face, 1), SETTING);
    IS(imp_world_set_particles(world, cloud, 0, NULL, 1), NULL);
    IS(imp_world_set_particles(world, cloud, 2, centers, 1), SETTING);
    IS(imp_world_set_particles(world, cloud, SIZE_MAX, centers, 2), SETTING);
    IS(imp_world_set_particles(world, cloud, 0, lost, 1), SETTING);
    IS(imp_world_set_particles(world, cloth, 0, centers, 1), SETTING);
    IS(imp_world_replace_shape(world, cloth, NULL), NULL);
    IS(imp_world_replace_shape(world, UINT64_MAX, ball), COLLIDER);
    IS(imp_world_particle_contacts(world, NULL, &count), NULL);
    IS(imp_world_particle_contacts(world, &contacts, NULL), NULL);
    IS(imp_world_step(world, &after), OK);
    IS(imp_world_particle_contacts(world, &contacts, &count), OK);
    HOLDS(count == points && after.touching == before.touching);
    IS(imp_world_remove(world, ground), OK);
    IS(imp_world_remove(world, body), OK);
    IS(imp_world_remove(world, cloth), OK);
    IS(imp_world_remove(world, cloud), OK);
    IS(imp_world_remove(world, round), OK);
    IS(imp_shape_free(field), OK);
    IS(imp_shape_free(set), OK);
    IS(imp_shape_free(powder), OK);
    IS(imp_shape_free(sheet), OK);
}

int main(void) {
    Shared s = {0};
    ImpShape *ball;
    pthread_t threads[4];
    int k, lines = 0;

    IS(imp_set_log(count_lines, &lines, 9), SETTING);
    IS(imp_set_log(count_lines, &lines, IMP_LOG_DEBUG), OK);
    IS(imp_sphere_new(0.5f, &ball), OK);
    IS(imp_query_new(ball, ball, NULL, &s.query), OK);
    IS(imp_scratch_new(&s.scratch), OK);
    IS(imp_world_new(NULL, &s.world), OK);
    shapes(ball);
    queries(ball, s.query, s.scratch, s.world);
    worlds(ball, s.world);
    grids(ball, s.world);
    HOLDS(lines > 0);
    IS(imp_set_log(NULL, NULL, IMP_LOG_ERROR), OK);

    IS(imp_world_add(s.world, ball, NULL, NULL, &s.collider), OK);
    for (k = 0; k < 4; ++k) {
        pthread_create(&threads[k], NULL, all_at_once, &s);
    }
    for (k = 0; k < 4; ++k) {
        pthread_join(threads[k], NULL);
    }
    /* Six calls of which three share an object that is one thread's at a time. */
    HOLDS(s.ok + s.busy == 4 * 40 * 6 && s.ok >= 4 * 40 * 3 && s.other == 0);
    printf("four threads on the same objects: %d calls answered, %d busy\n", s.ok, s.busy);

    for (k = 0; k < 4; ++k) {
        pthread_create(&threads[k], NULL, k == 3 ? frees_what_is_used : uses_what_is_freed, &s);
    }
    for (k = 0; k < 4; ++k) {
        pthread_join(threads[k], NULL);
    }
    HOLDS(s.other == 0);
    IS(imp_query_free(s.query), HANDLE);
    IS(imp_world_free(s.world), OK);
    IS(imp_shape_free(ball), OK);
    HOLDS(imp_live_objects() == 0);
    HOLDS(strcmp(imp_status_name(999), "unknown") == 0);
    printf("%d checks, %s\n", checked, failed ? "FAILED" : "all as they should be");
    return failed;
}
