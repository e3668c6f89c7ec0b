#pragma once

#include <string>

namespace hpl::test {

/// Paths of the checkout that the tests were compiled from.
std::string source_directory();                    ///< its root
std::string golden_file(const std::string& name);  ///< of tests/golden
std::string schema_file(const std::string& name);  ///< of docs/schema

}  // namespace hpl::test
