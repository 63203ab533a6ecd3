#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what a fresh Debian 12 (x86_64) lacks. Runs in well under a second when nothing is missing.
#   scripts/install_dependencies.sh build   compilers, libraries, the Arrow SDK
#   scripts/install_dependencies.sh dev     the same, and the Python packages of `make dev`; no Java
#   scripts/install_dependencies.sh bench   the same, and the peers of `make bench`
#   scripts/install_dependencies.sh test    as dev, and valgrind, Java, Kafka, registry
# Everything but Debian packages lands in .deps/ (FRAZIL_DEPS). Each part is stamped with a hash of
# the file that pins it, so a changed pin installs that part again.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-test}
deps=${FRAZIL_DEPS:-$PWD/.deps}
case $what in build | dev | bench | test) ;; *) sed -n 3,9p "$0" >&2; exit 2 ;; esac

build_packages="ca-certificates ccache clang-19 clang-format-19 clang-tidy-19 cmake g++ git
  libboost1.81-dev libclang-rt-19-dev libcli11-dev libfmt-dev libgmock-dev libgtest-dev liblz4-dev
  libsnappy-dev libspdlog-dev libsqlite3-dev libssl-dev libyaml-cpp-dev libzstd-dev lld-19 make mold
  ninja-build nlohmann-json3-dev pkg-config prometheus-cpp-dev python3 python3-venv zlib1g-dev"
test_packages="curl maven valgrind"
bench_packages="libavro-dev librdkafka-dev"

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "Debian packages are missing, and neither root nor sudo is at hand; as root run: $*" >&2
    exit 1
  fi
}

twice() { "$@" || { echo "failed, once more: $1" >&2; sleep 3; "$@"; }; }

install_debian_packages() {
  local missing="" package
  if ! command -v apt-get >/dev/null; then
    echo "apt-get was not found; this script knows Debian 12. Install by hand:" $* >&2
    exit 1
  fi
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    grep -qx "installed $package" <<<"$installed" || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  echo "installing Debian packages:$missing"
  twice as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  # shellcheck disable=SC2086
  twice as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -o DPkg::Lock::Timeout=120 $missing >"$deps/apt.log" 2>&1 ||
    { tail -n 20 "$deps/apt.log" >&2; exit 1; }
}

# stamped NAME FILE...: whether NAME was installed from exactly these files.
stamp_of() { cat "$@" | sha256sum | cut -d' ' -f1; }
stamped() { [ "$(cat "$deps/.$1.stamp" 2>/dev/null)" = "$(stamp_of "${@:2}")" ]; }
stamp() { stamp_of "${@:2}" >"$deps/.$1.stamp"; }

ensure_virtual_environment() {
  [ -x "$deps/venv/bin/python" ] && "$deps/venv/bin/python" -m pip --version >/dev/null 2>&1 && return 0
  rm -rf "$deps/venv" "$deps/.venv.stamp"
  python3 -m venv "$deps/venv"
}

install_arrow_sdk() {
  if stamped pyarrow scripts/pyarrow_sdk.txt && [ -d "$deps/pyarrow/include" ]; then return 0; fi
  echo "installing Arrow and Parquet C++ into $deps/pyarrow"
  ensure_virtual_environment
  rm -rf "$deps/download" "$deps/pyarrow.new"
  # One wheel for every Python: nothing but headers and shared objects is used.
  twice "$deps/venv/bin/python" -m pip download -q --disable-pip-version-check --no-deps \
    --only-binary=:all: --require-hashes --python-version 3.11 --implementation cp --abi cp311 \
    --platform "manylinux_2_28_$(uname -m)" -d "$deps/download" -r scripts/pyarrow_sdk.txt
  python3 - "$deps/download" "$deps/pyarrow.new" <<'PY'
import pathlib, re, sys, zipfile
download, target = map(pathlib.Path, sys.argv[1:])
wanted = re.compile(r"pyarrow/(include/.*|lib(arrow|parquet)\.so\.\d+|LICENSE\.txt|NOTICE\.txt)")
with zipfile.ZipFile(next(download.glob("pyarrow-*.whl"))) as wheel:
    wheel.extractall(target, [name for name in wheel.namelist() if wanted.fullmatch(name)])
PY
  rm -rf "$deps/pyarrow"
  mv "$deps/pyarrow.new/pyarrow" "$deps/pyarrow"
  rm -rf "$deps/pyarrow.new" "$deps/download"
  stamp pyarrow scripts/pyarrow_sdk.txt
}

install_python_packages() {
  if stamped venv tests/requirements.txt && [ -x "$deps/venv/bin/python" ]; then return 0; fi
  echo "installing Python packages into $deps/venv"
  ensure_virtual_environment
  twice "$deps/venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps \
    -r tests/requirements.txt
  "$deps/venv/bin/python" -m pip check >/dev/null
  # A folder of our own: what a user's DuckDB has installed is neither used nor touched.
  rm -rf "$deps/duckdb_extensions"
  "$deps/venv/bin/python" - "$deps/duckdb_extensions" <<'PY'
import sys
import duckdb
from duckdb_extensions import import_extension
connection = duckdb.connect(config={"extension_directory": sys.argv[1]})
for name in ("avro", "httpfs", "iceberg"):
    import_extension(name, con=connection)
PY
  stamp venv tests/requirements.txt
}

mkdir -p "$deps"
packages=$build_packages
[ "$what" != test ] || packages="$packages $test_packages"
[ "$what" != bench ] || packages="$packages $bench_packages"
# shellcheck disable=SC2086
install_debian_packages $packages
install_arrow_sdk
[ "$what" = build ] || install_python_packages
if [ "$what" = test ]; then
  scripts/java.sh 21 >/dev/null
  FRAZIL_DEPS=$deps scripts/kafka.sh install
  FRAZIL_DEPS=$deps scripts/registry.sh install
fi
