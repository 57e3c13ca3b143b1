#include <charconv>
#include <cmath>
#include <map>

#include "../compile/files.hpp"
#include "ceilings.hpp"

namespace bb::cuda {
namespace {

// Must be increased when a probe kernel or its use changes, so that devices are measured again.
constexpr std::string_view kHeader = "braggbench ceilings 1";

std::string number(double value) {
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end);
}

/// Reads lines of the form "name value" after the header.
std::optional<std::map<std::string, std::string, std::less<>>> read_fields(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text) return std::nullopt;
  std::map<std::string, std::string, std::less<>> out;
  bool first = true;
  for (std::size_t begin = 0; begin < text->size();) {
    const std::size_t end = text->find('\n', begin);
    if (end == text->npos) return std::nullopt;  // cut off
    const std::string line = text->substr(begin, end - begin);
    begin = end + 1;
    if (std::exchange(first, false)) {
      if (line != kHeader) return std::nullopt;
      continue;
    }
    const std::size_t space = line.find(' ');
    if (space == line.npos) return std::nullopt;
    out[line.substr(0, space)] = line.substr(space + 1);
  }
  return first ? std::nullopt : std::optional(std::move(out));
}

/// Calls `field(name, member)` for every number of `ceilings`.
template <typename Subject, typename Field>
void each_number(Subject& ceilings, Field&& field) {
  field("copy_bytes_per_s", ceilings.copy_bytes_per_s);
  field("fp32_flops_per_s", ceilings.fp32_flops_per_s);
  field("fp64_flops_per_s", ceilings.fp64_flops_per_s);
  field("launch_interval_s", ceilings.launch_interval_s);
  field("launch_round_trip_s", ceilings.launch_round_trip_s);
  field("graph_node_s", ceilings.graph_node_s);
  field("graph_round_trip_s", ceilings.graph_round_trip_s);
  field("sm_MHz", ceilings.sm_MHz);
}

}  // namespace

std::filesystem::path CeilingsCache::file(const std::string& uuid, const std::string& driver) const {
  return folder_ / ("ceilings-" + uuid + "-" + driver + ".txt");
}

std::optional<Ceilings> CeilingsCache::find(const std::string& uuid, const std::string& driver) const {
  if (folder_.empty()) return std::nullopt;
  const auto fields = read_fields(file(uuid, driver));
  if (!fields) return std::nullopt;
  Ceilings out;
  bool whole = true;
  each_number(out, [&](std::string_view name, double& value) {
    const auto found = fields->find(name);
    if (found == fields->end()) {
      whole = false;
      return;
    }
    const std::string& text = found->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    whole = whole && error == std::errc{} && end == text.data() + text.size() && value >= 0 && std::isfinite(value);
  });
  const auto copy_by = fields->find("copy_by");
  const auto throttled = fields->find("throttled");
  if (!whole || copy_by == fields->end() || throttled == fields->end()) return std::nullopt;
  out.copy_by = copy_by->second;
  out.throttled = throttled->second == "1";
  out.driver = driver;
  return out;
}

void CeilingsCache::keep(const std::string& uuid, const Ceilings& ceilings) const {
  if (folder_.empty()) return;
  std::string text = std::string(kHeader) + "\n";
  each_number(ceilings, [&](std::string_view name, double value) {
    text.append(name).append(" ").append(number(value)).append("\n");
  });
  text += "copy_by " + ceilings.copy_by + "\n";
  text += std::string("throttled ") + (ceilings.throttled ? "1" : "0") + "\n";
  write_file_atomically(file(uuid, ceilings.driver), text);
}

}  // namespace bb::cuda
