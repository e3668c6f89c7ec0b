#include "hpl/machine/model/rates.h"

#include <algorithm>
#include <cmath>

namespace hpl {

double PanelRates::seconds_for(double rows, double width) const {
  const std::vector<double>& widths = seconds.axes().back();
  const double taller = std::max(1.0, rows / seconds.largest(0));
  const double narrower = std::min(1.0, width / seconds.smallest(1));
  double growth = 1;
  if (widths.size() > 1) {
    const double before = widths[widths.size() - 2];
    growth = std::log(seconds.at({rows, widths.back()}) / seconds.at({rows, before})) /
             std::log(widths.back() / before);
  }
  const double wider = std::pow(std::max(1.0, width / widths.back()), growth);
  return taller * narrower * wider * seconds.at({rows, width});
}

PanelShares PanelRates::shares(double rows, double width) const {
  if (product_beside_by_size.empty()) return {product_beside, beside_product};
  return {product_beside_by_size.at({rows, width}), beside_product_by_size.at({rows, width})};
}

namespace {

/// Seconds of a message, by a table over bytes.
double message_seconds(const RateTable& seconds, double bytes) {
  if (bytes <= 0) return 0;
  const std::vector<double>& lengths = seconds.axes().front();
  const double longest = lengths.back(), all = seconds.values().back();
  if (bytes <= longest) return seconds.at({bytes});
  if (lengths.size() == 1) return all * bytes / longest;
  // The time that the latency is part of grows no further.
  const double before = lengths[lengths.size() - 2];
  const double each = (all - seconds.at({before})) / (longest - before);
  return each > 0 ? all + each * (bytes - longest) : all * bytes / longest;
}

}  // namespace

double LinkRates::seconds_for(double bytes) const {
  return message_seconds(seconds, bytes);
}

double LinkRates::seconds_for(double bytes, double back) const {
  if (seconds_alone.empty()) return seconds_for(bytes);
  return seconds_for(back) + message_seconds(seconds_alone, bytes) -
         message_seconds(seconds_alone, back);
}

double Rates::product_share(std::int64_t block_size) const {
  constexpr std::int64_t kEven = 16;
  if (block_size % kEven == 0 || uneven_product_share.empty()) return 1;
  const std::int64_t divisor = block_size & -block_size;
  return uneven_product_share.at({static_cast<double>(divisor)});
}

double Rates::product_seconds(double m, double n, double k) const {
  if (m <= 0 || n <= 0 || k <= 0) return 0;
  // A product that is smaller than the smallest measured takes as long as that one.
  const double flops = 2 * std::max(m, product_gflops.smallest(0)) *
                       std::max(n, product_gflops.smallest(1)) *
                       std::max(k, product_gflops.smallest(2));
  return flops / (1e9 * product_gflops.at({m, n, k}));
}

const LinkRates* Rates::link(Neighbours neighbours, LinkPlace place) const {
  const LinkRates* found = nullptr;
  for (const LinkRates& link : links) {
    if (link.place != place) continue;
    if (link.neighbours == neighbours) return &link;
    if (found == nullptr || link.neighbours == Neighbours::Any) found = &link;
  }
  return found;
}

}  // namespace hpl
