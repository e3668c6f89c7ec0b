#pragma once

#include <initializer_list>
#include <string_view>

#include <gtest/gtest.h>

namespace hpl::test {

/// Success if each of `parts` is in `text`.
inline testing::AssertionResult holds(std::string_view text,
                                      std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts)
    if (text.find(part) == text.npos)
      return testing::AssertionFailure() << "'" << part << "' is not in\n" << text;
  return testing::AssertionSuccess() << "all are in\n" << text;
}

}  // namespace hpl::test
