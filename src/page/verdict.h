#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hpl/base/result/verdict.h"
#include "hpl/page/run_file.h"

namespace hpl::page {

Verdict verdict_of(const RunFile& file);
/// The worst.
Verdict verdict_of(std::span<const RunFile> files);

struct VerdictLook {
  std::string word;        ///< "PASSED"
  std::string_view style;  ///< name of its style
};
VerdictLook look_of(Verdict verdict);

}  // namespace hpl::page
