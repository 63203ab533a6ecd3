# SPDX-License-Identifier: Apache-2.0
"""Fetching and decoding: CPU time a record, against librdkafka with libavro on the same broker.

All sides run in turns, one process a repetition, so that what disturbs one disturbs all.
"""

from figures import Figure
from scene import Scene, median, run_program

CODECS = ("none", "lz4", "zstd")
# Millions of records a CPU-second.
ARROW_BARS = {"lz4": 10, "zstd": 5}
PARQUET_BARS = {"lz4": 7, "zstd": 4}
PEER_BAR = 6


def cpu(result):
    return result["user_seconds"] + result["system_seconds"]


def sides(shape):
    """name -> (program, options)."""
    found = {"arrow": ("fetch_decode", {"until": "arrow"}),
             "parquet": ("fetch_decode", {"until": "parquet"}),
             "counted": ("fetch_decode", {"until": "counted"}),
             "peer": ("peer_consumer", {"until": "values"})}
    if shape == "flat":
        found["records"] = ("fetch_decode", {"until": "records"})
        found["peer_records"] = ("peer_consumer", {"until": "records"})
    return found


def measure_topic(scene, topic, shape, schema_id, records, repetitions):
    """side -> CPU nanoseconds a record of each repetition."""
    spent = {side: [] for side in sides(shape)}
    for _ in range(repetitions):
        for side, (program, options) in sides(shape).items():
            more = {"schema_id": schema_id} if program == "fetch_decode" else {}
            result = run_program(program, kafka=scene.kafka, topic=topic, shape=shape, **options,
                                 **more)
            if result["records"] != records or result.get("rows", 0) not in (0, records):
                raise RuntimeError(f"{topic}: {result['records']} records instead of {records}")
            spent[side].append(1e9 * cpu(result) / records)
    return spent


def rate(name, nanoseconds, bar=None):
    return Figure(name, 1e3 / min(nanoseconds), "M records/CPU-s", 1e3 / median(nanoseconds), bar)


def flat_figures(codec, spent):
    yield rate(f"{codec}: fetch, check, uncompress", spent["records"])
    yield rate(f"{codec}: ... and Avro to Arrow", spent["arrow"], ARROW_BARS.get(codec))
    yield rate(f"{codec}: ... and counted, as a large load does", spent["counted"])
    yield rate(f"{codec}: fetch to Parquet, as served", spent["parquet"], PARQUET_BARS.get(codec))
    yield rate(f"{codec}: librdkafka alone", spent["peer_records"])
    yield rate(f"{codec}: librdkafka and libavro", spent["peer"])
    yield Figure(f"{codec}: to Arrow, times as fast as librdkafka and libavro",
                 min(spent["peer"]) / min(spent["arrow"]), "x",
                 median(spent["peer"]) / median(spent["arrow"]), PEER_BAR)


def measure(options, folder):
    figures = []
    with Scene(folder) as scene:
        for shape, codecs, records in (("flat", CODECS, options.records),
                                       ("nested", ("lz4",), options.records // 4)):
            for codec in codecs:
                topic = f"{shape}_{codec}"
                schema_id = scene.make_topic(topic, shape)
                scene.load(topic, schema_id, shape=shape, codec=codec, records=records)
                spent = measure_topic(scene, topic, shape, schema_id, records, options.repetitions)
                if shape == "flat":
                    figures += flat_figures(codec, spent)
                else:
                    figures += [rate(f"nested, {codec}: to Arrow", spent["arrow"]),
                                rate(f"nested, {codec}: to Parquet", spent["parquet"]),
                                rate(f"nested, {codec}: librdkafka and libavro", spent["peer"])]
    return figures
