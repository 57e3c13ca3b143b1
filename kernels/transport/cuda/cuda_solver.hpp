#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuda/device/buffer.hpp"
#include "cuda/device/stream.hpp"
#include "cuda/opened/opened_device.hpp"
#include "cuda/timing/timing.hpp"
#include "cuda_planes.hpp"
#include "transport/model/device_tables.hpp"
#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"
#include "transport/model/typed_tables.hpp"
#include "transport/run/solver.hpp"

namespace bb::transport {

/// The tables that a variant's kernels use.
enum class TableSet {
  kAll,
  kLosses,  // all tables except the energy gather and the angle kernels, which the variant uploads in its own layout
};

/// The tables of a problem on a device: one allocation, sent in one copy.
template <typename T>
class CudaTables {
 public:
  /// Blocks until the copy is complete.
  CudaTables(const Problem& problem, const Tables& tables, const TypedTables<T>& typed, TableSet sent,
             cuda::Stream& stream);

  const DeviceTables<T>& view() const { return view_; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  cuda::DeviceBuffer<unsigned char> memory_;
  DeviceTables<T> view_{};
};

extern template class CudaTables<float>;
extern template class CudaTables<double>;

using cuda::on_device;

/// Returns the reason why the CUDA variants cannot run here, in one sentence; "" if they can. Opens no device.
inline std::string cuda_unavailable() { return cuda::unavailable("transport"); }

/// Base of every CUDA variant. It has the device, kernels, tables, scores and ledger, and the loop that queues steps in
/// batches and reads their ledger rows. Each variant has its own layout of ψ.
///
/// Ledger: step n adds to row n of `scores().ledger` (LedgerColumn): Σψ and its energy at the START of the step, and
/// the losses and deposits of the step. If kInFlight of a row is 0, the step was not taken: once `stop_number()` or
/// fewer protons are in flight, kernels do not change their row or ψ (`run_is_over`). So the host may queue more steps
/// than the run needs.
template <typename T>
class CudaSolver : public engine::Solver {
 public:
  CudaSolver(const Problem& problem, const Tables& tables, TableSet sent = TableSet::kAll);
  ~CudaSolver() override;

  /// Second phase of the construction, which calls virtual functions of the variant. Throws ProblemError.
  void set_up();

  int advance(int max_steps, std::vector<engine::StepTotals>& totals, engine::SpanRecorder& spans,
              const std::atomic<bool>& cancel) final;
  void marginals(engine::Marginals& out) final;
  std::vector<engine::Plane> planes(std::span<const engine::PlaneRequest> requests) final;
  std::span<const double> dose() final;
  std::span<const double> crossing() final;
  std::span<const double> reactions() final;
  std::span<const double> tracks() final;
  double min_over_max() const final { return min_over_max_; }
  double cell_steps() const final { return cell_steps_; }
  double state_bytes() const final { return state_bytes_; }
  double device_seconds() const final { return device_seconds_; }
  std::vector<engine::SetupPart> setup_parts() const final { return setup_parts_; }
  void start_cold() final;
  void replay_graphs() final;
  double untimed_seconds() const final { return untimed_seconds_; }

 protected:
  // Interface of a variant. These functions do not wait for the device. They report errors as cuda::Error.

  /// Number of bytes that `prepare` will allocate. A run that needs more than the device's free memory is refused
  /// before.
  virtual double state_bytes_needed() const = 0;
  /// Allocates ψ, queues the start of the run, and looks up the kernels.
  virtual void prepare() = 0;
  /// Prepares graphs or cooperative launch sizes after `prepare`; timed as "capture".
  virtual void capture() {}
  /// Returns the reason why steps cannot be captured and replayed as one graph; "" if they can.
  virtual const char* no_graph() const { return ""; }
  /// Queues step `step` (0 is the run's first).
  virtual void launch_step(int step) = 0;
  /// Queues steps `first` … `first + count` - 1.
  virtual void launch_steps(int first, int count) {
    for (int i = 0; i < count; ++i) launch_step(first + i);
  }
  /// Queues a kernel that adds the current Σψ and its energy to `row` (kInFlight, kEnergyInFlight).
  virtual void launch_count(double* row) = 0;
  /// Current location of ψ.
  virtual DeviceState<T> device_state() const = 0;
  /// Removes the host's records of the last `steps` queued steps, which the kernels skipped because the run had ended.
  virtual void discard_steps(int steps) = 0;
  /// Number of cells that one step visits, which cell_steps() adds up.
  virtual double cells_per_step() const = 0;

  const Problem& problem() const { return problem_; }
  const Tables& tables() const { return tables_; }
  /// The tables in the precision of the kernels.
  const TypedTables<T>& typed() const { return typed_; }
  const DeviceTables<T>& device_tables() const { return device_tables_.view(); }
  const DeviceScores& scores() const { return scores_; }
  /// Device arrays for the moments of tracks; valid only if Tables::tracks is on.
  const DeviceTracks<T>& device_tracks() const { return device_tracks_; }
  double stop_number() const { return problem_.stop_weight * tables_.start.number_in; }
  const std::shared_ptr<cuda::Device>& device() const { return opened_.device; }
  cuda::Stream& stream() { return stream_; }
  /// Kernel `<name>_f32` or `<name>_f64`.
  cuda::Kernel kernel(const char* name) const;
  /// Kernel with exactly the name `name`.
  cuda::Kernel plain_kernel(const char* name) const { return cuda::Kernel(opened_.kernels->module, name); }
  /// Value of a BB_TUNABLE constant in the compiled kernels.
  int tuned(const char* name, int usual) const { return opened_.kernels->module.tunable(name, usual); }
  /// Full names of the kernels that `prepare` and the steps need. Without a fat binary they are compiled together.
  virtual std::vector<std::string> kernels_needed() const { return {}; }
  /// Sets the memory of ψ and scratch; called by `prepare`.
  void set_state_bytes(double bytes) { state_bytes_ = bytes; }

 private:
  /// Returns the result of `work`. If it throws, waits until the stream is idle.
  template <typename F>
  auto idle_on_error(F&& work);
  void make_ready();
  int batch(int max_steps) const;
  int take_steps(int count, std::vector<engine::StepTotals>& totals, engine::SpanRecorder& spans);
  void count_state();
  void append_totals(int done, std::vector<engine::StepTotals>& totals) const;
  void send_reactions();
  void send_tracks();
  void download_scores();
  void queue_plane(const DeviceState<T>& state, const engine::PlaneRequest& request,
                   const std::array<int, engine::kAxes>& cells, double* sums);

  const Problem& problem_;
  const Tables& tables_;
  cuda::OpenedDevice opened_;
  cuda::Stream stream_;
  std::vector<engine::SetupPart> setup_parts_;
  const TypedTables<T> typed_;
  CudaTables<T> device_tables_;
  cuda::DeviceBuffer<double> ledger_;  // [max_steps][kLedgerColumns]
  cuda::DeviceBuffer<double> count_;   // [kLedgerColumns] content in flight after a batch
  cuda::DeviceBuffer<double> fields_;  // dose and the three currents, [4][z][x]
  cuda::DeviceBuffer<float> extremes_;
  cuda::DeviceBuffer<double> reactions_;  // recorded reactions; empty if not recorded
  cuda::DeviceBuffer<unsigned char> reaction_bins_;
  cuda::DeviceBuffer<double> tracks_;  // moments of tracks and spectra; empty if not requested
  cuda::DeviceBuffer<unsigned char> track_tables_;
  cuda::DeviceBuffer<double> sums_;  // planes
  cuda::DeviceBuffer<float> rounded_;
  cuda::PinnedBuffer<double> rows_, tail_;  // downloaded ledger_ and count_
  cuda::PinnedBuffer<float> seen_extremes_;
  cuda::Event batch_start_, batch_end_;
  cuda::Event origin_;
  double origin_ns_ = 0;  // time of origin_ on the recorder's clock
  DeviceScores scores_{};
  DeviceTracks<T> device_tracks_{};
  std::vector<double> dose_, crossing_, recorded_, tracked_;
  bool scores_here_ = false;  // whether dose_ and crossing_ are those of the current state
  double min_over_max_ = 0, cell_steps_ = 0, state_bytes_ = 0, device_seconds_ = 0;
  int step_ = 0;
  std::optional<cuda::L2Flush> flush_;  // runs before the next step
  bool replay_ = false;                 // steps are captured and replayed as one graph
  double untimed_seconds_ = 0;
  bool over_ = false;  // no more than stop_number() protons are in flight
};

extern template class CudaSolver<float>;
extern template class CudaSolver<double>;

/// Creates a solver of class SolverOf<float> or SolverOf<double>, by the problem's precision, ready to run.
template <template <typename> class SolverOf, auto... kOptions>
std::unique_ptr<engine::Solver> make_cuda_solver(const Problem& problem, const Tables& tables, int /*threads*/) {
  const auto make = [&]<typename T>(T) -> std::unique_ptr<engine::Solver> {
    auto solver = std::make_unique<SolverOf<T>>(problem, tables, kOptions...);
    solver->set_up();
    return solver;
  };
  return on_device([&] { return problem.precision == Precision::kFp32 ? make(float{}) : make(double{}); });
}

/// Creates a solver of a class that supports FP32 only, ready to run.
template <typename Solver>
std::unique_ptr<engine::Solver> make_cuda_float_solver(const Problem& problem, const Tables& tables, int /*threads*/) {
  return on_device([&]() -> std::unique_ptr<engine::Solver> {
    auto solver = std::make_unique<Solver>(problem, tables);
    solver->set_up();
    return solver;
  });
}

}  // namespace bb::transport
