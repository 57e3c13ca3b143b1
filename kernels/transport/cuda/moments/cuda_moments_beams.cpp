#include "cuda_moments_beams.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "cpu/thread_pool.hpp"
#include "cuda/device/buffer.hpp"
#include "cuda/device/stream.hpp"
#include "cuda/opened/opened_device.hpp"
#include "cuda_moments.hpp"
#include "transport/cuda/cuda_packer.hpp"
#include "transport/model/index.hpp"
#include "transport/moments/layers.hpp"

namespace bb::transport {

MarchInputs::MarchInputs(const Problem& p) {
  for (const Material& material : p.materials) media_.emplace_back(material);
  for (const Medium& medium : media_) {
    const Material& m = medium.material;
    materials_.push_back({medium.table.view(), m.density, m.z_over_a, m.x0, m.xs});
  }
  for (const Layer& layer : layers_of(p)) {
    layers_.push_back({layer.material, layer.z0 * p.grid.dz, layer.z1 * p.grid.dz});
  }
  view_ = {.materials = materials_.data(),
           .layers = layers_.data(),
           .layer_count = static_cast<int>(layers_.size()),
           .entrance = p.beam.z,
           .depth = p.grid.nz * p.grid.dz,
           .cutoff = p.grid.cutoff,
           .scattering = p.scattering,
           .straggling = p.straggling,
           .attenuation = p.nuclear == Nuclear::kAttenuation};
}

beam_march::BeamInput beam_input(const Beam& spot) {
  return {spot.energy, spot.energy_sigma, spot.angle_sigma, spot.x_sigma, spot.focus};
}

namespace {

using beam_march::BeamBins;
using beam_march::BeamInput;
using beam_march::BeamReadouts;
using beam_march::kComponents;
using beam_march::LayerInput;
using beam_march::MarchEnd;
using beam_march::MarchInput;
using beam_march::MarchOutcome;
using beam_march::MaterialInput;
using cuda::on_device;

constexpr double kFreeShare = 0.4;           // share of the device's free memory for the rows of a batch
constexpr std::size_t kMaxBeams = 1U << 17;  // beams
constexpr int kPlanesBeyond =
    96;  // planes of a beam in addition to its bins: the first steps of layers, and the tail of its straggling

template <typename T>
class MarchBatch final : public CudaMoments {
 public:
  explicit MarchBatch(const Problem& problem)
      : problem_(problem),
        inputs_(problem),
        opened_(cuda::OpenedDevice::open(problem.device, "transport")),
        stream_(opened_.device),
        parts_(opened_.parts),
        begun_(opened_.device),
        marched_(opened_.device),
        read_(opened_.device) {
    engine::add_part(parts_, "upload", [&] { send(); });
  }

  std::vector<BeamReadouts> readouts(std::span<const Beam> beams, std::vector<float>* curves,
                                     const std::atomic<bool>* cancel) override {
    return on_device([&] {
      std::vector<BeamReadouts> out(beams.size());
      if (curves != nullptr) curves->assign(beams.size() * u(rows()), 0.0F);
      times_ = {};
      const std::vector<BeamInput> list = listed(beams);
      const std::size_t together = beams_together();
      for (std::size_t first = 0; first < list.size(); first += together) {
        if (cancel != nullptr && cancel->load()) break;
        const std::size_t count = std::min(together, list.size() - first);
        const auto part = std::span(list).subspan(first, count);
        solve(part, true, std::span(out).subspan(first, count));
        if (curves != nullptr) read_curves(first, count, list.size(), *curves);
      }
      return out;
    });
  }
  int rows() const override { return beam_march::rows_from(problem_.beam.z, problem_.grid.nz, problem_.grid.dz); }

  std::vector<MarchedBeam> marches(std::span<const Beam> beams) override {
    return on_device([&] {
      times_ = {};
      const std::vector<BeamInput> list = listed(beams);
      std::vector<BeamReadouts> sums(list.size());
      solve(list, false, sums);
      std::vector<MarchedBeam> out(list.size());
      cuda::PinnedBuffer<MarchOutcome> outcomes(opened_.device, list.size(), cuda::Reuse::kYes);
      outcomes_.download(outcomes.values(), stream_);
      cuda::PinnedBuffer<double> planes(opened_.device, planes_.size(), cuda::Reuse::kYes);
      planes_.download(planes.values(), stream_);
      cuda::PinnedBuffer<int> layers(opened_.device, layer_begin_.size(), cuda::Reuse::kYes);
      layer_begin_.download(layers.values(), stream_);
      stream_.synchronize();
      for (std::size_t i = 0; i < out.size(); ++i) {
        MarchedBeam& to = out[i];
        to.outcome = outcomes.values()[i];
        const auto rows = planes.values().subspan(i * capacity_ * kComponents, u(to.outcome.planes) * kComponents);
        to.planes.assign(rows.begin(), rows.end());
        const auto begin = layers.values().subspan(i * (inputs_.layers().size() + 2), u(to.outcome.layers) + 1);
        to.layer_begin.assign(begin.begin(), begin.end());
      }
      return out;
    });
  }

  MomentsTimes times() const override { return times_; }
  double state_bytes() const override {
    return static_cast<double>(planes_.bytes() + rows_.bytes() + readouts_.bytes() + beams_.bytes());
  }
  const std::vector<engine::SetupPart>& setup_parts() const override { return parts_; }

 private:
  void send() {
    Packer packer;
    view_ = inputs_.view();
    std::vector<MaterialInput> materials = inputs_.materials();
    std::vector<std::vector<double>> tables;
    for (MaterialInput& m : materials) {
      physics::StoppingView& t = m.table;
      const auto copy = [&](const double*& values, int count) {
        packer.add(std::vector<double>(values, values + count), &values);
      };
      copy(t.x, t.entries);
      copy(t.y, t.entries);
      copy(t.y2, t.entries);
      copy(t.mesh, t.cells);
      copy(t.mesh_range, t.cells);
      copy(t.mesh_slope, t.cells);
    }
    tables_ = packer.send(stream_);
    Packer list;
    list.add(materials, &view_.materials);
    list.add(inputs_.layers(), &view_.layers);
    lists_ = list.send(stream_);
  }

  std::vector<BeamInput> listed(std::span<const Beam> beams) const {
    std::vector<BeamInput> list;
    for (const Beam& beam : beams) list.push_back(beam_input(beam));
    return list;
  }

  /// Downloads the depth doses of the last `count` solved beams, which are at `first` of `all`.
  void read_curves(std::size_t first, std::size_t count, std::size_t all, std::vector<float>& to) {
    cuda::PinnedBuffer<T> doses(opened_.device, u(rows()) * count, cuda::Reuse::kYes);
    rows_.download(doses.values(), stream_);
    stream_.synchronize();
    cpu::on_all_cores(rows(), [&](int r) {
      const std::span<const T> from = doses.values().subspan(u(r) * count, count);
      std::ranges::transform(from, to.begin() + static_cast<std::ptrdiff_t>(u(r) * all + first),
                             [](T value) { return static_cast<float>(value); });
    });
  }

  std::size_t beams_together() const {
    const double each =
        4.0 * sizeof(T) * (rows() + 1) + sizeof(BeamReadouts) + sizeof(BeamInput) + sizeof(MarchOutcome);
    const double fit = kFreeShare * static_cast<double>(opened_.device->memory().free_bytes) / each;
    return std::clamp(static_cast<std::size_t>(fit), std::size_t{1}, kMaxBeams);
  }

  static constexpr double kStraggling = 1.0 / beam_march::detail::kBinPerSigma;  // bins

  /// Largest values among some beams.
  struct MostBins {
    int count = 0;                // bins of a beam
    double widest = kStraggling;  // standard deviation of the protons' bins
  };

  /// Beams are processed in parallel, because computing a range takes as long as marching a beam on the GPU.
  MostBins most_bins(std::span<const BeamInput> beams) const {
    constexpr std::size_t kTogether = 512;
    std::vector<MostBins> parts((beams.size() + kTogether - 1) / kTogether);
    cpu::on_all_cores(static_cast<int>(parts.size()), [&](int i) {
      const std::size_t first = u(i) * kTogether;
      MostBins& most = parts[u(i)];
      for (const BeamInput& beam : beams.subspan(first, std::min(kTogether, beams.size() - first))) {
        const BeamBins bins(inputs_.view(), beam);
        most.count = std::max(most.count, bins.count);
        if (!(beam.energy_sigma > 0.0)) continue;
        const double spread = beam.energy_sigma / inputs_.media().front().table.stopping(beam.energy) / bins.step;
        most.widest = std::max(most.widest, std::hypot(kStraggling, spread));
      }
    });
    MostBins most;
    for (const MostBins& part : parts) {
      most = {std::max(most.count, part.count), std::max(most.widest, part.widest)};
    }
    return most;
  }

  /// Index of the smallest number of bins per lane in kMomentsSlots that suffices: 32 lanes must hold all bins that a
  /// beam's protons occupy at the same time. Index of the largest number if none suffices.
  static std::size_t lane_bins(double widest) {
    constexpr double kReach = sizeof(T) == sizeof(float) ? 6.5 : 8.0, kMargin = 8.0;
    for (std::size_t i = 0; i < std::size(kMomentsSlots); ++i) {
      if (32.0 * kMomentsSlots[i] >= 2.0 * (kReach * widest + kMargin)) return i;
    }
    return std::size(kMomentsSlots) - 1;
  }

  void solve(std::span<const BeamInput> beams, bool with_rows, std::span<BeamReadouts> out) {
    const MostBins most = most_bins(beams);
    std::size_t slots = lane_bins(most.widest);
    while (true) {
      try {
        launch(beams, most.count, kMomentsSlots[slots], with_rows, out);
      } catch (...) {
        stream_.synchronize_ignoring_errors();
        throw;
      }
      const auto failed = std::ranges::find_if(out, [](const BeamReadouts& r) { return r.end != 0.0; });
      if (failed == out.end()) return;
      if (static_cast<MarchEnd>(static_cast<int>(failed->end)) != MarchEnd::kTooWide ||
          ++slots == std::size(kMomentsSlots)) {
        refuse(beams[static_cast<std::size_t>(failed - out.begin())]);
      }
    }
  }

  [[noreturn]] void refuse(const BeamInput& beam) const {
    throw ProblemError("unsupported", "beam.energy_sigma_MeV = " + std::to_string(beam.energy_sigma) + ": " +
                                          std::to_string(beam.energy) +
                                          " MeV protons fill more than 256 range bins at once; allowed with "
                                          "solver.variant = cuda-moments: a narrower spread");
  }

  /// `bins`: the largest number of bins of a beam.
  void launch(std::span<const BeamInput> beams, int bins, int slots, bool with_rows, std::span<BeamReadouts> out) {
    const auto& device = opened_.device;
    const std::string suffix = sizeof(T) == sizeof(float) ? "_f32" : "_f64";
    cuda::Kernel march(opened_.kernels->module, ("transport_moments_" + std::to_string(slots) + suffix).c_str());
    MomentsBeams<T> b{};
    b.count = static_cast<int>(beams.size());
    b.table_size = beam_march::table_bins(bins, 32 * slots, slots);
    b.capacity = bins + kPlanesBeyond + 32 * slots +
                 (beam_march::detail::kMinSteps + 2) * static_cast<int>(inputs_.layers().size());
    capacity_ = u(b.capacity);
    const auto shared = static_cast<unsigned>(sizeof(T)) * kMomentsWarps * beam_march::kTableArrays *
                        static_cast<unsigned>(b.table_size);
    march.allow_dynamic_shared(shared);
    const int resident =
        std::max(1, march.resident_blocks(32 * kMomentsWarps, shared)) * device->info().multiprocessors;
    const int blocks = std::min(resident, (b.count + kMomentsWarps - 1) / kMomentsWarps);
    const std::size_t places = with_rows ? u(blocks) * kMomentsWarps : beams.size();

    fit(beams_, beams.size());
    fit(outcomes_, beams.size());
    fit(readouts_, beams.size());
    resize(planes_, places * capacity_ * kComponents);
    resize(layer_begin_, places * (inputs_.layers().size() + 2));
    const std::size_t cells = beams.size() * (u(rows()) + 1);
    if (with_rows) fit(rows_, 4 * cells);
    cuda::PinnedBuffer<BeamInput> sent(device, beams.size(), cuda::Reuse::kYes);
    std::ranges::copy(beams, sent.values().begin());
    cuda::PinnedBuffer<BeamReadouts> got(device, beams.size(), cuda::Reuse::kYes);
    beams_.upload(sent.values(), stream_);
    b.beams = beams_.pointer();
    b.outcomes = outcomes_.pointer();
    b.readouts = readouts_.pointer();
    b.planes = planes_.pointer();
    b.layer_begin = layer_begin_.pointer();
    b.planes_by_beam = !with_rows;
    b.rows = rows();
    b.first_row = (problem_.grid.nz - rows()) * problem_.grid.dz;
    b.dz = problem_.grid.dz;
    b.entrance = problem_.beam.z;
    if (with_rows) {
      b.dose = rows_.pointer();
      b.protons = b.dose + cells;
      b.variance = b.protons + cells;
      b.edges = b.variance + cells;
    }
    begun_.record(stream_);
    march.launch(
        stream_,
        {.grid = {static_cast<unsigned>(blocks)}, .block = {32 * kMomentsWarps}, .dynamic_shared_bytes = shared}, view_,
        b);
    marched_.record(stream_);
    if (with_rows) {
      cuda::Kernel read(opened_.kernels->module, ("transport_moments_readouts" + suffix).c_str());
      read.launch(stream_,
                  {.grid = {static_cast<unsigned>((b.count + kReadoutThreads - 1) / kReadoutThreads)},
                   .block = {kReadoutThreads}},
                  b);
    }
    read_.record(stream_);
    readouts_.download(got.values().first(beams.size()), stream_);
    stream_.synchronize();
    times_.march += marched_.seconds_since(begun_);
    times_.read += read_.seconds_since(marched_);
    std::ranges::copy(got.values().first(beams.size()), out.begin());
  }

  /// Allocates at least `count` values.
  template <typename V>
  void fit(cuda::DeviceBuffer<V>& buffer, std::size_t count) {
    if (buffer.size() < count) buffer = {opened_.device, count, cuda::Reuse::kYes};
  }
  /// Allocates exactly `count` values.
  template <typename V>
  void resize(cuda::DeviceBuffer<V>& buffer, std::size_t count) {
    if (buffer.size() != count) buffer = {opened_.device, count, cuda::Reuse::kYes};
  }

  const Problem& problem_;
  const MarchInputs inputs_;
  cuda::OpenedDevice opened_;
  cuda::Stream stream_;
  std::vector<engine::SetupPart> parts_;
  cuda::Event begun_, marched_, read_;
  cuda::DeviceBuffer<unsigned char> tables_, lists_;
  MarchInput view_{};
  cuda::DeviceBuffer<BeamInput> beams_;
  cuda::DeviceBuffer<MarchOutcome> outcomes_;
  cuda::DeviceBuffer<BeamReadouts> readouts_;
  cuda::DeviceBuffer<double> planes_;
  cuda::DeviceBuffer<int> layer_begin_;
  cuda::DeviceBuffer<T> rows_;
  std::size_t capacity_ = 0;  // planes per beam
  MomentsTimes times_;
};

}  // namespace

std::unique_ptr<CudaMoments> make_cuda_moments(const Problem& problem) {
  return on_device([&]() -> std::unique_ptr<CudaMoments> {
    if (problem.precision == Precision::kFp32) return std::make_unique<MarchBatch<float>>(problem);
    return std::make_unique<MarchBatch<double>>(problem);
  });
}

}  // namespace bb::transport
