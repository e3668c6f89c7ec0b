#include "hpl/machine/model/rate_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"

namespace hpl {

RateTable::RateTable(std::vector<std::vector<double>> axes, std::vector<double> values)
    : axes_(std::move(axes)), values_(std::move(values)) {
  std::size_t count = 1;
  for (const std::vector<double>& axis : axes_) {
    HPL_ASSERT(!axis.empty() && axis.front() > 0 && std::ranges::is_sorted(axis));
    count *= axis.size();
  }
  HPL_ASSERT(!axes_.empty() && axes_.size() <= 3 && values_.size() == count);
  HPL_ASSERT(std::ranges::all_of(values_, [](double value) { return value > 0; }));
}

RateTable RateTable::constant(std::size_t axes, double value) {
  return {std::vector<std::vector<double>>(axes, {1.0}), {value}};
}

double RateTable::at(std::initializer_list<double> sizes) const {
  HPL_ASSERT(sizes.size() == axes_.size());
  // The corners of the cell that the sizes lie in: where each is, and its weight.
  struct Corner {
    std::size_t index;
    double weight;
  };
  std::array<Corner, 8> corners{{{0, 1}}};
  std::size_t all = 1;
  const double* size = sizes.begin();
  for (const std::vector<double>& axis : axes_) {
    const auto above = std::ranges::upper_bound(axis, *size);
    std::size_t low = 0;
    double share = 0;  // of the corner above
    if (above == axis.end()) {
      low = axis.size() - 1;
    } else if (above != axis.begin()) {
      low = static_cast<std::size_t>(above - axis.begin()) - 1;
      share = std::log(*size / axis[low]) / std::log(axis[low + 1] / axis[low]);
    }
    for (std::size_t i = 0, count = all; i < count; ++i) {
      const Corner corner = corners[i];
      corners[i] = {corner.index * axis.size() + low, corner.weight * (1 - share)};
      if (share > 0) corners[all++] = {corner.index * axis.size() + low + 1, corner.weight * share};
    }
    ++size;
  }
  if (all == 1) return values_[corners.front().index];
  double logarithm = 0;
  for (const Corner& corner : std::span(corners).first(all))
    logarithm += corner.weight * std::log(values_[corner.index]);
  return std::exp(logarithm);
}

namespace {

using Sizes = std::vector<std::vector<double>>;

/// Values in lists of lists, a level for each axis.
struct GridForm {
  const Sizes& axes;
  double most;

  Record::Json written(const std::vector<double>& values) const {
    std::size_t next = 0;
    return written(values, 0, next);
  }
  std::vector<double> read(const JsonCursor& from) const {
    std::vector<double> values;
    read(from, 0, values);
    return values;
  }
  Record::Json schema() const {
    Record::Json schema{{"type", "number"}, {"exclusiveMinimum", 0}};
    if (std::isfinite(most)) schema["maximum"] = most;
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      schema = {{"type", "array"}, {"items", std::move(schema)}, {"minItems", 1}};
    return schema;
  }

 private:
  Record::Json written(const std::vector<double>& values, std::size_t axis,
                       std::size_t& next) const {
    if (axis == axes.size()) return values[next++];
    Record::Json array = Record::Json::array();
    for (std::size_t i = 0; i < axes[axis].size(); ++i)
      array.push_back(written(values, axis + 1, next));
    return array;
  }
  void read(const JsonCursor& from, std::size_t axis, std::vector<double>& values) const {
    if (axis == axes.size()) {
      values.push_back(from.number());
      if (!(values.back() > 0 && values.back() <= most))
        from.refuse(std::isfinite(most) ? fmt::format("above 0 and at most {}", most) : "above 0");
      return;
    }
    const std::vector<JsonCursor> elements = from.elements();
    if (elements.size() != axes[axis].size())
      from.refuse(fmt::format("a list of {}, as many as there are sizes", axes[axis].size()));
    for (const JsonCursor& element : elements)
      read(element, axis + 1, values);
  }
};

void require_ascending(const Record& record, std::string_view name,
                       const std::vector<double>& sizes) {
  for (std::size_t i = 1; i < sizes.size(); ++i)
    if (const JsonCursor* from = record.source(); from && sizes[i - 1] >= sizes[i])
      from->at(name).elements()[i].refuse("more than the one before");
}

}  // namespace

void describe_tables(Record& record, std::initializer_list<std::string_view> axes,
                     std::initializer_list<NamedTable> tables) {
  Sizes sizes = tables.begin()->table->axes();
  sizes.resize(axes.size());
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::string_view name = axes.begin()[axis];
    record(name, sizes[axis], {}, {.above = 0, .finite = true, .least_elements = 1});
    require_ascending(record, name, sizes[axis]);
  }
  for (const NamedTable& one : tables) {
    std::vector<double> values = one.table->values();
    record(one.values, values, GridForm{sizes, one.most});
    if (record.reads()) *one.table = {sizes, std::move(values)};
  }
}

}  // namespace hpl
