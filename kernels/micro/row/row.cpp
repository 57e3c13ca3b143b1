#include "row.hpp"

namespace bb::micro {

std::string Samples::text() const {
  return (count_ == total_ ? "all " : std::to_string(count_) + " of ") + std::to_string(total_) + " results";
}

std::string refuse_nothing(const TaskProblem&) { return ""; }
std::string always_available() { return ""; }
std::string device_missing() { return cuda::unavailable("micro"); }

ResultReader<> sampled(const std::shared_ptr<std::vector<float>>& out) {
  return {[out] { return Samples(out->size()).take<float>(*out); }, {array_at(out->data(), out->size())}};
}

ResultReader<cuda::Stream&> sampled(const std::shared_ptr<cuda::DeviceBuffer<float>>& out) {
  return {[out](cuda::Stream& from) { return Samples(out->size()).take<float>(out->read(from)); },
          {array_at(out->pointer(), out->size())}};
}

void add(engine::TaskBench& row, const RowTexts& about, const VariantTexts& words, const char* device,
         std::unique_ptr<engine::Task> (*make)(const TaskProblem&), std::string (*refuses)(const TaskProblem&),
         std::string (*unavailable)()) {
  const bool on_cpu = std::string_view(device) == "cpu";
  row.variants.push_back({.id = words.id,
                          .title = words.title,
                          .changes = words.changes,
                          .builds_on = words.builds_on,
                          .device = device,
                          .precision = words.precision,
                          .source = on_cpu ? about.source : about.kernels,
                          .estimate_bytes = about.bytes,
                          .make = make,
                          .refuses = refuses,
                          .unavailable = unavailable,
                          .library = words.library});
}

}  // namespace bb::micro
