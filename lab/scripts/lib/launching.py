"""What the scripts that start MPI jobs share."""

import os


def mpi_environment(**more):
    """This process's environment, in which Open MPI starts for root as well; `more` where not empty."""
    result = dict(os.environ)
    if os.geteuid() == 0:
        result.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    result.update({name: value for name, value in more.items() if value})
    return result
