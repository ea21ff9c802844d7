#!/usr/bin/env python3
"""Executes a few PTX instructions, one thread after the other: enough for a vector addition."""
import json, operator, re, sys

COMPARE = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
COMPUTE = {"mov": lambda a: a, "cvta": lambda a: a, "add": operator.add, "sub": operator.sub,
           "mul": operator.mul, "mad": lambda a, b, c: a * b + c}

def run_thread(lines, registers, params, memory, log):
    def value(text, bits=64, signed=False):
        number = registers[text] if text[0] == "%" else int(text, 0)
        return number - (1 << bits) if signed and number >> (bits - 1) & 1 else number
    at = 0
    while True:
        at += 1  # lines count from 1, as they do in the events
        guard, word, rest = re.match(r"(?:@(\S+)\s+)?([\w.]*)\s*(.*)", lines[at - 1]).groups()
        if not word or word[0] == "." or rest == ":": continue  # a directive or a label
        skip = guard is not None and bool(registers[guard.strip("!")]) == guard.startswith("!")
        opcode, *dots = word.split(".")
        target, *sources = re.split(r"\s*,\s*", rest)
        if opcode == "bra":
            log(at, "branch", taken=not skip)
            at = at if skip else lines.index(rest + ":")
        elif not skip and opcode == "ret":
            return log(at, "exit")
        elif not skip:
            bits, signed = int(dots[-1][1:]), dots[-1][0] == "s"
            if opcode == "ld" and dots[0] == "param":
                registers[target] = params[sources[0].strip("[]")]
            elif word in ("ld.global.u32", "st.global.u32"):
                address = value((target if opcode == "st" else sources[0]).strip("[]"))
                name, words = memory[address >> 32]  # the upper half is the buffer's number
                offset = address & 0xffffffff
                if opcode == "st": words[offset // 4] = value(sources[0])
                else: registers[target] = words[offset // 4]
                kind = "store" if opcode == "st" else "load"
                log(at, kind, buffer=name, offset=offset, value=words[offset // 4])
            elif opcode == "setp":
                registers[target] = COMPARE[dots[0]](*(value(s, bits, signed) for s in sources))
            else:
                result = COMPUTE[opcode](*(value(s, bits, signed) for s in sources))
                registers[target] = result & ((1 << (2 * bits if "wide" in dots else bits)) - 1)

def answer(request):
    launch, events, memory, params = request["launch"], [], {}, {}
    lines = [re.sub(r"//.*|;", "", line).strip() for line in open(request["ptx"])]
    names = re.findall(r"\.param\s+(?:\.\w+\s+(?:\d+\s+)?)+(\w+)", "\n".join(lines))
    for number, (name, argument) in enumerate(zip(names, launch["arguments"]), 1):
        label, content = argument.pop("name"), list(argument.values())[0]
        params[name] = number << 32 if "buffer" in argument else content
        if "buffer" in argument: memory[number] = label, content
    for cta in range(launch["grid"][0]):
        for thread in range(launch["block"][0]):
            def log(line, kind, **more):
                events.append({"cta": cta, "thread": thread, "line": line, "kind": kind, **more})
            registers = {"%tid.x": thread, "%ntid.x": launch["block"][0],
                         "%ctaid.x": cta, "%nctaid.x": launch["grid"][0]}
            try: run_thread(lines, registers, params, memory, log)
            except KeyError as unknown: return {"unsupported": f"does not know {unknown}"}
    return {"outputs": dict(memory.values()), "events": events}

if __name__ == "__main__":
    for text in sys.stdin:
        request = json.loads(text)
        print(json.dumps({"id": request["id"], **answer(request)}), flush=True)
