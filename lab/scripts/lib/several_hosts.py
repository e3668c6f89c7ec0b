"""Proofs on several hosts that an agent makes of one machine: results as on one host, broken parts, time over its floor."""

import json
import os
import signal
import sys
import tempfile
import time

from simulated import MESSAGE, AgentHosts, Lab, table, table_head, table_row

REPORTED_AS = {"nccl": "nccl", "mpi-device": "mpi", "mpi-host": "mpi-host"}
SETTINGS = {"fp64": ["run"], "emulated": ["run", "--arithmetic", "emulated"], "mxp": ["mxp"],
            "host-memory": ["run", "--matrix", "host"]}
SECONDS_AFTER_A_REPORT = 30  # until the end of a job in which NCCL, TCP or the launcher reports a failure
SECONDS_AFTER_THE_WATCHDOG = 15  # until the message of a job in which a rank is silent


class OneHost:
    """This machine as one host, whose ranks have memory in common and see the GPUs of a list."""

    def __init__(self, gpus):
        self.gpus = gpus

    def launch(self, ranks, program):
        return ["env", f"CUDA_VISIBLE_DEVICES={','.join(map(str, self.gpus))}", "mpirun", "--oversubscribe", "--bind-to", "none", "-np", str(ranks), program]


class Place:
    """Hosts with equally many ranks each, in a directory of their own while they are there."""

    def __init__(self, args, hosts, slots):
        self.args, self.slots = args, slots
        self.name = f"{hosts} x {slots}"
        self.hosts = [f"node{i + 1}" for i in range(hosts)]
        self.ranks = hosts * slots

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="xhpl-hosts-")
        self.network = AgentHosts(self.hosts, self.directory.name, self.args.gpus, self.slots)
        self.network.__enter__()
        return Lab(self.network, self.args.xhpl, self.directory.name)

    def __exit__(self, *_):
        self.network.__exit__()
        self.directory.cleanup()


def grids_of(ranks, least):
    """Every grid of `least` to `ranks` ranks, as (rows, columns)."""
    return [(rows, count // rows) for count in range(least, ranks + 1) for rows in range(1, count + 1)
            if count % rows == 0]


def grid_words(grids):
    rows, columns = zip(*grids)
    return ["-P", ",".join(map(str, rows)), "-Q", ",".join(map(str, columns))]


def usual_words(args):
    return ["--device", "cuda" if args.gpus else "cpu", "-q", "--no-check"]


def size_words(args, order, block):
    """Of a run whose sizes were not given; on processors both are divided by 8."""
    scale = 1 if args.gpus else 8
    return ["-N", str(args.order or order // scale), "--NB", str(args.block or block // scale)]


def grid_of(run):
    return run["spec"]["grid_rows"], run["spec"]["grid_columns"]


def transports_of(runs):
    """Names of the transports between ranks of a process row or column."""
    lines = [run["transports"][line] for run in runs for line in ("row", "column")]
    return sorted({line["name"] for line in lines if line["ranks"] > 1})


def report_of(lab, ranks, words, seconds=200):
    """The JSON report of a job; None, with its errors shown, where it broke."""
    try:
        return lab.measure(ranks, words, seconds)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return None


def prove_grids(args):
    """Every grid in every setting, by both transports and pipelines: do passes, residuals and hashes equal one host's?"""
    count = args.hosts
    places = [(Place(args, count, 1), grids_of(count, 2), True)]
    if count > 2 and count % 2 == 0:
        places.append((Place(args, 2, count // 2), grids_of(count, count), False))
    own = "nccl" if args.gpus else "mpi-device"
    print(f"Grids {', '.join(f'{p} x {q}' for p, q in places[0][1])}, {' '.join(size_words(args, 8192, 512))}, beside the "
          "same grids on one host:\n")
    table_head(["setting", "hosts x ranks", "transport", "pipeline", "passed", "residual equal", "hash equal", "job, s"])
    bad = 0
    for setting in args.settings:
        words = [*SETTINGS[setting], *size_words(args, 8192, 512), "--reproducible", *usual_words(args), "--watchdog", "60"]
        with tempfile.TemporaryDirectory(prefix="xhpl-hosts-") as directory:
            report = report_of(Lab(OneHost(args.gpus), args.xhpl, directory), count, [*words, *grid_words(places[0][1])])
        of_one_host = {grid_of(run): run for run in report["runs"]} if report else {}
        for place, grids, every_way in places:
            with place as lab:
                for transport in (own, "mpi-host") if every_way else (own,):
                    for pipeline in ("fine", "coarse") if every_way else ("fine",):
                        begin = time.monotonic()
                        report = report_of(lab, count, [*words, *grid_words(grids), "--transport", transport,
                                                        "--pipeline", pipeline])
                        seconds = f"{time.monotonic() - begin:.1f}"
                        runs = report["runs"] if report else []
                        pairs = [(run, of_one_host[grid_of(run)]) for run in runs if grid_of(run) in of_one_host]
                        counts = [sum(run["passed"] for run in runs),
                                  sum(run["residual"] == one["residual"] for run, one in pairs),
                                  sum(run["solution_hash"] == one["solution_hash"] for run, one in pairs)]
                        taken = transports_of(runs)
                        bad += counts != [len(grids)] * 3 or taken != [REPORTED_AS[transport]]
                        table_row([setting, place.name, ", ".join(taken) or "-", pipeline,
                                   *(f"{number} of {len(grids)}" for number in counts), seconds])
    print()
    return bad


def prove_fleets(args):
    """Every node, and every pair of nodes, solves a system of its own."""
    count = args.hosts
    fleets = [(Place(args, count, 1), "node"), (Place(args, count, 1), "pair")]
    if count > 2 and count % 2 == 0:
        fleets.append((Place(args, 2, count // 2), "node"))
    rows, bad = [], 0
    for place, member in fleets:
        with place as lab:
            report = report_of(lab, count, ["fleet", member, *size_words(args, 8192, 512), "--tolerance", "1000",
                                            "--share-cores", *usual_words(args)])
        members = report["fleet"]["members"] if report else []
        passed = sum(one["verdict"] == "passed" for one in members)
        wanted = 1 if member == "pair" and count == 2 else len(place.hosts)  # pairs form a ring
        bad += not passed == len(members) == wanted
        rows.append([member, place.name, f"{passed} of {wanted}"])
    print("Fleets:\n")
    table(["member", "hosts x ranks", "passed"], rows)
    return bad


def break_interfaces(args, place, at_fault):
    """NCCL finds no interface on some hosts: the row of a table, and whether another transport or a message followed."""
    with place as lab:
        lab.network.variables = {host: {"NCCL_SOCKET_IFNAME": "nosuch"} for host in at_fault}
        lab.network.build()
        words = ["run", *size_words(args, 8192, 512), *grid_words([(1, place.ranks)]), *usual_words(args)]
        job = lab.start(place.ranks, [*words, "--no-attainable", "--json", str(lab.report)])
        code = job.finish(120)
        seconds = time.monotonic() - job.begin
        said = job.wait_for(MESSAGE, 0)
        runs = []
        if code == 0:
            report = json.loads(lab.report.read_text())
            runs = report["runs"]
            said = [remark for remark in report["remarks"] + runs[0]["remarks"] if "nccl" in remark]
    taken = ", ".join(transports_of(runs))
    good = bool(said) and (code == 0 or code == 3 and seconds < SECONDS_AFTER_A_REPORT)
    return [f"no interface for NCCL on {', '.join(at_fault)}", "-", f"{seconds:.1f}", str(code), taken or "-",
            said[0] if said else "-"], good


def break_a_rank(args, place, number, seconds):
    """The last host's rank gets a signal: the row of a table, and whether the job ended in time and named the rank."""
    rows = 2 if place.ranks % 2 == 0 else 1
    words = ["run", *size_words(args, 98304, 1024), *grid_words([(rows, place.ranks // rows)]), *usual_words(args),
             "--watchdog", str(args.watchdog)]
    host = place.hosts[-1]
    with place as lab:
        end = lab.break_run(place.ranks, words, lambda: [os.kill(pid, number) for pid in lab.network.ranks_on(host)], seconds)
        left = lab.network.ranks_on(host)
    # Open MPI may end the other ranks before they speak; then it names the killed one itself.
    message = end.message or next((line for line in end.errors.splitlines() if "mpirun noticed" in line), "")
    named = f"rank {place.ranks - 1} " in message and host in message
    good = end.code == 3 and end.told <= seconds and not left and named
    if not good:
        print(end.errors, file=sys.stderr)
    return [f"{number.name} to the rank of {host}", f"{end.told:.1f}", f"{end.seconds:.1f}", str(end.code), "-",
            message or "-"], good


def break_parts(args):
    """Broken interfaces, a killed rank and a stopped one: when and how does the job end?"""
    place = Place(args, args.hosts, 1)
    print(f"{place.name} hosts x ranks, --watchdog {args.watchdog:g}:\n")
    table_head(["broken", "message after, s", "job ended after, s", "exit code", "transport then", "message or remark"])
    bad = 0
    faults = [lambda: break_a_rank(args, place, signal.SIGKILL, SECONDS_AFTER_A_REPORT),
              lambda: break_a_rank(args, place, signal.SIGSTOP, args.watchdog + SECONDS_AFTER_THE_WATCHDOG)]
    if args.gpus:
        faults += [lambda: break_interfaces(args, place, place.hosts[-1:]), lambda: break_interfaces(args, place, place.hosts)]
    for fault in faults:
        row, good = fault()
        table_row(row)
        bad += not good
    print()
    return bad


def bytes_sent(spec):
    """Bytes that pass a link of a row and of a column one after another in a run of HPL, by the tasks of docs/model.md. The
    owner of the next panel needs all of this one, so each panel counts as a whole. Rows of U go by spread and roll, and
    their solution is divided over the column."""
    rows, columns, block = spec["grid_rows"], spec["grid_columns"], spec["block_size"]
    along = [0.0, 0.0]
    for begin in range(0, spec["order"], block):
        width = min(block, spec["order"] - begin)
        left = spec["order"] - begin
        along[0] += (columns > 1) * 8 * width * (width + left / rows + 1)
        along[1] += (rows - 1) / rows * (2 + 1 / rows) * 8 * width * (left - width) / columns
    return along


def seconds_on_links(run):
    """Time of a rank's messages along its busier line, at the bandwidth that the run itself measured with all pairs busy at once. The other
    line's go to other ranks, perhaps at the same time."""
    seconds = 0.0
    for name, sent in zip(("row", "column"), bytes_sent(run["spec"])):
        line = run["transports"][name]
        if line["ranks"] > 1 and line["gigabytes_per_second"]:
            seconds = max(seconds, sent / (1e9 * line["gigabytes_per_second"]))
    return seconds


def compare_with_floor(args):
    """Time over its floor, the larger of the time on one host and the time of the messages alone."""
    count = args.hosts
    square = (2, count // 2) if count % 2 == 0 else (1, count)
    plans = [(Place(args, count, 1), ["-N", args.orders, "--NB", str(args.block or 1024 // (1 if args.gpus else 16)),
                                      *grid_words([square, (1, count)])])]
    if args.gpus and count > 2 and count % 2 == 0:
        plans.append((Place(args, 2, count // 2), ["--auto"]))
    transport = [] if args.gpus else ["--transport", "mpi-host"]
    table_head(["hosts x ranks", "grid", "N", "NB", "seconds", "on one host", "GB a rank, row and column",
                "GB/s, row and column", "messages alone", "over the floor"])
    bad = 0
    for place, words in plans:
        with place as lab:
            report = report_of(lab, count, ["run", *usual_words(args), *transport, *words], 500)
        runs = report["runs"] if report else []
        if words == ["--auto"] and runs:  # the sizes that were chosen
            spec = runs[0]["spec"]
            words = ["-N", str(spec["order"]), "--NB", str(spec["block_size"]), *grid_words([grid_of(runs[0])])]
        with tempfile.TemporaryDirectory(prefix="xhpl-hosts-") as directory:
            report = report_of(Lab(OneHost(args.gpus), args.xhpl, directory), count, ["run", *usual_words(args), *words], 500)
        alone = report["runs"] if report else []
        bad += not runs or not len(runs) == len(alone)
        for run, one in zip(runs, alone):
            links = seconds_on_links(run)
            rates = [run["transports"][line]["gigabytes_per_second"] for line in ("row", "column")]
            table_row([place.name, "{} x {}".format(*grid_of(run)), str(run["spec"]["order"]), str(run["spec"]["block_size"]),
                       f"{run['seconds']:.2f}", f"{one['seconds']:.2f}",
                       ", ".join(f"{sent / 1e9:.3g}" for sent in bytes_sent(run["spec"])),
                       ", ".join(f"{rate:.2f}" if rate else "-" for rate in rates), f"{links:.2f}",
                       f"{run['seconds'] / max(one['seconds'], links):.2f}"])
    print()
    return bad
