# SPDX-License-Identifier: Apache-2.0
# Sourced by kafka.sh and registry.sh: the life of one JVM on loopback.
# Needs: service (name), run_dir (state), deps (cache).
# shellcheck shell=bash
pid_file=$run_dir/pid
server_log=$run_dir/server.log

fail() { echo "$service: $*" >&2; exit 1; }

# A pid may be given anew to another process, so the command line must be ours too.
alive() {
  local pid
  pid=$(cat "$pid_file" 2>/dev/null) || return 1
  kill -0 "$pid" 2>/dev/null && tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF "$deps"
}

taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

require_free_port() {
  if taken "$1"; then fail "port $1 on 127.0.0.1 is taken by another process; free it or set $2"; fi
}

# A port that is free now, as the next one is.
free_port_pair() {
  python3 - <<'P'
import socket
while True:
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        port = first.getsockname()[1]
        try:
            second.bind(("127.0.0.1", port + 1))
        except (OSError, OverflowError):
            continue
        print(port)
        break
P
}

# Whether the process that was started just now still runs. Its command line may still be this
# script's: the shell's child becomes the JVM a moment after its pid is known.
runs() { kill -0 "$(cat "$pid_file" 2>/dev/null)" 2>/dev/null; }

# wait_until SECONDS COMMAND...: a deadline, and an early end when the process has died.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    if ! runs; then
      echo "the end of $server_log:" >&2
      tail -n 30 "$server_log" >&2
      rm -f "$pid_file"
      fail "ended while starting"
    fi
    if [ "$SECONDS" -ge "$deadline" ]; then
      echo "the end of $server_log:" >&2
      tail -n 30 "$server_log" >&2
      stop
      fail "was not ready in time"
    fi
    sleep 0.05
  done
}

# stop [SECONDS]: kill -9 when it has not ended by then.
stop() {
  if alive; then
    local pid deadline=$((SECONDS + ${1:-15}))
    pid=$(cat "$pid_file")
    kill "$pid" 2>/dev/null || true
    while alive && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.05; done
    if alive; then kill -9 "$pid" 2>/dev/null || true; fi
    while alive; do sleep 0.05; done
  fi
  rm -f "$pid_file"
}

# Maven's own output is shown only when it fails twice. $1 is its log, the rest its arguments.
maven() {
  local log=$1
  shift
  command -v mvn >/dev/null || fail "Maven is missing; run scripts/install_dependencies.sh test"
  mvn -q -B "$@" >"$log" 2>&1 </dev/null && return 0
  sleep 3
  mvn -q -B "$@" >"$log" 2>&1 </dev/null && return 0
  tail -n 30 "$log" >&2
  fail "could not be fetched by Maven, tried twice; its log is $log"
}

dispatch() {
  case ${1:-} in
    install) install ;;
    start) start ;;
    stop) stop ;;
    wipe) stop; rm -rf "$run_dir" ;;
    status) if alive; then echo up; else echo down; return 1; fi ;;
    *) sed -n '3,/^set /p' "$0" | sed '$d' >&2; exit 2 ;;
  esac
}
