#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Apache Kafka for tests and `make dev`: one node, on loopback.
#   scripts/kafka.sh install|start|stop|wipe|status
# KAFKA_PORT (9092)       where clients connect; the next port is the controller's
# KAFKA_DIR (.run/kafka)  state; `wipe` removes it
# KAFKA_HEAP (384m)       memory of the JVM
# KAFKA_PROXIED=LISTEN:ADVERTISED  one more listener, told to its clients as port ADVERTISED, where
#                         a test puts a proxy that can be cut
set -euo pipefail
cd "$(dirname "$0")/.."
service=kafka
version=4.4.0
deps=${FRAZIL_DEPS:-$PWD/.deps}
run_dir=${KAFKA_DIR:-$PWD/.run/kafka}
port=${KAFKA_PORT:-9092}
controller_port=$((port + 1))
home=$deps/kafka-$version
archive=$home/classes.jsa
. scripts/jvm_service.sh

# The same order always: a class archive fits one class path.
class_path() { printf '%s:' "$home"/lib/*.jar; }

write_configuration() { # FOLDER
  local listeners="PLAINTEXT://127.0.0.1:$port" advertised="PLAINTEXT://127.0.0.1:$port"
  if [ -n "${KAFKA_PROXIED:-}" ]; then
    listeners+=",PROXIED://127.0.0.1:${KAFKA_PROXIED%:*}"
    advertised+=",PROXIED://127.0.0.1:${KAFKA_PROXIED#*:}"
  fi
  cat >"$1/server.properties" <<P
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller_port
controller.listener.names=CONTROLLER
listeners=$listeners,CONTROLLER://127.0.0.1:$controller_port
advertised.listeners=$advertised
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
log.dirs=$1/data
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
log.cleaner.backoff.ms=500
log.cleaner.dedupe.buffer.size=16777216
log.retention.check.interval.ms=1000
log.retention.ms=-1
log.initial.task.delay.ms=500
log.segment.delete.delay.ms=1000
P
}

launch() { # JVM OPTIONS...
  local java
  java=$(scripts/java.sh 21)
  nohup "$java" "$@" -Xms"${KAFKA_HEAP:-384m}" -Xmx"${KAFKA_HEAP:-384m}" -XX:+UseSerialGC \
    -XX:TieredStopAtLevel=1 -XX:+ExitOnOutOfMemoryError \
    -Dorg.slf4j.simpleLogger.showDateTime=true \
    -cp "$(class_path)" kafka.Kafka "$run_dir/server.properties" \
    >"$server_log" 2>&1 </dev/null &
  echo $! >"$pid_file"
  wait_until 180 grep -qs "Kafka Server started" "$server_log"
}

fetch() {
  rm -rf "$home.new"
  mkdir -p "$home.new/lib"
  cat >"$home.new/pom.xml" <<P
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>frazil</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>$version</version></dependency>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>$version</version></dependency>
  </dependencies>
</project>
P
  maven "$home.new/maven.log" -f "$home.new/pom.xml" \
    org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$home.new/lib"
  # A broker without a log binding is silent, and its readiness is read from the log.
  if ! compgen -G "$home.new/lib/slf4j-simple-*.jar" >/dev/null; then
    local api
    api=$(basename "$home.new"/lib/slf4j-api-*.jar .jar)
    maven "$home.new/maven.log" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
      -Dartifact="org.slf4j:slf4j-simple:${api#slf4j-api-}" -DoutputDirectory="$home.new/lib"
  fi
  rm -rf "$home"
  mv "$home.new" "$home"
}

# A formatted, empty store and an archive of loaded classes, so that each start saves their making.
prepare() {
  local java
  java=$(scripts/java.sh 21)
  run_dir=$(mktemp -d)
  trap 'stop; rm -rf "$run_dir"' EXIT
  pid_file=$run_dir/pid
  server_log=$run_dir/server.log
  port=$(free_port_pair)
  controller_port=$((port + 1))
  write_configuration "$run_dir"
  "$java" -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$(class_path)" \
    kafka.tools.StorageTool format -t frazilTestClusterAAAAw -c "$run_dir/server.properties" \
    >"$home/format.log" 2>&1 || { cat "$home/format.log" >&2; fail "its store could not be formatted"; }
  rm -rf "$home/formatted"
  cp -r "$run_dir/data" "$home/formatted"
  launch -XX:ArchiveClassesAtExit="$archive" -Xlog:cds=off -Xlog:cds+dynamic=off
  stop 180  # the archive is written at the end
}

install() {
  [ -f "$home/complete" ] && return 0
  echo "installing Apache Kafka $version into $home"
  fetch
  (prepare)
  touch "$home/complete"
}

start() {
  install
  if alive; then echo "kafka runs already on 127.0.0.1:$port"; return 0; fi
  require_free_port "$port" KAFKA_PORT
  require_free_port "$controller_port" KAFKA_PORT
  mkdir -p "$run_dir"
  write_configuration "$run_dir"
  [ -d "$run_dir/data" ] || cp -r "$home/formatted" "$run_dir/data"
  launch -Xshare:auto -XX:SharedArchiveFile="$archive" -Xlog:disable -Xlog:all=error:stderr
  echo "kafka $version listens on 127.0.0.1:$port"
}

dispatch "$@"
