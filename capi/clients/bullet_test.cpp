// Rings on a peg and balls in a bowl in Bullet: with hulls, with its own GImpact meshes and with impinge's. A table of all, and that every body is where it
// belongs with ours. `--picture FILE` draws all six as they end (a PPM file).
#include "bullet.hpp"
#include "picture.hpp"

#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletDynamicsCommon.h>

#include <chrono>
#include <cstdio>

enum Kind { HULLS, GIMPACT, IMPINGE };

struct Result {
    int home = 0;
    double points = 0, speed = 0, milliseconds = 0, deepest = 0;
};

static Result simulate(const scenes::Scene &scene, Kind kind, int steps, scenes::Picture &picture, int row) {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(0, 0, btScalar(-9.81)));
    btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
    if (kind == IMPINGE) {
        impinge_bullet::install(&dispatcher);
    }
    std::vector<std::unique_ptr<btTriangleIndexVertexArray>> arrays;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::vector<int>> indices;
    for (const auto &mesh : scene.meshes) {
        if (kind == HULLS) {
            shapes.push_back(std::make_unique<btConvexHullShape>(mesh.corners.data(), int(mesh.corners.size() / 3), int(3 * sizeof(float))));
            continue;
        }
        indices.emplace_back(mesh.faces.begin(), mesh.faces.end());
        btIndexedMesh part;
        part.m_numTriangles = int(mesh.faces.size() / 3);
        part.m_triangleIndexBase = reinterpret_cast<const unsigned char *>(indices.back().data());
        part.m_triangleIndexStride = int(3 * sizeof(int));
        part.m_numVertices = int(mesh.corners.size() / 3);
        part.m_vertexBase = reinterpret_cast<const unsigned char *>(mesh.corners.data());
        part.m_vertexStride = int(3 * sizeof(float));
        part.m_vertexType = PHY_FLOAT;
        arrays.push_back(std::make_unique<btTriangleIndexVertexArray>());
        arrays.back()->addIndexedMesh(part);
        if (shapes.empty()) { // the first stands still
            shapes.push_back(std::make_unique<btBvhTriangleMeshShape>(arrays.back().get(), true));
            shapes.back()->setMargin(btScalar(0.001));
            continue;
        }
        auto shape = std::make_unique<btGImpactMeshShape>(arrays.back().get());
        shape->setMargin(btScalar(0.001));
        shape->updateBound();
        shapes.push_back(std::move(shape));
    }
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    const auto add = [&](const scenes::Body &body, btScalar mass) {
        btCollisionShape *shape = shapes[std::size_t(body.mesh)].get();
        btVector3 inertia(0, 0, 0);
        if (mass > 0) {
            shape->calculateLocalInertia(mass, inertia);
        }
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
        info.m_startWorldTransform.setOrigin(btVector3(btScalar(body.position[0]), btScalar(body.position[1]), btScalar(body.position[2])));
        info.m_linearDamping = btScalar(0.05);
        info.m_angularDamping = btScalar(0.1);
        bodies.push_back(std::make_unique<btRigidBody>(info));
        world.addRigidBody(bodies.back().get());
    };
    add(scene.fixed, 0);
    for (const auto &body : scene.moving) {
        add(body, 10);
    }
    Result result;
    long points = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (int step = 0; step < steps; ++step) {
        world.stepSimulation(btScalar(1.0 / 240), 0);
        for (int k = 0; k < dispatcher.getNumManifolds(); ++k) {
            points += dispatcher.getManifoldByIndexInternal(k)->getNumContacts();
        }
    }
    result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() / steps;
    result.points = double(points) / steps;
    // Measured by impinge in all cases, at the end.
    impinge::Scratch scratch;
    std::vector<impinge::Shape> placed;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        const auto &mesh = scene.meshes[std::size_t(k == 0 ? scene.fixed.mesh : scene.moving[k - 1].mesh)];
        placed.push_back(impinge::Shape::mesh(mesh.corners, mesh.faces));
        if (k > 0) {
            const btVector3 &p = bodies[k]->getWorldTransform().getOrigin();
            const double place[3] = {p.x(), p.y(), p.z()};
            result.home += scene.belongs(place);
            result.speed = std::max(result.speed, double(bodies[k]->getLinearVelocity().length()));
        }
        const btTransform &pose = bodies[k]->getWorldTransform();
        const auto vec = [](const btVector3 &v) { return scenes::Vec{v.x(), v.y(), v.z()}; };
        const auto &rows = pose.getBasis();
        picture.add(kind, row, mesh, {{vec(rows[0]), vec(rows[1]), vec(rows[2])}}, vec(pose.getOrigin()), scenes::colour_of(k));
        for (std::size_t a = 0; a < k; ++a) {
            const auto at = [&](std::size_t body) { return impinge_bullet::pose_of(bodies[body]->getWorldTransform()); };
            const auto found = impinge::Query(placed[a], placed[k]).contacts(at(a), at(k), scratch);
            for (const auto &manifold : found.manifolds()) {
                result.deepest = std::max(result.deepest, manifold.depth);
            }
        }
    }
    for (const auto &body : bodies) {
        world.removeRigidBody(body.get());
    }
    for (const auto &shape : shapes) {
        impinge_bullet::forget(shape.get());
    }
    return result;
}

int main(int count, char **arguments) {
    scenes::Picture picture(3, 2);
    const scenes::Scene all[] = {scenes::rings_on_a_peg(), scenes::balls_in_a_bowl()};
    const char *names[] = {"Bullet, hulls", "Bullet, GImpact", "impinge"};
    std::printf("| Bullet, 960 steps of 1/240 s | where they belong | points a step | deepest at the end (mm) | fastest (mm/s) | ms a step |\n|---|---|---|---|---|---|\n");
    int failed = 0;
    for (int row = 0; row < 2; ++row) {
        const auto &scene = all[row];
        for (const Kind kind : {HULLS, GIMPACT, IMPINGE}) {
            const Result r = simulate(scene, kind, 960, picture, row);
            std::printf("| %s, %s | %d of %zu | %.1f | %.2f | %.1f | %.2f |\n", scene.name.c_str(), names[kind], r.home, scene.moving.size(), r.points,
                        1e3 * r.deepest, 1e3 * r.speed, r.milliseconds);
            if (kind == IMPINGE && (r.home != int(scene.moving.size()) || r.deepest > 0.005 || r.speed > 0.2)) {
                std::printf("not as it should be: all where they belong, at most 5 mm deep, slower than 200 mm/s\n");
                failed = 1;
            }
        }
    }
    if (imp_live_objects() != 0) {
        std::printf("%zu objects are left\n", imp_live_objects());
        failed = 1;
    }
    if (count == 3 && std::string(arguments[1]) == "--picture" && !picture.save(arguments[2])) {
        std::printf("%s cannot be written\n", arguments[2]);
        failed = 1;
    }
    return failed;
}
