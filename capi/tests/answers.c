/* What the calls answer, against closed forms. Its argument is a mesh file. */
#include <impinge.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void ok(ImpStatus status, int line) {
    if (status != IMP_STATUS_OK) {
        printf("line %d: %s: %s\n", line, imp_status_name(status), imp_last_error());
        exit(1);
    }
}

static void expect(int holds, const char *what, int line) {
    if (!holds) {
        printf("line %d: not %s\n", line, what);
        exit(1);
    }
}

#define OK(call) ok((call), __LINE__)
#define EXPECT(what) expect((what), #what, __LINE__)
#define NEAR(a, b) expect(fabs((a) - (b)) < 1e-5, #a " = " #b, __LINE__)

static ImpPose at(double x, double y, double z) {
    ImpPose pose = imp_pose_identity();
    pose.position[0] = x;
    pose.position[1] = y;
    pose.position[2] = z;
    return pose;
}

static const double PI = 3.14159265358979323846;

static void shapes(const char *file) {
    const float corners[] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1, -1, -1, 1, 1, -1, 1, -1, 1, 1, 1, 1, 1};
    ImpShape *hull, *capsule, *cylinder, *floor, *both, *gear;
    ImpShapeInfo info;
    ImpChild children[2];
    ImpQuery *query;
    ImpDistance distance;
    ImpPose here = at(0, 0, 0), there = at(0, 0, 5);

    OK(imp_hull_new(corners, 8, &hull));
    OK(imp_shape_info(hull, &info));
    NEAR(info.volume, 8.0);
    OK(imp_capsule_new(1.0f, 0.5f, &capsule));
    OK(imp_shape_info(capsule, &info));
    NEAR(info.volume, PI * 0.25 * 2.0 + 4.0 / 3.0 * PI * 0.125);
    NEAR(info.highest[2], 1.5);
    OK(imp_cylinder_new(1.0f, 0.5f, &cylinder));
    OK(imp_shape_info(cylinder, &info));
    NEAR(info.volume, PI * 0.25 * 2.0);
    OK(imp_half_space_new(&floor));
    OK(imp_shape_info(floor, &info));
    EXPECT(isnan(info.volume) && isinf(info.lowest[0]));
    OK(imp_mesh_load(file, NULL, &gear));
    OK(imp_shape_info(gear, &info));
    EXPECT(info.triangles > 100 && info.is_solid && info.volume > 0.0);

    children[0].pose = at(0, 0, -3);
    children[0].shape = hull;
    children[1].pose = at(0, 0, 3);
    children[1].shape = capsule;
    OK(imp_composite_new(children, 2, &both));
    /* What a composite and a query were made of may go first. */
    OK(imp_query_new(floor, both, NULL, &query));
    OK(imp_shape_free(hull));
    OK(imp_shape_free(both));
    OK(imp_distance(query, &here, &there, INFINITY, NULL, &distance));
    NEAR(distance.distance, 1.0);
    EXPECT(distance.subshapes[1] == 0);
    OK(imp_distance(query, &here, &there, 0.5, NULL, &distance));
    EXPECT(isinf(distance.distance) && isnan(distance.on_a[0]));
    OK(imp_query_free(query));
    OK(imp_shape_free(capsule));
    OK(imp_shape_free(cylinder));
    OK(imp_shape_free(floor));
    OK(imp_shape_free(gear));
}

static void pairs(void) {
    ImpShape *cube, *rod, *ball;
    ImpQuery *query, *turning;
    ImpScratch *scratch;
    ImpTracker *tracker;
    ImpContacts contacts;
    ImpDistance distance;
    ImpImpact impact;
    ImpRay ray = {{-3, 0.1, 0.2}, {2, 0, 0}, INFINITY};
    ImpRayHit hit;
    ImpPose here = at(0, 0, 0), there = at(0, 0, 0.99), poses[3], quarter = here, beside = at(0.6, 0.6, 0);
    double distances[3], angle;
    uint64_t keys[4];
    bool touching;
    size_t k;

    OK(imp_box_new(0.5f, 0.5f, 0.5f, &cube));
    OK(imp_query_new(cube, cube, NULL, &query));
    OK(imp_scratch_new(&scratch));
    poses[0] = at(0.9, 0, 0);
    poses[1] = at(1.5, 0, 0);
    poses[2] = at(0, 3, 0);
    OK(imp_distance_many(query, poses, 3, 1.0, distances));
    EXPECT(distances[0] == 0.0 && isinf(distances[2]));
    NEAR(distances[1], 0.5);
    OK(imp_contacts_many(query, poses, 3, scratch, &contacts));
    EXPECT(contacts.answer_count == 3 && contacts.offsets[0] == 0 && contacts.offsets[1] == 1 && contacts.offsets[3] == 1);
    NEAR(contacts.manifolds[0].depth, 0.1);
    NEAR(contacts.manifolds[0].volume, 0.1);
    NEAR(contacts.manifolds[0].area, 1.0);

    OK(imp_contacts(query, &here, &poses[1], 0.6, scratch, &contacts));
    EXPECT(contacts.point_count > 0);
    NEAR(contacts.manifolds[0].depth, -0.5);

    OK(imp_tracker_new(query, &tracker));
    OK(imp_tracker_contacts(tracker, &here, &there, 0.0, &contacts));
    EXPECT(contacts.point_count == 4 && contacts.manifolds[0].point_count == 4);
    for (k = 0; k < 4; ++k) {
        keys[k] = contacts.points[k].key;
        NEAR(contacts.points[k].normal[2], 1.0);
        NEAR(contacts.points[k].local_a[2], 0.5);
        NEAR(contacts.points[k].local_b[2], -0.5);
    }
    there.position[2] = 0.989;
    OK(imp_tracker_contacts(tracker, &here, &there, 0.0, &contacts));
    EXPECT(contacts.point_count == 4);
    for (k = 0; k < 4; ++k) {
        EXPECT(contacts.points[k].key == keys[k]);
    }
    OK(imp_tracker_distance(tracker, &here, &poses[1], INFINITY, &distance));
    NEAR(distance.distance, 0.5);
    OK(imp_tracker_touching(tracker, &here, &poses[1], &touching));
    EXPECT(!touching);
    OK(imp_tracker_forget(tracker));

    /* A rod that turns by 90 degrees meets a ball of 0.1 m where its side, 0.02 m from the axis, is 0.1 m from the centre. */
    OK(imp_box_new(1.0f, 0.02f, 0.02f, &rod));
    OK(imp_sphere_new(0.1f, &ball));
    OK(imp_query_new(rod, ball, NULL, &turning));
    quarter.rotation[2] = quarter.rotation[3] = sqrt(0.5);
    OK(imp_sweep(turning, &here, &quarter, &beside, &beside, scratch, &impact));
    angle = PI / 4 - asin(0.12 / sqrt(0.72));
    EXPECT(impact.meeting == IMP_MEETING_IMPACT && fabs(impact.time - angle / (PI / 2)) < 1e-4);
    OK(imp_sweep(turning, &here, &here, &beside, &beside, NULL, &impact));
    EXPECT(impact.meeting == IMP_MEETING_FREE && isinf(impact.time));

    OK(imp_ray(cube, &here, &ray, NULL, &hit));
    EXPECT(hit.hit && hit.entering && hit.triangle == UINT32_MAX);
    NEAR(hit.time, 1.25);
    NEAR(hit.normal[0], -1.0);

    OK(imp_tracker_free(tracker));
    OK(imp_query_free(query));
    OK(imp_query_free(turning));
    OK(imp_scratch_free(scratch));
    OK(imp_shape_free(cube));
    OK(imp_shape_free(rod));
    OK(imp_shape_free(ball));
}

static void worlds(void) {
    const double way[3] = {4, 0, 0};
    ImpColliderSettings settings = imp_collider_settings_default();
    ImpQueryFilter filter = imp_query_filter_default();
    ImpShape *ball;
    ImpWorld *world;
    ImpContacts contacts;
    ImpImpact impact;
    ImpStepReport report;
    ImpPose place = at(0, 0, 0);
    ImpPose apart[2];
    const ImpEvent *events;
    uint64_t a, b, sensor, met, both[2];
    uint8_t touches;
    size_t count;

    OK(imp_sphere_new(0.5f, &ball));
    OK(imp_world_new(NULL, &world));
    OK(imp_world_add(world, ball, NULL, NULL, &a));
    place.position[0] = 0.9;
    settings.user_data = 5;
    OK(imp_world_add(world, ball, &place, &settings, &b));
    place.position[0] = -0.9;
    settings.sensor = 1;
    settings.user_data = 6;
    OK(imp_world_add(world, ball, &place, &settings, &sensor));
    OK(imp_world_step(world, &report));
    EXPECT(report.colliders == 3 && report.touching == 2 && report.manifolds == 1 && report.notes == 0);
    OK(imp_world_contacts(world, &contacts));
    EXPECT(contacts.manifold_count == 1 && contacts.manifolds[0].colliders[0] == a && contacts.manifolds[0].colliders[1] == b);
    NEAR(contacts.manifolds[0].depth, 0.1);
    OK(imp_world_events(world, &events, &count));
    EXPECT(count == 2 && events[0].phase == IMP_PHASE_BEGIN && events[0].user_data[1] == 5 && !events[0].sensor);
    EXPECT(events[1].sensor && events[1].user_data[1] == 6 && events[1].colliders[1] == sensor);

    place.position[0] = 1.85;
    OK(imp_world_touches(world, ball, &place, 1, NULL, &touches));
    EXPECT(touches == 1);
    filter.exclude = b;
    OK(imp_world_touches(world, ball, &place, 1, &filter, &touches));
    EXPECT(touches == 0);
    place.position[0] = -4.0;
    filter = imp_query_filter_default();
    filter.sensors = 0;
    OK(imp_world_cast(world, ball, &place, way, &filter, &met, &impact));
    EXPECT(met == a && impact.meeting == IMP_MEETING_IMPACT && fabs(impact.time - 0.75) < 1e-3);
    place.position[1] = 9.0;
    OK(imp_world_cast(world, ball, &place, way, NULL, &met, &impact));
    EXPECT(met == UINT64_MAX && impact.meeting == IMP_MEETING_FREE);

    both[0] = a;
    both[1] = b;
    apart[0] = at(0, 0, 5);
    apart[1] = at(0, 0, -5);
    OK(imp_world_set_poses(world, both, apart, 2));
    OK(imp_world_step(world, &report));
    OK(imp_world_events(world, &events, &count));
    EXPECT(report.touching == 0 && count == 2 && events[0].phase == IMP_PHASE_END);
    OK(imp_world_set_narrow_method(world, a, IMP_NARROW_HEIGHT_MAP));
    EXPECT(imp_world_set_narrow_method(world, a, 7) == IMP_STATUS_SETTING);
    OK(imp_world_remove(world, b));
    EXPECT(imp_world_set_narrow_method(world, b, IMP_NARROW_EXACT) == IMP_STATUS_COLLIDER);
    OK(imp_world_count(world, &count));
    EXPECT(count == 2);
    OK(imp_shape_free(ball));
    OK(imp_world_free(world));
}

/* Ground that rises under a ball, a body of values that is hollowed out, holes, and particles that fall. */
static void changes(void) {
    float heights[81] = {0}, mound[9], values[343], empty[27], centers[6] = {0, 0, 20.3f, 0.5f, 0, 20.3f};
    const uint32_t counts[3] = {7, 7, 7}, first[3] = {2, 2, 2}, east[3] = {4, 2, 2}, inner[3] = {3, 3, 3};
    const float spacing[3] = {0.5f, 0.5f, 0.5f}, origin[3] = {-1.5f, -1.5f, -1.5f}, radius = 0.1f, lower[3] = {0.5f, 0, 20.08f};
    ImpShape *ground, *body, *powder, *ball, *plate, *hole, *bored, *none;
    ImpShapeInfo info;
    ImpWorld *world;
    ImpStepReport report;
    ImpPose place = at(2, 2, 0.6), high = at(0, 0, 20);
    const ImpParticleContact *contacts;
    ImpColliderSettings fixed = imp_collider_settings_default();
    uint64_t under, above, cloud;
    size_t count;
    int k;

    for (k = 0; k < 9; ++k) {
        mound[k] = 0.5f;
    }
    for (k = 0; k < 343; ++k) {
        double x = k % 7 - 3, y = k / 7 % 7 - 3, z = k / 49 - 3;
        values[k] = (float)(0.5 * sqrt(x * x + y * y + z * z) - 1);
    }
    for (k = 0; k < 27; ++k) {
        empty[k] = 0.5f;
    }
    fixed.fixed = 1;
    OK(imp_height_field_new(heights, 9, 9, 0.5f, 0.5f, (float)NAN, &ground));
    EXPECT(imp_height_field_new(heights, 1, 9, 0.5f, 0.5f, 0, &none) == IMP_STATUS_SHAPE && !none);
    OK(imp_level_set_new(values, counts, spacing, origin, &body));
    OK(imp_shape_info(body, &info));
    EXPECT(info.is_solid && info.volume > 3.5 && info.volume < 4.3);
    EXPECT(imp_level_set_of_mesh(body, 0.1f, &none) == IMP_STATUS_SHAPE);
    OK(imp_particles_new(centers, 2, &radius, 1, &powder));
    EXPECT(imp_particles_new(centers, 2, centers, 2, &none) == IMP_STATUS_SHAPE);
    OK(imp_sphere_new(0.3f, &ball));

    OK(imp_box_new(1, 1, 0.5f, &plate));
    OK(imp_cylinder_new(0.5f, 0.25f, &hole));
    OK(imp_shape_cut(plate, hole, NULL, 16 | 32, 0, &bored));
    OK(imp_shape_info(bored, &info));
    EXPECT(fabs(info.volume - (4 - 3.14159265 / 16)) < 1e-3);
    EXPECT(imp_shape_cut(plate, hole, NULL, 1, 0, &none) == IMP_STATUS_SHAPE);
    EXPECT(imp_shape_cut(plate, hole, NULL, 64, 0, &none) == IMP_STATUS_SETTING);
    EXPECT(imp_shape_cut(plate, bored, NULL, 0, 0, &none) == IMP_STATUS_SHAPE);

    OK(imp_world_new(NULL, &world));
    OK(imp_world_add(world, ground, NULL, &fixed, &under));
    OK(imp_world_add(world, ball, &place, NULL, &above));
    OK(imp_world_step(world, &report));
    EXPECT(report.touching == 0);
    OK(imp_world_set_heights(world, under, 3, 3, 3, 3, mound));
    EXPECT(imp_world_set_heights(world, under, 8, 8, 3, 3, mound) == IMP_STATUS_SETTING);
    EXPECT(imp_world_set_heights(world, above, 0, 0, 3, 3, mound) == IMP_STATUS_SETTING);
    OK(imp_world_step(world, &report));
    EXPECT(report.touching == 1);
    OK(imp_world_replace_shape(world, under, body));
    place = at(0.8, 0, 0);
    OK(imp_world_set_pose(world, above, &place));
    OK(imp_world_step(world, &report));
    EXPECT(report.touching == 1);
    OK(imp_world_edit_levels(world, under, east, inner, empty));
    OK(imp_world_step(world, &report));
    EXPECT(report.touching == 0);
    EXPECT(imp_world_edit_levels(world, under, first, inner, empty) == IMP_STATUS_SETTING);
    EXPECT(imp_world_edit_levels(world, under, counts, inner, empty) == IMP_STATUS_SETTING);

    OK(imp_world_add(world, plate, &high, &fixed, &under));
    OK(imp_world_add(world, powder, NULL, NULL, &cloud));
    OK(imp_world_step(world, &report));
    OK(imp_world_particle_contacts(world, &contacts, &count));
    EXPECT(count == 2 && contacts[0].colliders[0] == cloud && contacts[0].colliders[1] == under);
    NEAR(contacts[0].depth, 0.3);
    OK(imp_world_set_particles(world, cloud, 0, centers, 2));
    OK(imp_world_set_particles(world, cloud, 1, lower, 1));
    EXPECT(imp_world_set_particles(world, cloud, 2, lower, 1) == IMP_STATUS_SETTING);
    OK(imp_world_step(world, &report));
    OK(imp_world_particle_contacts(world, &contacts, &count));
    EXPECT(count == 2 && contacts[1].particle == 1 && contacts[1].depth > contacts[0].depth);
    OK(imp_shape_free(ground));
    OK(imp_shape_free(body));
    OK(imp_shape_free(powder));
    OK(imp_shape_free(ball));
    OK(imp_shape_free(plate));
    OK(imp_shape_free(hole));
    OK(imp_shape_free(bored));
    OK(imp_world_free(world));
}

int main(int argc, char **argv) {
    EXPECT(argc == 2);
    shapes(argv[1]);
    pairs();
    worlds();
    changes();
    EXPECT(imp_live_objects() == 0);
    printf("the answers are right\n");
    return 0;
}
