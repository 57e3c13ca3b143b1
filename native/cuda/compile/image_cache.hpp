#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace bb::cuda {

/// Compiled images on disk, one file per key. Each file states its content's hash, so that a cut-off or
/// altered file is a miss, never an image.
class ImageCache {
 public:
  /// An empty folder makes a cache that holds nothing.
  explicit ImageCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<std::string> find(const std::string& key) const;
  void keep(const std::string& key, std::string_view image) const;
  void forget(const std::string& key) const;

 private:
  std::filesystem::path file(const std::string& key) const { return folder_ / (key + ".image"); }

  std::filesystem::path folder_;
};

}  // namespace bb::cuda
