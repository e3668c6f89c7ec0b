#include "hpl/gemm/application/options.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// The words between commas.
std::vector<std::string> list_of(const std::string& text) {
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
    throw ConfigError(
        fmt::format("{} is not given; the size of C = A B needs -m and -k (-n: as -m)",
                    m.empty() ? "-m" : "-k"));
  if (n.empty()) n = m;
  if (m.size() == 1) m.assign(n.size(), m.front());
  if (n.size() == 1) n.assign(m.size(), n.front());
  if (m.size() != n.size())
    throw ConfigError(
        fmt::format("-m and -n go in pairs: found {} of -m and {} of -n", m.size(), n.size()));
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < m.size(); ++i)
    for (const std::int64_t depth : k)
      shapes.push_back({m[i], n[i], depth});
  return shapes;
}

std::vector<Variant> variants_of(const std::string& text) {
  std::vector<Choice<Variant>> choices;
  for (const Variant variant : kVariants)
    choices.push_back({variant, to_string(variant)});
  std::vector<Variant> all;
  for (const std::string& word : list_of(text)) {
    if (same_word(word, "all")) return {kVariants.begin(), kVariants.end()};
    all.push_back(require_choice("--variant", word, choices, ChoiceNumbers::None));
  }
  std::sort(all.begin(), all.end());  // each has what the one before it has
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (const Variant variant : kVariants)
    names.emplace_back(to_string(variant));
  return names;
}

std::vector<std::string> all_variant_words() {
  std::vector<std::string> words = variant_names();
  words.emplace_back("all");
  return words;
}

double real(std::string_view flag, std::string_view text) {
  const auto value = parse_real(text);
  if (!value)
    throw ConfigError(fmt::format("{} must be a number, found {}", flag, quote_printable(text)));
  return *value;
}

void set_host_share(GemmOptions& options, const std::string& text) {
  if (same_word(text, "auto")) return;
  const auto value = parse_real(text);
  if (!value || *value < 0 || *value > 1)
    throw ConfigError(
        fmt::format("--host-share must be auto, 0 or a part of the work of at most 1, found {}",
                    quote_printable(text)));
  options.host_takes_part = *value > 0;
  options.host_fraction = *value;
}

constexpr auto kBackEnds = with_auto(hpcx::kBackends);

struct Sizes {
  std::string m, n, k;
};

/// The flags, which write to `options`.
CommandLine command_line(GemmOptions& options, Sizes& sizes, bool& help, bool& version) {
  CommandLine line(
      "xhpl-gemm",
      "xhpl-gemm: C = alpha A B + beta C with all three matrices in host memory, larger than the\n"
      "device. Shows what each way to overlap copies and products adds, and what bounds it.",
      "-m, -n, -k take lists: \"-k 2048,4096,8192\". -m and -n go in pairs, each pair with every "
      "k.\n"
      "\n"
      "Examples:\n"
      "  xhpl-gemm -m 65536 -k 2048,8192\n"
      "  xhpl-gemm -m 32768 -k 4096 --variant dp,hb --device-memory 8G --trace trace.json\n"
      "\n"
      "Exit code: 0 passed, 1 a result is wrong, 2 bad input, 3 device or memory failed.");
  using Text = std::string_view;
  line.add({"-m", "LIST", "rows of C"}, [&](Text, Text value) { sizes.m = value; });
  line.add({"-n", "LIST", "columns of C (default: as -m)"},
           [&](Text, Text value) { sizes.n = value; });
  line.add({"-k", "LIST", "columns of A, rows of B"}, [&](Text, Text value) { sizes.k = value; });
  line.add(
      {"--variant", "LIST",
       fmt::format("{}, several of them, or all (default: all)", fmt::join(variant_names(), ", ")),
       all_variant_words()},
      [&](Text, Text value) { options.variants = variants_of(std::string(value)); });
  line.add({"--alpha", "X", "factor of A B (default: 1)"},
           [&](Text flag, Text value) { options.alpha = real(flag, value); });
  line.add({"--beta", "X", "factor of C (default: 1); 0: C is not read"},
           [&](Text flag, Text value) { options.beta = real(flag, value); });
  line.add({"--piece", "COUNT", "rows and columns of a block of C (default: chosen)"},
           [&](Text flag, Text value) {
             options.piece = require_integer(flag, value, kPiece) / 16 * 16;
           });
  line.add({"--streams", "COUNT", "products under way on a device (default: 2)"},
           [&](Text flag, Text value) {
             options.streams = static_cast<int>(require_integer(flag, value, kStreams));
           });
  line.add({"--device", "KIND",
            fmt::format("compute on: {} (default: auto, the best)",
                        allowed_choices(kBackEnds, ChoiceNumbers::None)),
            choice_names(kBackEnds)},
           [&](Text flag, Text value) {
             options.back_end = require_choice(flag, value, kBackEnds, ChoiceNumbers::None);
           });
  line.add({"--devices", "COUNT", "how many devices share the columns of C (default: 1)"},
           [&](Text flag, Text value) {
             options.devices = static_cast<int>(require_integer(flag, value, kDevices));
           });
  line.add({"--device-memory", "SIZE", "use so much of each device's memory at most: 40G, 512M"},
           [&](Text flag, Text value) { options.device_memory = require_bytes(flag, value); });
  line.add({"--host-share",
            "SHARE",
            "part of hb for the host's cores: auto (what they can), 0 to 1",
            {"auto", "0"}},
           [&](Text, Text value) { set_host_share(options, std::string(value)); });
  line.add({"--host-threads", "COUNT",
            "cores that compute for the host (default: those not needed otherwise)"},
           [&](Text flag, Text value) {
             options.host_threads = static_cast<int>(require_integer(flag, value, kThreads));
           });
  line.add({"--pageable", "",
            "do not pin the matrices: they go through a small pinned area, in two stages more"},
           [&] { options.pageable = true; });
  line.add({"--json", "FILE", "write every figure to FILE"},
           [&](Text, Text value) { options.json = value; });
  line.add({"--trace", "FILE", "write the stages over time to FILE, for Perfetto"},
           [&](Text, Text value) { options.trace = value; });
  line.add({"-h,--help", "", "show this text and stop"}, [&help] { help = true; });
  line.add({"--version", "", "show the version and stop"}, [&version] { version = true; });
  return line;
}

}  // namespace

std::vector<Flag> gemm_flags() {
  GemmOptions options;
  Sizes sizes;
  bool help = false, version = false;
  return command_line(options, sizes, help, version).flags();
}

GemmOptions parse_gemm_command_line(int argc, const char* const* argv) {
  GemmOptions options;
  Sizes sizes;
  bool help = false, version = false;
  CommandLine line = command_line(options, sizes, help, version);
  line.parse(argc, argv);
  if (help || version) {
    options.text = help ? line.help() : fmt::format("xhpl-gemm {}\n", program_version());
    return options;
  }
  if (const auto unknown = line.first_unknown())
    throw ConfigError(fmt::format("unknown argument {}; xhpl-gemm --help shows every flag",
                                  quote_printable(*unknown)));
  options.shapes = shapes_of(sizes.m, sizes.n, sizes.k);
  return options;
}

}  // namespace hpl::gemm
