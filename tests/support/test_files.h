#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace hpl::test {

/// Paths of the checkout that the tests were compiled from.
std::string source_directory();                    ///< its root
std::string golden_file(const std::string& name);  ///< of tests/golden
std::string schema_file(const std::string& name);  ///< of docs/schema

/// The files below folders of the checkout; of these kinds, such as ".h", where some are given.
std::vector<std::filesystem::path> files_below(const std::vector<std::string>& folders,
                                               const std::set<std::string>& kinds = {});

std::string text_of(const std::filesystem::path& file);

}  // namespace hpl::test
