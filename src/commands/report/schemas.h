#pragma once

#include <array>
#include <string>

#include "hpl/base/choice/choice.h"

namespace hpl::page {

/// The kinds of documents that these programs write, each with a function that makes its JSON
/// schema.
inline constexpr std::size_t kDocumentKinds = 10;
extern const std::array<Choice<std::string (*)()>, kDocumentKinds> kSchemas;

}  // namespace hpl::page
