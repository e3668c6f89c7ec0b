# shellcheck shell=bash
# Sourced by the entry points of scripts/ and by .ci/run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program=${0##*/}
# CPUs that this process may use (taskset, cgroup cpusets and batch systems count).
jobs=$(nproc)

# The toolkit's installer does not touch PATH.
if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
  export PATH="$PATH:/usr/local/cuda/bin"
fi

say() { printf '\n== %s\n' "$*"; }
fail() {
  local code=$1
  shift
  printf '%s: %s\n' "$program" "$*" >&2
  exit "$code"
}

# Prints the comment block at the head of the calling script: its help text.
usage() {
  awk 'NR == 1 { next } /^#/ { sub(/^# ?/, ""); print; next } { exit }' "$0"
}

need_value() {
  if [ $# -lt 2 ] || [ -z "$2" ]; then
    fail 2 "$1 needs a value; --help tells more"
  fi
}

# Open MPI refuses to start as root (containers, CI) unless it is told twice.
allow_mpirun_as_root() {
  if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
}

# CMake arguments that build for the GPUs of this machine, one a line; without a GPU the CUDA sources, a third of the
# whole, are left out. XHPL_CUDA=ON builds for every architecture that a package has.
cuda_arguments() {
  local capability codes architectures=()
  if [ "${XHPL_CUDA:-}" = ON ]; then
    printf '%s\n' -DHPL_CUDA=ON -UCMAKE_CUDA_ARCHITECTURES
    return
  fi
  if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
    printf '%s\n' -DHPL_CUDA=OFF
    return
  fi
  codes=$(nvcc --list-gpu-code 2>/dev/null) || return 0
  while read -r capability; do
    # A chip newer than the compiler runs what the package's newest architecture brings along for it.
    grep -qx "sm_$capability" <<<"$codes" || return 0
    architectures+=("$capability-real")
  done < <(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | sort -u)
  [ "${#architectures[@]}" -eq 0 ] || (
    IFS=';'
    printf '%s\n' "-DCMAKE_CUDA_ARCHITECTURES=${architectures[*]}"
  )
}

# configure <preset> [cmake arguments...]
configure() {
  local preset=$1 log
  shift
  log=$root/build/$preset.configure.log
  mkdir -p "$root/build"
  if ! (cd "$root" && cmake --preset "$preset" "$@") >"$log" 2>&1; then
    cat "$log" >&2
    fail 3 "configuring preset $preset failed"
  fi
}

# build <preset> [targets...]
build() {
  local preset=$1
  shift
  local targets=()
  [ $# -eq 0 ] || targets=(--target "$@")
  (cd "$root" && cmake --build "build/$preset" --parallel "$jobs" "${targets[@]}") ||
    fail 3 "building preset $preset failed"
}

# The program of a build tree.
find_xhpl() {
  local program=$root/build/$1/xhpl
  [ -x "$program" ] || fail 3 "no xhpl under build/$1"
  printf '%s\n' "$program"
}
