#pragma once

/// From now on so many more threads of C++ can be made in this process; negative: any number. For
/// tests that have few_threads.cpp among their sources.
extern "C" void hpl_test_allow_threads(long count);
