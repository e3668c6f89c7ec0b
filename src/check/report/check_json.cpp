#include "hpl/check/report/check_json.h"

namespace hpl {

void describe(Record& record, CheckDocument& document) {
  record.document(
      {.title = "Result of xhpl check",
       .description =
           "Written by xhpl check --json. A number that is not finite is null. Readers should "
           "ignore members they do not know: new members do not raise schema_version."});
  record("program", document.program);
  describe_remarks(record, document.check.remarks,
                   "On the launch: cores left idle, ranks that share a device.");
  record("preflight", document.check);
  record("ranks", document.check.ranks);
  record.converted(
      "exit_code", [&] { return static_cast<int>(document.exit_code); },
      [&](int code) { document.exit_code = static_cast<ExitCode>(code); }, {},
      {.minimum = 0, .maximum = 4});
}

}  // namespace hpl
