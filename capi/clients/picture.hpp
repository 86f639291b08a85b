// Pictures of scenes for the clients' tests: meshes at poses, seen from the side and above, nearest first, lit by their slope. Written as PPM files.
#ifndef IMPINGE_CLIENT_PICTURE_HPP
#define IMPINGE_CLIENT_PICTURE_HPP

#include "scenes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

namespace scenes {

using Vec = std::array<double, 3>;

inline double dot(const Vec &a, const Vec &b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Panels side by side and one below the other.
class Picture {
public:
    static constexpr int SIDE = 260;

    Picture(int columns, int rows) : columns_(columns), rows_(rows), colour_(size(), Vec{1, 1, 1}), depth_(size(), -std::numeric_limits<double>::infinity()) {}

    /// Draws a mesh into a panel, its corners turned by the rows of `turn` and moved by `shift` (m).
    void add(int column, int row, const Mesh &mesh, const std::array<Vec, 3> &turn, const Vec &shift, const Vec &colour) {
        for (std::size_t f = 0; f + 2 < mesh.faces.size(); f += 3) {
            Vec seen[3];
            for (int k = 0; k < 3; ++k) {
                const float *c = &mesh.corners[3 * mesh.faces[f + std::size_t(k)]];
                const Vec own{c[0], c[1], c[2]};
                const Vec at{dot(turn[0], own) + shift[0], dot(turn[1], own) + shift[1], dot(turn[2], own) + shift[2] - 0.45};
                seen[k] = {(0.5 + dot(RIGHT, at) / WIDE) * SIDE, (0.5 - dot(UP, at) / WIDE) * SIDE, dot(TOWARD, at)};
            }
            triangle(column * SIDE, row * SIDE, seen, colour);
        }
    }

    bool save(const std::string &path) const {
        std::FILE *file = std::fopen(path.c_str(), "wb");
        if (!file) {
            return false;
        }
        std::fprintf(file, "P6\n%d %d\n255\n", columns_ * SIDE, rows_ * SIDE);
        for (const Vec &colour : colour_) {
            for (const double part : colour) {
                std::fputc(int(255 * std::min(1.0, part)), file);
            }
        }
        return std::fclose(file) == 0;
    }

private:
    // Orthonormal: to the right, up and toward the viewer, who looks down by 30 degrees.
    static constexpr Vec RIGHT{1, 0, 0}, UP{0, 0.5, 0.8660254}, TOWARD{0, -0.8660254, 0.5};
    static constexpr double WIDE = 1.9; // metres across a panel

    std::size_t size() const { return std::size_t(columns_ * SIDE) * std::size_t(rows_ * SIDE); }

    void triangle(int left, int top, const Vec (&p)[3], const Vec &colour) {
        const double area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
        if (area == 0) {
            return;
        }
        const Vec u{p[1][0] - p[0][0], p[1][1] - p[0][1], (p[1][2] - p[0][2]) * SIDE / WIDE};
        const Vec v{p[2][0] - p[0][0], p[2][1] - p[0][1], (p[2][2] - p[0][2]) * SIDE / WIDE};
        const Vec n{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        const double sign = n[2] < 0 ? -1 : 1, lit = sign * (0.35 * n[0] - 0.45 * n[1] + 0.82 * n[2]) / std::sqrt(dot(n, n));
        const double light = 0.3 + 0.7 * std::max(0.0, lit);
        const auto bound = [&](int axis, bool low) {
            const double a = p[0][std::size_t(axis)], b = p[1][std::size_t(axis)], c = p[2][std::size_t(axis)];
            const double found = low ? std::floor(std::min({a, b, c})) : std::ceil(std::max({a, b, c}));
            return int(std::clamp(found, 0.0, SIDE - 1.0));
        };
        for (int y = bound(1, true); y <= bound(1, false); ++y) {
            for (int x = bound(0, true); x <= bound(0, false); ++x) {
                const double px = x + 0.5, py = y + 0.5;
                const double b = ((px - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (py - p[0][1])) / area;
                const double c = ((p[1][0] - p[0][0]) * (py - p[0][1]) - (px - p[0][0]) * (p[1][1] - p[0][1])) / area;
                if (b < 0 || c < 0 || b + c > 1) {
                    continue;
                }
                const double z = p[0][2] + b * (p[1][2] - p[0][2]) + c * (p[2][2] - p[0][2]);
                const std::size_t at = std::size_t(top + y) * std::size_t(columns_ * SIDE) + std::size_t(left + x);
                if (z > depth_[at]) {
                    depth_[at] = z;
                    colour_[at] = {light * colour[0], light * colour[1], light * colour[2]};
                }
            }
        }
    }

    int columns_, rows_;
    std::vector<Vec> colour_;
    std::vector<double> depth_;
};

/// What stands still is grey, what moves has a colour of its own.
inline Vec colour_of(std::size_t body) {
    constexpr Vec COLOURS[] = {{0.8, 0.8, 0.82}, {0.9, 0.35, 0.25}, {0.25, 0.55, 0.85}, {0.95, 0.75, 0.25}};
    return COLOURS[body % 4];
}

} // namespace scenes

#endif
