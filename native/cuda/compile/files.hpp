#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace bb::cuda {

/// Returns the contents of the file, or nothing if it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& file);

/// Writes to a temporary file in the same folder and renames it, so that a reader sees either the old or the new
/// content. Creates missing folders. On failure, returns false and leaves `file` untouched; callers that cache files
/// then go without the entry.
bool write_file_atomically(const std::filesystem::path& file, std::string_view content);

}  // namespace bb::cuda
