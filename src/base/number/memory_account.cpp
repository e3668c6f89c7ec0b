#include "hpl/base/number/memory_account.h"

#include <array>

#include <fmt/format.h>

namespace hpl {

namespace {

struct Field {
  std::string_view name;
  MemoryBytes MemoryAccount::*bytes;
};
constexpr std::array<Field, 10> kFields{{{"matrix", &MemoryAccount::matrix},
                                         {"panel workspaces", &MemoryAccount::panels},
                                         {"exchange buffers", &MemoryAccount::exchange},
                                         {"prepared operands", &MemoryAccount::product},
                                         {"panel solver", &MemoryAccount::panel_solver},
                                         {"checksums", &MemoryAccount::checksums},
                                         {"solution", &MemoryAccount::solution},
                                         {"staging", &MemoryAccount::staging},
                                         {"BLAS workspaces", &MemoryAccount::blas_workspace},
                                         {"reserve for libraries", &MemoryAccount::reserve}}};
static_assert(sizeof(MemoryAccount) == kFields.size() * sizeof(MemoryBytes),
              "every part has a name");

}  // namespace

std::vector<MemoryAccount::Part> MemoryAccount::parts() const {
  std::vector<Part> parts;
  for (const Field& field : kFields)
    parts.push_back({field.name, this->*field.bytes});
  return parts;
}

MemoryBytes MemoryAccount::allocated() const {
  MemoryBytes sum;
  for (const Field& field : kFields)
    if (field.bytes != &MemoryAccount::reserve) sum += this->*field.bytes;
  return sum;
}

MemoryAccount& MemoryAccount::operator+=(const MemoryAccount& other) {
  for (const Field& field : kFields)
    this->*field.bytes += other.*field.bytes;
  return *this;
}

std::string bytes_text(std::int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value >= 0.995e9) return fmt::format("{:.2f} GB", 1e-9 * value);
  if (value >= 9.95e6) return fmt::format("{:.0f} MB", 1e-6 * value);
  if (value >= 0.95e6) return fmt::format("{:.1f} MB", 1e-6 * value);
  return fmt::format("{:.0f} kB", 1e-3 * value);
}

std::string describe(const MemoryAccount& account) {
  std::string text;
  const std::int64_t pinned = account.allocated().host;
  for (const MemoryAccount::Part& part : account.parts()) {
    if (part.bytes.device > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part.name,
                          bytes_text(part.bytes.device));
  }
  if (pinned > 0) text += fmt::format("; pinned in the host's memory {}", bytes_text(pinned));
  return text;
}

}  // namespace hpl
