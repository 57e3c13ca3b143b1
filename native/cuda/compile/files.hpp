#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace bb::cuda {

/// The whole file, or nothing if it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& file);

/// Writes beside `file` and renames, so that a reader sees the old content or the new, never a part; makes
/// the folders above. False, with the file untouched, if that fails: caches carry on without.
bool write_file_atomically(const std::filesystem::path& file, std::string_view content);

}  // namespace bb::cuda
