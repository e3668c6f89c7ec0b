#pragma once

#include <string>
#include <utility>
#include <vector>

namespace hpl::page {

/// An axis: what it shows and where it is marked.
struct Axis {
  double from = 0, to = 1;
  std::vector<double> ticks;

  /// Where a value lies, 0 to 1.
  double place(double value) const { return (value - from) / (to - from); }
};

/// From a round number to a round number, both ends marked and about `marks` steps in between.
/// Values that are not finite or not in order give an axis from 0 to 1.
Axis round_axis(double least, double most, int marks = 5);
/// From zero; or from near the values where all of them lie in the upper half, for there they would
/// make a straight line.
Axis level_axis(double least, double most);
/// From `from` to `to` exactly, marked at round numbers.
Axis exact_axis(double from, double to, int marks = 5);

/// Values over a horizontal axis. Up to six lines differ in colour and dashes.
struct LineChart {
  using Points = std::vector<std::pair<double, double>>;
  struct Line {
    std::string label;
    Points points;
    bool faint = false;  ///< stands back behind the others
  };
  /// The space between a lower and an upper value.
  struct Band {
    std::string label;
    Points lower, upper;  ///< of the same x
  };
  struct Level {
    std::string label;
    double value = 0;
  };

  std::string title, unit;  ///< unit of the values
  std::string note{};       ///< stands behind the unit
  std::string x_title;      ///< name and unit of the horizontal axis
  std::string summary;      ///< the chart in a sentence, for those who cannot see it
  Axis x, y;
  std::vector<Line> lines;
  std::vector<Band> bands;
  std::vector<Level> levels;             ///< dashed lines across
  std::vector<std::string> point_names;  ///< of the points of the lines, where x is no measure
};
std::string to_html(const LineChart& chart);

/// A row for each thing, with the range of its values.
struct RangeChart {
  struct Row {
    std::string label;
    std::string text;   ///< the value that stands at the end of the row
    std::string title;  ///< the row in a sentence
    double low = 0, middle = 0, high = 0;
    double low_quartile = 0, high_quartile = 0;  ///< both 0: no box
    std::vector<double> dots;                    ///< single values, where there are few
    bool marked = false;                         ///< to be seen first
  };

  std::string title, unit, summary;
  Axis x;
  bool bars = false;  ///< from the begin of the axis to the middle
  std::vector<Row> rows;
};
std::string to_html(const RangeChart& chart);

}  // namespace hpl::page
