#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bb::cuda {

/// The text of a user's that takes the place of one of our files.
struct Replacement {
  std::filesystem::path file;  // of ours
  std::string text;
  std::string name;  // as compiler messages name it
};

/// One text from a source file and everything that it includes.
struct FlatSource {
  std::string text;
  std::vector<std::filesystem::path> files;  // in the order met, the main file first
};

/// Replaces each `#include "file"` by the file's text (looked up next to the includer, then in `root`), once per file as
/// `#pragma once` would. It adds #line marks so that compiler messages name the original places relative to `root`.
/// `#include <…>` stays. NVRTC compiles this text, and its hash is the key of the cache: no file that matters can change
/// unnoticed. An include inside a conditional counts even if the condition is false. The text of `replaced` is used in
/// place of its file. Throws std::runtime_error naming the includer if a file is missing.
FlatSource flatten(const std::filesystem::path& main, const std::filesystem::path& root,
                   const Replacement* replaced = nullptr);

}  // namespace bb::cuda
