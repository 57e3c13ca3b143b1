#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace bb::cuda {

/// SHA-256 (FIPS 180-4) of `bytes` as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

/// Compiled images on disk, one file per key. Each file contains the hash of its content, so that a truncated or
/// altered file counts as a miss.
class ImageCache {
 public:
  /// With an empty folder the cache stores nothing.
  explicit ImageCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<std::string> find(const std::string& key) const;
  void keep(const std::string& key, std::string_view image) const;
  void forget(const std::string& key) const;

 private:
  std::filesystem::path file(const std::string& key) const { return folder_ / (key + ".image"); }

  std::filesystem::path folder_;
};

}  // namespace bb::cuda
