#include "hpl/gemm/application/options.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/command_line/command_words.h"
#include "hpl/input/run_spec/choice.h"
#include "hpl/machine/host/versions.h"

namespace hpl::gemm {

namespace {

constexpr IntegerRange kDimension{1, std::int64_t{1} << 31};
constexpr IntegerRange kPiece{16, 1 << 20};
constexpr IntegerRange kStreams{1, 16};
constexpr IntegerRange kDevices{1, 64};
constexpr IntegerRange kThreads{1, 4096};

std::string reworded(const CLI::ParseError& error) {
  const std::string what = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return fmt::format("{}; xhpl-gemm --help shows every flag", what);
  return fmt::format("bad command line: {}", what);
}

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
    all.push_back(require_choice("--variant", word, std::span<const Choice<Variant>>(choices),
                                 ChoiceNumbers::None));
  }
  std::sort(all.begin(), all.end());  // each has what the one before it has
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

double real(const char* flag, const std::string& text) {
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

std::optional<hpcx::Backend> back_end_of(const std::string& text) {
  static constexpr Choice<std::optional<hpcx::Backend>> kChoices[]{{std::nullopt, "auto"},
                                                                   {hpcx::Backend::Cpu, "cpu"},
                                                                   {hpcx::Backend::Cuda, "cuda"},
                                                                   {hpcx::Backend::Hip, "hip"}};
  return require_choice("--device", text,
                        std::span<const Choice<std::optional<hpcx::Backend>>>(kChoices),
                        ChoiceNumbers::None);
}

}  // namespace

GemmOptions parse_gemm_command_line(int argc, const char* const* argv) {
  GemmOptions options;
  CLI::App app(
      "xhpl-gemm: C = alpha A B + beta C with all three matrices in host memory, larger than the\n"
      "device. Shows what each way to overlap copies and products adds, and what bounds it.",
      "xhpl-gemm");
  app.footer(
      "-m, -n, -k take lists: \"-k 2048,4096,8192\". -m and -n go in pairs, each pair with every "
      "k.\n"
      "\n"
      "Examples:\n"
      "  xhpl-gemm -m 65536 -k 2048,8192\n"
      "  xhpl-gemm -m 32768 -k 4096 --variant dp,hb --device-memory 8G --trace trace.json\n"
      "\n"
      "Exit code: 0 passed, 1 a result is wrong, 2 bad input, 3 device or memory failed.");
  app.get_formatter()->column_width(30);
  app.allow_extras();
  app.set_help_flag();

  bool help = false, version = false;
  std::string m, n, k;
  const auto text = [&app](const char* names, const char* what, const char* type,
                           std::function<void(const std::string&)> use) {
    app.add_option_function<std::string>(names, std::move(use), what)->type_name(type)->take_last();
  };
  text("-m", "rows of C", "LIST", [&](const std::string& value) { m = value; });
  text("-n", "columns of C (default: as -m)", "LIST", [&](const std::string& value) { n = value; });
  text("-k", "columns of A, rows of B", "LIST", [&](const std::string& value) { k = value; });
  text("--variant", "plain, db, dr, dp, hb, several of them, or all (default: all)", "LIST",
       [&](const std::string& value) { options.variants = variants_of(value); });
  text("--alpha", "factor of A B (default: 1)", "X",
       [&](const std::string& value) { options.alpha = real("--alpha", value); });
  text("--beta", "factor of C (default: 1); 0: C is not read", "X",
       [&](const std::string& value) { options.beta = real("--beta", value); });
  text("--piece", "rows and columns of a block of C (default: chosen)", "COUNT",
       [&](const std::string& value) {
         options.piece = require_integer("--piece", value, kPiece) / 16 * 16;
       });
  text("--streams", "products under way on a device (default: 2)", "COUNT",
       [&](const std::string& value) {
         options.streams = static_cast<int>(require_integer("--streams", value, kStreams));
       });
  text("--device", "compute on: auto (the best), cpu, cuda, hip", "NAME",
       [&](const std::string& value) { options.back_end = back_end_of(value); });
  text("--devices", "how many devices share the columns of C (default: 1)", "COUNT",
       [&](const std::string& value) {
         options.devices = static_cast<int>(require_integer("--devices", value, kDevices));
       });
  text("--device-memory", "use so much of each device's memory at most: 40G, 512M", "SIZE",
       [&](const std::string& value) {
         options.device_memory = require_bytes("--device-memory", value);
       });
  text("--host-share", "part of hb for the host's cores: auto (what they can), 0 to 1", "SHARE",
       [&](const std::string& value) { set_host_share(options, value); });
  text("--host-threads", "cores that compute for the host (default: those not needed otherwise)",
       "COUNT", [&](const std::string& value) {
         options.host_threads =
             static_cast<int>(require_integer("--host-threads", value, kThreads));
       });
  app.add_flag("--pageable", options.pageable,
               "do not pin the matrices: they go through a small pinned area, in two stages more")
      ->disable_flag_override();
  text("--json", "write every figure to FILE", "FILE",
       [&](const std::string& value) { options.json = value; });
  text("--trace", "write the stages over time to FILE, for Perfetto", "FILE",
       [&](const std::string& value) { options.trace = value; });
  app.add_flag("-h,--help", help, "show this text and stop")->disable_flag_override();
  app.add_flag("--version", version, "show the version and stop")->disable_flag_override();
  try {
    app.parse(command_words(app, argc, argv));
  } catch (const CLI::ParseError& error) {
    throw ConfigError(reworded(error));
  }
  if (help || version) {
    options.text = help ? app.help() : fmt::format("xhpl-gemm {}\n", program_version());
    return options;
  }
  if (const auto extras = app.remaining(); !extras.empty())
    throw ConfigError(fmt::format("unknown argument {}; xhpl-gemm --help shows every flag",
                                  quote_printable(extras.front())));
  options.shapes = shapes_of(m, n, k);
  return options;
}

}  // namespace hpl::gemm
