// Loaded in front of the MPI library (LD_PRELOAD), it breaks one rank at a given message, so that
// tests need no clock: XHPL_TEST_BREAK="<rank>:<send>:<how>" with
//   kill   the rank dies (SIGKILL)
//   stop   the rank is stopped (SIGSTOP)
//   term   the rank is asked to end (SIGTERM)
//   error  this send returns an error
//   lose   this send is not made, and says it was
// The rank leaves an empty file "due" in its directory before it does so.
// XHPL_TEST_START="<rank>:<how>" breaks it where it would start MPI:
//   stop   the rank is stopped (SIGSTOP)
//   term   the rank is asked to end (SIGTERM), and does not come further
//   exit   the process ends by exit(1), as libraries of libraries do
//   _exit  it ends by _exit(1), as Open MPI does
//   error  MPI_Init_thread returns an error
//   funneled, serialized  MPI promises no more to its threads, with rank -1 on every rank
// XHPL_TEST_END="<rank>:<how>" breaks it where it would end MPI: stop or term, as above, or
//   left   the rank is stopped (SIGSTOP) when it has ended MPI
// XHPL_TEST_ABORT="<rank>:<signal>" raises that signal where it would abort the job.
// XHPL_TEST_STOP_AT_BARRIER="<rank>:<barrier>" stops that rank (SIGSTOP) when it has told the
// others that it has come to this barrier of all ranks, the first being 1.
// XHPL_TEST_TERM_AT_COPY="<rank>:<copy>" asks that rank to end (SIGTERM) before it makes this copy
// of a communicator, the first being 1, which it then goes on with. XHPL_TEST_DEAF="<rank>:<look>":
// there, this look for messages of any rank, the first being 1, and all later ones return an error.
// XHPL_TEST_RANKS_PER_NODE="<ranks>": MPI places that number of ranks on each node, though one host
// has them all.
// XHPL_TEST_MEMORY="<file>": before it ends MPI, each rank writes its private memory in kB,
// resident and anonymous, to "<file>.<rank>".

#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "rank_of_launcher.h"

namespace {

constexpr int kEveryRank = -1;
std::atomic<long> sends{0};
std::atomic<int> barriers{0}, copies{0}, looks{0};

/// The fault that is due at this send; null: none.
const char* due_now() {
  const char* const order = std::getenv("XHPL_TEST_BREAK");
  int rank = -1, victim = 0, used = 0;
  long when = 0;
  if (order == nullptr || std::sscanf(order, "%d:%ld:%n", &victim, &when, &used) != 2)
    return nullptr;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != victim || ++sends != when) return nullptr;
  if (std::FILE* const sign = std::fopen("due", "w")) std::fclose(sign);
  return order + used;
}

/// Of an order "<rank>:<how>" to this rank the second part; null: nothing is to happen.
const char* order_to(int rank, const char* variable) {
  const char* const order = std::getenv(variable);
  int victim = 0, used = 0;
  if (order == nullptr || std::sscanf(order, "%d:%n", &victim, &used) != 1 ||
      (victim != rank && victim != kEveryRank))
    return nullptr;
  return order + used;
}

void stop_or_term(const char* how) {
  if (std::strcmp(how, "stop") == 0) std::raise(SIGSTOP);
  if (std::strcmp(how, "term") != 0) return;
  kill(getpid(), SIGTERM);
  for (;;)
    pause();
}

/// See XHPL_TEST_MEMORY.
void write_private_memory(const char* file, int rank) {
  char text[4096];
  long kilobytes = -1;
  if (std::FILE* const status = std::fopen("/proc/self/status", "r")) {
    while (kilobytes < 0 && std::fgets(text, sizeof text, status) != nullptr)
      std::sscanf(text, "RssAnon: %ld", &kilobytes);
    std::fclose(status);
  }
  std::snprintf(text, sizeof text, "%s.%d", file, rank);
  if (std::FILE* const out = std::fopen(text, "w")) {
    std::fprintf(out, "%ld\n", kilobytes);
    std::fclose(out);
  }
}

}  // namespace

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  if (const char* const how = order_to(hpl::test::rank_of_launcher(), "XHPL_TEST_START")) {
    stop_or_term(how);
    if (std::strcmp(how, "exit") == 0) std::exit(1);
    if (std::strcmp(how, "_exit") == 0) _exit(1);
    if (std::strcmp(how, "error") == 0) return MPI_ERR_OTHER;
    if (std::strcmp(how, "funneled") == 0) required = MPI_THREAD_FUNNELED;
    if (std::strcmp(how, "serialized") == 0) required = MPI_THREAD_SERIALIZED;
    const int result = PMPI_Init_thread(argc, argv, required, provided);
    *provided = required;
    return result;
  }
  return PMPI_Init_thread(argc, argv, required, provided);
}

extern "C" int MPI_Finalize() {
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* const how = order_to(rank, "XHPL_TEST_END");
  if (how != nullptr) stop_or_term(how);
  if (const char* const file = std::getenv("XHPL_TEST_MEMORY")) write_private_memory(file, rank);
  const int result = PMPI_Finalize();
  if (how != nullptr && std::strcmp(how, "left") == 0) std::raise(SIGSTOP);
  return result;
}

extern "C" int MPI_Abort(MPI_Comm comm, int code) {
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (const char* const signal = order_to(rank, "XHPL_TEST_ABORT")) std::raise(std::atoi(signal));
  return PMPI_Abort(comm, code);
}

extern "C" int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* const which = order_to(rank, "XHPL_TEST_TERM_AT_COPY");
  if (which != nullptr && ++copies == std::atoi(which)) {
    kill(getpid(), SIGTERM);
    usleep(300'000);  // the signal is noticed before
  }
  return PMPI_Comm_dup(comm, copy);
}

extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                   MPI_Comm* part) {
  const char* const ranks_per_node = std::getenv("XHPL_TEST_RANKS_PER_NODE");
  if (ranks_per_node == nullptr) return PMPI_Comm_split_type(comm, type, key, info, part);
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return PMPI_Comm_split(comm, rank / std::atoi(ranks_per_node), key, part);
}

extern "C" int MPI_Improbe(int from, int tag, MPI_Comm comm, int* found, MPI_Message* message,
                           MPI_Status* status) {
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* const which = from == MPI_ANY_SOURCE ? order_to(rank, "XHPL_TEST_DEAF") : nullptr;
  if (which != nullptr && ++looks >= std::atoi(which)) return MPI_ERR_OTHER;
  return PMPI_Improbe(from, tag, comm, found, message, status);
}

extern "C" int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int result = PMPI_Ibarrier(comm, request);
  const char* const which = order_to(rank, "XHPL_TEST_STOP_AT_BARRIER");
  int size = 0, all = 0;
  PMPI_Comm_size(comm, &size);
  PMPI_Comm_size(MPI_COMM_WORLD, &all);
  if (which != nullptr && size == all && ++barriers == std::atoi(which)) std::raise(SIGSTOP);
  return result;
}

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  if (const char* const how = due_now()) {
    if (std::strcmp(how, "kill") == 0) std::raise(SIGKILL);
    if (std::strcmp(how, "stop") == 0) std::raise(SIGSTOP);
    if (std::strcmp(how, "term") == 0) kill(getpid(), SIGTERM);
    if (std::strcmp(how, "error") == 0) return MPI_ERR_OTHER;
    if (std::strcmp(how, "lose") == 0) {
      *request = MPI_REQUEST_NULL;
      return MPI_SUCCESS;
    }
  }
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
