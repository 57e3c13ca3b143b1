#pragma once

#include <napi.h>

#include <filesystem>
#include <functional>
#include <string>

#include "cuda/compile/kernel_library.hpp"

namespace bb::binding {

/// The string at `key` of an options object, the first argument; "" if it is not given. Throws a TypeError for
/// another type.
std::string text_option(const Napi::CallbackInfo& info, const char* key);

/// The same as a path: node-addon-api's are UTF-8; Windows would read a narrow string in its code page.
std::filesystem::path path_option(const Napi::CallbackInfo& info, const char* key);

/// The options `images`, `sources` and `cache`.
cuda::KernelFolders folder_options(const Napi::CallbackInfo& info);

/// JSON text as a JavaScript value.
Napi::Value parse_json(Napi::Env env, const std::string& text);

/// A promise of what the JSON text that `work` returns stands for. `work` runs on a thread of libuv and may throw;
/// the promise then rejects with an Error whose `code` is that of a cuda::Error, else 'unsupported'.
Napi::Promise promise_json(Napi::Env env, std::function<std::string()> work);

}  // namespace bb::binding
