#include "preflight_file.h"

namespace hpl::page {

namespace {

CheckMetric read_metric(const JsonCursor& from) {
  return {.label = from.at("label").text(),
          .unit = from.find_text("unit").value_or(""),
          .group = from.find_text("group").value_or(""),
          .count = from.find_integer("count").value_or(0),
          .minimum = from.find_number("minimum"),
          .median = from.find_number("median"),
          .maximum = from.find_number("maximum"),
          .worst_rank = from.find_integer("worst_rank").value_or(0),
          .worst_peer = from.find_integer("worst_peer")};
}

CheckFinding read_finding(const JsonCursor& from) {
  return {.kind = from.at("kind").text(),
          .rank = from.at("rank").integer(),
          .host = from.find_text("host").value_or(""),
          .device = from.find_text("device").value_or(""),
          .peer = from.find_integer("peer"),
          .peer_host = from.find_text("peer_host").value_or(""),
          .what = from.at("what").text()};
}

DeepCheckFigure read_deep_figure(const JsonCursor& from) {
  return {.label = from.at("label").text(),
          .unit = from.find_text("unit").value_or(""),
          .group = from.find_text("group").value_or(""),
          .bound = from.find_text("bound").value_or(""),
          .count = from.find_integer("count").value_or(0),
          .minimum = from.find_number("minimum"),
          .median = from.find_number("median"),
          .maximum = from.find_number("maximum"),
          .share = from.find_number("share"),
          .error = from.find_number("error"),
          .worst_rank = from.find_integer("worst_rank").value_or(0)};
}

}  // namespace

Preflight read_preflight(const JsonCursor& from) {
  Preflight preflight{.form = from.find_text("form").value_or(""),
                      .sound = from.at("sound").truth(),
                      .ranks = from.find_integer("ranks").value_or(0),
                      .nodes = from.find_integer("nodes").value_or(0),
                      .seconds = from.find_number("seconds"),
                      .tolerance = from.find_number("tolerance"),
                      .metrics = {},
                      .findings = {},
                      .deep = {}};
  for (const JsonCursor& metric : from.elements("metrics"))
    preflight.metrics.push_back(read_metric(metric));
  for (const JsonCursor& finding : from.elements("findings"))
    preflight.findings.push_back(read_finding(finding));
  for (const JsonCursor& figure : from.elements("deep"))
    preflight.deep.push_back(read_deep_figure(figure));
  return preflight;
}

}  // namespace hpl::page
