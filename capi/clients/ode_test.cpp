// Rings on a peg and balls in a bowl in ODE, with its own trimeshes and with impinge's: a table of both, and that every body is where it belongs with ours.
// `--picture FILE` draws all four as they end (a PPM file).
#include "ode.hpp"
#include "picture.hpp"

#include <chrono>
#include <cstdio>

struct Result {
    int home = 0;
    double points = 0, speed = 0, milliseconds = 0, deepest = 0;
};

struct Run {
    dWorldID world;
    dJointGroupID joints;
    long points;
};

static void near(void *data, dGeomID a, dGeomID b) {
    Run &run = *static_cast<Run *>(data);
    dContact contacts[32];
    const int count = dCollide(a, b, 32, &contacts[0].geom, sizeof(dContact));
    run.points += count;
    for (int k = 0; k < count; ++k) {
        contacts[k].surface.mode = dContactApprox1;
        contacts[k].surface.mu = 0.5;
        dJointAttach(dJointCreateContact(run.world, run.joints, &contacts[k]), dGeomGetBody(a), dGeomGetBody(b));
    }
}

static Result simulate(const scenes::Scene &scene, int steps, scenes::Picture &picture, int column, int row) {
    Run run{dWorldCreate(), dJointGroupCreate(0), 0};
    const dSpaceID space = dSimpleSpaceCreate(nullptr);
    dWorldSetGravity(run.world, 0, 0, -9.81);
    dWorldSetDamping(run.world, 0.002, 0.005);
    dWorldSetERP(run.world, 0.2);
    std::vector<dTriMeshDataID> data;
    for (const auto &mesh : scene.meshes) {
        data.push_back(dGeomTriMeshDataCreate());
        dGeomTriMeshDataBuildSingle(data.back(), mesh.corners.data(), 3 * sizeof(float), int(mesh.corners.size() / 3),
                                    mesh.faces.data(), int(mesh.faces.size()), 3 * sizeof(std::uint32_t));
    }
    dCreateTriMesh(space, data[std::size_t(scene.fixed.mesh)], nullptr, nullptr, nullptr);
    std::vector<dBodyID> bodies;
    for (const auto &body : scene.moving) {
        const dGeomID geom = dCreateTriMesh(space, data[std::size_t(body.mesh)], nullptr, nullptr, nullptr);
        dMass mass;
        dMassSetTrimesh(&mass, 500, geom);
        dMassTranslate(&mass, -mass.c[0], -mass.c[1], -mass.c[2]);
        bodies.push_back(dBodyCreate(run.world));
        dBodySetMass(bodies.back(), &mass);
        dBodySetPosition(bodies.back(), body.position[0], body.position[1], body.position[2]);
        dGeomSetBody(geom, bodies.back());
    }
    Result result;
    const auto begin = std::chrono::steady_clock::now();
    for (int step = 0; step < steps; ++step) {
        dSpaceCollide(space, &run, near);
        dWorldQuickStep(run.world, 1.0 / 240);
        dJointGroupEmpty(run.joints);
    }
    result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() / steps;
    result.points = double(run.points) / steps;
    // Measured by impinge in both cases, at the end.
    impinge::Scratch scratch;
    std::vector<std::pair<impinge::Shape, impinge::Pose>> placed;
    const auto shape = [&](int mesh) {
        const auto &given = scene.meshes[std::size_t(mesh)];
        return impinge::Shape::mesh(given.corners, given.faces);
    };
    placed.emplace_back(shape(scene.fixed.mesh), impinge::at(0, 0, 0));
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        const dReal *p = dBodyGetPosition(bodies[k]), *v = dBodyGetLinearVel(bodies[k]), *q = dBodyGetQuaternion(bodies[k]);
        const double place[3] = {p[0], p[1], p[2]};
        result.home += scene.belongs(place);
        result.speed = std::max(result.speed, std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
        placed.emplace_back(shape(scene.moving[k].mesh), impinge::Pose{{p[0], p[1], p[2]}, {q[1], q[2], q[3], q[0]}});
    }
    for (std::size_t a = 0; a < placed.size(); ++a) {
        for (std::size_t b = a + 1; b < placed.size(); ++b) {
            const impinge::Query pair(placed[a].first, placed[b].first);
            const auto found = pair.contacts(placed[a].second, placed[b].second, scratch);
            for (const auto &manifold : found.manifolds()) {
                result.deepest = std::max(result.deepest, manifold.depth);
            }
        }
    }
    picture.add(column, row, scene.meshes[std::size_t(scene.fixed.mesh)], {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}, scenes::colour_of(0));
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        const dReal *p = dBodyGetPosition(bodies[k]), *r = dBodyGetRotation(bodies[k]);
        const std::array<scenes::Vec, 3> turn{{{r[0], r[1], r[2]}, {r[4], r[5], r[6]}, {r[8], r[9], r[10]}}};
        picture.add(column, row, scene.meshes[std::size_t(scene.moving[k].mesh)], turn, {p[0], p[1], p[2]}, scenes::colour_of(k + 1));
    }
    dSpaceDestroy(space);
    for (const auto each : data) {
        impinge_ode::forget(each);
        dGeomTriMeshDataDestroy(each);
    }
    dJointGroupDestroy(run.joints);
    dWorldDestroy(run.world);
    return result;
}

/// Whether a pair is followed while it lasts, begins again with another size, and is dropped when it is asked about no more.
static bool remembers() {
    const auto cube = scenes::ball(0.5, 8, 6);
    const dTriMeshDataID data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(data, cube.corners.data(), 3 * sizeof(float), int(cube.corners.size() / 3), cube.faces.data(),
                                int(cube.faces.size()), 3 * sizeof(std::uint32_t));
    const dGeomID mesh = dCreateTriMesh(nullptr, data, nullptr, nullptr, nullptr), box = dCreateBox(nullptr, 1, 1, 1),
                  ball = dCreateSphere(nullptr, 0.5);
    dGeomSetPosition(box, 0, 0, 0.9);
    dGeomSetPosition(ball, 0, 0, -0.9);
    dContactGeom found[4];
    auto &pairs = impinge_ode::Pairs::all();
    const auto ask = [&](dGeomID other) { return dCollide(mesh, other, 4, found, sizeof(dContactGeom)) > 0; };
    bool good = ask(box) && ask(ball) && pairs.size() == 2;
    const auto *first = pairs.follow(mesh, box).get();
    good = good && ask(box) && pairs.follow(mesh, box).get() == first;
    dGeomBoxSetLengths(box, 2, 2, 1);
    good = good && ask(box) && pairs.follow(mesh, box)->keys.second == impinge_ode::Meshes::key_of(box);
    for (int k = 0; k < 400; ++k) {
        good = good && ask(ball);
    }
    good = good && pairs.size() == 1;
    impinge_ode::forget(data);
    good = good && pairs.size() == 0;
    for (const auto geom : {mesh, box, ball}) {
        dGeomDestroy(geom);
    }
    dGeomTriMeshDataDestroy(data);
    return good;
}

int main(int count, char **arguments) {
    scenes::Picture picture(2, 2);
    dInitODE();
    const scenes::Scene all[] = {scenes::rings_on_a_peg(), scenes::balls_in_a_bowl()};
    std::printf("| ODE, 960 steps of 1/240 s | where they belong | points a step | deepest at the end (mm) | fastest (mm/s) | ms a step |\n|---|---|---|---|---|---|\n");
    int failed = 0;
    for (const bool ours : {false, true}) {
        if (ours) {
            impinge_ode::install();
        }
        for (int row = 0; row < 2; ++row) {
            const auto &scene = all[row];
            const Result r = simulate(scene, 960, picture, ours ? 1 : 0, row);
            std::printf("| %s, %s | %d of %zu | %.1f | %.2f | %.1f | %.2f |\n", scene.name.c_str(), ours ? "impinge" : "ODE alone", r.home,
                        scene.moving.size(), r.points, 1e3 * r.deepest, 1e3 * r.speed, r.milliseconds);
            if (ours && (r.home != int(scene.moving.size()) || r.deepest > 0.005 || r.speed > 0.2)) {
                std::printf("not as it should be: all where they belong, at most 5 mm deep, slower than 200 mm/s\n");
                failed = 1;
            }
        }
    }
    if (!remembers()) {
        std::printf("not as it should be: a pair's memory lasts as long as the pair\n");
        failed = 1;
    }
    dCloseODE();
    if (count == 3 && std::string(arguments[1]) == "--picture" && !picture.save(arguments[2])) {
        std::printf("%s cannot be written\n", arguments[2]);
        failed = 1;
    }
    return failed;
}
