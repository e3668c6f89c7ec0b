#pragma once

namespace hpl {

class Record;

/// The host's part of the tail update, if its cores took part. Work is counted in columns times
/// steps; the rows of a step are the same for host and device.
struct HostWork {
  double first_share = 0;  ///< of the work, as measured or asked for before the run
  double last_share = 0;   ///< of the last steps
  double work = 0;         ///< of the host
  double all_work = 0;     ///< of host and device
  double flops = 0;        ///< of the host's products
  double seconds = 0;      ///< that the host worked
  /// Of the steps in which both worked: how far apart they ended, and how long the longer took.
  double apart_seconds = 0, step_seconds = 0;
  int given_up = 0;  ///< ranks on which steps without the host were no slower: it took no more part

  /// Of this rank and another together; the ends are those of the rank that was less even.
  HostWork& operator+=(const HostWork& other);

  double share() const { return all_work > 0 ? work / all_work : 0; }
  double gflops() const { return seconds > 0 ? flops / seconds / 1e9 : 0; }
  double imbalance() const { return step_seconds > 0 ? apart_seconds / step_seconds : 0; }
};
void describe(Record& record, HostWork& work);

}  // namespace hpl
