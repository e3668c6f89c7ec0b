#include "hpcx/blas_library.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <sstream>

namespace hpcx::host {
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

void describe_openblas(const ReachedLibrary& library, BlasInfo& info) {
  parse_openblas_config(text_of(library.symbol<char*()>("openblas_get_config")()), info);
  if (const auto core_name = library.symbol<char*()>("openblas_get_corename"))
    info.kernel = text_of(core_name());
  if (const auto parallel = library.symbol<int()>("openblas_get_parallel")) {
    const int kind = parallel();
    info.threading = kind == 0 ? "sequential" : kind == 1 ? "pthread" : "OpenMP";
  }
}

void describe_mkl(const ReachedLibrary& library, BlasInfo& info) {
  struct Version {  // MKLVersion. Older ones have padding in place of the patch.
    int major, minor, update, patch;
    const char *status, *build, *processor, *platform;
  } version{};
  library.symbol<void(Version*)>("MKL_Get_Version")(&version);
  info.version = std::to_string(version.major) + "." + std::to_string(version.update);
  // "Intel(R) Advanced Vector Extensions 2 (Intel(R) AVX2) enabled processors"
  constexpr std::string_view kBefore = "(Intel(R) ";
  const std::string processor = text_of(version.processor);
  if (const auto place = processor.find(kBefore); place != std::string::npos) {
    const auto begin = place + kBefore.size();
    info.kernel = processor.substr(begin, processor.find(')', begin) - begin);
  }
}

void describe_blis(const ReachedLibrary& library, BlasInfo& info) {
  info.version = text_of(library.symbol<const char*()>("bli_info_get_version_str")());
  // "AOCL-BLAS 5.0.0 Build 20240930"
  if (info.version.starts_with("AOCL"))
    std::istringstream(info.version) >> info.name >> info.version;
  // BLIS_ARCH_TYPE ends a process that asks for the kernel before this.
  if (const auto initialize = library.symbol<void()>("bli_init")) initialize();
  const auto query = library.symbol<int()>("bli_arch_query_id");
  const auto name = library.symbol<const char*(int)>("bli_arch_string");
  if (query != nullptr && name != nullptr) info.kernel = text_of(name(query()));
}

void describe_flexiblas(const ReachedLibrary& library, BlasInfo& info) {
  std::array<char, 64> backend{};
  if (const auto current = library.symbol<int(char*, std::size_t)>("flexiblas_current_backend"))
    if (current(backend.data(), backend.size()) > 0)
      info.name += std::string(" over ") + backend.data();
}

void describe_armpl(const ReachedLibrary& library, BlasInfo& info) {
  // Integers of 32 or 64 bits.
  std::int64_t major = 0, minor = 0, patch = 0;
  const char* tag = nullptr;
  using Numbers = void(std::int64_t*, std::int64_t*, std::int64_t*, const char**);
  library.symbol<Numbers>("armplversion")(&major, &minor, &patch, &tag);
  info.version = std::to_string(major) + "." + std::to_string(minor);
}

void describe_nvpl(const ReachedLibrary& library, BlasInfo& info) {
  const int number = library.symbol<int()>("nvpl_blas_get_version")();
  info.version = std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
                 std::to_string(number % 100);
}

struct Library {
  const char* name;
  const char* mark;         ///< a function that it alone has
  const char* set_threads;  ///< its own switch
  void (*describe)(const ReachedLibrary& library, BlasInfo& info);
  bool takes_64_bits = false;  ///< the switch: an integer of 64 bits, not of 32
};

// Each name once: all that the program knows of a library of BLAS. FlexiBLAS first, which has
// functions of others.
constexpr std::array<Library, 6> kLibraries{{
    {"FlexiBLAS", "flexiblas_current_backend", "flexiblas_set_num_threads", describe_flexiblas},
    {"OpenBLAS", "openblas_get_config", "openblas_set_num_threads", describe_openblas},
    {"MKL", "MKL_Get_Version", "MKL_Set_Num_Threads", describe_mkl},
    {"BLIS", "bli_info_get_version_str", "bli_thread_set_num_threads", describe_blis, true},
    {"ArmPL", "armplversion", "armpl_set_num_threads", describe_armpl},
    {"NVPL", "nvpl_blas_get_version", "nvpl_blas_set_num_threads", describe_nvpl},
}};

std::mutex switching;  // OpenBLAS gives buffers back meanwhile

}  // namespace

void parse_openblas_config(std::string_view config, BlasInfo& info) {
  info.name = "OpenBLAS";
  // Versions before 0.3.4 leave name and number out.
  std::istringstream words{std::string(config)};
  std::string first, second;
  if (words >> first >> second && first == info.name) info.version = second;
  info.selects_at_start = config.find("DYNAMIC_ARCH") != std::string_view::npos;
}

BlasInfo blas_info() {
  const ReachedLibrary reached;
  BlasInfo info{.threading = "threads unknown", .library = reached.file()};
  for (const Library& library : kLibraries)
    if (reached.symbol<void()>(library.mark) != nullptr) {
      info.name = library.name;
      info.threading = "";
      library.describe(reached, info);
      break;
    }
  return info;
}

void* blas_function(const char* name) {
  return reinterpret_cast<void*>(ReachedLibrary().symbol<void()>(name));
}

void use_one_blas_thread() {
  const std::lock_guard lock(switching);
  const auto call = [](const char* name, auto one) {
    if (const auto set = reinterpret_cast<void (*)(decltype(one))>(dlsym(RTLD_DEFAULT, name)))
      set(one);
  };
  for (const Library& library : kLibraries)
    if (library.takes_64_bits)
      call(library.set_threads, std::int64_t{1});
    else
      call(library.set_threads, 1);
  // The threads of any library that is made with OpenMP.
  call("omp_set_num_threads", 1);
}

}  // namespace hpcx::host
