#pragma once

#include <vector>

#include "device_setup.hpp"
#include "diffraction/model/setup.hpp"

namespace bb::diffraction::device {

/// A setup in the number types of a kernel, with its tables. `view` points to them in host memory.
template <typename I, typename T>
struct PackedSetup {
  std::vector<Source> sources;
  std::vector<Ray<I>> rays;
  std::vector<Edges<I>> edges;
  std::vector<T> factors;
  std::vector<double> phis;
  std::vector<Mat3> domains;
  DeviceSetup<I, T> view{};

  explicit PackedSetup(const Setup& s) : sources(s.sources), phis(s.phis), domains(s.domains) {
    for (const Source& one : s.sources) rays.push_back({Number3<I>(one.incident), I(1.0 / one.wavelength)});
    for (const Basis& one : s.orientations) {
      edges.push_back({Number3<I>(one.a), Number3<I>(one.b), Number3<I>(one.c)});
    }
    for (const double f : s.structure.table()) factors.push_back(static_cast<T>(f));

    DeviceSetup<I, T>& v = view;
    v.plate = s;
    const Vec3 inward = (s.thin() ? 0.0 : s.layer) * s.detector.normal;
    v.first = Number3<I>(s.position(0, 0, 0));
    v.fast = Number3<I>(s.subpixel * s.detector.fast);
    v.slow = Number3<I>(s.subpixel * s.detector.slow);
    v.deep = Number3<I>(inward);
    v.surface = Number3<T>(s.position(0, 0, 0) - 0.5 * inward);
    v.across = Number3<T>(s.pixel * s.detector.fast);
    v.down = Number3<T>(s.pixel * s.detector.slow);
    const Source& light = s.sources[0];
    v.light = {Number3<T>(light.incident),
               Number3<T>(light.magnetic),
               Number3<T>(light.electric),
               Number3<T>(s.detector.normal),
               static_cast<T>(s.pixel * s.pixel / (s.detector.close * s.detector.close)),
               static_cast<T>(s.kahn)};
    v.cells64 = {s.na, s.nb, s.nc};
    v.cells = {static_cast<T>(s.na), static_cast<T>(s.nb), static_cast<T>(s.nc)};
    v.shape = s.shape;
    v.lookup = s.lookup;
    v.each = s.corrections == Corrections::kSubpixel;
    v.weighted = v.each || !s.thin();
    v.table = !s.structure.constant();
    v.f2 = v.table ? 1.0 : s.structure.default_f() * s.structure.default_f();
    v.scale = s.scale;
    v.water = s.water;
    v.sources = static_cast<int>(sources.size());
    v.orientations = static_cast<int>(edges.size());
    v.phis = static_cast<int>(phis.size());
    v.domains = static_cast<int>(domains.size());
    const FactorBox<double>& box = s.structure.box();
    v.factors = {static_cast<T>(box.other), box.h0, box.k0, box.l0, box.nh, box.nk, box.nl, factors.data()};
    v.mounted = s.cell;
    v.spindle = s.spindle;
    v.source = sources.data();
    v.rays = rays.data();
    v.edges = edges.data();
    v.phi = phis.data();
    v.domain = domains.data();
  }
  PackedSetup(const PackedSetup&) = delete;

  /// True if the setup has no optional features, so that the kernel with fewer registers can be used.
  bool is_plain() const { return view.shape == Shape::kSquare && !view.weighted && !view.table; }
};

}  // namespace bb::diffraction::device
