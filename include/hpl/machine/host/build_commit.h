#pragma once

namespace hpl {

/// Commit of the sources, found by each build (config/cmake/HplCommit.cmake); empty: unknown. Only
/// programs link it: a new commit compiles one file and links no test.
[[gnu::weak]] const char* build_commit();

}  // namespace hpl
