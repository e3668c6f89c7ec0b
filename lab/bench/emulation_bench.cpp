// FP64 products from INT8 tensor cores on one CUDA device: bits against the CPU's reference, errors
// beside cuBLAS's, and time by phase beside cuBLAS DGEMM and cuBLAS's own emulation.
//
//   emulation_bench [--size N] [--depths K,...] [--moduli M,...] [--kernels NAME,...]
//                   [--seconds S] [--check-only] [--log FILE]
//
// Every kernel is checked in a process of its own first: one that crashes or hangs takes no other
// along, and is not timed. One that gives wrong bits is timed and marked.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <map>
#include <string>
#include <vector>

#include "emulation_check.h"
#include "emulation_common.h"
#include "emulation_times.h"

namespace hpcx::emulation_bench {

namespace {

using test::Dense;

enum class Verdict { Right, Wrong, Crashed };

/// check_kernel() in a process of its own.
Verdict check_apart(Output& out, ProductKernel kernel, const std::string& log) {
  constexpr unsigned kSeconds = 60;
  const pid_t child = fork();
  if (child < 0) throw hpcx::Error("cannot start a process");
  if (child == 0) {
    alarm(kSeconds);  // ends the process, and with it what runs on the device
    const char* const name = kernels::to_string(kernel);
    if (log.empty())
      execl("/proc/self/exe", "emulation_bench", "--check", name, static_cast<char*>(nullptr));
    else
      execl("/proc/self/exe", "emulation_bench", "--check", name, "--log", log.c_str(),
            static_cast<char*>(nullptr));
    _exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Verdict::Right;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) return Verdict::Wrong;
  out.say(fmt::format("  {:12} {}: not timed\n", kernels::to_string(kernel),
                      WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM
                          ? fmt::format("HANGS (over {} s)", kSeconds)
                          : "CRASHED"));
  return Verdict::Crashed;
}

/// Root mean square and largest error in units of 2^-53 |a_i| |b_j|: which number of moduli is as
/// good as the device's own arithmetic.
void errors(Bench& bench) {
  bench.out.say(
      "\nerror, root mean square / largest, in units of 2^-53 |a_i| |b_j|\n    K     cuBLAS");
  for (int moduli = hpcx::kFewestModuli; moduli <= hpcx::kMostModuli; ++moduli)
    bench.out.say(fmt::format("  {:>14}", fmt::format("{} moduli", moduli)));
  bench.out.say("\n");
  for (const std::int64_t k : {256, 1024, 2048, 4096}) {
    const std::int64_t size = 512;
    Dense a = hpcx::test::dense(size, k, Layout::ColumnMajor, normal_values(4, 0.0));
    Dense b = hpcx::test::dense(k, size, Layout::RowMajor, normal_values(5, 0.0));
    Dense c(size, size, Layout::RowMajor);
    std::string line = fmt::format("{:5}", k);
    const auto report = [&](Dense result) {
      double squares = 0, largest = 0;
      int count = 0;
      for (std::int64_t i = 0; i < size; i += 17)
        for (std::int64_t j = 0; j < size; j += 19, ++count) {
          double in_a = 0, in_b = 0;
          for (std::int64_t l = 0; l < k; ++l) {
            in_a += a(i, l) * a(i, l);
            in_b += b(l, j) * b(l, j);
          }
          const double error = hpcx::test::exact(a, b, c, i, j).minus(result(i, j)) /
                               std::sqrt(in_a) / std::sqrt(in_b) * 0x1p53;
          squares += error * error;
          largest = std::max(largest, std::abs(error));
        }
      line += fmt::format("  {:>14}",
                          fmt::format("{:.2g} / {:.2g}", std::sqrt(squares / count), largest));
    };
    report(hpcx::test::native(bench.device, a, b, c));
    for (int moduli = hpcx::kFewestModuli; moduli <= hpcx::kMostModuli; ++moduli)
      report(CheckedProduct(bench.device, moduli, a, b).by(bench.kernels.front().kernel, c));
    bench.out.say(line + "\n");
  }
}

}  // namespace

}  // namespace hpcx::emulation_bench

using namespace hpcx::emulation_bench;

int main(int argc, char** argv) try {
  std::int64_t size = 16384;
  std::vector<std::int64_t> depths{1024, 2048, 4096};
  std::vector<int> moduli{14, 15};
  std::vector<std::string> names;
  std::string check, log;
  double seconds = 0.5;
  bool check_only = false;
  CLI::App app("FP64 products from INT8 tensor cores: bits, errors, times");
  app.add_option("--size", size, "rows and columns of C")->check(CLI::PositiveNumber);
  app.add_option("--depths", depths, "inner dimensions")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  app.add_option("--moduli", moduli, "INT8 products for one of FP64")
      ->delimiter(',')
      ->check(CLI::Range(hpcx::kFewestModuli, hpcx::kMostModuli));
  app.add_option("--kernels", names, "wgmma256x2, wgmma256, wgmma128x2, mma, cublas; default: all")
      ->delimiter(',');
  app.add_option("--seconds", seconds, "of each measurement");
  app.add_flag("--check-only", check_only, "compare bits and stop");
  app.add_option("--check", check, "compare the bits of one kernel, in this process, and stop");
  app.add_option("--log", log, "file for all details");
  CLI11_PARSE(app, argc, argv);

  Output out;
  if (!log.empty()) out.open(log, check.empty());
  if (!check.empty()) return check_kernel(out, kernels::product_kernel(check)) ? 0 : 2;

  std::vector<ProductKernel> asked;
  for (const std::string& name : names)
    asked.push_back(kernels::product_kernel(name));
  if (asked.empty())
    asked.assign(std::begin(kernels::kProductKernels), std::end(kernels::kProductKernels));
  if (const std::string why = hpcx::why_unavailable(hpcx::Backend::Cuda); !why.empty()) {
    out.say(fmt::format("no CUDA device: {}\n", why));
    return 0;
  }
  // Before this process has the device: it may be for one alone.
  out.say("bits, beside the CPU's\n");
  bool right = true;
  std::map<ProductKernel, Verdict> verdicts;
  for (const ProductKernel kernel : asked) {
    verdicts[kernel] = check_apart(out, kernel, log);
    right = right && verdicts[kernel] == Verdict::Right;
  }
  const auto device = hpcx::open_device({.backend = hpcx::Backend::Cuda});
  out.say(fmt::format("{}: {}\n", device->properties().name, device->properties().description));
  Bench bench{*device, out, {}};
  for (const ProductKernel kernel : asked)
    if (kernels::available(kernel) && verdicts[kernel] != Verdict::Crashed)
      bench.kernels.push_back({kernel, verdicts[kernel] == Verdict::Right});
  std::stable_partition(bench.kernels.begin(), bench.kernels.end(),
                        [](const Bench::Kernel& kernel) { return kernel.right; });
  if (check_only || bench.kernels.empty()) return right ? 0 : 2;
  const auto cpu = hpcx::open_device({.backend = hpcx::Backend::Cpu, .cpu = {.threads = 8}});
  errors(bench);
  for (const std::int64_t depth : depths)
    right = times(bench, *cpu, {size, depth, seconds}, moduli) && right;
  return right ? 0 : 2;
} catch (const std::exception& failure) {
  fmt::print(stderr, "emulation_bench: {}\n", failure.what());
  return 1;
}
