#include "gemm/application/options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "hpl/base/choice/choice.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/machine/host/versions.h"

namespace hpl::gemm {

namespace {

constexpr IntegerRange kDimension{1, std::int64_t{1} << 31};
constexpr IntegerRange kPiece{16, 1 << 20};
constexpr IntegerRange kStreams{1, 16};
constexpr IntegerRange kDevices{1, 64};
constexpr IntegerRange kThreads{1, 4096};

constexpr auto kDeviceRequests = with_auto(hpcx::kBackends);

/// The words between commas.
std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char letter : text) {
    if (letter == ',')
      words.emplace_back();
    else
      words.back() += letter;
  }
  return words;
}

std::vector<std::int64_t> dimensions(const char* flag, const std::string& text) {
  std::vector<std::int64_t> all;
  if (text.empty()) return all;
  for (const std::string& word : list_of(text))
    all.push_back(require_integer(flag, word, kDimension));
  return all;
}

std::vector<Shape> shapes_of(const std::string& m_text, const std::string& n_text,
                             const std::string& k_text) {
  std::vector<std::int64_t> m = dimensions("-m", m_text), n = dimensions("-n", n_text),
                            k = dimensions("-k", k_text);
  if (m.empty() && n.empty() && k.empty()) return {};
  if (m.empty() || k.empty())
    throw ConfigError("{} is not given; the size of C = A B needs -m and -k (-n: as -m)",
                      m.empty() ? "-m" : "-k");
  if (n.empty()) n = m;
  if (m.size() == 1) m.assign(n.size(), m.front());
  if (n.size() == 1) n.assign(m.size(), n.front());
  if (m.size() != n.size())
    throw ConfigError("-m and -n go in pairs: found {} of -m and {} of -n", m.size(), n.size());
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < m.size(); ++i)
    for (const std::int64_t depth : k)
      shapes.push_back({m[i], n[i], depth});
  return shapes;
}

std::vector<Variant> variants_of(std::string_view flag, std::string_view text) {
  std::vector<Variant> all;
  for (const std::string& word : list_of(text)) {
    if (same_word(word, "all")) return choice_values(kVariants);
    all.push_back(require_choice(flag, word, kVariants));
  }
  std::sort(all.begin(), all.end());  // each has what the one before it has
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Beyond these sizes bounds of the check leave the range of numbers: below by rounding to
/// denormal ones, above by overflow.
constexpr double kSmallestFactor = 1e-200, kLargestFactor = 1e200;

double factor(std::string_view flag, std::string_view text) {
  const auto value = parse_real(text);
  const double size = std::abs(value.value_or(0));
  if (!value || (size != 0 && !(size >= kSmallestFactor && size <= kLargestFactor)))
    throw ConfigError("{} must be 0 or a number of a size from {:g} to {:g}, found {}", flag,
                      kSmallestFactor, kLargestFactor, quote_printable(text));
  return *value;
}

void set_host_share(GemmOptions& options, std::string_view flag, std::string_view text) {
  options.host_takes_part = true;
  options.host_fraction.reset();
  if (same_word(text, "auto")) return;
  const auto value = parse_real(text);
  if (!value || *value < 0 || *value > 1)
    throw ConfigError("{} must be auto, 0 or a part of the work of at most 1, found {}", flag,
                      quote_printable(text));
  options.host_takes_part = *value > 0;
  options.host_fraction = *value;
}

std::vector<std::string> variant_words() {
  std::vector<std::string> words = choice_names(kVariants);
  words.emplace_back("all");
  return words;
}

/// The target of the flags.
struct Target {
  GemmOptions options;
  std::string m, n, k;
};

void add_text(CommandLine& line, Flag flag, std::string& to) {
  line.add(std::move(flag), [&to](std::string_view, std::string_view value) { to = value; });
}

template <class Count>
void add_count(CommandLine& line, Flag flag, IntegerRange range, Count& to) {
  line.add(std::move(flag), [&to, range](std::string_view name, std::string_view value) {
    to = static_cast<int>(require_integer(name, value, range));
  });
}

void add_products(CommandLine& line, Target& target) {
  GemmOptions& options = target.options;
  add_text(line, {"-m", "LIST", "rows of C"}, target.m);
  add_text(line, {"-n", "LIST", "columns of C (default: as -m)"}, target.n);
  add_text(line, {"-k", "LIST", "columns of A, rows of B"}, target.k);
  line.add({"--variant", "LIST", "plain, db, dr, dp, hb, several of them, or all (default: all)",
            variant_words()},
           [&options](std::string_view flag, std::string_view value) {
             options.variants = variants_of(flag, value);
           });
  line.add({"--alpha", "X", "factor of A B (default: 1)"},
           [&options](std::string_view flag, std::string_view value) {
             options.alpha = factor(flag, value);
           });
  line.add({"--beta", "X", "factor of C (default: 1); 0: C is not read"},
           [&options](std::string_view flag, std::string_view value) {
             options.beta = factor(flag, value);
           });
}

void add_means(CommandLine& line, GemmOptions& options) {
  add_count(line, {"--piece", "COUNT", "rows and columns of a block of C (default: chosen)"},
            kPiece, options.piece);
  add_count(line, {"--streams", "COUNT", "products under way on a device (default: 2)"}, kStreams,
            options.streams);
  line.add({"--device", "KIND", "compute on: the best there is (auto, the default), or one kind",
            choice_names(kDeviceRequests)},
           [&options](std::string_view flag, std::string_view value) {
             options.back_end = require_choice(flag, value, kDeviceRequests);
           });
  add_count(line, {"--devices", "COUNT", "how many devices share the columns of C (default: 1)"},
            kDevices, options.devices);
  line.add({"--device-memory", "SIZE", "use so much of each device's memory at most: 40G, 512M"},
           [&options](std::string_view flag, std::string_view value) {
             options.device_memory = require_bytes(flag, value);
           });
  line.add(
      {"--host-share", "SHARE", "part of hb for the host's cores: auto (what they can), 0 to 1"},
      [&options](std::string_view flag, std::string_view value) {
        set_host_share(options, flag, value);
      });
  add_count(line,
            {"--host-threads", "COUNT",
             "cores that compute for the host (default: those not needed otherwise)"},
            kThreads, options.host_threads);
  line.add({"--pageable", "",
            "do not pin the matrices: they go through a small pinned area, in two stages more"},
           [&options] { options.pageable = true; });
}

CommandLine command_line(Target& target) {
  CommandLine line(
      "xhpl-gemm",
      "xhpl-gemm: C = alpha A B + beta C with all three matrices in host memory, larger than the\n"
      "device. Shows what each way to overlap copies and products adds, and what bounds it.",
      "-m, -n, -k take lists: \"-k 2048,4096,8192\". -m and -n go in pairs, each pair with every "
      "-k.\n"
      "\n"
      "Examples:\n"
      "  xhpl-gemm -m 65536 -k 2048,8192\n"
      "  xhpl-gemm -m 32768 -k 4096 --variant dp,hb --device-memory 8G --trace trace.json\n"
      "\n"
      "Exit code: 0 passed, 1 a result is wrong, 2 bad input, 3 device or memory failed.");
  GemmOptions& options = target.options;
  add_products(line, target);
  add_means(line, target.options);
  add_text(line, {"--json", "FILE", "write every figure to FILE"}, options.json);
  add_text(line, {"--trace", "FILE", "write the stages over time to FILE, for Perfetto"},
           options.trace);
  line.add_help("xhpl-gemm " + program_version());
  return line;
}

}  // namespace

std::vector<Flag> gemm_flags() {
  Target target;
  return command_line(target).flags();
}

GemmOptions parse_gemm_command_line(int argc, const char* const* argv) {
  Target target;
  const std::string text = command_line(target).read(argc, argv);
  GemmOptions options = target.options;
  options.text = text;
  if (!text.empty()) return options;
  options.piece = options.piece / 16 * 16;
  options.shapes = shapes_of(target.m, target.n, target.k);
  return options;
}

}  // namespace hpl::gemm
