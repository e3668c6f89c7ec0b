#pragma once

#include <cstdint>

namespace hpl {

class Record;

/// Bytes that were moved, by their way. Messages count where they arrive.
struct Traffic {
  std::int64_t host_to_device = 0, device_to_host = 0;  ///< copies
  std::int64_t peer = 0;  ///< messages from device to device by the devices' own library
  std::int64_t mpi = 0;   ///< messages by MPI, whatever memory they are in

  Traffic& operator+=(const Traffic& other) {
    host_to_device += other.host_to_device;
    device_to_host += other.device_to_host;
    peer += other.peer;
    mpi += other.mpi;
    return *this;
  }
  Traffic operator-(const Traffic& other) const {
    return {host_to_device - other.host_to_device, device_to_host - other.device_to_host,
            peer - other.peer, mpi - other.mpi};
  }
  bool operator==(const Traffic&) const = default;
};
void describe(Record& record, Traffic& traffic);

}  // namespace hpl
