#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "../api/cupti_records.hpp"
#include "span_table.hpp"

namespace bb::cuda {

/// Name of a driver call by CUPTI's number for it.
using CallbackName = std::function<std::string_view(std::uint32_t callback)>;

/// The span of one CUPTI record; nothing for a kind that we do not read, or one without time stamps. The
/// name points into the record or to storage of `call_name`.
std::optional<Span> span_of(const api::ActivityRecord& record, std::uint64_t origin_ns, const CallbackName& call_name);

}  // namespace bb::cuda
