#include "hpl/machine/host/blas.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/base/text/quantity.h"
#include "hpl/machine/host/environment.h"

namespace hpl {
namespace {

std::string text_of(const char* text) {
  return text != nullptr ? text : "";
}

std::string file_that_defines(const void* symbol) {
  Dl_info place{};
  return symbol != nullptr && dladdr(symbol, &place) != 0 ? text_of(place.dli_fname) : "";
}

/// The library that calls of cblas_dgemm reach. Another BLAS may be loaded as well: one that was
/// linked, when this one came in front of it by LD_PRELOAD.
class ReachedLibrary {
 public:
  ReachedLibrary() : file_(file_that_defines(dlsym(RTLD_DEFAULT, "cblas_dgemm"))) {
    if (!file_.empty()) handle_ = dlopen(file_.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle_ == nullptr) handle_ = RTLD_DEFAULT;
  }
  ~ReachedLibrary() {
    if (handle_ != RTLD_DEFAULT) dlclose(handle_);
  }
  ReachedLibrary(const ReachedLibrary&) = delete;
  ReachedLibrary& operator=(const ReachedLibrary&) = delete;

  const std::string& file() const { return file_; }

  /// The symbol of that name, or null where it is another library's.
  template <typename Function>
  Function* symbol(const char* name) const {
    // The program itself, which may define all of it, cannot be opened.
    for (void* const scope : {handle_, static_cast<void*>(RTLD_DEFAULT)}) {
      void* const found = dlsym(scope, name);
      if (found != nullptr && is_ours(file_that_defines(found)))
        return reinterpret_cast<Function*>(found);
    }
    return nullptr;
  }

 private:
  bool is_ours(const std::string& file) const {
    // MKL is one library in several files.
    const auto of_mkl = [](const std::string& path) {
      return std::filesystem::path(path).filename().string().starts_with("libmkl");
    };
    return file == file_ || (of_mkl(file) && of_mkl(file_));
  }

  std::string file_;
  void* handle_ = RTLD_DEFAULT;
};

/// Width class of OpenBLAS's x86 kernels: 0 SSE, 1 AVX, 2 AVX2 with FMA, 3 AVX-512.
std::optional<int> vector_class(std::string_view kernel) {
  struct Entry {
    std::string_view kernel;
    int width;
  };
  // AMD's kernels (Zen and its forerunners) are absent: those machines are OpenBLAS's to judge.
  static constexpr std::array<Entry, 22> kEntries{{
      {"generic", 0},    {"katmai", 0},         {"coppermine", 0}, {"northwood", 0},
      {"prescott", 0},   {"banias", 0},         {"atom", 0},       {"core2", 0},
      {"penryn", 0},     {"dunnington", 0},     {"nehalem", 0},    {"athlon", 0},
      {"opteron", 0},    {"opteron_sse3", 0},   {"barcelona", 0},  {"nano", 0},
      {"bobcat", 0},     {"sandybridge", 1},    {"haswell", 2},    {"skylakex", 3},
      {"cooperlake", 3}, {"sapphirerapids", 3},
  }};
  std::string lower(kernel);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* const entry = std::find_if(kEntries.begin(), kEntries.end(),
                                         [&lower](const Entry& e) { return e.kernel == lower; });
  return entry == kEntries.end() ? std::nullopt : std::optional<int>(entry->width);
}

bool has_all(const CpuFeatures& features, std::initializer_list<std::string_view> names) {
  return std::all_of(names.begin(), names.end(),
                     [&](std::string_view name) { return features.find(name) != features.end(); });
}

}  // namespace

void parse_openblas_config(std::string_view config, BlasInfo& info) {
  const auto words = split_words(config);
  info.name = "OpenBLAS";
  // Versions before 0.3.4 leave name and number out.
  if (words.size() >= 2 && words[0] == "OpenBLAS") info.version = std::string(words[1]);
  info.selects_at_start =
      std::find(words.begin(), words.end(), std::string_view("DYNAMIC_ARCH")) != words.end();
}

BlasInfo blas_info() {
  const ReachedLibrary library;
  BlasInfo info;
  info.library = library.file();
  if (const auto config = library.symbol<char*()>("openblas_get_config")) {
    parse_openblas_config(text_of(config()), info);
    if (const auto core_name = library.symbol<char*()>("openblas_get_corename"))
      info.kernel = text_of(core_name());
    if (const auto parallel = library.symbol<int()>("openblas_get_parallel")) {
      const int kind = parallel();
      info.threading = kind == 0 ? "sequential" : kind == 1 ? "pthread" : "OpenMP";
    }
  } else if (const auto mkl_version = library.symbol<void(char*, int)>("MKL_Get_Version_String")) {
    std::array<char, 256> text{};
    mkl_version(text.data(), static_cast<int>(text.size()) - 1);
    info.name = "MKL";
    info.version = std::string(trimmed(text.data()));
  } else if (const auto blis_version = library.symbol<const char*()>("bli_info_get_version_str")) {
    info.name = "BLIS";
    info.version = text_of(blis_version());
  }
  return info;
}

void claim_blas_buffers(int threads, const std::optional<MemoryBound>& left) {
  constexpr std::int64_t kBufferBytes = std::int64_t{32} << 22;  // BUFFER_SIZE of OpenBLAS, at most
  const ReachedLibrary library;
  if (!left || library.symbol<char*()>("openblas_get_config") == nullptr) return;
  const std::int64_t needed = threads * kBufferBytes;
  if (needed > left->bytes)
    throw RunError(
        "OpenBLAS needs {} for the buffers of {}, but {} are available ({}): fewer threads need "
        "less",
        bytes_text(needed), count_text(threads, "compute thread"), bytes_text(left->bytes),
        left->source);
  // They are the library's own functions, which it exports, but not in every build.
  auto* const allocate = library.symbol<void*(int)>("blas_memory_alloc");
  auto* const release = library.symbol<void(void*)>("blas_memory_free");
  if (allocate == nullptr || release == nullptr) return;
  std::vector<void*> buffers;
  for (int thread = 0; thread < threads; ++thread)
    buffers.push_back(allocate(0));
  for (void* const buffer : buffers)
    release(buffer);  // to the library, not to the system
}

std::optional<std::string> better_core_type(std::string_view kernel, const CpuFeatures& features) {
  const auto width = vector_class(kernel);
  if (!width) return std::nullopt;
  if (*width < 3 &&
      has_all(features, {"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"})) {
    return "SkylakeX";
  }
  if (*width < 2 && has_all(features, {"avx2", "fma"})) return "Haswell";
  if (*width < 1 && has_all(features, {"avx"})) return "Sandybridge";
  return std::nullopt;
}

KernelChoice kernel_choice() {
  const auto requested = environment_value("OPENBLAS_CORETYPE");
  const auto picked = environment_value(kPickedKernelVariable);
  return {.requested = requested.value_or(""),
          .by_program = picked.has_value() && requested.has_value(),
          .picked_by_library = picked.value_or("")};
}

std::string describe_blas(const BlasInfo& info, const KernelChoice& choice) {
  std::string text = info.name;
  if (info.name == BlasInfo().name && !info.library.empty()) text += " of " + info.library;
  if (!info.version.empty()) text += " " + info.version;
  if (!info.kernel.empty()) text += ", kernel " + info.kernel;
  if (choice.by_program) {
    text += fmt::format(" (chosen by xhpl; the library had picked {})", choice.picked_by_library);
  } else if (!choice.requested.empty() && info.selects_at_start) {
    text += fmt::format(" (the user set OPENBLAS_CORETYPE={})", choice.requested);
  }
  if (!info.threading.empty()) text += ", " + info.threading;
  return text;
}

std::optional<std::string> kernel_warning(const BlasInfo& info, const KernelChoice& choice,
                                          const CpuFeatures& features) {
  const auto better = better_core_type(info.kernel, features);
  if (!better) return std::nullopt;
  if (!info.selects_at_start) {
    return fmt::format(
        "{} was built for {} alone, but this machine could run {}: expect a fraction of its speed; "
        "use a build with DYNAMIC_ARCH",
        info.name, info.kernel, *better);
  }
  if (!choice.by_program && !choice.requested.empty()) {
    return fmt::format("OPENBLAS_CORETYPE={} holds {} to kernel {}, but this machine could run {}",
                       choice.requested, info.name, info.kernel, *better);
  }
  return fmt::format("{} uses kernel {}, but this machine could run {}: try OPENBLAS_CORETYPE={}",
                     info.name, info.kernel, *better, *better);
}

}  // namespace hpl
