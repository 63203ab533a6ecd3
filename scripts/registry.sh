#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Apicurio Registry for tests and `make dev`, on loopback, in memory: a stop forgets every schema.
# Its Confluent API is at http://127.0.0.1:PORT/apis/ccompat/v7
#   scripts/registry.sh install|start|stop|wipe|status
# REGISTRY_PORT (8081)          the next port is its management port
# REGISTRY_DIR (.run/registry)  state; `wipe` removes it
# REGISTRY_HEAP (256m)          memory of the JVM
set -euo pipefail
cd "$(dirname "$0")/.."
service=registry
version=3.3.3
deps=${FRAZIL_DEPS:-$PWD/.deps}
run_dir=${REGISTRY_DIR:-$PWD/.run/registry}
port=${REGISTRY_PORT:-8081}
home=$deps/apicurio-$version
archive=$home/classes.jsa
. scripts/jvm_service.sh

answers() { curl -fs --max-time 2 "http://127.0.0.1:$port/apis/ccompat/v7/subjects" >/dev/null 2>&1; }

launch() { # JVM OPTIONS...
  local java
  java=$(scripts/java.sh 21)
  nohup "$java" "$@" -Xmx"${REGISTRY_HEAP:-256m}" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    -XX:+ExitOnOutOfMemoryError -Dquarkus.http.host=127.0.0.1 -Dquarkus.http.port="$port" \
    -Dquarkus.management.host=127.0.0.1 -Dquarkus.management.port=$((port + 1)) \
    -jar "$home/app/quarkus-run.jar" >"$server_log" 2>&1 </dev/null &
  echo $! >"$pid_file"
  wait_until 180 answers
}

fetch() {
  local bundle=apicurio-registry-app-$version-all.tar.gz
  rm -rf "$home.new"
  mkdir -p "$home.new/app"
  maven "$home.new/maven.log" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
    -Dartifact="io.apicurio:apicurio-registry-app:$version:tar.gz:all" -DoutputDirectory="$home.new"
  tar xzf "$home.new/$bundle" -C "$home.new/app"
  rm "$home.new/$bundle"
  rm -rf "$home"
  mv "$home.new" "$home"
}

# An archive of loaded classes halves every later start.
prepare() {
  run_dir=$(mktemp -d)
  trap 'stop; rm -rf "$run_dir"' EXIT
  pid_file=$run_dir/pid
  server_log=$run_dir/server.log
  port=$(free_port_pair)
  launch -XX:ArchiveClassesAtExit="$archive" -Xlog:cds=off -Xlog:cds+dynamic=off
  stop 180  # the archive is written at the end
}

install() {
  [ -f "$home/complete" ] && return 0
  echo "installing Apicurio Registry $version into $home"
  fetch
  (prepare)
  touch "$home/complete"
}

start() {
  install
  if alive; then echo "registry runs already on 127.0.0.1:$port"; return 0; fi
  require_free_port "$port" REGISTRY_PORT
  require_free_port "$((port + 1))" REGISTRY_PORT
  mkdir -p "$run_dir"
  launch -Xshare:auto -XX:SharedArchiveFile="$archive" -Xlog:disable -Xlog:all=error:stderr
  echo "registry $version answers on http://127.0.0.1:$port/apis/ccompat/v7"
}

dispatch "$@"
