#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hpl::test {

/// What any text must do as an HPL.dat: either it is read, then it is planned or refused, and what
/// is written from it reads back the same; or it is refused with a message that names the line.
/// Returns what is wrong otherwise.
std::optional<std::string> hpl_dat_fault(std::string_view text);

}  // namespace hpl::test
