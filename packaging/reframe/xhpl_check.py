# ReFrame checks that read the JSON documents of xhpl: no pattern over text, every figure by its name.
#
#   reframe -C <site settings> -c packaging/reframe/xhpl_check.py -r -n XhplCheck -S XhplCheck.gflops_least=50000
#   reframe -C <site settings> -c packaging/reframe/xhpl_check.py -r -n XhplFleetCheck -P nodes=8 -S ranks_per_node=4
#
# XhplCheck makes one run on all nodes, XhplFleetCheck lets each device or node solve a system of its own, and
# XhplPreflightCheck compares ranks, devices and links. The program must be in PATH (module: -S modules=xhpl).
import json
import os
import re
import statistics

import reframe as rfm
import reframe.utility.sanity as sn


class XhplBase(rfm.RunOnlyRegressionTest):
    """A command of xhpl, judged by its document: it passes with exit code 0."""

    valid_systems = ['*']
    valid_prog_environs = ['*']
    executable = 'xhpl'
    maintainers = ['xhpl']
    tags = {'benchmark', 'acceptance'}
    time_limit = '2h'

    #: Nodes of the job: reframe -P nodes=1,2,4 makes a check of each.
    nodes = parameter([1], type=int, loggable=True)
    #: Ranks of a node: one for each GPU, or for each NUMA domain where there is no GPU.
    ranks_per_node = variable(int, value=1)
    #: Further flags.
    flags = variable(str, value='')

    def command(self):
        """The words between program and flags."""
        raise NotImplementedError

    def faults(self, report):
        """Sentences on what failed."""
        raise NotImplementedError

    def figures(self, report):
        """Triples of name, value and unit."""
        raise NotImplementedError

    @run_after('init')
    def set_command_line(self):
        self.num_tasks = self.nodes * self.ranks_per_node
        self.num_tasks_per_node = self.ranks_per_node
        self.executable_opts = self.command() + self.flags.split() + ['--json', 'report.json']

    @run_before('run')
    def leave_binding_to_the_program(self):
        if self.job.launcher.registered_name == 'mpirun':
            self.job.launcher.options += ['--bind-to', 'none']

    def report(self):
        with open(os.path.join(self.stagedir, 'report.json')) as document:
            return json.load(document)

    @sanity_function
    def passed(self):
        report = self.report()
        reason = report.get('error') or '; '.join(self.faults(report)) or 'no reason is given'
        return sn.assert_eq(report['exit_code'], 0,
                            msg=f'xhpl ended with exit code {{0}} (1 wrong, 3 broken, 4 slow): {reason}')

    @run_before('performance')
    def set_figures(self):
        for name, value, unit in self.figures(self.report()):
            if value is not None:
                self.perf_variables[re.sub(r'\W+', '_', name)] = sn.make_performance_function(
                    sn.defer(value), unit)


class XhplSolver(XhplBase):
    """A command with a matrix."""

    #: Order of the matrix; 0 lets xhpl choose sizes for the machine.
    order = variable(int, value=0)

    def sizes(self):
        return ['-N', str(self.order)] if self.order else ['--auto']


@rfm.simple_test
class XhplCheck(XhplSolver):
    """One run on all devices of some nodes, or several (-S flags='--NB 512,1024'). With repetitions
    (-S flags='--repeat 3') rates and times are medians. The first run has the names without a number."""

    descr = 'High-Performance Linpack: rate, time and share of attainable'

    #: GFLOP/s of the first run below which the check fails; 0: none.
    gflops_least = variable(float, value=0.0)

    def command(self):
        return ['run'] + self.sizes()

    def faults(self, report):
        for run in report['runs']:
            yield from run['failures']
        for gate in report['gates']:
            if not gate['held']:
                yield f"{gate['gate']}: {gate['reason']}"

    def figures(self, report):
        for index in sorted({run['run_index'] for run in report['runs']}):
            repeats = [run for run in report['runs'] if run['run_index'] == index and not run['stopped']]
            number = f'_{index + 1}' if index else ''
            for name, key, unit, scale in (('gflops', 'gflops', 'GFLOP/s', 1), ('seconds', 'seconds', 's', 1),
                                           ('of_ceiling', 'ceiling_share', '%', 100)):
                values = [scale * run[key] for run in repeats if run[key] is not None]
                yield name + number, statistics.median(values) if values else None, unit

    @run_before('performance')
    def set_least_rate(self):
        if self.gflops_least:
            self.reference = {'*': {'gflops': (self.gflops_least, 0, None, 'GFLOP/s')}}


@rfm.simple_test
class XhplFleetCheck(XhplSolver):
    """Each device, node or pair of nodes by itself. A rate for each: gflops_node05_cuda_0."""

    descr = 'High-Performance Linpack: which devices or nodes are slow, wrong or missing?'

    #: What solves a system of its own: device, node, pair.
    member = variable(str, value='device')
    #: Time for the runs, such as 10m; empty: three runs.
    duration = variable(str, value='')

    def command(self):
        return ['fleet', self.member] + self.sizes() + (['--for', self.duration] if self.duration else [])

    def faults(self, report):
        for one in report['fleet']['members'] + report['fleet']['hosts']:
            for finding in one['findings']:
                if finding['severity'] in ('fault', 'slow') and finding['basis'] != 'member':
                    yield f"{one['name']}: {finding['text']}"

    def figures(self, report):
        for member in report['fleet']['members']:
            yield f"gflops_{member['name']}", member['figures']['gflops'], 'GFLOP/s'


@rfm.simple_test
class XhplPreflightCheck(XhplBase):
    """Ranks, devices and links, compared with the median of their kind. Each figure for each node, of its
    ranks the median: host_dgemm_node05."""

    descr = 'xhpl check: products, copies and links of all ranks'

    #: Also copies one by one and all at once, and starts: ten seconds more.
    deep = variable(bool, value=False)

    def command(self):
        return ['check'] + (['--deep'] if self.deep else [])

    def faults(self, report):
        for finding in report['preflight']['findings']:
            if finding['severity'] in ('fault', 'slow'):
                yield f"rank {finding['rank']} on {finding['host']}, {finding['device']}: {finding['what']}"

    def figures(self, report):
        units = {metric['metric']: metric['unit'] for metric in report['preflight']['metrics']}
        values = {}
        for rank in report['ranks']:
            for measured in rank['measurements']:
                if measured['peer'] is None and measured['metric'] in units:
                    values.setdefault((measured['metric'], rank['host']), []).append(measured['value'])
        for (metric, host), found in values.items():
            yield f'{metric}_{host}', statistics.median(found), units[metric]
