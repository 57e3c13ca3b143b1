#include "piecewise_kernels.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <stdexcept>
#include <thread>

#include "../loader/libraries.hpp"
#include "cpu/host.hpp"

namespace bb::cuda {

PiecewiseKernels::PiecewiseKernels(std::shared_ptr<Device> device, std::string workload,
                                   std::vector<KernelPiece> pieces, ImageCache cache)
    : device_(std::move(device)), workload_(std::move(workload)), cache_(std::move(cache)) {
  for (KernelPiece& piece : pieces) {
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->piece = std::move(piece);
    counts_.pieces += slots_.back()->piece.kernels.empty() ? 0 : 1;
  }
}

PiecewiseKernels::Slot* PiecewiseKernels::find(std::string_view kernel) {
  for (const auto& slot : slots_) {
    if (std::ranges::find(slot->piece.kernels, kernel) != slot->piece.kernels.end()) return slot.get();
  }
  return nullptr;
}

CompiledImage PiecewiseKernels::compiled(const KernelPiece& piece) const {
  const TextRequest request{
      .name = piece.name, .text = piece.text, .architecture = device_->info().architecture(), .extra_options = {}};
  try {
    return compile_at_run_time(nvrtc_library().api, request, cache_);
  } catch (const CompileError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw Error("unsupported",
                "Compiling " + piece.name + " for " + device_->info().label() + " fails: " + error.what());
  }
}

const Module& PiecewiseKernels::loaded(Slot& slot) {
  const std::scoped_lock lock(slot.mutex);
  if (slot.module) return *slot.module;
  const CompiledImage first = compiled(slot.piece);
  try {
    slot.module = std::make_unique<Module>(device_, first.image, workload_);
    count(first);
  } catch (const Error& error) {
    // The driver may have changed since the cached image was made, so the piece is compiled again.
    if (!first.from_cache || error.code() != "unsupported") throw;
    cache_.forget(first.key);
    const CompiledImage second = compiled(slot.piece);
    slot.module = std::make_unique<Module>(device_, second.image, workload_);
    count(second);
  }
  return *slot.module;
}

const Module* PiecewiseKernels::with_kernel(std::string_view kernel) {
  Slot* const slot = find(kernel);
  return slot ? &loaded(*slot) : nullptr;
}

const Module* PiecewiseKernels::with_tunable(std::string_view name) {
  Slot* shortest = nullptr;
  for (const auto& slot : slots_) {
    if (std::ranges::find(slot->piece.tunables, name) == slot->piece.tunables.end()) continue;
    {
      const std::scoped_lock lock(slot->mutex);
      if (slot->module) return slot->module.get();
    }
    // The first piece of a file with entry lines has none of them, so it compiles fastest and suffices for this lookup.
    if (shortest == nullptr) shortest = slot.get();
  }
  return shortest ? &loaded(*shortest) : nullptr;
}

void PiecewiseKernels::load(std::span<Slot* const> wanted) {
  std::atomic<std::size_t> next = 0;
  std::mutex failing;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < wanted.size(); i = next++) {
      try {
        loaded(*wanted[i]);
      } catch (...) {
        const std::scoped_lock lock(failing);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  const std::size_t threads = std::min<std::size_t>(wanted.size(), cpu::usable_cores());
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  device_->make_current();
  if (failure) std::rethrow_exception(failure);
}

void PiecewiseKernels::prepare(std::span<const std::string> kernels) {
  std::vector<Slot*> wanted;
  for (const std::string& kernel : kernels) {
    Slot* const slot = find(kernel);
    if (slot && std::ranges::find(wanted, slot) == wanted.end()) wanted.push_back(slot);
  }
  load(wanted);
}

void PiecewiseKernels::prepare_all() {
  std::vector<Slot*> wanted;
  for (const auto& slot : slots_) {
    if (!slot->piece.kernels.empty()) wanted.push_back(slot.get());
  }
  // Pieces with entry lines come last in a file and take longest, so they start first.
  std::ranges::reverse(wanted);
  load(wanted);
}

PiecewiseKernels::Counts PiecewiseKernels::counts() const {
  const std::scoped_lock lock(counting_);
  return counts_;
}

void PiecewiseKernels::count(const CompiledImage& image) {
  const std::scoped_lock lock(counting_);
  ++(image.from_cache ? counts_.from_cache : counts_.compiled);
  counts_.compile_s += image.compile_s;
}

}  // namespace bb::cuda
