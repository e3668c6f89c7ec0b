#include "hpl/job/setup/tuned_settings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {

namespace {

std::int64_t whole(std::string_view text) {
  return parse_integer(text).value_or(0);
}

/// A setting as the command line knows it.
struct Row {
  std::string_view name;
  bool in_hpl_dat;
  void (*set)(Options& options, std::string_view value);
};

constexpr std::string_view kGrid = "-P -Q";

template <class Table>
auto named(const Table& table, std::string_view text) {
  return require_choice("a setting", text, table, ChoiceNumbers::None);
}

constexpr std::array<Row, 15> kRows{{
    {"--nbmin", true,
     [](Options& o, std::string_view v) {
       o.fields.recursion_stops = {static_cast<int>(whole(v))};
     }},
    {"--ndiv", true,
     [](Options& o, std::string_view v) {
       o.fields.recursion_divisors = {static_cast<int>(whole(v))};
     }},
    {"--pfact", true,
     [](Options& o, std::string_view v) { o.fields.panel_variants = {named(kPanelVariants, v)}; }},
    {"--rfact", true,
     [](Options& o, std::string_view v) {
       o.fields.recursive_variants = {named(kPanelVariants, v)};
     }},
    {"--NB", true, [](Options& o, std::string_view v) { o.fields.block_sizes = {whole(v)}; }},
    {kGrid, true,
     [](Options& o, std::string_view v) {
       const std::size_t at = v.find('x');
       o.fields.grid_rows = {static_cast<int>(whole(v.substr(0, at)))};
       o.fields.grid_columns = {static_cast<int>(whole(v.substr(at + 1)))};
     }},
    {"--depth", true,
     [](Options& o, std::string_view v) { o.fields.depths = {static_cast<int>(whole(v))}; }},
    {"--panel", false,
     [](Options& o, std::string_view v) { o.wishes.panel = named(kPanelRequests, v); }},
    {"--panel-units", false,
     [](Options& o, std::string_view v) { o.wishes.panel_units = static_cast<int>(whole(v)); }},
    {"--pipeline", false,
     [](Options& o, std::string_view v) { o.wishes.pipeline = named(kPipelineRequests, v); }},
    {"--transport", false,
     [](Options& o, std::string_view v) {
       constexpr auto kWords = with_auto(kTransports);
       o.wishes.transport = named(kWords, v);
     }},
    {"--chunk", false, [](Options& o, std::string_view v) { o.wishes.chunk = whole(v); }},
    {"--bcast", true,
     [](Options& o, std::string_view v) { o.fields.broadcasts = {named(kBroadcastVariants, v)}; }},
    {"--swap", true,
     [](Options& o, std::string_view v) { o.fields.swap = named(kSwapVariants, v); }},
    {"--solve-rows", false, [](Options& o, std::string_view v) { o.wishes.solve_rows = whole(v); }},
}};

const Row& row_named(std::string_view name) {
  const auto* const row = std::ranges::find(kRows, name, &Row::name);
  HPL_ASSERT(row != kRows.end());
  return *row;
}

using Numbers = std::vector<std::int64_t>;

Numbers multiples(std::int64_t step, std::int64_t most) {
  Numbers values;
  for (std::int64_t value = step; value <= most; value += step)
    values.push_back(value);
  return values;
}

class Settings {
 public:
  Settings(const Options& options, const UntunedRun& untuned)
      : options_(options), untuned_(untuned), gpu_(untuned.kind == ProcessorKind::Gpu) {}

  std::vector<TuneSetting> make() {
    panel();
    block_size();
    grid();
    numbers("--depth", {0, 1, 2}, 1, options_.fields.depths, TuneGroup::Crossed);
    if (gpu_ && untuned_.device_panel && options_.wishes.panel == PanelRequest::Auto)
      words("--panel", {"device", "host"}, "device");
    if (untuned_.device_panel)
      numbers("--panel-units", {0, 16, 32, 48, 64}, untuned_.panel_units,
              options_.wishes.panel_units);
    if (untuned_.every_pipeline && options_.wishes.pipeline == PipelineRequest::Auto)
      words("--pipeline", {"fine", "coarse", "serial"}, std::string(to_string(untuned_.pipeline)));
    if (gpu_ && several_ranks() && !options_.wishes.transport)
      words("--transport", {"auto", "nccl", "peer", "mpi-device", "mpi-host"}, "auto");
    chunk();
    if (some_grid([](const GridShape& grid) { return grid.columns > 1; }))
      choices("--bcast", kBroadcastVariants, BroadcastVariant::Ring1M, options_.fields.broadcasts);
    if (some_grid([](const GridShape& grid) { return grid.rows > 1; }) && !options_.fields.swap)
      choices("--swap", kSwapVariants, SwapVariant::SpreadRoll, std::vector<SwapVariant>());
    numbers("--solve-rows", gpu_ ? Numbers{0, 256, 512, 1024} : Numbers{0, 48, 96, 192},
            untuned_.solve_rows, options_.wishes.solve_rows);
    return std::move(settings_);
  }

 private:
  bool several_ranks() const { return untuned_.grid.rows * untuned_.grid.columns > 1; }
  template <class Test>
  bool some_grid(Test test) const {
    return std::ranges::any_of(untuned_.grids, test);
  }

  /// `values` with the preferred one, which may not be among them.
  void add(std::string_view name, std::vector<std::string> values, const std::string& preferred,
           TuneGroup group) {
    auto at = std::ranges::find(values, preferred);
    if (at == values.end()) at = values.insert(values.begin(), preferred);
    const auto index = static_cast<std::size_t>(at - values.begin());
    settings_.push_back({std::string(name), std::move(values), index, group});
  }
  template <class Given>
  void numbers(std::string_view name, Numbers values, std::int64_t preferred, const Given& given,
               TuneGroup group = TuneGroup::Single) {
    if constexpr (requires { given.has_value(); }) {
      if (given) values = {*given};
    } else {
      if (!given.empty()) values = {given.begin(), given.end()};
    }
    const bool free = [&] {
      if constexpr (requires { given.has_value(); })
        return !given.has_value();
      else
        return given.empty();
    }();
    if (free) values.push_back(preferred);
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    // Of values that are given the nearest to what would be used otherwise.
    const std::int64_t nearest = *std::ranges::min_element(
        values, {}, [&](std::int64_t value) { return std::abs(value - preferred); });
    std::vector<std::string> texts;
    for (const std::int64_t value : values)
      texts.push_back(fmt::format("{}", value));
    add(name, std::move(texts), fmt::format("{}", nearest), group);
  }
  void words(std::string_view name, std::vector<std::string> values, const std::string& preferred) {
    add(name, std::move(values), preferred, TuneGroup::Single);
  }
  template <class Table, class Value>
  void choices(std::string_view name, const Table& table, Value preferred,
               const std::vector<Value>& given, TuneGroup group = TuneGroup::Single) {
    std::vector<std::string> values;
    for (const auto& row : table)
      if (given.empty() || std::ranges::find(given, row.value) != given.end())
        values.emplace_back(row.name);
    const bool there = given.empty() || std::ranges::find(given, preferred) != given.end();
    const std::string first = there ? std::string(name_of(table, preferred)) : values.front();
    add(name, std::move(values), first, group);
  }

  void panel() {
    if (untuned_.device_panel) return;  // it has its own way
    numbers("--nbmin", {2, 4, 8, 16, 32}, RunSpec().recursion_stop, options_.fields.recursion_stops,
            TuneGroup::Panel);
    numbers("--ndiv", {2, 3, 4}, RunSpec().recursion_divisor, options_.fields.recursion_divisors,
            TuneGroup::Panel);
    choices("--pfact", kPanelVariants, PanelVariant::Right, options_.fields.panel_variants,
            TuneGroup::Panel);
    choices("--rfact", kPanelVariants, PanelVariant::Right, options_.fields.recursive_variants,
            TuneGroup::Panel);
  }

  void block_size() {
    Numbers values = gpu_ ? Numbers{256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096}
                          : Numbers{64, 96, 128, 160, 192, 224, 256, 320, 384};
    // Steps of 32 and 64 are those of processors; GPUs have NB four times as large and larger.
    const std::int64_t scale = gpu_ ? 4 : 1;
    std::int64_t preferred = untuned_.block_size;
    const TuneMethod method = options_.tune.method.value_or(TuneMethod::Halving);
    if (method != TuneMethod::Halving) {
      const std::int64_t step = scale * (method == TuneMethod::Local32 ? 32 : 64);
      values = multiples(step, gpu_ ? 4096 : 512);
      preferred = std::max(step, preferred / step * step);
    }
    // A panel is to be a small part of the matrix.
    std::erase_if(values, [&](std::int64_t value) {
      return value != preferred && value > std::max<std::int64_t>(32, untuned_.order / 8);
    });
    numbers("--NB", std::move(values), preferred, options_.fields.block_sizes, TuneGroup::Crossed);
  }

  void grid() {
    const auto text = [](const GridShape& grid) {
      return fmt::format("{}x{}", grid.rows, grid.columns);
    };
    std::vector<std::string> values;
    for (const GridShape& grid : untuned_.grids)
      values.push_back(text(grid));
    add(kGrid, std::move(values), text(untuned_.grid), TuneGroup::Crossed);
  }

  void chunk() {
    Numbers values =
        gpu_ ? Numbers{4096, 8192, 16384, 32768, 65536} : Numbers{512, 1024, 2048, 4096, 8192};
    // One that holds the whole tail is enough.
    const std::int64_t columns = untuned_.order / untuned_.grid.columns;
    std::int64_t preferred = untuned_.chunk_columns;
    std::erase_if(values, [&](std::int64_t value) {
      return value != preferred &&
             (value > 2 * columns || (value > preferred && preferred > columns));
    });
    numbers("--chunk", std::move(values), preferred, options_.wishes.chunk);
  }

  const Options& options_;
  const UntunedRun& untuned_;
  bool gpu_;
  std::vector<TuneSetting> settings_;
};

}  // namespace

std::vector<TuneSetting> tuned_settings(const Options& options, const UntunedRun& untuned) {
  return Settings(options, untuned).make();
}

std::vector<GivenFlag> fixed_flags(const Options& options,
                                   const std::vector<TuneSetting>& settings) {
  std::vector<GivenFlag> flags = flags_that_decide(options);
  std::erase_if(flags, [&](const GivenFlag& flag) {
    const auto varies = [&](const TuneSetting& setting) {
      return setting.name == flag.name ||
             (setting.name == kGrid && (flag.name == "-P" || flag.name == "-Q"));
    };
    return flag.name == "-N" || std::ranges::any_of(settings, varies);
  });
  return flags;
}

Options with_point(Options options, const std::vector<TuneSetting>& settings,
                   const TunePoint& point) {
  for (std::size_t i = 0; i < settings.size(); ++i)
    row_named(settings[i].name).set(options, settings[i].values[point[i]]);
  return options;
}

std::string flags_beside_hpl_dat(const std::vector<TuneSetting>& settings, const TunePoint& point) {
  std::string text;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    // What nobody tunes would be used in any case.
    if (row_named(settings[i].name).in_hpl_dat || point[i] == settings[i].preferred) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", settings[i].name,
                        settings[i].values[point[i]]);
  }
  return text;
}

std::string point_text(const std::vector<TuneSetting>& settings, const TunePoint& point) {
  std::string text;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (point[i] == settings[i].preferred) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", settings[i].name,
                        settings[i].values[point[i]]);
  }
  return text.empty() ? "as untuned" : text;
}

}  // namespace hpl
