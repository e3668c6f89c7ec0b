# For Spack 1.0 and later, from the top of the tree:
#
#   spack repo add packaging/spack/spack_repo/xhpl
#   spack dev-build xhpl@main
#   spack dev-build xhpl@main +cuda cuda_arch=90
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Xhpl(CMakePackage, CudaPackage):
    """High-Performance Linpack benchmark for CPUs and GPUs: netlib's HPL.dat and result
    lines, JSON and HTML reports, sensors and checks."""

    homepage = "https://www.netlib.org/benchmark/hpl/"

    license("BSD-3-Clause")

    # The package stands in the tree that it builds (dev-build, develop): there is no archive to fetch.
    version("main")

    variant("manual", default=True, description="Manual pages and shell completions")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("blas")
    depends_on("hwloc@2:")
    depends_on("cli11@2.1:", type="build")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("googletest", type="test")
    depends_on("cuda@12:", when="+cuda")

    conflicts("%gcc@:11", msg="C++20 as GCC 12 understands it is needed")
    conflicts("cuda_arch=none", when="+cuda", msg="say which GPU: cuda_arch=90")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("HPL_CUDA", "cuda"),
            self.define_from_variant("HPL_BUILD_MANUAL", "manual"),
            self.define("HPL_BUILD_TESTS", self.run_tests),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args

    def check(self):
        with working_dir(self.build_directory):
            ctest("-L", "^unit$", "--output-on-failure")
