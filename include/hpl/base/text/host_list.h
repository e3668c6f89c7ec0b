#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hpl {

/// Names of hosts as schedulers write and take them: "node[01-03,07],login". Each name once, by
/// name, then by number; numbers that end a name are shortened, with their zeros in front. Empty of
/// none.
std::string host_list(std::vector<std::string> hosts);

/// Whether a name consists of letters, digits and ". _ -" alone, so that no shell reads more in it.
bool is_plain_host(std::string_view name);

/// "node01" of "node01.cluster.site"; an address stays whole.
std::string without_domain(const std::string& host);

/// One name for each host that is called with its domain in one place and without it in another: of
/// each of `names` the one without, if there is one. Beside several domains it is another host.
std::map<std::string, std::string> host_names(const std::vector<std::string>& names);

/// The names that such a text stands for, in its order; a name may have several ranges:
/// "rack[1-2]n[01-16]". Throws ConfigError where the text is no host list, or stands for more hosts
/// than any machine has; `subject` says where it is from.
std::vector<std::string> expand_host_list(std::string_view subject, std::string_view text);

/// The same where there must be a host.
std::vector<std::string> require_hosts(std::string_view subject, std::string_view text);

}  // namespace hpl
