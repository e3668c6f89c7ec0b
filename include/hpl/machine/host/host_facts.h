#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hpl/machine/host/text_file.h"

namespace hpl {

/// Marks of this host's hardware and software, by name: processor, microcode, memory, system (maker
/// and model), serial (of the system, for root alone on most), board, bios, kernel, os, blas.
/// Unknown ones are left out.
std::vector<std::pair<std::string, std::string>> host_facts(
    const FileReader& read = read_text_file);

}  // namespace hpl
