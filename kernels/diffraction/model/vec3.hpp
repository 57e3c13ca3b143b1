#pragma once

#include <cmath>

#include "physics/hd.hpp"

// Vectors and rotations in the right-handed laboratory frame.
namespace bb::diffraction {

struct Vec3 {
  double x = 0, y = 0, z = 0;
};

BB_HD inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
BB_HD inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
BB_HD inline Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
BB_HD inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
BB_HD inline Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
BB_HD inline double length(Vec3 a) { return std::sqrt(dot(a, a)); }
BB_HD inline Vec3 unit(Vec3 a) { return (1.0 / length(a)) * a; }

/// Rotates `v` about the unit vector `axis` (Rodrigues), right-handed, by an angle with cosine `c` and sine `s`.
BB_HD inline Vec3 rotate(Vec3 v, Vec3 axis, double c, double s) {
  return c * v + s * cross(axis, v) + (dot(axis, v) * (1.0 - c)) * axis;
}
BB_HD inline Vec3 rotate(Vec3 v, Vec3 axis, double angle) { return rotate(v, axis, std::cos(angle), std::sin(angle)); }

/// Rotates `v` about x, then y, then z, each a fixed axis of the laboratory.
BB_HD inline Vec3 rotate_xyz(Vec3 v, Vec3 angles) {
  v = rotate(v, {1, 0, 0}, angles.x);
  v = rotate(v, {0, 1, 0}, angles.y);
  return rotate(v, {0, 0, 1}, angles.z);
}

struct Mat3 {
  Vec3 row[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
};

BB_HD inline Vec3 operator*(const Mat3& m, Vec3 v) { return {dot(m.row[0], v), dot(m.row[1], v), dot(m.row[2], v)}; }

/// Three edges of a cell, in metres or in 1/m.
struct Basis {
  Vec3 a, b, c;
};

BB_HD inline Basis operator*(const Mat3& m, const Basis& v) { return {m * v.a, m * v.b, m * v.c}; }

}  // namespace bb::diffraction
