#pragma once

namespace hpl {

/// xhpl-predict from command line to exit code.
int run_predict_application(int argc, const char* const* argv);

}  // namespace hpl
