"""Known faults, each with the test that catches it. scripts/plant-faults plants them, and checks that `old` stands once in
its file. Whoever changes such a line changes its fault with it.

A fault: its name, its file, the right text, the wrong text, the test program that catches it, its cases (a filter of
GoogleTest), and the number of its ranks.
"""
from typing import NamedTuple


class Fault(NamedTuple):
    name: str
    file: str
    old: str
    new: str
    program: str
    cases: str
    ranks: int = 0


def schedule(name, file, old, new, cases):
    return Fault(name, f"src/lu/schedule/{file}", old, new, "unit_schedule", cases)


SCHEDULE = [
    schedule("arrow from the exchange to the update is dropped", "lu_ledger.h",
             "add(TaskKind::Update, k, c, {last_})", "add(TaskKind::Update, k, c, {})", "*LuSchedule*"),
    schedule("panel is fetched into a workspace in use", "lu_ledger.h",
             "{last_change(c), before.used, before.saved, before.used_by_host}",
             "{last_change(c), before.saved, before.used_by_host}", "*LuSchedule*"),
    schedule("panel workspaces are one too few", "lu_ledger.h",
             "task.step % workspaces_);", "task.step % (workspaces_ - 1));", "*LuSchedule*"),
    schedule("exchange buffers are one too few", "lu_ledger.h",
             "static_cast<int>(eliminations_ % kExchangeBuffers)",
             "static_cast<int>(eliminations_ % (kExchangeBuffers - 1))", "*LuSchedule*"),
    schedule("chunk is updated twice", "lu_schedule.cpp",
             "ledger_.update(k, c);", "ledger_.update(k, c), ledger_.update(k, c);", "*LuSchedule*"),
    schedule("block column misses its last update", "lu_schedule.cpp",
             "bring_up_to(j - 1, ", "bring_up_to(j - 2, ", "*LuSchedule*"),
    schedule("order of collectives depends on the process row", "lu_columns.h",
             "std::ranges::reverse(visits);", "if (shape_.rows.rank() % 2 == 0) std::ranges::reverse(visits);",
             "*LuSchedule*"),
    schedule("slot is loaded before it is stored", "lu_ledger.h",
             "{std::max(slot_freed, of.stored), ", "{of.stored, ", "*LuSchedule*"),
    schedule("end of a step waits for nothing", "lu_ledger.h",
             "{panel(k).through, ", "{kNoTask, ", "*LuSchedule*"),
    schedule("host does not wait for its own worker", "schedule.cpp",
             "if (from == task.worker && !on_host) continue;", "if (from == task.worker) continue;", "Schedule.*"),
    schedule("queues are too short", "schedule.cpp",
             "arrows.most = std::max(arrows.most, std::ssize(arrows.ends));", "arrows.most = 1;", "Schedule.*"),
    schedule("visits do not end with their last step", "visits.cpp",
             "return step == last || step % visits.steps", "return step % visits.steps", "*Visits*:*LuSchedule*"),
    schedule("workspaces leave out the steps of a visit", "schedule_policy.cpp",
             "policy.look_ahead + policy.visits.steps", "policy.look_ahead + 1", "*Visits*:*LuSchedule*"),
    schedule("host's share is owed again", "work_division.cpp",
             "owed_ -= steps * static_cast<double>(visit.of_host);", "", "*WorkDivision*"),
    schedule("host's share jumps", "work_division.cpp",
             "share_ = std::clamp(share, share_ / kMostChange, share_ * kMostChange);", "share_ = share;",
             "*WorkDivision*"),
]


def pipeline(name, file, old, new, test):
    return Fault(name, f"src/lu/pipeline/{file}", old, new, "unit_pipeline", test)


PIPELINE = [
    pipeline("worker does not hand on what it waited for", "threaded_executor.cpp",
             "after.push_back(std::move(done->event));", "", "*Executor*"),
    pipeline("serial pipeline does not wait for another worker's task", "serial_executor.cpp",
             "else if (schedule_[unfinished_].worker != task.worker)", "else if (false)", "*Executor*"),
    Fault("task that is put off comes too late", "src/lu/schedule/schedule.cpp",
          ">= put_off[i])", "> put_off[i])", "unit_pipeline", "*Executor*"),
    pipeline("closed queue loses what is in it", "bounded_queue.h",
             "if (items_.empty()) {  // woken", "if (closed_ || items_.empty()) {  // woken", "*BoundedQueue*"),
    pipeline("later failure hides the first", "job_control.cpp",
             "if (!failure_) failure_ = cause;", "failure_ = cause;", "*JobControl*"),
    pipeline("failure closes no queue", "job_control.cpp", "if (action) action();", "", "*JobControl*"),
    Fault("failure of a run ends no wait for messages", "include/hpl/lu/pipeline/factorization_stages.h",
          "wait.stop = &control.stop_flag();", "wait.stop = nullptr;", "mpi_pipeline_rank_failure", "*", 4),
]


def mixed(name, file, old, new, program="mpi_mixed", ranks=4):
    return Fault(f"HPL-MxP: {name}", f"src/lu/mixed/{file}.cpp", old, new, program, "*", ranks)


MIXED = [
    mixed("scale of a panel is forgotten", "mixed_stages", "-1 / scales_[static_cast<std::size_t>(task.step)]", "-1"),
    mixed("U12 stays in its buffer", "mixed_stages", "  arithmetic.convert(stream, u12, place);", ""),
    mixed("panel in 32 bits is multiplied as it was a step before", "mixed_stages", "  if (!converts()) return;\n", "  return;\n"),
    mixed("column without a pivot counts from its block", "mixed_stages", "header.bad_column += g.first;", ";"),
    mixed("parts of a row's sum count twice", "mixed_solver", "g.on_owner_column ? static_cast<float>(sums[i]) : 0.0F",
          "static_cast<float>(sums[i])"),
    mixed("factors are taken for those of A", "mixed_solver", "std::ldexp(largest, system_.exponent())", "largest"),
    mixed("row of A is summed over a part of it", "mixed_system", "  mpi::all_sum(grid.row(), sums, {exchange_.as<double>(), sums.size()});", ""),
    mixed("dot product is the largest of its parts", "refine", "over_parts(sum, mpi::Reduce::Sum)", "over_parts(sum, mpi::Reduce::Max)"),
    mixed("rotations of GMRES are not applied", "refine", "rotate(rotations_[i], h[i], h[i + 1]);", ";", "unit_mixed", 0),
    mixed("largest element overflows", "mixed_rule", "constexpr int kTop = 13;", "constexpr int kTop = 16;", "unit_mixed", 0),
]


def swap(name, file, old, new, test):
    return Fault(name, f"src/lu/swap/{file}.cpp", old, new, "unit_swap", test)


EXCHANGE = [
    swap("displaced rows come from the top of the matrix", "row_exchange_plan",
         "rows.to_local({first + permutation.top[i]}).value", "rows.to_local({permutation.top[i]}).value", "*Row*"),
    swap("pivot in the row below the diagonal block is taken for one inside", "row_exchange_plan",
         "if (pivot < first + width) {", "if (pivot < first + width - 1) {", "*Row*"),
    swap("last columns are solved by nobody", "row_exchange_plan",
         "std::min(columns, runs * (p + 1) / processes * kRun)", "std::min(columns, runs * (p + 1) / (processes + 1) * kRun)",
         "*"),
    swap("roll passes on the wrong part", "row_exchange_schedule",
         "parts[(from - step + size) % size]", "parts[(from - step + 1 + size) % size]", "*Row*"),
    swap("binary exchange forgets what it holds", "row_exchange_schedule",
         "const int group = from / distance * distance;", "const int group = from;", "*Row*"),
    swap("spread receives as many columns as its sender solves", "row_exchange_schedule",
         "plan.u_parts[process], pieces[plan.me].count)", "plan.u_parts[process], pieces[process].count)", "*Row*"),
    swap("displaced rows arrive with the sender's displacement", "row_exchange_schedule",
         "rows_of(buffer.incoming, {0, part.count}, columns)", "rows_of(buffer.incoming, part, columns)", "*Row*"),
    swap("mixed exchange takes binary exchange below its threshold", "row_exchange_plan",
         "return columns <= threshold", "return columns < threshold", "*"),
    Fault("displaced rows that stay are taken from another rank's place", "src/lu/swap/row_exchange.cpp",
          "layout.outgoing + p.displaced_parts[p.me].begin * part.columns", "layout.outgoing",
          "mpi_swap", "*", 4),
    Fault("solved columns of a piece go to the first columns", "src/lu/swap/row_exchange.cpp",
          "part.of(u12).col_range(piece.begin, piece.count)", "part.of(u12).col_range(0, piece.count)",
          "mpi_swap", "*", 4),
]


def broadcast(name, old, new):
    return Fault(name, "src/lu/broadcast/broadcast.cpp", old, new, "unit_broadcast", "*Broadcast*")


BROADCAST = [
    broadcast("last rank of a ring sends on", "distance + 1 < ring.end;", "distance + 1 <= ring.end;"),
    broadcast("second ring begins at the first", "distance == ring.begin ? 0 : distance - 1", "distance - 1"),
    broadcast("rolled pieces are one too few", "piece < subtree_end(member);", "piece <= subtree_end(member);"),
    broadcast("messages cut numbers", "return (bytes + kAlignment - 1) / kAlignment * kAlignment;", "return bytes;"),
    broadcast("next panel's owner shares the link", "Stage feed{.after_sends = plan.next_owner_first};", "Stage feed{};"),
    broadcast("tree leaves out branches", "for (int step = reach / 2; step > 0; step /= 2)\n    if",
              "for (int step = reach / 4; step > 0; step /= 2)\n    if"),
    Fault("pieces of a panel on the host all begin at its start", "src/lu/broadcast/panel_broadcast.cpp",
          "if (rest_on_host_ != nullptr) rest_on_host_ += bytes;", "", "mpi_transport", "OnCpu.*", 4),
]


def solve(name, file, old, new, test):
    return Fault(name, f"src/lu/solve/{file}.cpp", old, new, "unit_solve", test)


def solve_of_ranks(name, file, old, new, cases):
    return Fault(name, f"src/lu/{file}.cpp", old, new, "mpi_solve", cases, 4)


def residual(name, old, new):
    return solve_of_ranks(name, "verify/residual", old, new, "VerifySolution.*")


SOLUTION = [
    solve_of_ranks("sum of a process row is its last part", "solve/back_substitution",
                   "mine[i] += solution_.message(child)[i];", "mine[i] = solution_.message(child)[i];", "*Substitution*"),
    solve_of_ranks("deferred rows come behind a later step's", "solve/back_substitution",
                   "if (!g.on_owner_column || deferred_.step != g.step + 1) subtract_deferred();", "", "*Substitution*"),
    solve("ring gives out lines that are in use", "line_ring",
          "return next + lines <= first ? std::optional(next)", "return next <= first ? std::optional(next)", "*LineRing*"),
    solve("device and host take the same rows", "divided_rows",
          "const std::int64_t first = std::max(bottom_begin_, begin_);", "const std::int64_t first = bottom_begin_;",
          "*DividedRows*"),
    solve("hash does not depend on the place", "solution_hash",
          "static_cast<std::uint64_t>(index) + 1", "std::uint64_t{1}", "*Hash*"),
    Fault("residual is scaled by the 1-norm of x", "src/lu/verify/residual.cpp",
          "norms.matrix_infinity * norms.solution_infinity", "norms.matrix_infinity * norms.solution_one",
          "unit_verify", "ScaledResidual.*"),
    Fault("residual is scaled by the larger epsilon", "src/lu/verify/residual.cpp",
          "constexpr double kEpsilon = 0x1p-53;\n  return", "constexpr double kEpsilon = 0x1p-52;\n  return",
          "unit_verify", "ScaledResidual.*"),
    Fault("last row is never sampled", "src/lu/verify/own_product.cpp",
          "k * (local - 1) / (count - 1)", "k * (local - 1) / count", "unit_verify", "*"),
    Fault("own product hides every difference", "src/lu/verify/own_product.cpp",
          "return 4 * static_cast<double>(order + 2)", "return 4e9 * static_cast<double>(order + 2)", "unit_verify", "*"),
    residual("NaN is lost in a norm",
             "if (std::isnan(value)) return std::numeric_limits<double>::infinity();", ""),
    residual("infinite norm passes", "norms.passed = all_finite(norms) && ", "norms.passed = "),
    residual("wrong sampled rows pass", " && norms.samples.wrong == 0 && norms.scaled", " && norms.scaled"),
    residual("residual of a process row is not summed",
             "  grid.row().all_reduce(own.residual, mpi::Reduce::Sum);\n  norms.samples", "  norms.samples"),
]


def checksums(name, old, new):
    return Fault(name, "src/lu/verify/step_checksums.cpp", old, new, "mpi_pipeline", "*Checksums*", 4)


SUMS = [
    checksums("sums that are no numbers agree", "if (difference <= fault.tolerance) continue;",
              "if (!(difference > fault.tolerance)) continue;"),
    checksums("sums are not compared after the last step with a tail here",
              "g.step + 1 == steps_ ||\n         !has_tail(step_geometry(matrix_.shape(), g.step + 1))",
              "g.step + 1 == steps_"),
    checksums("sums that nobody made are compared",
              "if (std::any_of(carried, carried + g.below_rows, [](double sum) { return sum != 0; }))\n", ""),
    checksums("sums of the first chunk alone are kept", "summed == 0 ? 0.0 : 1.0", "0.0"),
    checksums("first of several faults is forgotten", "if (fault_) return;", ""),
    checksums("bound of emulated products is that of FP64",
              "emulated_moduli > 0 ? 2 * hpcx::emulation_roundoff(emulated_moduli) : 0", "0.0 * emulated_moduli"),
]


def grid(name, file, old, new, cases="*"):
    return Fault(name, f"src/lu/grid/{file}.cpp", old, new, "unit_grid", cases)


def matrix(name, file, old, new, cases="*"):
    return Fault(name, f"src/lu/matrix/{file}.cpp", old, new, "unit_matrix", cases)


DISTRIBUTION = [
    grid("local index within a weighted block is lost", "block_map", "(within ? global.value % block() : 0)", "0"),
    grid("weights of processes are forgotten", "block_map", "process.above -= process.share * size;",
         "process.above -= one / std::ssize(processes) * size;"),
    grid("ranks are mapped by rows in both orders", "process_grid", "GridPosition{rank % rows, rank / rows}",
         "GridPosition{rank / columns, rank % columns}"),
    grid("node's tile is counted by rows in both orders", "node_tiles",
         "grid_position(local, tile.rows, tile.columns, order);", "grid_position(local, tile.rows, tile.columns, RankOrder::RowMajor);"),
    matrix("last panel is as wide as all", "step_geometry",
           "g.width = std::min(rows.block(), rows.extent() - g.first);", "g.width = rows.block();"),
    matrix("padding is no part of the rows below", "step_geometry",
           "g.below_stored = shape.stored_rows - g.below_begin.value;", "g.below_stored = g.below_rows;"),
    Fault("columns of a piece are generated from the first on", "src/lu/matrix/distributed_matrix.cpp",
          "from_index(run.map, first - run.begin.value)", "from_index(run.map, 0)", "mpi_pipeline", "*InHostMemory", 2),
    matrix("neighbouring rows share a cache set", "distributed_matrix",
           "while (unlucky(ld))\n    ld += alignment;", ""),
    matrix("column of b alone goes to another process", "distributed_matrix",
           "owner_columns.push_back(owner_columns.back());", "owner_columns.push_back(0);"),
]


def panel(name, file, old, new, cases="*"):
    return Fault(name, f"src/lu/panel/{file}.cpp", old, new, "unit_panel", cases)


PANEL = [
    panel("column of zeros is no zero pivot", "host_panel", "if (!(magnitude > 0)) {", "if (magnitude < 0) {"),
    panel("search takes the last of equal pivots", "pivot_search",
          "for (i = 0; std::abs(column[i]) != largest; ++i) {", "for (i = count - 1; std::abs(column[i]) != largest; --i) {"),
    panel("column is multiplied by the reciprocal of a denormal number", "pivot_search",
          "if (std::abs(pivot) >= std::numeric_limits<double>::min()) {", "if (pivot != 0) {"),
    panel("largest panel is that of the last step", "panel_layout",
          "panel_layout(step_geometry(shape, 0)).bytes()", "panel_layout(step_geometry(shape, step_count(shape) - 1)).bytes()"),
    Fault("ranks keep different rows of equal pivots", "src/lu/panel/pivot_exchange.cpp",
          "(b.magnitude == a.magnitude && b.row < a.row)", "(b.magnitude == a.magnitude && b.row > a.row)",
          "mpi_panel", "PivotExchange*", 4),
    Fault("ranks beyond a power of two propose nothing", "src/lu/panel/pivot_exchange.cpp",
          "receive_from(rank + doubled, theirs_);\n      combine();", "receive_from(rank + doubled, theirs_);",
          "mpi_panel", "PivotExchange*", 3),
    Fault("every rank takes the row that was exchanged", "src/lu/panel/host_panel.cpp",
          "if (has_rows && proposal.row == winner.row) set_row", "if (has_rows) set_row", "mpi_panel", "DistributedPanel*", 4),
]


def kernel(name, old, new, cases):
    return Fault(name, "hpcx/cpu/cpu_kernels.cpp", old, new, "hpcx_conformance", cases)


KERNELS = [
    Fault("generator's long jumps are short", "hpcx/include/hpcx/generator.h",
          "power = power.then(power);", "power = power.then({kMultiplier, kIncrement});", "unit_matrix", "*Generator*"),
    Fault("generator rounds once", "hpcx/include/hpcx/generator.h",
          "0.5 - static_cast<double>(state) * 0x1p-64", "0.5 - static_cast<double>(state >> 11) * 0x1p-53",
          "unit_matrix", "*Generator*"),
    kernel("generated column goes along a row", "by_rows ? sequence.jump(0, 1) : sequence.jump(1, 0);",
           "by_rows ? sequence.jump(0, 1) : sequence.jump(0, 1);", "*Generate*"),
    Fault("inverse has the wrong sign below", "hpcx/cpu/triangles.h",
          "host::gemm({T{-1}, m22, l21_m11", "host::gemm({T{1}, m22, l21_m11", "hpcx_conformance", "*Kernel*"),
    kernel("sums are of values, not of magnitudes", "sum += std::abs(x[i * stride]);", "sum += x[i * stride];", "*Kernel*"),
    Fault("long loop leaves out iterations", "hpcx/cpu/shared_loops.cpp",
          "for (std::int64_t i = run * iterations / runs;", "for (std::int64_t i = run * (iterations / runs);",
          "unit_hpcx", "*SharedLoops*"),
    Fault("first thread alone asks the BLAS for one thread a call", "hpcx/cpu/host_blas.cpp",
          "thread_local const bool asked", "static const bool asked", "unit_hpcx", "*BlasLibrary*"),
    Fault("second thread of a call to the BLAS is overlooked", "src/machine/host/blas.cpp",
          "constexpr double kMuch = 0.5;", "constexpr double kMuch = 1.5;", "unit_host", "BlasThreads.*"),
    Fault("copy is cut behind a piece's end", "hpcx/memory/cut_copy.cpp",
          "(in_piece - left) / pitch + 1", "in_piece / pitch + 1", "unit_hpcx", "*"),
    Fault("second part of packed columns goes over the first", "hpcx/cpu/packed_product.cpp",
          "p.b.block(k, j, depth, columns)", "p.b.block(k, 0, depth, columns)", "hpcx_conformance", "*Blas*"),
    Fault("tile at the border of a packed product is transposed", "hpcx/cpu/packed_product.cpp",
          "whole[i * kStripColumns + j]", "whole[j * kStripRows + i]", "hpcx_conformance", "*Blas*"),
    Fault("event is done before its operation", "hpcx/cpu/scheduler.cpp",
          "} else if (failure_ ? head.started > head.finished : head.finished < head.blocks) {",
          "} else if (failure_ ? head.started > head.finished : head.started < head.blocks) {", "unit_hpcx", "*Scheduler*"),
    Fault("sign of an emulated product is lost", "hpcx/emulation/arithmetic.h",
          "return sum + (error + low);", "return sum < 0 ? -(sum + (error + low)) : sum + (error + low);",
          "unit_hpcx", "*Emulation*:*Arithmetic*"),
    Fault("groups do not agree on one of equal candidates", "hpcx/panel/proxy.cpp",
          "candidate_of(best_) < candidate_of(theirs)", "candidate_of(best_)[0] < candidate_of(theirs)[0]",
          "unit_hpcx_panel", "*PanelProxy*"),
    Fault("rows of several members arrive in one place", "hpcx/panel/groups.h",
          "} else if (from >= 0 && from < message.from) {", "} else if (false) {", "unit_hpcx_panel", "*Groups*"),
    Fault("recursive doubling ends a round too early", "hpcx/include/hpcx/panel.h",
          "while (1 << doubling.rounds < groups)", "while (2 << doubling.rounds < groups)", "unit_hpcx_panel", "*PivotRounds*"),
    Fault("ballot of a wavefront's second half is the first's", "hpcx/panel/intrinsics.h",
          "(__ballot(holds) >> (__lane_id() / kWarp * kWarp))", "(__ballot(holds))", "unit_hpcx_panel", "*"),
]


def messages(name, file, old, new, cases, ranks=4):
    return Fault(name, f"src/comm/mpi/{file}.cpp", old, new, "mpi_mpi", cases, ranks)


MESSAGES = [
    messages("empty message is not sent", "request", "if (rest > 0 || pieces.empty())", "if (rest > 0)", "*"),
    messages("receive that overlaps a send of its stage starts early", "schedule",
             "if (receive->stage >= stage) return false;", "if (receive->stage > stage) return false;",
             "ReceivesMayStartEarly.*"),
    messages("stage does not wait for its sends", "schedule",
             "if (schedule_[stage_ + 1].after_sends && !sends_.test()) return false;", "", "ScheduleRun.*"),
    messages("last of several failing ranks reports", "failure",
             "comm.all_reduce(local_error ? std::int64_t{comm.rank()} : none, Reduce::Min);",
             "comm.all_reduce(local_error ? std::int64_t{comm.rank()} : std::int64_t{-1}, Reduce::Max) < 0 ? none : comm.all_reduce(local_error ? std::int64_t{comm.rank()} : std::int64_t{-1}, Reduce::Max);",
             "AgreeOrThrow.*"),
    messages("waiting does not end when the job stops", "wait_policy",
             "policy_.stop->load(std::memory_order_acquire)) throw Stopped();", "false) throw Stopped();", "WaitPolicy.*"),
    messages("sum along a tree leaves out its farthest rank", "vector_exchange",
             "if (distance + bit < place.size)", "if (distance + bit + 1 < place.size)", "*Tree*"),
    messages("texts are gathered from one place", "communicator",
             "joined.substr(begin,", "joined.substr(0,", "CommunicatorTest.*"),
    Fault("bytes that were received go back as they were", "src/comm/transport/staging.cpp",
          "add_outside(part, ranges.in, ranges.out);", "ranges.out.push_back(part);", "unit_transport", "*"),
    Fault("peer copies from the start of the buffer", "src/comm/transport/peer_transport.cpp",
          "{number, part.data() - begin, message.bytes}", "{number, 0, message.bytes}", "mpi_transport", "*Peer*", 4),
    Fault("peer's memory is written while it is read", "src/comm/transport/peer_transport.cpp",
          "if (collects_own_) awaited_[at(message.peer)] = link.offered();", "", "mpi_transport", "*Peer*", 4),
]


def hpl_dat(name, old, new):
    return Fault(name, "src/input/hpl_dat/hpl_dat_parser.cpp", old, new, "unit_hpl_dat", "*")


def hpl_dat_field(name, old, new):
    return Fault(name, "include/hpl/input/hpl_dat/hpl_dat_fields.h", old, new, "unit_hpl_dat", "*")


INPUT = [
    hpl_dat_field("equilibration falls back on no", "choices_of<kSwitches>, 1}", "choices_of<kSwitches>, 0}"),
    hpl_dat_field("alignment falls back on eight", "kAlignmentRange, nullptr, 4}", "kAlignmentRange, nullptr, 8}"),
    hpl_dat_field("swap falls back on binary exchange", "choices_of<kSwapVariants>, 1}", "choices_of<kSwapVariants>, 0}"),
    hpl_dat_field("values of Q are those of P", '{12, 10, "Q"', '{11, 10, "Q"'),
    hpl_dat("device 7 is the file", "*number == 7 ?", "*number == 9 ?"),
    Fault("commas do not separate values", "src/input/hpl_dat/hpl_dat_parser.cpp",
          'kListSeparators = " \\t\\v\\f,";', 'kListSeparators = " \\t\\v\\f";', "unit_hpl_dat", "*"),
    Fault("first list turns fastest", "src/input/plan/plan.cpp",
          "auto axis = axes.rbegin(); axis != axes.rend()", "auto axis = axes.begin(); axis != axes.end()", "unit_plan", "*"),
    Fault("grid of one rank too many is taken", "src/input/plan/plan.cpp",
          "if (largest <= ranks) return;", "if (largest <= ranks + 1) return;", "unit_plan", "*"),
    Fault("emulated run has no label", "src/input/run_spec/run_spec.cpp",
          "if (spec.emulated_moduli == 0) return {};", "if (spec.emulated_moduli >= 0) return {};", "unit_run_spec", "*"),
    Fault("runs of other arithmetic are the same", "src/input/run_spec/run_spec.cpp",
          'return {fmt::format("arithmetic {}", arithmetic_text(spec)),', "return {", "unit_run_spec", "*"),
    Fault("runs without sums are the same", "src/input/run_spec/run_spec.cpp",
          'spec.checksums ? "checksums" : "no checksums",', "", "unit_run_spec", "*"),
    Fault("operations are those of netlib's comment", "src/base/number/benchmark_formulas.cpp",
          "return n * n * (2.0 / 3.0 * n + 1.5);", "return n * n * (2.0 / 3.0 * n + 2.0);", "unit_number", "*"),
]


def result(name, file, old, new):
    return Fault(name, f"src/report/result/{file}.cpp", old, new, "unit_result", "*")


def judge(name, file, old, new):
    return Fault(name, f"src/fleet/judge/{file}.cpp", old, new, "unit_fleet", "*")


RESULTS = [
    result("zero pivot is no failure", "run_failures", "if (run.zero_pivot_column)", "if (false)"),
    result("sums that disagree are no failure", "run_failures",
           "if (run.checksums && !run.checksums->faults.empty())", "if (false)"),
    Fault("residual that is no number passes", "src/base/result/verification.cpp", " && residual.scaled < threshold;", ";",
          "unit_result", "*"),
    Fault("wrong sampled rows are no failure", "src/base/result/verification.cpp",
          "return residual.passed && residual.samples.wrong == 0 &&", "return residual.passed &&", "unit_result", "*"),
    result("repetition with other bits is no failure", "run_failures", "if (run.differs_from)", "if (false)"),
    Fault("sums that were not compared agree", "src/report/result/run_failures.cpp",
          "if (result.faults.empty() && result.comparisons == 0)", "if (false)", "unit_run", "*"),
    result("gate holds where nothing was measured", "gates",
           "if (!here || !(*here >= gate.limit)) ++missed;", "if (here && *here < gate.limit) ++missed;"),
    result("spread of nothing holds", "gates",
           "result.held = result.worst && *result.worst <= limit;", "result.held = !result.worst || *result.worst <= limit;"),
    result("stopped run has an efficiency", "run_result", "if (run.stopped || run.spec.mixed || !run.peak", "if (run.spec.mixed || !run.peak"),
    result("failed run that was stopped is stopped", "run_result",
           "if (!run_failures(result).empty()) return Verdict::Failed;", ""),
    judge("merged limit is the first job's", "fleet_merge", "higher(a.min_gflops, b.min_gflops)", "a.min_gflops"),
    judge("merged limit of Rpeak is the first job's", "fleet_merge",
           "higher(a.min_peak_efficiency, b.min_peak_efficiency)", "a.min_peak_efficiency"),
    judge("report given twice counts twice", "fleet_merge", "if (known.contains(identity(run))) {", "if (false) {"),
    judge("host that failed its own job passes after the merge", "fleet_hosts", "    apply_own_verdict(host);\n", ""),
    judge("member that was not checked passes", "fleet_verdict",
           "return checked || verdict == Verdict::Failed ? verdict : Verdict::Unchecked;", "return verdict;"),
    Fault("two figures of a member that are out only warn", "src/base/result/finding.cpp", "strict ? 1 : 2", "strict ? 1 : 9", "unit_fleet", "FleetVerdict.*"),
    Fault("two figures of a rank that are out only warn", "src/check/findings/check_report.cpp",
          "fail_by_figures(of_one, strict);", "fail_by_figures(std::span(of_one).first(1), strict);", "unit_check", "Judgement.*"),
    Fault("strict lets one figure pass", "src/base/result/finding.cpp", "strict ? 1 : 2", "strict ? 2 : 2", "unit_check", "Judgement.*"),
    Fault("figure that is far out only warns", "src/base/result/finding.cpp", "far && !info(figure).explains", "far && false", "unit_check",
          "Outliers.*"),
    Fault("clock that is far out fails its member", "src/base/result/finding.cpp", "far && !info(figure).explains", "far", "unit_fleet",
          "FleetVerdict.*"),
    Fault("disturbed rank is called slow", "src/check/findings/outliers.cpp", "  if (bad.at.crowded) {", "  if (false) {", "unit_check",
          "Outliers.*:Judgement.*"),
    Fault("slow link fails both its ends", "src/check/findings/check_report.cpp",
          "std::max(finding.severity, Severity::Warning)", "finding.severity", "unit_check", "Judgement.*"),
    judge("two members have an outlier", "fleet_verdict", "if (of.count < kFewestPeers || ", "if ("),
    judge("reference of another run is compared", "fleet_verdict",
           "if (const auto difference = run_difference(reference.spec, report.spec))",
           "if (const auto difference = run_difference(report.spec, report.spec))"),
    Fault("form takes emulated runs", "src/submit/list_form.cpp",
          'if (run.spec.emulated_moduli > 0)', 'if (false)', "unit_submit", "Top500*"),
    Fault("form takes any threshold", "src/submit/list_form.cpp",
          "threshold > 0 && threshold <= kLargestThreshold", "threshold > 0", "unit_submit", "Top500*"),
    Fault("form takes runs of a failed job", "src/submit/list_form.cpp",
          "else if (*code != ExitCode::Passed && *code != ExitCode::Slow)", "else if (false)", "unit_submit", "Top500*"),
]


def account(name, file, old, new, ranks=2):
    return Fault(name, file, old, new, "mpi_job", "*MemoryAccount*", ranks)


MEMORY = [
    account("one exchange buffer is counted", "src/lu/pipeline/stages.cpp",
            "kExchangeBuffers * ExchangeBuffers::bytes(", "ExchangeBuffers::bytes("),
    account("lists of row exchanges are not counted", "src/lu/panel/panel_workspace.cpp",
            "return MemoryBytes{largest_panel_bytes(shape) + square + lists,", "return MemoryBytes{largest_panel_bytes(shape) + square,"),
    account("right side is not counted", "src/lu/solve/back_substitution.cpp",
            "return MemoryBytes{8 * (solution_size(shape) + shape.local_rows), 0}", "return MemoryBytes{8 * solution_size(shape), 0}"),
    account("sums are not counted", "src/machine/decide/run_memory.cpp", "if (spec.checksums)\n", "if (false)\n"),
    Fault("reserve is allocated memory", "src/base/number/memory_account.cpp",
          "if (field.bytes != &MemoryAccount::reserve) sum", "sum", "unit_number", "*"),
    Fault("host memory has no bound", "src/machine/decide/run_memory.cpp",
          "return account.matrix.host == 0 || host_bytes(account, facts) <= facts.memory.host.bytes;", "return true;",
          "unit_decide", "*"),
]


def end(name, file, old, new, cases):
    return Fault(name, f"src/{file}.cpp", old, new, "system_tests", cases)


ENDS = [
    Fault("zero pivot in the first column is not seen", "src/lu/pipeline/panel_stages.cpp",
          "if (zero >= 0 && !zero_pivot_column_)", "if (zero > 0 && !zero_pivot_column_)", "mpi_pipeline", "*Singular*", 2),
    Fault("root of a hang is a rank that waits", "src/job/failure/abort_report.cpp",
          "std::set_difference(awaited.begin(), awaited.end(), waiting.begin(), waiting.end(),",
          "std::set_difference(awaited.begin(), awaited.end(), awaited.begin(), awaited.begin(),", "unit_failure", "*"),
    Fault("ranks ahead are waited for", "src/job/failure/abort_report.cpp",
          "return progress_of(other) < progress_of(worker);", "return progress_of(other) != progress_of(worker);",
          "unit_failure", "*"),
    end("wrong input ends as a failure", "commands/xhpl/application", "return ExitCode::BadInput;", "return ExitCode::Broken;",
        "BadFiles.AnEmpty*"),
    end("stopped rank is never missed", "job/failure/watchdog", "return AbortCause::Stall;", "return std::nullopt;", "Verdicts.AStepThat*"),
    end("missed gate ends with 0", "run/runs/job_output", ".slow = !held", ".slow = false",
        "Gates.OfTheRate*"),
    end("failed residual ends with 0", "run/runs/job_output", ".wrong = report_.tally.failed > 0", ".wrong = false",
        "Verdicts.AResidualAbove*"),
]

RECORDS = [
    Fault("run that was not checked is compared", "src/compare/snapshot.cpp", " && !lacks_check(run))", ")",
          "unit_compare", "Snapshots.*"),
    Fault("check of a run in the journal is passed over", "src/page/run_file.cpp",
          "else if (index < runs.size() && (run.residual || !runs[index].residual))", "else if (false)",
          "unit_page", "RunFileOnDisk.*"),
    Fault("limits of records are not checked", "src/base/record/record.cpp",
          "if (low || (limits.maximum && value > *limits.maximum)) from.refuse", "if (false) from.refuse", "unit_record", "*"),
    Fault("documents of other versions are read", "src/base/record/record.cpp",
          "if (version.integer() != form.version) {", "if (false) {", "unit_record", "*"),
    Fault("members that were added later are required", "src/base/record/record.cpp",
          "if ((limits.added || limits.may_lack) && ", "if (limits.may_lack && ", "unit_record", "*"),
    Fault("numbers lose their bits in a message", "include/hpl/base/record/record.h",
          "return use_ == Use::Pack || std::isfinite(value) ? Json(value) : Json(nullptr);",
          "return std::isfinite(value) ? Json(value) : Json(nullptr);", "unit_record", "*"),
    Fault("remarks lose what they are about", "src/base/result/remark.cpp",
          'record("notes", remarks,', 'record.computed("notes", [&] { return remarks; },', "unit_run", "JsonDocument*"),
    Fault("expected seconds of ranks are not read", "src/report/result/run_record.cpp",
          "take_by_rank(run.expected->rank_phases, which, phase.expected_rank_seconds);", "", "unit_run", "JsonDocument*"),
    Fault("prediction counts no memory of streams", "src/machine/model/prediction.cpp",
          ".stream_bytes = gpu ? hpcx::kUsualStreamBytes : 0,", ".stream_bytes = 0,", "unit_model", "Memory*"),
    Fault("ranks of a grid are numbered without tiles", "src/plan/automatic_plan.cpp",
          "if (const std::optional<int> number = number_in_grid(rank, spec)) ranks[*number] = rank;",
          "if (rank < std::ssize(ranks)) ranks[rank] = rank;", "unit_job_plan", "RankLayout*"),
    Fault("links are made after N is chosen", "src/plan/automatic_plan.cpp", "if (make_links)", "if (make_links && false)",
          "system_tests", "Grids.AreLinked*"),
    Fault("N leaves no room for links", "src/machine/decide/run_memory.cpp",
          "facts.link_bytes.value_or(1024 * kMiB * links(spec))", "1024 * kMiB * links(spec)", "unit_job_plan", "ChooseOrder*"),
    Fault("member of another run is merged", "src/fleet/judge/fleet_json.cpp",
          "if (const auto difference = run_difference(report.spec, run.spec))",
          "if (const auto difference = run_difference(run.spec, run.spec))", "unit_fleet", "Fleet*"),
    Fault("host that is not listed is judged", "src/fleet/judge/fleet_json.cpp",
          'if (!names.contains(host.text())) host.refuse("the name of one of fleet.hosts");', "static_cast<void>(host);", "unit_fleet",
          "Fleet*"),
    Fault("crowded cores of a check are compared", "src/check/findings/check_members.cpp",
          "measured.metric == Figure::HostDgemm && is_crowded(rank)", "is_crowded(rank) && false", "unit_compare", "ComparedChecks.*"),
    Fault("reference belongs to ranks by their numbers", "src/check/findings/check_reference.cpp",
          "return key + place_of(member.name, member.hosts);", 'return fmt::format("{}", fmt::join(member.ranks, " "));', "unit_check",
          "CheckReference.*"),
    Fault("what is worse than a reference is judged beside the peers alone", "src/check/findings/outliers.cpp",
          "return reference.of(ranks[static_cast<std::size_t>(at.rank)],",
          "if (std::ssize(all.values) < kFewestPeers) return std::optional<double>();\n"
          "                      return reference.of(ranks[static_cast<std::size_t>(at.rank)],", "unit_check", "CheckReference.*"),
    Fault("check of other hardware is a reference", "src/check/findings/check_reference.cpp",
          "if (known->second != models)", "if (known->second.empty())", "unit_check", "CheckReference.*"),
    Fault("all ranks of a host are one member", "src/compare/roster.cpp",
          "place += place_of(member.name, member.hosts);", "place += std::string();", "unit_compare", "ComparedChecks.*"),
    Fault("figures of a check change beyond any noise", "src/compare/figure_change.cpp",
          "tolerance * about.slack", "0.01 * tolerance * about.slack", "unit_compare", "ComparedChecks.*"),
    Fault("links of a lost rank are lost too", "src/compare/compare_sides.cpp",
          "!member.points.front().link;", "true;", "unit_compare", "ComparedChecks.*"),
    Fault("published schema of runs is another", "src/report/result/run_record.cpp",
          '"null when nothing was computed."', '"null: nothing was computed."', "unit_report_program", "Schemas*"),
]

def campaign(name, file, old, new, program, cases):
    return Fault(name, f"src/commands/campaign/{file}.cpp", old, new, program, cases)


CAMPAIGN = [
    campaign("folder has two campaigns", "campaign_folder", "LOCK_EX | LOCK_NB", "LOCK_SH | LOCK_NB",
             "system_tests", "MadeUpCampaign.Owns*"),
    campaign("refused command changes the document", "campaign_job", "if (earlier && !has_started_)", "if (earlier && has_started_)",
             "system_tests", "MadeUpCampaign.FlagsOf*"),
    campaign("step with other settings is kept", "acceptance", "before->command != made.command ||", "",
             "system_tests", "MadeUpCampaign.FlagsOf*"),
    campaign("disturbed step counts", "acceptance", '(name == "check" || page::reservation(*report).empty())', "true",
             "system_tests", "MadeUpCampaign.AStepThat*"),
    campaign("denied host is forgotten", "campaign_job", "without(earlier->denied, options.denied)",
             "without(earlier->denied, earlier->denied)", "system_tests", "Campaign.InAnAllocation*"),
    campaign("mistyped flag of the whole is found in the end", "acceptance", 'job_.require_words("whole", whole);', "",
             "system_tests", "Campaign.AMistyped*"),
    campaign("host whose name begins alike is blamed", "output_words", "(end == text.size() || !is_of_name(text[end]))", "end <= text.size()",
             "unit_campaign_program", "OutputWords.*"),
    campaign("all hosts are blamed", "output_words", "blamed.size() == hosts.size() ?", "hosts.empty() ?",
             "unit_campaign_program", "OutputWords.*"),
    campaign("part of a word is hidden", "archive", "if (at < from || continued) continue;", "if (at < from || (continued && false)) continue;",
             "unit_campaign_program", "Anonymizer.*"),
    campaign("two solutions of a grid pass", "proof", "if (!one || !other || *one == *other) return;", "if (!one || !other || *one != *other) return;",
             "system_tests", "Proof.Lists*"),
    campaign("killed rank that no message names passes", "proof", "named.empty() ? Verdict::Broken : Verdict::Passed", "Verdict::Passed",
             "system_tests", "Proof.AKilled*"),
    Fault("sheet is better than its campaign", "src/page/sheet.cpp",
          "campaign ? campaign->verdict.value_or(Verdict::Unfinished) : Verdict::Passed", "campaign ? Verdict::Passed : Verdict::Passed",
          "system_tests", "MadeUpCampaign.ASheet*"),
]

CHECKS = [
    Fault("disturbed figure blames its rank", "src/check/findings/outliers.cpp",
          "if (bad.at.crowded) {", "if (bad.at.crowded && false) {", "unit_check", "Outliers.*:Judgement.*"),
    Fault("slow links of a node blame the other nodes", "include/hpl/check/findings/link_ends.h",
          "end.bad >= 2 && 2 * end.bad > end.links", "end.bad >= 2 && 2 * end.bad < end.links", "unit_check", "Outliers.*"),
    Fault("two ranks are compared", "src/check/findings/outliers.cpp",
          "return std::ssize(peers.values) < kFewestPeers", "return std::ssize(peers.values) < 2", "unit_check", "Outliers.*"),
    Fault("crowded core counts for its rank", "src/check/findings/core_products.cpp",
          "core.width < kOwnWidth * whole.at(rank.processor)", "core.width < 0", "unit_check", "CoreProducts.*"),
    Fault("throttling by heat is a remark", "src/check/findings/faults.cpp",
          "bad ? Severity::Fault : Severity::Remark", "bad ? Severity::Remark : Severity::Remark", "unit_check", "*Fault*:Judgement.*"),
    Fault("few replays are a warning", "src/report/result/hardware_events.cpp",
          "if (static_cast<double>(**count) <= in_order) continue;", "if (**count <= 0) continue;", "unit_result", "HardwareEvents.*"),
    Fault("corrected errors fail", "src/report/result/hardware_events.cpp",
          "action == Action::Monitor ? Severity::Warning : Severity::Fault",
          "action == Action::Monitor ? Severity::Fault : Severity::Fault", "unit_result", "HardwareEvents.*"),
    Fault("counter that cannot be read is zero", "src/machine/host/host_events.cpp",
          "std::optional<std::int64_t> total;", "std::optional<std::int64_t> total = 0;", "unit_host", "HostEvents.*"),
    Fault("two warnings of hardware fail together", "src/base/result/finding.cpp",
          "finding.basis != Basis::Device && finding.figure", "finding.figure", "unit_result", "HardwareEvents.*"),
    Fault("shared device is named for each of its ranks", "src/check/findings/faults.cpp",
          "if (known_.emplace(rank.node, rank.device, finding.text).second)", "", "unit_check", "*Fault*"),
    Fault("two players of a tournament never meet", "src/check/probes/pairing.cpp",
          "if ((2 * p) % turning == round) return p;", "if (p == round) return p;", "unit_check", "Tournament.*"),
    Fault("ring is left open", "src/check/probes/pairing.cpp",
          "players == 2 ? 1 : 2 + players % 2", "players == 2 ? 1 : 2", "unit_check", "Ring.*"),
    Fault("clock is that of the slowest trip", "src/check/probes/clock_probe.cpp",
          "return trip.received - trip.sent; }", "return trip.sent - trip.received; }", "unit_check", "ClockOffset.*"),
    Fault("repetition keeps the worse figure", "src/check/probes/repetition.cpp",
          "if (after >= before) continue;", "if (after < before) continue;", "unit_check", "Repetition.*"),
    Fault("one end of a slow link fails", "src/check/findings/check_report.cpp",
          "add(finding.host, is_of_link ? one_end : finding.severity);", "add(finding.host, is_of_link ? finding.severity : finding.severity);", "unit_check",
          "Judgement.*"),
    Fault("document of many nodes loses the links of findings", "src/check/findings/node_links.cpp",
          "if (finding.figure == metric) kept.insert(std::minmax(finding.rank, finding.peer));",
          "if (finding.figure == metric) kept.erase(std::minmax(finding.rank, finding.peer));", "unit_check", "NodeLinks.*"),
]

COMPARISONS = [
    Fault("slower is better", "src/compare/figure_change.cpp",
          "return (change.to > change.from) == (better == Better::Higher)", "return (change.to > change.from)", "unit_compare", "Compare*"),
    Fault("disturbed member has lost its rate", "src/compare/figure_change.cpp",
          "if (first.disturbed || last.disturbed) {", "if (first.disturbed && last.disturbed) {", "unit_compare", "CompareSides.*"),
    Fault("loss within the noise is slow", "src/compare/compare_sides.cpp",
          "rate->verdict == ChangeVerdict::Worse && rate->change", "rate->change", "unit_compare", "CompareSides.*"),
    Fault("lost member is passed over", "src/compare/compare_sides.cpp",
          "if (!any_stayed) return;", "if (any_stayed) return;", "unit_compare", "Compare*"),
    Fault("result that was wrong before fails again", "src/compare/compare_sides.cpp",
          "if (last.wrong && (is_new || !first.wrong))", "if (last.wrong)", "unit_compare", "Compare*"),
    Fault("run of two documents counts twice", "src/compare/snapshot.cpp",
          "if (std::ranges::find(known->runs, identity(run), identity) == known->runs.end())",
          "if (std::ranges::find(known->runs, identity(run), identity) == known->runs.end() || true)", "unit_compare", "Snapshots.*"),
    Fault("row of a log whose rate is wrong is taken", "src/compare/log_trial.cpp",
          "if (!agree(*run))", "if (!agree(*run) && false)", "unit_compare", "Logs.*"),
    Fault("two members of a side are one", "src/compare/roster.cpp",
          "found != known_[position].end() && taken.insert(found->second).second", "found != known_[position].end()", "unit_compare",
          "Numbering.*"),
]

EXPORTS = [
    Fault("warning fails in JUnit", "src/export/junit.cpp",
          'if (has_passed(verdict)) return "";', 'if (verdict == Verdict::Passed) return "";', "unit_export", "*"),
    Fault("solution that was not checked passes in JUnit", "src/export/junit.cpp",
          'return verdict == Verdict::Unchecked ? "skipped"', 'return verdict == Verdict::Unchecked ? ""', "unit_export", "*"),
    Fault("JUnit counts no slow case", "src/export/junit.cpp",
          "count(Verdict::Slow) + count(Verdict::Failed)", "count(Verdict::Failed)", "unit_export", "*"),
    Fault("labels of OpenMetrics are not escaped", "src/export/openmetrics.cpp",
          "if (c == '\\\\' || c == '\"') out += '\\\\';", "", "unit_export", "OpenMetrics.*"),
    Fault("run that its job did not check is a row", "src/export/csv.cpp",
          "if (!lacks_check(run)) text += run_row(run, program);", "text += run_row(run, program);", "unit_export", "*"),
    Fault("stopped run has passed", "src/export/suite.cpp",
          "if (made.verdict == Verdict::Stopped) made.verdict = Verdict::Unchecked;", "if (made.verdict == Verdict::Stopped) made.verdict = Verdict::Passed;",
          "unit_export", "*"),
    Fault("slow member is wrong", "src/export/suite.cpp",
          "if (one.verdict == Verdict::Failed && slow) return Verdict::Slow;",
          "if (one.verdict == Verdict::Failed && slow) return Verdict::Failed;", "unit_export", "*"),
    Fault("fleet that ended early has passed", "src/export/suite.cpp",
          "if (has_passed(made.verdict) && fleet.error) {", "if (false) {", "unit_export", "*"),
    Fault("job that ended early came to its end", "src/export/suite.cpp",
          "if (!made.faults.empty()) made.verdict = Verdict::Broken;", "", "unit_export", "*"),
    Fault("Markdown draws the text of a document", "src/export/markdown.cpp",
          "if (kSpecial.find(c) != std::string_view::npos)", "if (kSpecial.find(c) != std::string_view::npos && c == '|')", "unit_export", "Markdown.*"),
]

PAGES = [
    Fault("job that was not finished has passed", "src/page/verdict.cpp",
          "if (!job.exit_code) return Verdict::Unfinished;", "", "unit_page", "Verdict.*:RunFile.*"),
    Fault("page of several documents has the best verdict", "src/page/verdict.cpp",
          "worst = std::max(worst, verdict_of(file));", "worst = std::min(worst, verdict_of(file));", "unit_page", "*Verdict.*"),
    Fault("fleet with a warning has passed on its page", "src/page/verdict.cpp",
          "if (file.fleet && !file.fleet->warn_list.empty()) return Verdict::Warned;", "", "unit_page", "FleetVerdict.*"),
    Fault("disturbed acceptance is signed", "src/page/sheet.cpp",
          "reservations(files).empty() ? Verdict::Passed : Verdict::Repeat", "Verdict::Passed", "unit_page", "Page.*"),
    Fault("older line of the journal takes the place of a checked run", "src/page/run_file.cpp",
          "(run.residual || !runs[index].residual)", "true", "unit_page", "*"),
    Fault("gate that was missed is not named", "src/page/verdict_section.cpp",
          'if (!gate.held) add(of + gate.gate + " was not held: " + gate.reason);',
          "if (gate.held) add(of + gate.gate);", "unit_page", "Page.*"),
    Fault("cell of a page is markup", "src/report/page/format.cpp",
          "? escape(cell.text)", "? cell.text", "unit_result", "HtmlTable.*"),
    Fault("numbers of a table stand to the left", "src/base/text/table.cpp",
          "const bool number = name.starts_with('>');", "const bool number = name.starts_with('>') && name.empty();",
          "unit_text_value", "Table.*"),
    Fault("side that a comparison does not have is looked up", "src/compare/comparison_record.cpp",
          "return side < std::ssize(comparison.sides);", "return side <= std::ssize(comparison.sides);", "unit_page", "RunFile.*"),
    Fault("rank that a check does not hold is looked up", "src/check/report/check_text.cpp",
          "rank >= 0 && rank < std::ssize(report.ranks) ? &report.ranks[rank] : nullptr", "&report.ranks[rank]",
          "unit_page", "Page.OfACheckNamesRanks*"),
]

SEARCHES = [
    Fault("search takes the slowest of a round", "src/tune/search/rungs.cpp",
          "return a.seconds < b.seconds;", "return a.seconds > b.seconds;", "unit_tune", "TuneSearch.*"),
    Fault("search forgets the time that a trial took", "src/tune/search/tune_search.cpp",
          "state_.spent_seconds += trial.measured.cost_seconds;", "", "unit_tune", "TuneSearch.*"),
    Fault("trial that failed is compared", "src/tune/search/tune_search.cpp",
          "if (measured.failure.empty())\n          rung.push_back(", "rung.push_back(", "unit_tune", "TuneSearch.*"),
    Fault("local search stays where it begins", "src/tune/search/local_search.cpp",
          "if (std::min(left, right) >= here * (1 - kTie)) break;", "if (2 * std::min(left, right) >= here) break;", "unit_tune", "TuneSearch.*"),
    Fault("whole run takes as long as its parts", "src/tune/search/head_and_tail.cpp",
          "return parts.head_seconds * (1 + between / cubes) + parts.tail_seconds;", "return parts.head_seconds * (1 + 0 * between / cubes) + parts.tail_seconds;",
          "unit_tune", "HeadAndTail.*"),
    Fault("given flag is varied", "src/tune/trials/tuned_settings.cpp",
          "if (given.empty() || std::ranges::find(given, row.value) != given.end())", "", "unit_tune", "*"),
    Fault("panel of the search is the matrix", "src/tune/trials/tuned_settings.cpp",
          "value > std::max<std::int64_t>(32, usual_.spec.order / 8)", "value > usual_.spec.order", "unit_tune", "*"),
]

RATES = [
    Fault("products slow down messages of an exchange", "src/machine/model/process_column.cpp",
          "slowed_by_products(seconds.copies, row, begin,", "-seconds.messages + slowed_by_products(seconds.alone(), row, begin,",
          "unit_model", "BesideProducts.*"),
    Fault("exchange does not slow down the broadcast beside it", "src/machine/model/process_column.cpp",
          "broadcast.end = both + slowed_down(sending, exchanging / of_exchanging, of_sending);", "", "unit_model",
          "BesideProducts.*"),
    Fault("exchange of rows goes both ways to its end", "src/machine/model/rates.cpp",
          "if (seconds_alone.empty()) return seconds_for(bytes);", "return seconds_for(bytes);", "unit_model", "LinkRates.*:BesideProducts.*"),
    Fault("prediction distributes blocks evenly among ranks that were measured", "src/machine/model/prediction.cpp",
          "distribute_by_rates(decided.spec, rates.rank_speeds);", "static_cast<void>(decided);", "unit_model", "Simulation.*"),
    Fault("prediction says nothing of links that it lacks", "src/predict/predicted_runs.cpp",
          "append(report_.remarks, remarks_on_rates(decided, rates_));", "", "unit_predict", "PredictedRuns.*"),
    Fault("rank that does not measure has the rate 0", "src/rates/rate_tables.h", "std::erase_if(values, [](double of_rank) { return std::isnan(of_rank); });",
          "for (double& of_rank : values)\n      if (std::isnan(of_rank)) of_rank = 0;", "mpi_check", "RateTables.*", 4),
]

DEVICES = [
    Fault("address behind an allocation is known", "hpcx/gpu/known_memory.h",
          "if (before >= range.bytes || bytes > range.bytes - before) return std::nullopt;",
          "if (before >= range.bytes + bytes) return std::nullopt;", "unit_hpcx", "*Known*:*HostCop*"),
    Fault("device address is that of the allocation", "hpcx/gpu/known_memory.h",
          "static_cast<std::byte*>(range.on_device) + before", "static_cast<std::byte*>(range.on_device) + 0 * before", "unit_hpcx", "*Known*:*HostCop*"),
    Fault("memory that is given back is known", "hpcx/gpu/known_memory.h",
          "ranges_.erase(reinterpret_cast<std::uintptr_t>(data));", "static_cast<void>(data);", "unit_hpcx", "*Known*:*HostCop*"),
    Fault("zero pivot of a base block is passed over", "hpcx/cuda/base_block.h",
          "if (bad < 0 && !(fabsf(pivot) > 0 && fabsf(pivot) <= kLargest)) bad = k;",
          "if (bad < 0 && !(fabsf(pivot) <= kLargest)) bad = k;", "unit_hpcx_kernels", "*Base*"),
    Fault("inverse of L has the sign of L", "hpcx/cuda/base_block.h",
          "a[c][r] = i > k ? -factor[r] : factor[r];", "a[c][r] = factor[r];", "unit_hpcx_kernels", "*Base*"),
    Fault("base block writes U below its diagonal", "hpcx/cuda/base_block.h",
          "if (index >= k) matrix[k + index * ld] = row[index];", "matrix[k + index * ld] = row[index];", "unit_hpcx_kernels", "*Base*"),
]

FAULTS = [*SCHEDULE, *PIPELINE, *MIXED, *EXCHANGE, *BROADCAST, *SOLUTION, *SUMS, *DISTRIBUTION, *PANEL, *KERNELS, *MESSAGES, *INPUT, *RESULTS, *MEMORY, *ENDS, *RECORDS, *CHECKS, *COMPARISONS, *EXPORTS,
          *PAGES, *SEARCHES, *RATES, *DEVICES, *CAMPAIGN]
