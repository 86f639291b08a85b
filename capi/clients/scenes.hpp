// Two scenes for clients of engines: three rings that fall on a peg, and balls that fall into a bowl; all of them meshes.
#ifndef IMPINGE_CLIENT_SCENES_HPP
#define IMPINGE_CLIENT_SCENES_HPP

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace scenes {

struct Mesh {
    std::vector<float> corners;
    std::vector<std::uint32_t> faces;
};

struct Body {
    int mesh;
    double position[3];
};

struct Scene {
    std::string name;
    std::vector<Mesh> meshes;
    Body fixed;
    std::vector<Body> moving;
    /// Whether a moving body at this place (m) is where it belongs.
    bool (*belongs)(const double *place);
};

constexpr double TURN = 6.283185307179586;

inline Mesh torus(double major, double minor, unsigned around, unsigned across) {
    Mesh mesh;
    for (unsigned i = 0; i < around; ++i) {
        for (unsigned j = 0; j < across; ++j) {
            const double u = TURN * i / around, v = TURN * j / across, r = major + minor * std::cos(v);
            mesh.corners.insert(mesh.corners.end(), {float(r * std::cos(u)), float(r * std::sin(u)), float(minor * std::sin(v))});
            const unsigned p = i * across + j, q = (i + 1) % around * across + j;
            const unsigned s = i * across + (j + 1) % across, t = (i + 1) % around * across + (j + 1) % across;
            mesh.faces.insert(mesh.faces.end(), {p, q, t, p, t, s});
        }
    }
    return mesh;
}

/// A profile of pairs r, z from the axis below to the axis above, turned about z.
inline Mesh lathe(const std::vector<double> &profile, unsigned around) {
    Mesh mesh;
    const unsigned rows = unsigned(profile.size() / 2) - 2; // without both ends
    const auto corner = [&](double r, double u, double z) {
        mesh.corners.insert(mesh.corners.end(), {float(r * std::cos(u)), float(r * std::sin(u)), float(z)});
    };
    for (unsigned i = 0; i < around; ++i) {
        for (unsigned k = 1; k <= rows; ++k) {
            corner(profile[2 * k], TURN * i / around, profile[2 * k + 1]);
        }
    }
    const unsigned low = around * rows, high = low + 1;
    corner(0, 0, profile[1]);
    corner(0, 0, profile.back());
    for (unsigned i = 0; i < around; ++i) {
        const unsigned p = i * rows, q = (i + 1) % around * rows;
        mesh.faces.insert(mesh.faces.end(), {low, q, p, high, p + rows - 1, q + rows - 1});
        for (unsigned k = 0; k + 1 < rows; ++k) {
            mesh.faces.insert(mesh.faces.end(), {p + k, q + k, q + k + 1, p + k, q + k + 1, p + k + 1});
        }
    }
    return mesh;
}

inline Mesh ball(double radius, unsigned around, unsigned rows) {
    std::vector<double> profile;
    for (unsigned k = 0; k <= rows; ++k) {
        const double v = TURN / 2 * k / rows;
        profile.insert(profile.end(), {k % rows ? radius * std::sin(v) : 0.0, -radius * std::cos(v)});
    }
    return lathe(profile, around);
}

/// Rings of 0.8 m on a peg 0.2 m thick that stands on a plate; a hull of a ring would lie on top of the peg.
inline Scene rings_on_a_peg() {
    Scene scene{"rings on a peg", {}, {0, {0, 0, 0}}, {}, [](const double *p) {
                    return std::hypot(p[0], p[1]) < 0.25 && p[2] > 0.0 && p[2] < 0.8;
                }};
    scene.meshes.push_back(lathe({0, -0.2, 1.2, -0.2, 1.2, 0, 0.1, 0, 0.1, 1.0, 0, 1.0}, 32));
    scene.meshes.push_back(torus(0.32, 0.08, 48, 16));
    for (int k = 0; k < 3; ++k) {
        scene.moving.push_back({1, {0.03 * k, -0.02 * k, 1.15 + 0.25 * k}});
    }
    return scene;
}

/// Balls of 0.3 m in a bowl of 1.4 m; a hull of the bowl would have a lid.
inline Scene balls_in_a_bowl() {
    Scene scene{"balls in a bowl", {}, {0, {0, 0, 0}}, {}, [](const double *p) {
                    return std::hypot(p[0], p[1]) < 0.6 && p[2] > 0.1 && p[2] < 0.6;
                }};
    std::vector<double> profile{0, 0, 0.4, 0, 0.7, 0.5};
    for (int k = 0; k <= 8; ++k) {
        const double v = TURN / 4 * k / 8;
        profile.insert(profile.end(), {k < 8 ? 0.6 * std::cos(v) : 0.0, 0.5 - 0.4 * std::sin(v)});
    }
    scene.meshes.push_back(lathe(profile, 40));
    scene.meshes.push_back(ball(0.15, 24, 16));
    for (int k = 0; k < 3; ++k) {
        scene.moving.push_back({1, {0.17 * std::cos(TURN * k / 3), 0.17 * std::sin(TURN * k / 3), 0.8 + 0.1 * k}});
    }
    return scene;
}

} // namespace scenes

#endif
