#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hpl {

/// The words of a command line as CLI::App::parse takes them, the last one first. A value follows
/// every flag after a blank or `=`: CLI11 knows the latter for long names only, so "-N=30" becomes
/// "--N=30", and would take the next word where nothing follows the `=`. Throws ConfigError then.
std::vector<std::string> command_words(const CLI::App& app, int argc, const char* const* argv);

}  // namespace hpl
