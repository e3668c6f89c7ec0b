#pragma once

namespace hpl::page {

/// The whole of xhpl-report: reads the files, writes the page. Returns the exit code: 0, or 2 after
/// one message about a wrong input, or 3 when the page could not be written.
int run_report_application(int argc, const char* const* argv);

}  // namespace hpl::page
