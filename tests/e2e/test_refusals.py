# SPDX-License-Identifier: Apache-2.0
"""What cannot be done is refused with an error that says what and where."""

import json
import socket
import subprocess

import botocore
import pytest
import requests

from harness.frazil import BINARY
from harness.orders import order
from harness.ports import HOST, free_ports
from harness.warehouse import s3_client, split


@pytest.mark.parametrize("value", [b"not framed", b"", b"\0\0\0", b"\x01\0\0\0\x01x"])
def test_a_value_without_framing_is_named_by_partition_and_offset(make_topic, make_frazil, value):
    topic = make_topic(partitions=2)
    good = make_topic()
    topic.produce_orders(range(10))
    topic.send(value, partition=1)
    topic.flush()
    good.produce_orders(range(3))
    frazil = make_frazil(topic, good)
    answer = frazil.load(topic.name)
    assert answer.status_code == 422, answer.text
    message = answer.json()["error"]["message"]
    assert topic.name in message and "partition 1" in message and "offset 5" in message
    assert frazil.load(good.name).status_code == 200


def test_a_value_that_ends_early_or_names_no_schema(make_topic, make_frazil):
    short = make_topic(partitions=1)
    short.send(order(1))
    short.send(short.framing.encode(order(2))[:-4])
    unknown = make_topic(partitions=1)
    unknown.send(b"\0" + (2**31 - 5).to_bytes(4, "big") + b"abc")
    for topic in (short, unknown):
        topic.flush()
    frazil = make_frazil(short, unknown)
    answer = frazil.load(short.name)
    assert answer.status_code == 422, answer.text
    message = answer.json()["error"]["message"]
    assert short.name in message and "partition 0" in message and "offset 1" in message
    answer = frazil.load(unknown.name)
    assert answer.status_code == 422, answer.text
    message = answer.json()["error"]["message"]
    assert unknown.name in message and str(2**31 - 5) in message


def test_a_type_that_contains_itself_is_named_by_its_path(make_topic, make_frazil):
    schema = {"type": "record", "name": "T", "fields": [
        {"name": "o", "type": {"type": "record", "name": "N", "fields": [
            {"name": "next", "type": ["null", "N"]}]}}]}
    topic = make_topic(schema=schema)
    answer = make_frazil(topic, ready=False).load(topic.name)
    assert answer.status_code == 422
    assert "field o.next" in answer.json()["error"]["message"]


@pytest.fixture
def served(make_topic, make_frazil):
    topic = make_topic()
    topic.produce_orders(range(10))
    frazil = make_frazil(topic)
    return frazil, frazil.loaded(topic.name)


def code_of(call):
    with pytest.raises(botocore.exceptions.ClientError) as caught:
        call()
    response = caught.value.response
    return response["Error"]["Code"], response["ResponseMetadata"]["HTTPStatusCode"]


def test_s3_signatures_are_checked(served):
    _, loaded = served
    bucket, key = split(loaded["metadata-location"])
    assert s3_client(loaded).get_object(Bucket=bucket, Key=key)["Body"].read()
    wrong = s3_client(loaded, aws_secret_access_key="wrong")
    assert code_of(lambda: wrong.get_object(Bucket=bucket, Key=key)) == ("SignatureDoesNotMatch", 403)
    unknown = s3_client(loaded, aws_access_key_id="AKIAUNKNOWN")
    assert code_of(lambda: unknown.get_object(Bucket=bucket, Key=key)) == ("InvalidAccessKeyId", 403)


def test_s3_refuses_what_it_does_not_serve(served):
    frazil, loaded = served
    bucket, key = split(loaded["metadata-location"])
    client = s3_client(loaded)
    assert code_of(lambda: client.put_object(Bucket=bucket, Key=key, Body=b"x")) == ("AccessDenied", 403)
    assert code_of(lambda: client.delete_object(Bucket=bucket, Key=key)) == ("AccessDenied", 403)
    missing = key.rsplit("/", 1)[0] + "/nothing.parquet"
    assert code_of(lambda: client.get_object(Bucket=bucket, Key=missing)) == ("NoSuchKey", 404)
    assert requests.get(f"{frazil.s3_url}/{bucket}/{key}", timeout=10).status_code == 403


def exchange(port, sent):
    """The status of the answer to raw bytes; 0 when the connection is closed without one."""
    with socket.create_connection((HOST, port), timeout=10) as connection:
        connection.sendall(sent)
        if not sent:
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        while b"\r\n" not in answer:
            piece = connection.recv(4096)
            if not piece:
                return 0
            answer += piece
        return int(answer.split()[1])


MALFORMED = {
    "no http": b"hello\r\n\r\n",
    "bad escape": b"GET /v1/%zz HTTP/1.1\r\nHost: x\r\n\r\n",
    "nul": b"GET /v1/a%00b HTTP/1.1\r\nHost: x\r\n\r\n",
    "bad length": b"POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "two lengths": b"GET /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
    "huge header": b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 200_000 + b"\r\n\r\n",
    "long path": b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "climbing": b"GET /frazil/../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
    "nothing": b"",
}


UNANSWERED = {"nothing", "huge header", "long path"}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_requests_are_refused_and_the_server_keeps_serving(served, case):
    frazil, _ = served
    for port in (frazil.port, frazil.s3_port):
        try:
            status = exchange(port, MALFORMED[case])
        except (ConnectionResetError, BrokenPipeError):
            status = 0
        # Half a request, or none, gets no answer; whatever can be read gets one.
        assert 400 <= status < 500 or (status == 0 and case in UNANSWERED)
    assert requests.get(f"{frazil.url}/readyz", timeout=10).status_code == 200


def test_errors_are_iceberg_errors(served):
    frazil, _ = served
    prefix = frazil.url + frazil.prefix()
    for method, path, body, status, kind in [
            ("GET", "/namespaces/nosuch/tables", None, 404, "NoSuchNamespaceException"),
            ("GET", "/namespaces/speed/tables/nosuch", None, 404, "NoSuchTableException"),
            ("POST", "/namespaces/speed/tables/nosuch", {"requirements": [], "updates": []}, None, None),
            ("POST", "/namespaces", {"namespace": ["new"]}, None, None),
            ("POST", "/namespaces/speed/tables", b"{", None, None)]:
        answer = requests.request(method, prefix + path, timeout=10,
                                  data=json.dumps(body) if isinstance(body, dict) else body)
        error = answer.json()["error"]
        assert 400 <= answer.status_code < 500
        assert error["code"] == answer.status_code and error["message"] and error["type"]
        if status:
            assert (answer.status_code, error["type"]) == (status, kind)


def run_frazil(*arguments):
    return subprocess.run([str(BINARY), *arguments], capture_output=True, text=True, timeout=30)


REQUIRED = ["--kafka", "127.0.0.1:1", "--registry", "http://127.0.0.1:1", "--topics", "orders"]


def test_a_wrong_flag_gives_the_nearest_right_one(tmp_path):
    done = run_frazil("serve", *REQUIRED, "--data-dir", str(tmp_path / "d"), "--s3-lisen", "127.0.0.1:0")
    assert done.returncode == 2
    assert "s3-lisen" in done.stderr and "s3-listen" in done.stderr.replace("s3-lisen", "", 1)
    assert not (tmp_path / "d").exists()


def test_a_wrong_key_in_the_file_gives_the_nearest_right_one(tmp_path):
    config = tmp_path / "frazil.yaml"
    config.write_text(f"data-dir: {tmp_path / 'd'}\ncut-intervall: 10ms\n")
    done = run_frazil("serve", *REQUIRED, "--config", str(config))
    assert done.returncode == 78
    assert "cut-intervall" in done.stderr
    assert "cut-interval" in done.stderr.replace("cut-intervall", "")


@pytest.mark.parametrize("flags", [
    ["--cut-interval", "20s"], ["--cut-interval", "fast"], ["--threads", "0"],
    ["--chunk-bytes", "1"], ["--log-level", "loud"], ["--listen", "nowhere"]])
def test_a_value_out_of_bounds_is_refused(tmp_path, flags):
    done = run_frazil("serve", *REQUIRED, "--data-dir", str(tmp_path / "d"), *flags)
    assert done.returncode in (2, 78)
    assert flags[0].removeprefix("--") in done.stderr and flags[1] in done.stderr


@pytest.mark.parametrize("missing", ["--kafka", "--data-dir"])
def test_a_missing_setting_is_named(tmp_path, missing):
    flags = [*REQUIRED, "--data-dir", str(tmp_path / "d")]
    at = flags.index(missing)
    done = run_frazil("serve", *flags[:at], *flags[at + 2:])
    assert done.returncode in (2, 78)
    assert missing.removeprefix("--") in done.stderr


@pytest.mark.parametrize("listener", ["--listen", "--s3-listen"])
def test_r25_a_listener_beyond_loopback_needs_insecure(tmp_path, listener):
    other = "--s3-listen" if listener == "--listen" else "--listen"
    ports = free_ports(2)
    done = run_frazil("serve", *REQUIRED, "--data-dir", str(tmp_path / "d"),
                      listener, f"0.0.0.0:{ports[0]}", other, f"{HOST}:{ports[1]}")
    assert done.returncode > 1
    assert "insecure" in done.stderr and f"0.0.0.0:{ports[0]}" in done.stderr


def test_a_taken_port_is_named(tmp_path):
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        address = f"{HOST}:{taken.getsockname()[1]}"
        done = run_frazil("serve", *REQUIRED, "--data-dir", str(tmp_path / "d"), "--listen", address)
    assert done.returncode > 1
    assert address in done.stderr


def test_help_and_version():
    done = run_frazil("version")
    assert done.returncode == 0 and done.stdout.strip()
    done = run_frazil("serve", "--help")
    assert done.returncode == 0
    for flag in ("--kafka", "--registry", "--data-dir", "--listen", "--s3-listen", "--topics"):
        assert flag in done.stdout
