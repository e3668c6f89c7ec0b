#include "hpl/report/json_report.h"

namespace hpl {

JsonReport::JsonReport(const std::filesystem::path& target) : file_(target, "the JSON report") {}

void JsonReport::write(const JobReport& job) const {
  file_.write(to_json(job));
}

}  // namespace hpl
