#include "hpl/machine/host/blas.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "hpcx/blas.h"
#include "hpl/base/error/error.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/base/text/quantity.h"
#include "hpl/machine/host/environment.h"

namespace hpl {
namespace {

/// Width class of x86 kernels by the names of OpenBLAS and BLIS, or the instructions that MKL
/// names: 0 SSE, 1 AVX, 2 AVX2 with FMA, 3 AVX-512.
std::optional<int> vector_class(std::string_view kernel) {
  struct Entry {
    std::string_view kernel;
    int width;
  };
  // AMD's kernels (Zen and its forerunners) are absent: those machines are OpenBLAS's to judge.
  static constexpr std::array<Entry, 24> kEntries{{
      {"generic", 0},    {"katmai", 0},         {"coppermine", 0}, {"northwood", 0},
      {"prescott", 0},   {"banias", 0},         {"atom", 0},       {"core2", 0},
      {"penryn", 0},     {"dunnington", 0},     {"nehalem", 0},    {"athlon", 0},
      {"opteron", 0},    {"opteron_sse3", 0},   {"barcelona", 0},  {"nano", 0},
      {"bobcat", 0},     {"sandybridge", 1},    {"haswell", 2},    {"skylakex", 3},
      {"cooperlake", 3}, {"sapphirerapids", 3}, {"sse4.2", 0},     {"avx", 1},
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

void claim_blas_buffers(int threads, const std::optional<MemoryBound>& left) {
  constexpr std::int64_t kBufferBytes = std::int64_t{32} << 22;  // BUFFER_SIZE of OpenBLAS, at most
  if (!left || hpcx::host::blas_function("openblas_get_config") == nullptr) return;
  const std::int64_t needed = threads * kBufferBytes;
  if (needed > left->bytes)
    throw RunError(
        "OpenBLAS needs {} for the buffers of {}, but {} are available ({}): fewer threads need "
        "less",
        bytes_text(needed), count_text(threads, "compute thread"), bytes_text(left->bytes),
        left->source);
  // They are the library's own functions, which it exports, but not in every build.
  const auto allocate =
      reinterpret_cast<void* (*)(int)>(hpcx::host::blas_function("blas_memory_alloc"));
  const auto release =
      reinterpret_cast<void (*)(void*)>(hpcx::host::blas_function("blas_memory_free"));
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
  if (info.name != "OpenBLAS") {
    // Some leave AVX-512 out on purpose: on machines with one unit for it, or of AMD.
    if (vector_class(info.kernel).value_or(2) >= 2 || !has_all(features, {"avx2", "fma"}))
      return std::nullopt;
    return fmt::format(
        "{} uses kernel {}, but this machine has AVX2: expect a fraction of its speed", info.name,
        info.kernel);
  }
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

namespace {

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Processor time of the other threads while this one works again and again, as a share of its own.
/// Some kernels count the time of a running thread at its next tick alone, every 4 ms or 10 ms.
double share_of_others(const std::function<void()>& work) {
  constexpr double kLook = 0.03;
  const double all = seconds(CLOCK_PROCESS_CPUTIME_ID), own = seconds(CLOCK_THREAD_CPUTIME_ID);
  double mine = 0;
  while (mine < kLook) {
    work();
    mine = seconds(CLOCK_THREAD_CPUTIME_ID) - own;
  }
  return (seconds(CLOCK_PROCESS_CPUTIME_ID) - all) / mine - 1;
}

}  // namespace

bool has_helpers(const ShareOfOthers& without_call, const ShareOfOthers& during_call,
                 const std::function<void()>& pause) {
  constexpr double kMuch = 0.5;
  if (during_call() < kMuch) return false;
  pause();
  const double busy = std::max(without_call(), without_call());
  for (int look = 0; look < 3; ++look)
    if (during_call() < busy + kMuch) return false;
  return true;
}

std::optional<std::string> threads_warning(const BlasInfo& info) {
  // In single precision: tests count products in double precision.
  constexpr std::int64_t kOrder = 512;
  std::vector<float> elements(3 * kOrder * kOrder);
  const auto matrix = [&](std::int64_t number) {
    return hpcx::BasicMatrixView<float>{elements.data() + number * kOrder * kOrder, kOrder, kOrder,
                                        kOrder};
  };
  const auto product = [&] { hpcx::host::gemm({1, matrix(0), matrix(1), 0, matrix(2)}); };
  if (!has_helpers([] { return share_of_others([] {}); }, [&] { return share_of_others(product); },
                   [] { std::this_thread::sleep_for(std::chrono::milliseconds(500)); }))
    return std::nullopt;
  return fmt::format(
      "a call of {} is made by several threads, beside those of this program: use a library of one "
      "thread, or set its variable for the number of threads to 1",
      info.name);
}

}  // namespace hpl
