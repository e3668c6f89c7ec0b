#pragma once

namespace hpl {

/// Kind of processor that does the arithmetic; decides defaults.
enum class ProcessorKind { Cpu, Gpu };

}  // namespace hpl
