#include "image_cache.hpp"

#include "files.hpp"
#include "sha256.hpp"

namespace bb::cuda {
namespace {

constexpr std::string_view kMagic = "braggbench image 1\n";
constexpr std::size_t kHashDigits = 64;

}  // namespace

std::optional<std::string> ImageCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  auto text = read_file(file(key));
  const std::size_t header = kMagic.size() + kHashDigits + 1;
  if (!text || text->size() <= header || !text->starts_with(kMagic)) return std::nullopt;
  std::string image = text->substr(header);
  if (sha256(image) != std::string_view(*text).substr(kMagic.size(), kHashDigits)) return std::nullopt;
  return image;
}

void ImageCache::keep(const std::string& key, std::string_view image) const {
  if (folder_.empty()) return;
  std::string text(kMagic);
  text.append(sha256(image)).append("\n").append(image);
  write_file_atomically(file(key), text);
}

void ImageCache::forget(const std::string& key) const {
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(file(key), ignored);
}

}  // namespace bb::cuda
