// A world in C++: a ring is lowered onto a table, a ghost passes through it, a ray and a planner ask what is in the way.
#include <impinge.hpp>

#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace imp = impinge;

static void expect(bool holds, const char *what) {
    if (!holds) {
        std::fprintf(stderr, "expected: %s\n", what);
        std::exit(1);
    }
}

// A torus about z.
static imp::Shape ring(double major, double minor, unsigned around, unsigned across) {
    std::vector<float> corners;
    std::vector<std::uint32_t> faces;
    const double turn = 2.0 * std::acos(-1.0);
    for (unsigned i = 0; i < around; ++i) {
        for (unsigned j = 0; j < across; ++j) {
            const double u = turn * i / around, v = turn * j / across, r = major + minor * std::cos(v);
            corners.insert(corners.end(), {float(r * std::cos(u)), float(r * std::sin(u)), float(minor * std::sin(v))});
            const unsigned p = i * across + j, q = (i + 1) % around * across + j;
            const unsigned s = i * across + (j + 1) % across, t = (i + 1) % around * across + (j + 1) % across;
            faces.insert(faces.end(), {p, q, t, p, t, s});
        }
    }
    return imp::Shape::mesh(corners, faces);
}

int main() {
    {
        imp::World world;
        const imp::Shape torus = ring(0.4, 0.1, 32, 16), table = imp::Shape::box(1, 1, 0.1f), ball = imp::Shape::sphere(0.2f);
        ImpColliderSettings fixed = imp_collider_settings_default(), ghost = imp_collider_settings_default();
        fixed.fixed = 1;
        ghost.user_data = 7;
        world.add(table, imp::at(0, 0, -0.1), &fixed);
        const auto body = world.add(torus, imp::at(0, 0, 0.2));
        world.add(ball, imp::at(0.4, 0, 0.2), &ghost);
        world.set_filter([](const ImpPair &pair) {
            return pair.user_data[0] == 7 || pair.user_data[1] == 7 ? IMP_PAIR_IGNORE : IMP_PAIR_CONTACTS;
        });

        for (int step = 0; step < 12; ++step) {
            imp::Pose pose = world.pose(body);
            pose.position[2] -= 0.01;
            world.set_pose(body, pose);
            const ImpStepReport report = world.step();
            for (const ImpEvent &event : world.events()) {
                std::printf("step %d: %s\n", step, event.phase == IMP_PHASE_BEGIN ? "the ring touches the table" : "it has left");
            }
            expect(report.touching == (pose.position[2] < 0.1 ? 1u : 0u), "contact from a height of 0.1 on, and none of the ghost");
        }
        const imp::Contacts contacts = world.contacts();
        for (const ImpManifold &manifold : contacts.manifolds()) {
            std::printf("%zu points, depth %.4f, normal z %.3f\n", contacts.points(manifold).size(), manifold.depth, manifold.normal[2]);
        }
        expect(contacts.manifolds().size() == 1 && std::abs(contacts.manifolds()[0].depth - 0.02) < 1e-3, "2 cm deep");

        const std::vector<imp::Pose> plan{imp::at(0, 0, 0.21), imp::at(0.4, 0, 0.15), imp::at(0, 0, 2)};
        const auto blocked = world.touches(imp::Shape::sphere(0.05f), plan);
        expect(!blocked[0] && blocked[1] && !blocked[2], "the hole of the ring is free, its rim is not");
        const ImpRayHit hit = world.ray(ImpRay{{0, 0, 3}, {0, 0, -1}, 10});
        expect(hit.hit && std::abs(hit.time - 3.0) < 1e-6, "a ray through the hole meets the table");

        world.set_filter([](const ImpPair &) -> int { throw std::runtime_error("thrown in a filter"); });
        try {
            world.step();
            expect(false, "an exception");
        } catch (const std::runtime_error &error) {
            std::printf("caught on this side: %s\n", error.what());
        }
        try {
            world.remove(12345);
            expect(false, "an error");
        } catch (const imp::Error &error) {
            std::printf("refused: %s\n", error.what());
        }
    }
    expect(imp_live_objects() == 0, "nothing is left");
}
