#include "hpl/base/result/host_work.h"

#include <algorithm>

#include "hpl/base/record/record.h"

namespace hpl {

HostWork& HostWork::operator+=(const HostWork& other) {
  if (other.imbalance() > imbalance()) {
    apart_seconds = other.apart_seconds;
    step_seconds = other.step_seconds;
  }
  first_share = std::max(first_share, other.first_share);
  last_share = std::max(last_share, other.last_share);
  work += other.work;
  all_work += other.all_work;
  flops += other.flops;
  seconds = std::max(seconds, other.seconds);
  given_up += other.given_up;
  return *this;
}

void describe(Record& record, HostWork& work) {
  record("first", work.first_share,
         "share of the work of a step, by the rates before the run or as asked for");
  record.converted(
      "share", [&] { return work.share(); },
      [&](double share) {
        work.work = share;
        work.all_work = 1;
      },
      "of the whole run");
  record("last", work.last_share, "of the last steps in which both worked");
  record("seconds", work.seconds, "that the host worked, on the rank where that is longest");
  record.converted(
      "gflops", [&] { return work.gflops(); },
      [&](double gflops) { work.flops = gflops * 1e9 * work.seconds; },
      "of the hosts' products, all ranks");
  record.converted(
      "imbalance", [&] { return work.imbalance(); },
      [&](double imbalance) {
        work.apart_seconds = imbalance;
        work.step_seconds = 1;
      },
      "how far apart host and device ended, in parts of a step; of the rank where that is most");
  record("given_up", work.given_up,
         "ranks on which steps without the host were no slower, so that it took no more part");
}

}  // namespace hpl
