#include "flags_of.h"

#include <stdexcept>

#include "hpl/input/command_line/options.h"
#include "hpl/job/predict/predict_options.h"
#include "hpl/report/page/options.h"

namespace hpl::manual {

std::vector<Flag> flags_of(const std::string& program) {
  if (program == "xhpl") return command_line_flags();
  if (program == "xhpl-predict") return predict_flags();
  if (program == "xhpl-report") return page::report_flags();
  throw std::runtime_error("no program is called " + program);
}

}  // namespace hpl::manual
