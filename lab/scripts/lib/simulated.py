"""Hosts that are made of one machine, and jobs on them."""

import dataclasses
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from launching import mpi_environment

ROOT = Path(__file__).resolve().parents[3]
MEGA = 1_000_000
MESSAGE = r"\bxhpl: "  # of a job that cannot go on
CPU_GROUPS = Path("/sys/fs/cgroup/cpu")  # of version 1


def fail(code, text):
    print(f"simulate-nodes: {text}", file=sys.stderr)
    sys.exit(code)


def run(*words, check=True):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
    return done


class Hosts:
    """Hosts with names of their own. mpirun reaches each by an agent, a script that it calls in place of ssh."""

    interface = "lo"  # of MPI's connections

    def __init__(self, hosts, directory):
        self.prefix = f"xhpl{os.getpid()}"
        self.hosts = hosts
        self.silent = []  # hosts that take no connection
        self.slots = 1  # ranks of a host
        self.cores = sorted(os.sched_getaffinity(0))
        self.agent = Path(directory) / "agent"

    def __enter__(self):
        try:
            self.build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def cores_of(self, place):
        """The cores of the host at a place: an equal part of this machine's, or one of them in turn."""
        share = max(1, len(self.cores) // len(self.hosts))
        return [self.cores[(place * share + i) % len(self.cores)] for i in range(share)]

    def write_agent(self, of_host, command):
        """`of_host(place, host)` are words of a shell for one host; `command` runs the words "$*" there as `host`."""
        places = enumerate(self.hosts)
        cases = " ".join(
            f"{host}) cores={','.join(map(str, self.cores_of(i)))} {of_host(i, host)} ;;" for i, host in places)
        self.agent.write_text(
            f"#!/bin/sh\nhost=$1\nshift\ncase $host in {'|'.join(self.silent) or 'none'})\n"
            '  echo "ssh: connect to host $host port 22: No route to host" >&2\n  exit 255 ;;\nesac\n'
            f"case $host in {cases} esac\n{command}\n")
        self.agent.chmod(0o755)

    def starter(self):
        """The words that start xhpl-mpirun on the first host; its options follow."""
        return [str(self.agent), self.hosts[0], "exec", str(ROOT / "scripts/launch/xhpl-mpirun"),
                "--launcher", "mpirun", "--grace", "5",
                "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", str(self.agent),
                "--mca", "btl", "tcp,self", "--mca", "pml", "ob1",
                "--mca", "btl_tcp_if_include", self.interface, "--mca", "oob_tcp_if_include", self.interface]

    def launch(self, ranks, program):
        """The words that start `program` on the first hosts, `slots` ranks each; arguments follow."""
        hosts = self.hosts[:ranks // self.slots]
        return [*self.starter(), "-n", str(ranks), "--xhpl", str(program),
                "--host", ",".join(f"{host}:{self.slots}" for host in hosts), "--"]

    def ranks_on(self, host):
        """Process ids of the ranks that run on a host."""
        names = ((pid, Path(f"/proc/{pid}/comm")) for pid in self.processes(host))
        return [int(pid) for pid, name in names if name.exists() and name.read_text().strip() == "xhpl"]


class AgentHosts(Hosts):
    """Hosts by an agent alone: own names, cores and GPUs, MPI by TCP and NCCL by sockets over the loopback.

    They need the right to set a name for a process, by root or by a namespace of users. A link can be neither limited nor
    cut. Each host takes `slots` ranks, and as many of the GPUs whose numbers are in `gpus`. `variables` are more
    environment by host.
    """

    def __init__(self, hosts, directory, gpus, slots):
        super().__init__(hosts, directory)
        self.gpus, self.slots = gpus, slots
        self.variables = {}
        self.own_name = None

    def build(self):
        for words in (["unshare", "--uts"], ["unshare", "--map-root-user", "--uts"]):
            if run(*words, "hostname", "node", check=False).returncode == 0:
                self.own_name = words
                break
        else:
            fail(2, "a process cannot have a host name of its own here: it needs root or namespaces of users")

        def environment(place, host):
            devices = ",".join(map(str, self.gpus[place * self.slots:(place + 1) * self.slots]))
            variables = {"CUDA_VISIBLE_DEVICES": devices, "NCCL_HOSTID": f"{self.prefix}-{host}",
                         "NCCL_SOCKET_IFNAME": self.interface, **self.variables.get(host, {})}
            return "export " + shlex.join(f"{name}={value}" for name, value in variables.items())

        self.write_agent(environment, f"exec taskset -c $cores {shlex.join(self.own_name)} "
                                      """sh -c 'hostname "$0" && exec sh -c "$1"' "$host" "$*\"""")

    def __exit__(self, *_):
        for host in self.hosts:
            for pid in self.processes(host):
                end_process(pid)

    def processes(self, host):
        mark = f"NCCL_HOSTID={self.prefix}-{host}".encode()
        for directory in Path("/proc").iterdir():
            try:
                if directory.name.isdigit() and mark in (directory / "environ").read_bytes().split(b"\0"):
                    yield directory.name
            except OSError:  # ended meanwhile, or of another user
                pass


def end_process(pid):
    try:
        os.kill(int(pid), signal.SIGKILL)
    except ProcessLookupError:
        pass


class Network(Hosts):
    """Hosts around a switch, each in a namespace; all gone at the end. The serial number of a host is its place."""

    interface = "cable"

    def __init__(self, hosts, directory):
        super().__init__(hosts, directory)
        self.shares = {}  # of a core, that hosts may have
        self.hub = f"{self.prefix}-hub"
        self.groups = Path(directory) / "groups"
        self.latency_left_out = False

    def space(self, host):
        return f"{self.prefix}-{host}"

    def build(self):
        run("ip", "netns", "add", self.hub)
        run("ip", "-n", self.hub, "link", "add", "switch", "type", "bridge")
        run("ip", "-n", self.hub, "link", "set", "switch", "up")
        for i, host in enumerate(self.hosts):
            space = self.space(host)
            run("ip", "netns", "add", space)
            run("ip", "-n", self.hub, "link", "add", host, "type", "veth", "peer", "name", "cable",
                "netns", space)
            run("ip", "-n", self.hub, "link", "set", host, "master", "switch", "up")
            run("ip", "-n", space, "link", "set", "lo", "up")
            run("ip", "-n", space, "address", "add", f"10.77.0.{i + 1}/24", "dev", "cable")
            run("ip", "-n", space, "link", "set", "cable", "up")
        if self.shares:  # a namespace of a host has a /sys of its own
            self.groups.mkdir()
            run("mount", "--bind", str(CPU_GROUPS), str(self.groups))
        for host, share in self.shares.items():
            group = CPU_GROUPS / self.space(host)
            group.mkdir()
            (group / "cpu.cfs_quota_us").write_text(str(int(share * 100_000)))
            (group / "cpu.shares").write_text("50000")  # other work on this machine has 1024
        self.write_agent(
            lambda place, _: f"serial=SIM{place:04}",
            f"group={self.groups}/{self.prefix}-$host/tasks\n[ ! -e $group ] || echo $$ >$group\n"
            f'exec ip netns exec {self.prefix}-"$host" taskset -c $cores unshare --uts --mount sh -c '
            '\'hostname "$0" && mount -t tmpfs none /sys/class && mkdir -p /sys/class/dmi/id &&\n'
            '  echo "$1" >/sys/class/dmi/id/product_serial && exec sh -c "$2"\' "$host" "$serial" "$*"')

    def __exit__(self, *_):
        for space in [self.space(host) for host in self.hosts] + [self.hub]:
            for pid in run("ip", "netns", "pids", space, check=False).stdout.split():
                end_process(pid)
            run("ip", "netns", "delete", space, check=False)
            if (CPU_GROUPS / space).exists():
                run("rmdir", str(CPU_GROUPS / space), check=False)
        run("umount", str(self.groups), check=False)

    def processes(self, host):
        return run("ip", "netns", "pids", self.space(host), check=False).stdout.split()

    def ends(self):
        """Both ends of every link, as (namespace, device)."""
        for host in self.hosts:
            yield self.space(host), "cable"
            yield self.hub, host

    def limit(self, mbit, latency_ms):
        """Sets the rate of every link, in both directions; None: as fast as memory."""
        for space, device in self.ends():
            run("tc", "-n", space, "qdisc", "del", "dev", device, "root", check=False)
            parent = ["root"]
            if latency_ms > 0 and not self.latency_left_out:
                done = run("tc", "-n", space, "qdisc", "add", "dev", device, "root", "handle", "1:",
                           "netem", "delay", f"{latency_ms}ms", "limit", "100000", check=False)
                if done.returncode == 0:
                    parent = ["parent", "1:"]
                else:
                    self.latency_left_out = True
                    print("simulate-nodes: this kernel has no netem: latency is left out, rates are "
                          "kept", file=sys.stderr)
            if mbit is not None:
                # The bucket must hold the largest segment that the stack hands over at once.
                burst = max(128 * 1024, int(mbit * MEGA / 8 * 0.002))
                run("tc", "-n", space, "qdisc", "add", "dev", device, *parent, "tbf", "rate",
                    f"{mbit}mbit", "burst", f"{burst}b", "latency", "50ms")

    def cut(self, host):
        run("ip", "-n", self.hub, "link", "set", host, "down")

    def mend(self, host):
        run("ip", "-n", self.hub, "link", "set", host, "up")


class Lab:
    """Jobs on hosts, each in a directory of its own."""

    def __init__(self, network, xhpl, directory):
        self.network, self.xhpl, self.directory = network, xhpl, Path(directory)
        self.report = self.directory / "run.json"

    def start(self, ranks, arguments):
        return Job([*self.network.launch(ranks, self.xhpl), *arguments], self.directory)

    def measure(self, ranks, arguments, seconds=600):
        """The JSON report of a job that must end with exit code 0."""
        self.report.unlink(missing_ok=True)
        job = self.start(ranks, [*arguments, "--no-attainable", "--json", str(self.report)])
        code = job.finish(seconds)
        if code != 0 or not self.report.exists():
            raise RuntimeError(f"exit code {code}, {' '.join(arguments)}\n{job.errors()}")
        return json.loads(self.report.read_text())

    def break_run(self, ranks, arguments, action, seconds, later=0):
        """Starts a run, does `action` `later` seconds after its first step, and waits for the job's end.

        A job that ends before has not been broken, and raises RuntimeError. `seconds` is the time that the message may take.
        """
        job = self.start(ranks, [*arguments, "--no-attainable", "--progress", "always"])
        begun = job.wait_for(r"^# run .*left", 240)
        time.sleep(later)
        if not begun or job.process.poll() is not None:
            job.finish(0)
            raise RuntimeError(f"the job had ended, or not begun, before a part of it was broken\n{job.errors()}")
        begin = time.monotonic()
        action()
        job.wait_for(MESSAGE, seconds + 60)
        told = time.monotonic() - begin
        code = job.finish(60)
        return End(code, told, time.monotonic() - begin, job.wait_for(MESSAGE, 0), job.errors())


@dataclasses.dataclass
class End:
    """The end of a job that was broken: seconds until its message and until its end, counted from the fault."""

    code: int | None  # None: it hung and was ended
    told: float
    seconds: float
    messages: list[str]
    errors: str  # all that the job wrote to standard error

    @property
    def message(self):
        """The first one."""
        return self.messages[0] if self.messages else ""


class Job:
    """A job that was started in a directory, which holds its output."""

    def __init__(self, words, directory):
        self.out, self.err = Path(directory) / "out", Path(directory) / "err"
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen(words, stdout=out, stderr=err, cwd=directory, env=mpi_environment())
        self.begin = time.monotonic()

    def finish(self, seconds):
        """The exit code; None: it hung and was ended."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            return None

    def errors(self):
        return self.err.read_text(errors="replace")

    def wait_for(self, pattern, seconds):
        """Waits until a line of the errors holds the pattern. Returns all such lines; none: the time passed or it ended."""
        end = time.monotonic() + seconds
        while True:
            ended = self.process.poll() is not None
            lines = [line for line in self.errors().splitlines() if re.search(pattern, line)]
            if lines or ended or time.monotonic() > end:
                return lines
            time.sleep(0.1)


def table_head(header):
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header), flush=True)


def table_row(row):
    print("| " + " | ".join(row) + " |", flush=True)


def table(header, rows):
    table_head(header)
    for row in rows:
        table_row(row)
    print(flush=True)
