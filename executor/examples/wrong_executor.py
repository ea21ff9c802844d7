#!/usr/bin/env python3
"""tiny_executor with one instruction wrong on purpose: 32-bit sums come out as differences."""
import json, sys

import tiny_executor

def wrong_add(a, b):
    is_address = max(a, b) >> 32  # left alone, so that only values go wrong
    return a + b if is_address else a - b

tiny_executor.COMPUTE["add"] = wrong_add

for text in sys.stdin:
    request = json.loads(text)
    print(json.dumps({"id": request["id"], **tiny_executor.answer(request)}), flush=True)
