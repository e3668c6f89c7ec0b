#pragma once

#include <span>

namespace hpl {

/// A file of config/machines.
struct SheetText {
  const char* file;
  const char* text;
};
/// In the order of their names.
std::span<const SheetText> sheet_texts();

}  // namespace hpl
