#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hpl {

/// Names of hosts as schedulers write and take them: "node[01-03,07],login". Each name once, by
/// name, then by number; numbers that end a name are shortened, with their zeros in front. Empty of
/// none.
std::string host_list(std::vector<std::string> hosts);

/// The names that such a text stands for, in its order; a name may have several ranges:
/// "rack[1-2]n[01-16]". Throws ConfigError where the text is no host list, or stands for more hosts
/// than any machine has; `subject` says where it is from.
std::vector<std::string> expand_host_list(std::string_view subject, std::string_view text);

/// The same where there must be a host.
std::vector<std::string> require_hosts(std::string_view subject, std::string_view text);

}  // namespace hpl
