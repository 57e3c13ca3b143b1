#include "files.hpp"

#include <chrono>
#include <fstream>
#include <iterator>
#include <system_error>

namespace bb::cuda {

namespace fs = std::filesystem;

std::optional<std::string> read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return in.bad() ? std::nullopt : std::optional(std::move(text));
}

bool write_file_atomically(const fs::path& file, std::string_view content) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  // Two processes may write the same entry at once, so each needs a unique name until the rename.
  const auto ticks = std::chrono::steady_clock::now().time_since_epoch().count();
  fs::path temporary = file;
  temporary += std::string(".").append(std::to_string(ticks)).append(".");
  temporary += std::to_string(reinterpret_cast<std::uintptr_t>(&error)).append(".part");
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.close();
    if (!out) {
      fs::remove(temporary, error);
      return false;
    }
  }
  fs::rename(temporary, file, error);
  if (!error) return true;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  return false;
}

}  // namespace bb::cuda
