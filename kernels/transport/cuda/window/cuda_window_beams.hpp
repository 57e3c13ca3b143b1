#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "cuda_window_tables.hpp"
#include "transport/run/beams_solver.hpp"

namespace bb::transport {

/// Several beams on the device at a time. Each team of blocks advances one beam with its own moving window and waits
/// only for its own blocks. The results of a beam are downloaded while the next beams run.
template <typename T>
class CudaWindowBeams final : public engine::BeamsSolver {
 public:
  CudaWindowBeams(const Problem& problem, const Tables& tables, int steps);
  ~CudaWindowBeams() override;

  int at_once() const override;
  int slots() const override { return slots_used_; }
  void begin(int slot, std::span<const Start* const> starts, bool all) override;
  void finish(int slot) override;
  engine::BeamScores scores(int slot, std::size_t i) const override;
  double state_bytes() const override;

 private:
  /// State storage of teams of blocks, one place per team.
  struct BeamStorage {
    cuda::DeviceBuffer<T> states;
    cuda::DeviceBuffer<WindowBox> boxes;
    cuda::DeviceBuffer<WindowControl> controls;
    cuda::DeviceBuffer<double> written;
    cuda::DeviceBuffer<int> taken;
  };

  /// Beams that are queued together, and their results on the device and on the host.
  struct Slot {
    explicit Slot(const std::shared_ptr<cuda::Device>& device) : stream(device), arrived(device) {}

    cuda::Stream stream;
    cuda::Event arrived;
    BeamStorage places;  // unused if slots share places
    cuda::DeviceBuffer<unsigned char> starts;
    std::size_t room = 0;  // number of beams that fit into the following buffers
    cuda::DeviceBuffer<double> fields, ledgers, crossing;
    cuda::DeviceBuffer<float> extremes;
    std::optional<cuda::PinnedBuffer<double>> dose_here, ledgers_here, crossing_here;
    std::optional<cuda::PinnedBuffer<float>> extremes_here;
  };

  /// Determines the numbers of slots and teams from the free memory.
  void share_memory();
  /// Number of blocks that the beams of a slot may occupy together.
  int blocks_of_slot(bool all) const;
  std::size_t state_cells() const;
  std::size_t ledger_cells() const;
  std::size_t crossing_cells() const;
  void allocate_results(Slot& slot, std::size_t beams);
  void make_places(BeamStorage& places, int count, cuda::Stream& stream);
  void send_starts(Slot& slot, std::span<const Start* const> starts, WindowBeams<T>& beams);
  void queue(Slot& slot, std::span<const Start* const> starts, bool all);

  const Problem& problem_;
  const Tables& tables_;
  int steps_;
  cuda::OpenedDevice opened_;
  cuda::Stream stream_;
  const TypedTables<T> typed_;
  CudaTables<T> device_tables_;
  CudaWindowTables<T> window_;
  WindowParameters<T> parameters_;
  cuda::Kernel steps_kernel_, moments_kernel_;
  unsigned blocks_ = 1;  // maximum resident blocks of the device
  int teams_ = 1;        // maximum teams of all slots together
  int slots_used_ = 2;
  bool queued_ = false;  // blocks of a slot may queue behind those of another; slots share places
  BeamStorage shared_;
  std::array<Slot, kMaxSlots> slots_;
};

extern template class CudaWindowBeams<float>;
extern template class CudaWindowBeams<double>;

/// Used as Variant::make_beams.
std::unique_ptr<engine::BeamsSolver> make_cuda_window_beams(const Problem& problem, const Tables& tables, int steps);

}  // namespace bb::transport
