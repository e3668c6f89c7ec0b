#pragma once

#include <span>
#include <string>
#include <vector>

#include "hpl/page/run_file.h"
#include "hpl/run/page/run_groups.h"

namespace hpl::page {

/// The data that the script of a page draws, as JSON inside a <script> element: no character of it
/// ends the element. `in_full`: positions of the groups that get charts of their own.
std::string page_data(std::span<const RunFile> files, std::span<const Group> groups,
                      std::span<const std::size_t> in_full);

}  // namespace hpl::page
