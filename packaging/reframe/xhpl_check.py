# A ReFrame check that reads the JSON report of xhpl: no pattern over text, every figure by its name.
#
#   reframe -C <site settings> -c packaging/reframe/xhpl_check.py -r -S XhplCheck.gflops_least=50000
#
# The program must be in PATH (module: -S XhplCheck.modules=xhpl).
import json
import os

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class XhplCheck(rfm.RunOnlyRegressionTest):
    """One run of xhpl on all devices of some nodes."""

    descr = 'High-Performance Linpack, judged by its JSON report'
    valid_systems = ['*']
    valid_prog_environs = ['*']
    executable = 'xhpl'
    maintainers = ['xhpl']
    tags = {'benchmark', 'acceptance'}

    #: Nodes of the run.
    nodes = parameter([1])
    #: Ranks of a node: one for each GPU, or for each NUMA domain where there is no GPU.
    ranks_per_node = variable(int, value=1)
    #: Order of the matrix; 0 lets xhpl choose sizes for the machine.
    order = variable(int, value=0)
    #: Further flags.
    flags = variable(str, value='')
    #: GFLOP/s below which the check fails; 0: none.
    gflops_least = variable(float, value=0.0)

    time_limit = '2h'

    @run_after('init')
    def choose_sizes(self):
        self.num_tasks = self.nodes * self.ranks_per_node
        self.num_tasks_per_node = self.ranks_per_node
        self.executable_opts = ['-N', str(self.order)] if self.order else ['--auto']
        self.executable_opts += self.flags.split() + ['--json', 'run.json']
        if self.gflops_least:
            self.reference = {'*': {'gflops': (self.gflops_least, 0, None, 'GFLOP/s')}}

    @run_before('run')
    def leave_binding_to_the_program(self):
        if self.job.launcher.registered_name == 'mpirun':
            self.job.launcher.options += ['--bind-to', 'none']

    @deferrable
    def report(self):
        with open(os.path.join(self.stagedir, 'run.json')) as document:
            return json.load(document)

    @deferrable
    def of_first_run(self, name):
        return self.report().evaluate()['runs'][0][name]

    @sanity_function
    def every_run_passed(self):
        report = self.report()
        return sn.all([
            sn.assert_eq(report['schema_version'], 1),
            sn.assert_eq(report['exit_code'], 0, msg='xhpl ended with exit code {0} (1 wrong, 3 broken, 4 slow)'),
            sn.assert_gt(sn.len(report['runs']), 0, msg='no run was made'),
            sn.assert_eq(report['tally']['failed'], 0, msg='{0} runs failed'),
        ])

    @performance_function('GFLOP/s')
    def gflops(self):
        return self.of_first_run('gflops')

    @performance_function('s')
    def seconds(self):
        return self.of_first_run('seconds')

    @performance_function('%')
    def of_ceiling(self):
        return sn.round(100 * (self.of_first_run('ceiling_share') or 0), 1)
