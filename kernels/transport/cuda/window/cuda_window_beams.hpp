#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "cuda_window_tables.hpp"
#include "transport/run/beams_solver.hpp"

namespace bb::transport {

/// Many beams on the device: teams of blocks take one each, with a moving window of their own, and wait for their team
/// only. What a beam leaves is read back while the next ones are at work.
template <typename T>
class CudaWindowBeams final : public engine::BeamsSolver {
 public:
  CudaWindowBeams(const Problem& problem, const Tables& tables, int steps);
  ~CudaWindowBeams() override;

  int at_once() const override;
  void begin(std::span<const Start* const> starts) override;
  double finish() override;
  engine::BeamScores scores(std::size_t i) const override;
  double state_bytes() const override;

 private:
  /// What beams leave, on the device and here.
  struct Left {
    std::size_t beams = 0;
    cuda::DeviceBuffer<double> fields, ledgers, crossing;
    cuda::DeviceBuffer<float> extremes;
    std::optional<cuda::PinnedBuffer<double>> dose_here, ledgers_here, crossing_here;
    std::optional<cuda::PinnedBuffer<float>> extremes_here;
    std::optional<cuda::Event> begun, taken, arrived;
  };

  std::size_t ledger_cells() const;
  void make_room(Left& left, std::size_t beams);
  void send_starts(std::span<const Start* const> starts, WindowBeams<T>& beams);
  void queue(std::span<const Start* const> starts, Left& left);

  const Problem& problem_;
  const Tables& tables_;
  int steps_;
  cuda::Session session_;
  cuda::Stream stream_;
  const TypedTables<T> typed_;
  CudaTables<T> device_tables_;
  CudaWindowTables<T> window_;
  cuda::Kernel steps_kernel_, moments_kernel_;
  unsigned blocks_ = 1;  // that the device holds at once
  int teams_ = 1;        // whose states fit into its memory
  cuda::DeviceBuffer<T> states_;
  cuda::DeviceBuffer<WindowBox> boxes_;
  cuda::DeviceBuffer<WindowControl> controls_;
  cuda::DeviceBuffer<double> written_;
  cuda::DeviceBuffer<unsigned char> starts_;
  std::array<Left, 2> left_;
  std::size_t now_ = 0, done_ = 0;  // of the two: begun last, and waited for last
};

extern template class CudaWindowBeams<float>;
extern template class CudaWindowBeams<double>;

/// For Variant::make_beams.
std::unique_ptr<engine::BeamsSolver> make_cuda_window_beams(const Problem& problem, const Tables& tables, int steps);

}  // namespace bb::transport
