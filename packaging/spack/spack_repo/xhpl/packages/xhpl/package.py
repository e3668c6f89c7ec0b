# For Spack 1.0 and later, from the top of the tree:
#
#   spack repo add packaging/spack/spack_repo/xhpl
#   spack dev-build xhpl@main
#   spack dev-build xhpl@main ^[virtuals=blas] blis
#   spack dev-build xhpl@main +cuda cuda_arch=90
#   spack dev-build xhpl@main +rocm amdgpu_target=gfx90a
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Xhpl(CMakePackage, CudaPackage, ROCmPackage):
    """xhpl: High-Performance Linpack benchmark for CPUs and GPUs. netlib's HPL.dat and result
    lines, JSON and HTML reports, sensors and checks."""

    # A stand-in: the project has no public address yet.
    homepage = "https://example.org/xhpl"

    license("BSD-3-Clause")

    # The package stands in the tree that it builds (dev-build, develop): there is no archive to fetch.
    version("main")

    variant("manual", default=True, description="Manual pages and shell completions")
    variant("nccl", default=True, when="+cuda", description="NCCL between GPUs")
    variant("rccl", default=True, when="+rocm", description="RCCL between GPUs")

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
    depends_on("hip", when="+rocm")
    depends_on("rocblas", when="+rocm")
    # Loaded when the program runs.
    depends_on("nccl", when="+nccl", type="run")
    depends_on("rccl", when="+rccl", type="run")

    conflicts("%gcc@:11", msg="C++20 as GCC 12 understands it is needed")
    conflicts("cuda_arch=none", when="+cuda", msg="say which GPU: cuda_arch=90")
    conflicts("amdgpu_target=none", when="+rocm", msg="say which GPU: amdgpu_target=gfx90a")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("HPL_CUDA", "cuda"),
            self.define_from_variant("HPL_HIP", "rocm"),
            self.define_from_variant("HPL_BUILD_MANUAL", "manual"),
            self.define("HPL_BUILD_TESTS", self.run_tests),
        ]
        # OpenBLAS is found by its name. Other providers of the site hand over their files.
        blas = self.spec["blas"]
        args.append(self.define("HPL_BLAS", "OpenBLAS" if blas.name == "openblas" else list(blas.libs)))
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        if self.spec.satisfies("+rocm"):
            # The back end is compiled for one architecture.
            args.append(self.define("HPCX_HIP_ARCHITECTURE", self.spec.variants["amdgpu_target"].value[0]))
            args.append(self.define("HPCX_HIPCC", join_path(self.spec["hip"].prefix.bin, "hipcc")))
        return args

    def setup_run_environment(self, env):
        for library in ("nccl", "rccl"):
            if self.spec.satisfies("+" + library):
                name = f"lib{library}.so"
                env.set("HPL_NCCL_LIBRARY", join_path(self.spec[library].prefix.lib, name))

    def check(self):
        with working_dir(self.build_directory):
            ctest("-L", "^unit$", "--output-on-failure")
