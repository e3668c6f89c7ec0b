#include "hpl/job/ranks/information.h"

#include <optional>

#include <fmt/format.h>

#include "hpcx/device.h"
#include "hpl/base/file/standard_output.h"
#include "hpl/comm/mpi/environment.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/machine/host/versions.h"

namespace hpl {

void print_on_rank_0(const mpi::Communicator& world, const std::string& text) {
  std::optional<std::string> error;
  try {
    if (world.rank() == 0) write_standard_output(text);
  } catch (const RunError& e) {
    error = e.what();
  }
  mpi::agree_or_throw(world, error);
}

std::string version_text() {
  BuildParts parts{.mpi_library = mpi::library_version()};
  for (const auto& [backend, name] : hpcx::kBackends) {
    const std::string reason = hpcx::why_unavailable(backend);
    if (!hpcx::is_built(backend))
      parts.not_built.emplace_back(name);
    else
      parts.back_ends.push_back(reason.empty() ? std::string(name)
                                               : fmt::format("{} ({})", name, reason));
  }
  std::string text;
  for (const auto& [label, value] : version_lines(parts))
    text += fmt::format("{}: {}\n", label, value);
  return text;
}

std::string device_text() {
  std::string text;
  for (const hpcx::DeviceProperties& d : hpcx::list_devices())
    text +=
        fmt::format("{} {}: {} ({})\n", hpcx::to_string(d.backend), d.index, d.name, d.description);
  for (const auto& [backend, name] : hpcx::kBackends)
    if (const std::string reason = hpcx::why_unavailable(backend); !reason.empty())
      text += fmt::format("no {} device: {}\n", name, reason);
  return text;
}

}  // namespace hpl
