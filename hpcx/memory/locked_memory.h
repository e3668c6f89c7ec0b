#pragma once

#include <optional>
#include <string>

namespace hpcx {

/// Bytes that the system lets this process lock into memory (RLIMIT_MEMLOCK); empty: any number.
std::optional<unsigned long long> locked_memory_limit();

/// For the end of a message that says that pinning was refused: the limit and what lifts it. Empty
/// where there is none.
std::string locked_memory_advice();

}  // namespace hpcx
