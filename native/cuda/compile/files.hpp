#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace bb::cuda {

/// The whole file, or nothing if it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& file);

/// Writes to a temporary file in the same folder and renames it: a reader sees all of the old content or of the new;
/// creates the folders above. Returns false and leaves `file` untouched on failure: caches continue without it.
bool write_file_atomically(const std::filesystem::path& file, std::string_view content);

}  // namespace bb::cuda
