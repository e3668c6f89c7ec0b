#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/submit/list_form.h"

namespace hpl::page {

inline constexpr const char* kByHand = "to be filled in by hand";
/// The field of HPL's rate in the form of HPL-MxP: "none" where no report has one.
inline constexpr std::string_view kHplRate = "hpl_gflops";

/// A field of a value, or the words on where to get it.
template <class T>
FormField field(std::string key, std::string label, std::string unit, const std::optional<T>& value,
                const std::string& note = "", const std::string& otherwise = kByHand) {
  return {std::move(key), std::move(label), std::move(unit),
          value ? Record::Json(*value) : Record::Json(nullptr), value ? note : otherwise};
}
FormField text_field(std::string key, std::string label, const std::string& text,
                     const std::string& otherwise = kByHand);

// Fields of several forms.

// Of the host of rank 0: "clock", "cores_per_socket", "sockets_per_node", "memory",
// "operating_system".

FormField clock(const RunFile& file);
FormField cores_per_socket(const RunFile& file);
FormField sockets_per_node(const RunFile& file);
FormField memory(const RunFile& file);
FormField operating_system(const RunFile& file);

FormField cores(const RunFile& file);
FormField accelerators(const RunResult& run);
std::optional<std::int64_t> nodes_of(const RunResult& run);

/// The benchmark of a list.
enum class Benchmark { Hpl, Mixed };

/// Runs that the lists of a benchmark take: of jobs that ended with exit code 0, or with that of a
/// gate that was missed, with checksums that agree and a residual below a threshold of at most 16;
/// of HPL in native FP64, of HPL-MxP with a matrix that its rules admit. Borrows them.
struct TakenRuns {
  std::vector<const RunResult*> runs;
  const RunResult* best = nullptr;  ///< the fastest
  const RunFile* file = nullptr;    ///< that it is from
  std::vector<LeftOut> left_out;
};
TakenRuns taken_runs(std::span<const RunFile> files, Benchmark benchmark);
/// Throws ConfigError where there is none, with the reasons.
void require_run(const TakenRuns& taken, std::string_view flag);
/// "the job missed --min-efficiency 99", of each gate that the job of the best run missed.
std::vector<std::string> missed_gates(const TakenRuns& taken);

}  // namespace hpl::page
