#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the path of a Java launcher of at least the given major version.
#   scripts/java.sh 21
# FRAZIL_JAVA names one to prefer; else JAVA_HOME, those below /usr/lib/jvm (oldest that is new
# enough first), and the PATH are asked.
set -euo pipefail
wanted=${1:?usage: scripts/java.sh MAJOR_VERSION}

# Reads the JDK's release file where there is one: starting a JVM to ask costs 0.1 s.
major_of() {
  local release
  release=$(dirname "$(dirname "$(readlink -f "$1")")")/release
  if [ -r "$release" ]; then
    sed -n 's/^JAVA_VERSION="\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' "$release"
  else
    "$1" -version 2>&1 | sed -n '1s/.*"\(1\.\)\{0,1\}\([0-9]*\).*/\2/p'
  fi
}

fits() { [ -x "$1" ] && [ "$(major_of "$1")" -ge "$wanted" ] 2>/dev/null; }

if [ -n "${FRAZIL_JAVA:-}" ]; then
  fits "$FRAZIL_JAVA" && { echo "$FRAZIL_JAVA"; exit 0; }
  echo "FRAZIL_JAVA is no Java of version $wanted or newer; name a newer launcher: $FRAZIL_JAVA" >&2
  exit 1
fi
if [ -n "${JAVA_HOME:-}" ] && fits "$JAVA_HOME/bin/java"; then
  echo "$JAVA_HOME/bin/java"
  exit 0
fi
found=$(for java in /usr/lib/jvm/*/bin/java; do
  if fits "$java"; then echo "$(major_of "$java") $java"; fi
done | sort -n | head -n 1 | cut -d' ' -f2-)
if [ -z "$found" ] && command -v java >/dev/null && fits "$(command -v java)"; then
  found=$(command -v java)
fi
if [ -z "$found" ]; then
  echo "No Java of version $wanted or newer was found; Kafka and the schema registry of the tests" \
    "need one. Install a JDK (for instance Eclipse Temurin) below /usr/lib/jvm, or name its" \
    "launcher with FRAZIL_JAVA=/path/to/bin/java." >&2
  exit 1
fi
echo "$found"
