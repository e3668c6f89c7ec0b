#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "hpl/machine/host/text_file.h"

namespace hpl::test {

/// Files of a machine that does not exist: path to content.
using FileTree = std::map<std::string, std::string>;

inline FileReader reader_of(FileTree files) {
  return [files = std::move(files)](const std::string& path) -> std::optional<std::string> {
    const auto place = files.find(path);
    return place == files.end() ? std::nullopt : std::optional(place->second);
  };
}

}  // namespace hpl::test
