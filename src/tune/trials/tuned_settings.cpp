#include "tuned_settings.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/input/run_spec/field_rules.h"

namespace hpl {

namespace {

constexpr std::string_view kGrid = "-P -Q";

using Numbers = std::vector<std::int64_t>;

Numbers multiples(std::int64_t step, std::int64_t most) {
  Numbers values;
  for (std::int64_t value = step; value <= most; value += step)
    values.push_back(value);
  return values;
}

class Settings {
 public:
  Settings(const Options& options, const UsualRun& usual)
      : options_(options),
        usual_(usual),
        stages_(usual.settings.stages),
        gpu_(usual.facts.kind == ProcessorKind::Gpu),
        device_panel_(stages_.device_panel && gpu_) {}

  std::vector<TuneSetting> make() {
    const FieldOptions& fields = options_.fields;
    const Wishes& wishes = options_.wishes;
    const auto& mixed = usual_.spec.mixed;
    if (!mixed) panel();
    block_size();
    grid();
    if (mixed && mixed->operands != hpcx::Precision::Fp32)
      numbers("--storage", {16, 32}, 8 * hpcx::bytes_of(mixed->storage), wishes.mixed.storage_bits,
              TuneGroup::Crossed);
    numbers("--depth", {0, 1, 2}, 1, fields.depths, TuneGroup::Crossed);
    if (device_panel_ && wishes.panel == PanelRequest::Auto)
      words("--panel", {"device", "host"}, "device");
    if (device_panel_)
      numbers("--panel-units", {0, 16, 32, 48, 64}, stages_.panel_compute_units,
              wishes.panel_units);
    const int ranks = usual_.spec.grid_rows * usual_.spec.grid_columns;
    if (!wishes.pipeline && has_core_to_spare(usual_.facts) &&
        several_threads_can_send(usual_.facts, ranks))
      words("--pipeline", choice_names(kPipelineKinds),
            std::string(to_string(usual_.settings.pipeline)));
    if (gpu_ && ranks > 1 && !wishes.transport)
      words("--transport", {"auto", "nccl", "peer", "mpi-device", "mpi-host"}, "auto");
    chunk();
    if (some_grid([](const GridShape& grid) { return grid.columns > 1; }))
      choices("--bcast", kBroadcastVariants, BroadcastVariant::Ring1M, fields.broadcasts);
    if (mixed) return std::move(settings_);  // whose rows are not swapped
    if (some_grid([](const GridShape& grid) { return grid.rows > 1; }) && !fields.swap)
      choices("--swap", kSwapVariants, SwapVariant::SpreadRoll, std::vector<SwapVariant>());
    numbers("--solve-rows", gpu_ ? Numbers{0, 256, 512, 1024} : Numbers{0, 48, 96, 192},
            stages_.solve_rows, wishes.solve_rows);
    return std::move(settings_);
  }

 private:
  template <class Test>
  bool some_grid(Test test) const {
    return std::ranges::any_of(usual_.grids, test);
  }

  /// `values` with the preferred one, which may not be among them.
  void add(std::string_view name, std::vector<std::string> values, const std::string& preferred,
           TuneGroup group) {
    auto at = std::ranges::find(values, preferred);
    if (at == values.end()) at = values.insert(values.begin(), preferred);
    const auto index = static_cast<std::size_t>(at - values.begin());
    settings_.push_back({std::string(name), std::move(values), index, group});
  }
  template <class Integer>
  static Numbers values_of(const std::optional<Integer>& given) {
    return given ? Numbers{*given} : Numbers();
  }
  template <class Integer>
  static Numbers values_of(const std::vector<Integer>& given) {
    return {given.begin(), given.end()};
  }
  /// `given` counts in place of `values`, where there is any.
  template <class Given>
  void numbers(std::string_view name, Numbers values, std::int64_t preferred, const Given& given,
               TuneGroup group = TuneGroup::Single) {
    if (Numbers those = values_of(given); !those.empty())
      values = std::move(those);
    else
      values.push_back(preferred);
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
    if (device_panel_) return;  // it has its own way
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
    std::int64_t preferred = usual_.spec.block_size;
    const TuneMethod method = options_.tune.method;
    if (method != TuneMethod::Halving) {
      const std::int64_t step = scale * (method == TuneMethod::Local32 ? 32 : 64);
      values = multiples(step, gpu_ ? 4096 : 512);
      preferred = std::max(step, preferred / step * step);
    }
    // A panel is to be a small part of the matrix.
    std::erase_if(values, [&](std::int64_t value) {
      return value != preferred && value > std::max<std::int64_t>(32, usual_.spec.order / 8);
    });
    numbers("--NB", std::move(values), preferred, options_.fields.block_sizes, TuneGroup::Crossed);
  }

  void grid() {
    const auto text = [](const GridShape& grid) {
      return fmt::format("{}x{}", grid.rows, grid.columns);
    };
    std::vector<std::string> values;
    for (const GridShape& grid : usual_.grids)
      values.push_back(text(grid));
    add(kGrid, std::move(values), text({usual_.spec.grid_rows, usual_.spec.grid_columns}),
        TuneGroup::Crossed);
  }

  void chunk() {
    Numbers values =
        gpu_ ? Numbers{4096, 8192, 16384, 32768, 65536} : Numbers{512, 1024, 2048, 4096, 8192};
    // One that holds the whole tail is enough.
    const std::int64_t columns = usual_.spec.order / usual_.spec.grid_columns;
    std::int64_t preferred = stages_.schedule.chunk_columns;
    std::erase_if(values, [&](std::int64_t value) {
      return value != preferred &&
             (value > 2 * columns || (value > preferred && preferred > columns));
    });
    numbers("--chunk", std::move(values), preferred, options_.wishes.chunk);
  }

  const Options& options_;
  const UsualRun& usual_;
  const PipelineSettings& stages_;
  bool gpu_, device_panel_;
  std::vector<TuneSetting> settings_;
};

}  // namespace

std::vector<TuneSetting> tuned_settings(const Options& options, const UsualRun& usual) {
  return Settings(options, usual).make();
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

namespace {

/// The flags of a point with their values; `all`: also of values that nobody tunes.
std::vector<std::string> words_of(const std::vector<TuneSetting>& settings, const TunePoint& point,
                                  bool all) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const auto& [name, values, preferred, group] = settings[i];
    if (!all && point[i] == preferred) continue;
    const std::string& value = values[point[i]];
    if (name == kGrid) {
      const std::size_t by = value.find('x');
      words.insert(words.end(), {"-P", value.substr(0, by), "-Q", value.substr(by + 1)});
    } else {
      words.insert(words.end(), {name, value});
    }
  }
  return words;
}

}  // namespace

Options with_point(Options options, const std::vector<TuneSetting>& settings,
                   const TunePoint& point) {
  return with_words(std::move(options), words_of(settings, point, true));
}

std::string flags_beside_hpl_dat(const std::vector<TuneSetting>& settings, const TunePoint& point) {
  return flags_of_runs(with_words(Options(), words_of(settings, point, false)));
}

std::string point_text(const std::vector<TuneSetting>& settings, const TunePoint& point) {
  const std::string text = fmt::format("{}", fmt::join(words_of(settings, point, false), " "));
  return text.empty() ? "the defaults" : text;
}

}  // namespace hpl
