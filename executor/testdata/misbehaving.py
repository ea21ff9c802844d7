#!/usr/bin/env python3
"""An external executor that misbehaves in the way that the launch's entry names."""
import json, os, signal, sys, time

out = sys.stdout.buffer


def say(data):
    out.write(data if isinstance(data, bytes) else json.dumps(data).encode() + b"\n")
    out.flush()


def right(request):
    """Answers as if every buffer had been filled with ones."""
    launch = request["launch"]
    buffers = {a["name"]: [1] * len(a["buffer"]) for a in launch["arguments"] if "buffer" in a}
    return {"id": request["id"], "outputs": buffers, "events": []}


def without(answer, key):
    return {k: v for k, v in answer.items() if k != key}


for text in sys.stdin:
    request = json.loads(text)
    mode, number, answer = request["launch"]["entry"], request["id"], right(request)
    if mode == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif mode == "exit":
        sys.stderr.write("first line\ncannot go on\n")
        sys.exit(3)
    elif mode == "leave":
        sys.exit(0)
    elif mode == "hang":
        time.sleep(1000)
    elif mode == "spin":
        while True:
            pass
    elif mode == "half":
        say(b'{"id": ')
        time.sleep(1000)
    elif mode == "half_exit":
        say(b'{"id": ')
        sys.exit(0)
    elif mode == "garbage":
        say(b"Segmentation fault (core dumped)\n")
    elif mode == "not_utf8":
        say(b'{"id": %d, "error": "\xff\xfe"}\n' % number)
    elif mode == "deep":
        say(b"[" * 10_000_000 + b"\n")
    elif mode == "array":
        say([answer])
    elif mode == "twice":
        line = json.dumps(answer).encode() + b"\n"
        say(line + line)
    elif mode == "twice_late":  # the second one comes while nobody waits
        say(answer)
        time.sleep(0.2)
        say(answer)
    elif mode == "previous_first":  # the answer of the request before, and then the right one
        say(dict(answer, id=number - 1))
        say(answer)
    elif mode == "blank_lines":
        say(b"\n  \r\n" + json.dumps(answer).encode() + b"\r\n")
    elif mode == "flood":
        for _ in range(1024):
            say(b"0" * (1 << 20))
    elif mode == "flood_lines":
        for _ in range(1 << 20):
            say(b'{"id": 99999, "outputs": {}}\n' * 32)
    elif mode == "flood_stderr":
        for _ in range(64):
            sys.stderr.write("noise\n" * 100_000)
        say(answer)
    elif mode == "deaf":  # stops reading before the (large) request is through
        os.close(0)
        say(answer)
    elif mode == "unknown_id":
        say(dict(answer, id=number + 7))
    elif mode == "no_id":
        say(without(answer, "id"))
    elif mode == "string_id":
        say(dict(answer, id=str(number)))
    elif mode == "no_outputs":
        say(without(answer, "outputs"))
    elif mode == "empty_outputs":
        say(dict(answer, outputs={}))
    elif mode == "only_out":
        say(dict(answer, outputs={"out": answer["outputs"]["out"]}))
    elif mode == "short_output":
        say(dict(answer, outputs=dict(answer["outputs"], out=[1])))
    elif mode == "other_output":
        say(dict(answer, outputs={"nobody": [1]}))
    elif mode == "large_word":
        say(dict(answer, outputs=dict(answer["outputs"], out=[2**32] * 6)))
    elif mode == "no_events":
        say(without(answer, "events"))
    elif mode == "two_answers_in_one":
        say(dict(answer, error="but it failed"))
    elif mode == "misspelt":
        say(dict(without(answer, "outputs"), output=answer["outputs"]))
    elif mode == "unsupported":
        say({"id": number, "unsupported": "needs 37 blocks, there are 32"})
    elif mode == "error":
        say({"id": number, "error": "the board is on fire"})
    elif mode == "tell_request":
        say({"id": number, "error": text})
    elif mode.startswith("event:"):
        say(dict(answer, events=[json.loads(mode[len("event:"):])]))
    elif mode.startswith("addresses:"):
        say(dict(answer, addresses=json.loads(mode[len("addresses:"):])))
    else:
        say(answer)
