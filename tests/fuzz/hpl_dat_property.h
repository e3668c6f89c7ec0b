#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hpl::test {

/// Characters of a message about bad input, at most.
inline constexpr std::size_t kLongestMessage = 400;

/// The rule for any text as an HPL.dat. Either it is read, then it is planned or refused, and an
/// HPL.dat written from it reads back the same; or it is refused with a message that names the
/// line. Returns the fault otherwise.
std::optional<std::string> hpl_dat_fault(std::string_view text);

}  // namespace hpl::test
