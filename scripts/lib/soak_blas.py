"""Kinds of scripts/soak about a BLAS that errs: nothing passes that is wrong. A mixin of the soak's trials."""

import os

from soak_results import fleet_words, members_of

BLAS_WORDS = ["--no-attainable", "--no-check", "--reproducible", "--threads", "1", "--watchdog", "30"]


class BlasKinds:
    """Expects the members of Trial: random, tools, directory, mpirun(), judge(), require(), tell()."""

    def errs(self, victim):
        """A fault of the BLAS for that rank, as words before the program, its sentence, and the log of what was harmed."""
        draw = self.random
        of_vectors = ["zeros", "untouched", "added"] if os.access(self.tools["libhpl_wrong_gemv.so"], os.X_OK) else []
        ways = ["add", "add", "each", *of_vectors]
        way = draw.choice(ways)
        if way in ("add", "each"):
            value = draw.choice([1, -1]) * 10 ** draw.uniform(-6, 3)
            product = 0 if way == "each" else draw.randint(1, 60)
            fault = f"XHPL_TEST_ADD={victim}:{product}:{draw.getrandbits(30)}:{value:.3e}"
            library = self.tools["libhpl_flipped_bit.so"]
        else:
            fault, library = f"XHPL_TEST_GEMV={way}", self.tools["libhpl_wrong_gemv.so"]
        log = self.directory / "harmed"
        return ["env", f"LD_PRELOAD={library}", fault, f"XHPL_TEST_FLIP_LOG={log}"], fault, log

    def blas(self):
        draw = self.random
        grid = draw.choice([(1, 1), (1, 1), (1, 2), (2, 1), (2, 2)])
        ranks = grid[0] * grid[1]
        wrapper, fault, log = self.errs(draw.randrange(ranks))
        words = ["-N", str(draw.randint(60, 400)), "--NB", str(draw.choice([8, 16, 32, 64])), "-P", str(grid[0]),
                 "-Q", str(grid[1]), *BLAS_WORDS, "--pipeline", draw.choice(["fine", "coarse", "serial"]), "--json",
                 "run.json", "--verify", draw.choice(["auto", "always", "never", "1000"])]
        self.tell(f"{fault} of {ranks} ranks: {' '.join(words)}")
        job = self.mpirun(ranks, words, 200, wrapper)
        code = job.finish()
        self.judge(job, code, {0, 1}, {0})
        self.judge_files(job, code, runs=1 if code == 0 else None)
        wrong = self.document("run.json")
        if code == 1:
            self.require(wrong["runs"][0]["status"] == "failed" and wrong["runs"][0]["passed"] is False,
                         "exit code 1 of a run that has not failed in the JSON")
            return
        # A run that passed has the solution of a job without the fault.
        self.mpirun(ranks, words, 200).finish()
        right = self.document("run.json")
        one, other = wrong["runs"][0], right["runs"][0]
        self.require(one["solution_hash"] == other["solution_hash"], "the fault changed the solution, and nothing saw it")
        # The rounding that sampled rows allow (docs/judging.md), in the unit of the scaled residual.
        order = one["spec"]["order"]
        self.require(abs(one["residual"]["scaled"] - other["residual"]["scaled"]) <= 4 * (order + 2) / order,
                     f"the fault changed the residual, and nothing saw it: {one['residual']['scaled']}, right is "
                     f"{other['residual']['scaled']}")
        self.tell("harmed, of no weight" if log.exists() else "nothing harmed")

    def fleet_blas(self):
        """One member of several errs: it alone has failed."""
        draw = self.random
        ranks = draw.randint(1, 3)
        victim = draw.randrange(ranks)
        value = draw.choice([1e-8, 1e-4, 1, 1e6])
        words = fleet_words(["-N", str(draw.randint(80, 300)), "--tolerance", "1000"])
        # A sum shows less than a residual does.
        words += ["--verify", "always"] if value < 1e-3 or draw.random() < 0.5 else []
        words += ["--json", "run.json", "--pass-list", "good", "--fail-list", "bad"]
        self.tell(f"rank {victim} of {ranks} adds {value} to each product: {' '.join(words)}")
        job = self.mpirun(ranks, words, 200, [
            "env", f"LD_PRELOAD={self.tools['libhpl_flipped_bit.so']}", f"XHPL_TEST_ADD={victim}:0:7:{value}"])
        code = job.finish()
        self.judge(job, code, {1}, {0})
        for member in self.document("run.json")["fleet"]["members"]:
            wanted = "failed" if member["ranks"] == [victim] else "passed"
            self.require(member["verdict"] == wanted, f"{member['name']} is {member['verdict']}, not {wanted}")
        self.require(members_of((self.directory / "good").read_text()) == set(), "a host passed")
        self.require(len(members_of((self.directory / "bad").read_text())) == 1, "no host failed")
