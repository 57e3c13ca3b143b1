#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cpu/thread_pool.hpp"
#include "cuda/device/buffer.hpp"

namespace bb::transport {

/// Packs arrays into one allocation, copies it to the device at once, and sets the pointers to the arrays there.
class Packer {
 public:
  /// `values` must outlive send().
  template <typename V>
  void add(const std::vector<V>& values, const V** pointer) {
    place(std::as_bytes(std::span(values)),
          [pointer](const unsigned char* at) { *pointer = reinterpret_cast<const V*>(at); });
  }
  /// Takes ownership of `values`.
  template <typename V>
  void add(std::vector<V>&& values, const V** pointer) {
    const auto kept = std::make_shared<const std::vector<V>>(std::move(values));
    kept_.push_back(kept);
    add(*kept, pointer);
  }

  /// Blocks until the copy is complete.
  cuda::DeviceBuffer<unsigned char> send(cuda::Stream& stream, cuda::Reuse reuse = cuda::Reuse::kNo) {
    cuda::DeviceBuffer<unsigned char> out(stream.device(), bytes_, reuse);
    // Copies from pinned memory need no staging by the driver. All CPU cores fill it if the arrays are large.
    cuda::PinnedBuffer<unsigned char> staging(stream.device(), bytes_, cuda::Reuse::kYes);
    const std::span<unsigned char> to = staging.values();
    std::vector<std::pair<std::size_t, std::span<const std::byte>>> pieces;
    for (const Piece& piece : pieces_) {
      for (std::size_t first = 0; first < piece.bytes.size(); first += kPiece) {
        const auto part = piece.bytes.subspan(first, std::min(kPiece, piece.bytes.size() - first));
        pieces.emplace_back(piece.at + first, part);
      }
    }
    const auto copy = [&](int i) {
      const auto& [at, bytes] = pieces[static_cast<std::size_t>(i)];
      std::memcpy(&to[at], bytes.data(), bytes.size());
    };
    const int count = static_cast<int>(pieces.size());
    if (bytes_ > kAlone) {
      cpu::on_all_cores(count, copy);
    } else {
      for (int i = 0; i < count; ++i) copy(i);
    }
    out.upload(to.first(bytes_), stream);
    stream.synchronize();
    for (const Piece& piece : pieces_) piece.set(out.pointer() + piece.at);
    return out;
  }

 private:
  struct Piece {
    std::size_t at;
    std::span<const std::byte> bytes;
    std::function<void(const unsigned char*)> set;
  };
  // Arrays start on a cache line, so that a warp's first load from any array and 16-byte loads are aligned.
  static constexpr std::size_t kAlignment = 128;
  static constexpr std::size_t kPiece = std::size_t{1} << 18;  // bytes per copy of one core
  // Number of bytes up to which one core copies faster than it would wake others.
  static constexpr std::size_t kAlone = std::size_t{1} << 20;

  void place(std::span<const std::byte> bytes, std::function<void(const unsigned char*)> set) {
    const std::size_t at = (bytes_ + kAlignment - 1) / kAlignment * kAlignment;
    bytes_ = at + bytes.size();
    pieces_.push_back({at, bytes, std::move(set)});
  }

  std::size_t bytes_ = 0;
  std::vector<Piece> pieces_;
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace bb::transport
