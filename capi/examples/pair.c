/* One pair of shapes in C: a ball beside a cube and in it, a mesh of one's own, batches, and what an error says. */
#include <impinge.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void ok(ImpStatus status) {
    if (status != IMP_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", imp_status_name(status), imp_last_error());
        exit(1);
    }
}

static void expect(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "expected: %s\n", what);
        exit(1);
    }
}

static ImpPose at(double x, double y, double z) {
    ImpPose pose = imp_pose_identity();
    pose.position[0] = x;
    pose.position[1] = y;
    pose.position[2] = z;
    return pose;
}

int main(void) {
    /* A tetrahedron whose last triangle is turned inside out. */
    const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 3, 2};
    const double down[3] = {-4.0, 0.0, 0.0};
    ImpShape *ball, *cube, *mesh;
    ImpQuery *query, *other;
    ImpScratch *scratch;
    ImpPose here = at(0, 0, 0), there = at(2, 0, 0), deep = at(0.9, 0, 0), poses[4];
    ImpDistance distance;
    ImpContacts contacts;
    ImpIntersection shared;
    ImpImpact impact;
    ImpShapeInfo info;
    char repairs[256];
    uint8_t touching[4];
    size_t k, length;

    expect(imp_abi_version() == IMP_ABI_VERSION, "a library of the header's version");
    ok(imp_sphere_new(0.5f, &ball));
    ok(imp_box_new(0.5f, 0.5f, 0.5f, &cube));
    ok(imp_mesh_new(corners, 4, faces, 4, NULL, &mesh));
    ok(imp_shape_info(mesh, &info));
    ok(imp_shape_repairs(mesh, repairs, sizeof repairs, &length));
    printf("mesh: %u triangles, volume %.4f; %s\n", (unsigned)info.triangles, info.volume, repairs);
    expect(info.is_solid && fabs(info.volume - 1.0 / 6.0) < 1e-6 && length > 0, "the mesh was closed");

    ok(imp_query_new(cube, ball, NULL, &query));
    ok(imp_scratch_new(&scratch));
    ok(imp_distance(query, &here, &there, INFINITY, scratch, &distance));
    printf("distance %.3f, nearest on the cube x = %.3f\n", distance.distance, distance.on_a[0]);
    expect(distance.distance == 1.0 && distance.on_a[0] == 0.5, "a distance of 1");

    ok(imp_contacts(query, &here, &deep, 0.0, scratch, &contacts));
    for (k = 0; k < contacts.point_count; ++k) {
        const ImpContactPoint *p = &contacts.points[k];
        printf("contact at x = %.3f, normal x %.3f, depth %.4f\n", p->position[0], p->normal[0], p->depth);
    }
    expect(contacts.manifold_count == 1 && fabs(contacts.manifolds[0].depth - 0.1) < 1e-6, "a depth of 0.1");
    ok(imp_query_new(mesh, cube, NULL, &other));
    ok(imp_intersection(other, &here, &here, scratch, &shared));
    expect(fabs(shared.volume - 5.0 / 48.0) < 1e-6, "the tetrahedron less three corners of it");
    ok(imp_cast(query, &here, &there, down, scratch, &impact));
    expect(impact.meeting == IMP_MEETING_IMPACT && fabs(impact.time - 0.25) < 1e-4, "an impact after a quarter of the way");

    for (k = 0; k < 4; ++k) {
        poses[k] = at(0.4 * (double)k, 0, 0);
    }
    ok(imp_touching_many(query, poses, 4, touching));
    expect(touching[0] && touching[1] && touching[2] && !touching[3], "three of four touch");
    there.rotation[3] = 2.0;
    expect(imp_distance(query, &here, &there, 1.0, NULL, &distance) == IMP_STATUS_POSE, "a pose that is refused");
    printf("refused: %s\n", imp_last_error());

    imp_query_free(query);
    imp_query_free(other);
    imp_scratch_free(scratch);
    imp_shape_free(ball);
    imp_shape_free(cube);
    imp_shape_free(mesh);
    expect(imp_live_objects() == 0, "nothing is left");
    return 0;
}
