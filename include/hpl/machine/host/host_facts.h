#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hpl/machine/host/text_file.h"

namespace hpl {

/// What tells this host from others as hardware and software, by name: processor, microcode,
/// memory, system (maker and model), serial (of the system, for root alone on most), board, bios,
/// kernel, os, blas. What the system does not tell is left out.
std::vector<std::pair<std::string, std::string>> host_facts(
    const FileReader& read = read_text_file);

}  // namespace hpl
