#pragma once

#include "hpl/base/record/program_info.h"
#include "hpl/machine/host/text_file.h"

namespace hpl {

/// Marks of this host's hardware and software, by name: processor, microcode, memory, system (maker
/// and model), serial (of the system, for root alone on most), board, bios, kernel, os, blas; the
/// build-ids of this program and of the libraries that compute and communicate. Unknown ones are
/// left out.
NamedValues host_facts(const FileReader& read = read_text_file);

}  // namespace hpl
