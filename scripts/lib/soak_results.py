"""Kinds of scripts/soak about results that are combined: reports of fleets, searches, forms.

What must come of a trial follows from the documents alone (docs/accepting.md, docs/tuning.md, docs/submitting.md), never from
the code: nothing passes that is wrong, and what is sound is not refused. A mixin of the soak's trials.
"""

import contextlib
import copy
import json
import os
import re
import signal
import time
from typing import NamedTuple

FLEET_FLAGS = ["-N", "120", "--NB", "16", "--threads", "1", "--repeat", "2", "--no-attainable", "--no-check", "--share-cores",
               "--watchdog", "30"]


class Fleet(NamedTuple):
    """A job that reports are taken from."""
    more: tuple = ()      # flags
    code: int | None = 0  # exit code; None: whichever
    alike: bool = True    # its run is that of "sound"
    hosts: int = 1
    victim: int | None = None  # the rank whose BLAS errs
    member: str = "device"


FLEETS = {"sound": Fleet(), "gated": Fleet(("--min-gflops", "1e6"), 4), "wrong": Fleet((), 1, victim=0),
          "of three": Fleet(hosts=3), "of three, one wrong": Fleet((), 1, hosts=3, victim=1),
          "unchecked": Fleet(("--threshold", "0"), None, False), "larger": Fleet(("-N", "140"), 0, False),
          "emulated": Fleet(("--arithmetic", "emulated"), 0, False), "summed": Fleet(("--verify", "always"), 0, False),
          "in host memory": Fleet(("--matrix", "host", "--device-memory", "1M"), 0, False),
          "pairs": Fleet((), 0, False, 3, member="pair"), "pairs, one wrong": Fleet((), 1, False, 3, 2, "pair")}
WEIGHTS = [30, 6, 6, 6, 6, 3, 3, 3, 3, 3, 3, 3]
TUNE_WORDS = ["tune", "-o", "tuned.dat", "-N", "300", "--NB", "16,32", "--threads", "1", "--watchdog", "30", "--for", "3s"]
# Other words for the same command: whether it is the same search.
SEARCHES = {"same": ([], True), "longer": (["--for", "4s"], True), "local32": (["--method", "local32"], True),
            "other list": (["--NB", "24"], True), "emulated": (["--arithmetic", "emulated"], False),
            "other N": (["-N", "310"], False), "more threads": (["--threads", "2"], False),
            "host memory": (["--matrix", "host", "--device-memory", "900K"], False)}


def replaced(words, more):
    """`words` with the flags of `more`, which count where both have one."""
    kept, flags = list(words), [word for word in more if word.startswith("-")]
    for flag in flags:
        if flag in kept:
            del kept[kept.index(flag):kept.index(flag) + 2]
    return kept + more


def fleet_words(more, member="device"):
    return ["fleet", member, *replaced(FLEET_FLAGS, list(more))]


def renamed(value, names):
    """The document with other names of its hosts."""
    if isinstance(value, dict):
        return {key: renamed(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [renamed(one, names) for one in value]
    if isinstance(value, str):
        return re.sub(r"(?<!\w)(" + "|".join(map(re.escape, names)) + r")(?!\w)", lambda found: names[found[0]], value)
    return value


def members_of(text):
    """Hosts of a list like node[1-3,5],login."""
    hosts = set()
    for name, ranges in re.findall(r"([^,\[\]]+)(?:\[([^\]]*)\])?(?:,|$)", text.strip()):
        if not ranges:
            hosts.add(name)
            continue
        for one in ranges.split(","):
            first, _, last = one.partition("-")
            hosts |= {f"{name}{number:0{len(first)}}" for number in range(int(first), int(last or first) + 1)}
    return hosts


def trials_of(document):
    """What was measured in a search, as a set."""
    def point(trial):
        return trial["point"] if "point" in trial else " ".join(map(" ".join, trial["settings"].items()))
    return {(point(trial), trial["panel_alone"], trial["level"], trial["repetition"], trial["seconds"])
            for trial in document["trials"] + document["earlier_trials"]}


# Jobs of one run that a form may take: further flags, exit code, what each product adds, whether the lists take it.
RUNS = {"sound": ([], 0, None, True), "larger": (["-N", "150"], 0, None, True), "summed": (["--verify", "always"], 0, None, True),
        "emulated": (["--arithmetic", "emulated"], 0, None, False), "unchecked": (["--threshold", "0"], 0, None, False),
        "lenient": (["--threshold", "1e300"], 0, None, False), "gated": (["--min-gflops", "1e6"], 4, None, True),
        "stopped early": (["--stop-after", "0.5"], 0, None, False), "wrong": ([], 1, 1, False),
        "wrong for any residual": (["--threshold", "1e300"], 0, 1, False), "wrong sums": (["--verify", "always"], 1, 1e-9, False)}


class Expected(NamedTuple):
    """What must come of a merge."""
    names: set   # of the jobs
    whole: bool  # all reports are
    cut: bool    # one is
    sound: set   # hosts that may pass
    hosts: int   # of all reports


class ResultKinds:
    """Expects the members of Trial: random, tools, directory, mpirun(), judge(), require(), tell()."""

    def document(self, name):
        return self.parse(self.directory / name, (self.directory / name).read_text())

    # Reports of fleets.

    def fleet_document(self, name, number):
        """The report of a job of that name, made once a soak, as if it were of other hosts; those that passed there."""
        made = self.tools.setdefault("fleets", {})
        if name not in made:
            job = FLEETS[name]
            wrapper = ["sh", "-c", 'XHPL_TEST_HOST=n${OMPI_COMM_WORLD_RANK:-$PMI_RANK} exec "$0" "$@"', "env",
                       f"LD_PRELOAD={self.tools['libhpl_other_host.so']}:{self.tools['libhpl_flipped_bit.so']}"]
            if job.victim is not None:
                wrapper.append(f"XHPL_TEST_ADD={job.victim}:0:7:1")
            run = self.mpirun(job.hosts, [*fleet_words(job.more, job.member), "--json", "fleet.json"], 200, wrapper)
            found = run.finish()
            self.require(job.code in (None, found), f"the fleet \"{name}\": exit code {found}: {run.texts()[-500:]}")
            made[name] = self.document("fleet.json")
            (self.directory / "fleet.json").unlink()
        document = copy.deepcopy(made[name])
        passed = members_of(document["fleet"]["pass_list"]) if FLEETS[name].code is not None else set()
        for member in document["fleet"]["members"]:
            for one in member["runs"]:
                one.update(gflops=10.0, seconds=0.1)  # or hosts of several jobs would be outliers
        names = {f"n{i}": f"host{number}{i}" for i in range(FLEETS[name].hosts)}
        for of in ("pass_list", "fail_list"):
            document["fleet"][of] = ",".join(sorted(members_of(document["fleet"][of])))
        return renamed(document, names), {names[host] for host in passed}

    def report(self, words, codes):
        """xhpl-report: exit code, and one message unless it is 0 or 1."""
        words = [self.tools["xhpl-report"], *words]
        job = self.start(words, 60)
        code = job.finish()
        text = job.texts()
        self.require(code in codes, f"xhpl-report: exit code {code}, not one of {sorted(codes)}: {text[-600:]}")
        self.require(text.count("xhpl report: ") == (1 if code in (2, 3) else 0),
                     f"exit code {code} with the words {text[:500]}")
        return code

    def merges(self):
        draw = self.random
        names = draw.choices(list(FLEETS), WEIGHTS, k=draw.randint(1, 6))
        if draw.random() < 0.5:  # of one run, or hardly anything would be judged
            names = [name for name in names if FLEETS[name].alike == FLEETS[names[0]].alike]
            names = names if FLEETS[names[0]].alike else [draw.choice([names[0], "pairs"])] * len(names)
        fates = draw.choices(["whole", "cut", "died", "twice", "gutted"], [12, 1, 1, 1, 1], k=len(names))
        sound, files, hosts = set(), [], 0
        for number, (name, fate) in enumerate(zip(names, fates)):
            document, passed = self.fleet_document(name, number)
            if fate == "died":
                document["exit_code"], document["error"] = draw.choice([(None, None), (3, "ended from outside")])
            if fate == "gutted":
                passed -= self.gut(document)
            text = json.dumps(document)
            if fate == "cut":
                text = text[:draw.randrange(len(text))]
            (self.directory / f"{number}.json").write_text(text)
            files += [f"{number}.json"] * (2 if fate == "twice" else 1)
            hosts += FLEETS[name].hosts
            if fate in ("whole", "twice", "gutted"):
                sound |= passed
        if "gated" in names:
            sound.clear()  # the strictest limit counts for all
        words = ["--expect-hosts", ",".join([*sorted(sound), "gone"])] if draw.random() < 0.3 else []
        draw.shuffle(files)
        self.made = len(files)
        self.tell("; ".join(map(", ".join, zip(names, fates))) + ("; one more is expected" if words else ""))
        self.judge_merge(files, words, Expected(set(names), all(fate in ("whole", "twice") for fate in fates), "cut" in fates,
                                                sound, hosts))

    def gut(self, document):
        """A fact on which a verdict rests goes away, or contradicts the rest; the hosts that must not pass then."""
        fleet, draw = document["fleet"], self.random
        member = draw.choice(fleet["members"])
        everyone, of_member = {host["name"] for host in fleet["hosts"]}, set(member["hosts"])
        change = draw.randrange(6)
        if change == 0:
            for one in member["runs"]:
                one["gflops"] = None
        elif change == 1:
            member["hosts"][draw.randrange(len(member["hosts"]))] = "elsewhere"
        elif change == 2:
            del member["runs"]
        elif change == 3:
            member["runs"] = []
        elif change == 4:
            fleet["hosts"].pop()
        else:
            fleet["hosts"] *= 2
        return of_member if change in (0, 2, 3) else everyone

    def judge_merge(self, files, words, wanted):
        for name in ("all.json", "good", "bad"):
            (self.directory / name).write_text("as it was")
        code = self.report(["--merge", *words, *files, "-o", "all.json", "--pass-list", "good", "--fail-list", "bad"],
                           {0, 1, 2, 4})
        self.tell(f"exit code {code}")
        # Jobs whose run is that of "sound" are one run, of the others each is another.
        runs = {name.split(",")[0] if not FLEETS[name].alike else "sound" for name in wanted.names}
        if code == 2:
            self.require(not wanted.whole or len(runs) > 1, "sound reports of one run were refused")
            kept = all((self.directory / name).read_text() == "as it was" for name in ("all.json", "good", "bad"))
            return self.require(kept, "an output was touched though the reports were refused")
        good, bad = (members_of((self.directory / name).read_text()) for name in ("good", "bad"))
        document = self.document("all.json")
        self.require(len(runs) == 1, f"reports of other runs were merged: {sorted(runs)}")
        self.require(not wanted.cut, "half a report was taken")
        self.require(good <= wanted.sound, f"{sorted(good - wanted.sound)} passed, sound are {sorted(wanted.sound)}")
        self.require(not good & bad, "a host is in both lists")
        self.require(not words or "gone" in bad, "a host without a report is not on the fail list")
        all_passed = good == wanted.sound and len(good) == wanted.hosts and wanted.whole and not words
        self.require((document["exit_code"] == 0) == all_passed and not (all_passed and bad),
                     f"exit_code {document['exit_code']} in the merged report: passed {sorted(good)}, failed {sorted(bad)}")
        if wanted.whole:
            self.require(good == wanted.sound, f"{sorted(wanted.sound - good)} did not pass, sound are {sorted(wanted.sound)}")
        runs = [(tuple(member["hosts"]), one["repeat_index"], one["started"]) for member in document["fleet"]["members"]
                for one in member["runs"]]
        self.require(len(runs) == len(set(runs)), "a run counts twice")
        # A merged report is no better when it is merged again.
        self.report(["--merge", *words, "all.json", "-o", "again.json", "--pass-list", "good"], {0, 1, 4})
        again = members_of((self.directory / "good").read_text())
        self.require(again <= good, f"merged again, {sorted(again - good)} passed as well")

    def references(self):
        draw = self.random
        name = draw.choices(list(FLEETS), WEIGHTS)[0]
        document, _ = self.fleet_document(name, 0)
        kinds = document["fleet"]["kinds"]
        rate = next(one for one in kinds[0]["figures"] if one["figure"] == "gflops")
        changes = {"as it is": {0, 4}, "faster": {0, 4}, "slower": {0}, "without a median": {2}, "no rate": {2}, "twice": {2},
                   "no kind": {2}, "another kind": {2}, "stopped": {2}}
        change = draw.choice(list(changes))
        if change in ("faster", "slower"):
            rate["median"] *= 1e6 if change == "faster" else 1e-6
            rate["minimum"], rate["maximum"] = rate["median"], rate["median"]
            # A difference of 0.1 s a run is noise (docs/accepting.md), so runs take longer.
            for of in (document["fleet"], *(run for member in document["fleet"]["members"] for run in member["runs"])):
                of["spec"]["order"] += 3000 - 120
        elif change == "without a median":
            draw.choice([lambda: rate.update(median=None), lambda: rate.pop("median")])()
        elif change == "no rate":
            kinds[0]["figures"].remove(rate)
        elif change == "twice":
            kinds.append(copy.deepcopy(kinds[0]))
        elif change == "no kind":
            kinds.clear()
        elif change == "another kind":
            kinds[0]["kind"] = "another processor"
        elif change == "stopped":
            document["exit_code"], document["error"] = 3, "ended from outside"
        codes = changes[change] if name in ("sound", "of three") else {2}
        (self.directory / "reference.json").write_text(json.dumps(document))
        self.tell(f"a reference of the fleet \"{name}\", {change}")
        words = fleet_words(["-N", "3000" if change in ("faster", "slower") else "120"])
        words += ["--tolerance", "90", "--reference", "reference.json", "--json", "run.json"]
        job = self.mpirun(1, words, 200)
        code = job.finish()
        self.judge(job, code, codes, {1} if code == 2 else {0})
        self.require(code != 2 or not (self.directory / "run.json").exists(),
                     "something ran though the reference was refused")
        if code in codes - {2} and change == "faster":  # one figure that is out is a warning
            bases = [one["basis"] for member in self.document("run.json")["fleet"]["members"]
                     for one in member["findings"]]
            self.require("reference" in bases, f"no finding rests on the reference: {bases}")

    # Searches.

    def searches(self):
        draw = self.random
        first = draw.choice(["same", "emulated", "host memory"])
        job = self.mpirun(1, replaced(TUNE_WORDS, SEARCHES[first][0]), 120)
        evidence = self.directory / "tuned.dat.json"
        stop = draw.choice([signal.SIGTERM, signal.SIGKILL, None])
        job.until(evidence.exists)
        if stop is not None and (pid := job.find_rank(0)):
            time.sleep(draw.uniform(0, 1))
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, stop)
        code = job.finish()
        self.tell(f"a search ({first}){'' if stop is None else ', ' + stop.name}: exit code {code}")
        if not evidence.exists():
            return
        before, text = self.document("tuned.dat.json"), evidence.read_text()
        second = draw.choice(list(SEARCHES))
        fate = draw.choices(["whole", "cut"], [6, 1])[0]
        if fate == "cut":
            text = text[:draw.randrange(len(text) - 1)]
            evidence.write_text(text)
        same = first == second or first == "same" and SEARCHES[second][1]
        job = self.mpirun(1, replaced(TUNE_WORDS, SEARCHES[second][0]), 120)
        code = job.finish()
        self.tell(f"then {second}{'' if fate == 'whole' else ', its evidence cut'}")
        goes_on = same and fate == "whole"
        # Without a single trial nothing is found.
        self.judge(job, code, {0, 1} if goes_on else {2}, {0} if goes_on else {1})
        if code == 2:
            return self.require(evidence.read_text() == text, "evidence was touched though the search was refused")
        if not goes_on:
            return
        after = self.document("tuned.dat.json")
        lost = trials_of(before) - trials_of(after)
        self.require(not lost, f"{len(lost)} of {len(trials_of(before))} trials were lost")
        if code == 0:
            job = self.mpirun(1, ["--dat", "tuned.dat", "--no-attainable", "--no-check"], 60)
            self.require(job.finish() == 0 and " PASSED" in job.texts(), "what was found does not run")

    # Forms.

    def run_document(self, name):
        """The report of a job of that name, made once a soak."""
        made = self.tools.setdefault("runs", {})
        if name not in made:
            more, code, error, _ = RUNS[name]
            words = replaced(["-N", "120", "--NB", "16", "--threads", "1", "--no-attainable", "--no-check", "--watchdog", "30",
                              "--verify", "never"], more)
            wrapper = [] if error is None else ["env", f"LD_PRELOAD={self.tools['libhpl_flipped_bit.so']}",
                                                f"XHPL_TEST_ADD=0:0:7:{error}"]
            run = self.mpirun(1, [*words, "--json", "run.json"], 200, wrapper)
            found = run.finish()
            self.require(found == code, f"the run \"{name}\": exit code {found}: {run.texts()[-500:]}")
            made[name] = self.document("run.json")
            (self.directory / "run.json").unlink()
        return copy.deepcopy(made[name])

    def forms(self):
        """The form takes the fastest of the runs that the lists take, and names the others."""
        draw, rates, others = self.random, {}, set()
        names = draw.choices(list(RUNS), [2, 2, 2] + [1] * (len(RUNS) - 3), k=draw.randint(1, 5))
        for number, name in enumerate(names):
            document, file = self.run_document(name), f"{number}.json"
            document["runs"][0]["gflops"] = draw.uniform(1, 100)
            if draw.random() < 0.15:
                names[number] += ", died"
                document["exit_code"], document["error"] = draw.choice([(None, None), (3, "ended from outside")])
            (self.directory / file).write_text(json.dumps(document))
            if RUNS.get(names[number], (0, 0, 0, False))[3]:
                rates[file] = document["runs"][0]["gflops"]
            else:
                others.add(file)
        form = self.directory / "form.json"
        form.write_text("as it was")
        code = self.report(["--top500", *sorted({*rates, *others}), "-o", "form.json"], {0} if rates else {2})
        self.tell(f"{'; '.join(names)}: exit code {code}")
        if code == 2:
            return self.require(form.read_text() == "as it was", "the form was touched though no run was taken")
        document = self.document("form.json")
        fields = {field["key"]: field for field in document["forms"][0]["fields"]}
        best = max(rates, key=rates.get)
        found = fields["rmax_gflops"]
        self.require(found["value"] == rates[best] and found["note"].startswith(best),
                     f"Rmax is {found['value']} of {found['note']}, the fastest to take is {best} with {rates[best]}")
        left = {one["file"] for one in document["left_out"]}
        self.require(left == others, f"left out {sorted(left)}, not {sorted(others)}")
