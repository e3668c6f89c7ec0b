#include "hpl/base/result/timeline.h"

#include "hpl/base/error/error.h"

namespace hpl {

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::PanelFactorization:
      return "panel factorization";
    case Phase::PanelExchange:
      return "panel pivot exchange";
    case Phase::PanelBroadcast:
      return "panel broadcast";
    case Phase::PanelTransfer:
      return "panel transfer";
    case Phase::RowSwap:
      return "row swap";
    case Phase::Solve:
      return "triangular solve";
    case Phase::Multiply:
      return "matrix multiply";
    case Phase::BackSubstitution:
      return "back substitution";
    case Phase::MatrixLoad:
      return "matrix load";
    case Phase::MatrixStore:
      return "matrix store";
    case Phase::HostUpdate:
      return "host update";
  }
  HPL_ASSERT(!"a phase");
  return {};
}

bool is_work_of_a_stream(Phase phase) {
  switch (phase) {
    case Phase::PanelExchange:
    case Phase::PanelBroadcast:
    case Phase::BackSubstitution:
    case Phase::HostUpdate:
      return false;
    case Phase::PanelFactorization:
    case Phase::PanelTransfer:
    case Phase::RowSwap:
    case Phase::Solve:
    case Phase::Multiply:
    case Phase::MatrixLoad:
    case Phase::MatrixStore:
      return true;
  }
  HPL_ASSERT(!"a phase");
  return false;
}

std::string_view to_string(Track track) {
  switch (track) {
    case Track::PanelWorker:
      return "panel worker";
    case Track::TransferWorker:
      return "transfer worker";
    case Track::SwapWorker:
      return "swap worker";
    case Track::UpdateWorker:
      return "update worker";
    case Track::LoadWorker:
      return "load worker";
    case Track::StoreWorker:
      return "store worker";
    case Track::HostWorker:
      return "host worker";
    case Track::PanelStream:
      return "panel stream";
    case Track::TransferStream:
      return "transfer stream";
    case Track::SwapStream:
      return "swap stream";
    case Track::UpdateStream:
      return "update stream";
    case Track::LoadStream:
      return "load stream";
    case Track::StoreStream:
      return "store stream";
  }
  HPL_ASSERT(!"a track");
  return {};
}

bool is_stream(Track track) {
  return track >= Track::PanelStream;
}

}  // namespace hpl
