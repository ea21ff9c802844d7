#!/usr/bin/env python3
"""Executes a few PTX instructions, one thread after the other: enough for a vector addition."""
import itertools, json, operator, re, sys

COMPUTE = {"mov": lambda a: a, "cvta": lambda a: a, "add": operator.add, "sub": operator.sub,
           "mul": operator.mul, "mad": lambda a, b, c: a * b + c}

def answer(request):
    launch, events, memory, params = request["launch"], [], {}, {}
    lines = [re.sub(r"//.*|;", "", line).strip() for line in open(request["ptx"])]
    names = re.findall(r"\.param\s+(?:\.\w+\s+(?:\d+\s+)?)+(\w+)", "\n".join(lines))
    for number, (name, argument) in enumerate(zip(names, launch["arguments"]), 1):
        label, (kind, content) = argument.pop("name"), *argument.items()
        if kind == "buffer": memory[number] = label, content
        params[name] = number << 32 if kind == "buffer" else content  # addresses: number, offset
    for cta, thread in itertools.product(range(launch["grid"][0]), range(launch["block"][0])):
        registers = {"%tid.x": thread, "%ctaid.x": cta, "%ntid.x": launch["block"][0]}
        def value(text, kind="u64"):
            number, bits = registers[text] if text[0] == "%" else int(text, 0), int(kind[1:])
            return number - (1 << bits) if kind[0] == "s" and number >> bits - 1 & 1 else number
        at, opcode = 0, None
        while opcode != "ret":
            at, opcode = at + 1, None  # lines count from 1, as they do in the events
            guard, word, rest = re.match(r"(?:@(\S+) )?([\w.]*)\s*(.*)", lines[at - 1]).groups()
            if not word or word[0] == "." or rest == ":": continue  # a directive or a label
            skip = guard and bool(registers[guard.strip("!")]) == guard.startswith("!")
            if skip and word[:3] != "bra": continue
            (opcode, *dots), (target, *sources) = word.split("."), re.split(r"\s*,\s*", rest)
            event = {"cta": cta, "thread": thread, "line": at}
            if opcode == "ret": events.append({**event, "kind": "exit"})
            elif opcode == "bra":
                events.append({**event, "kind": "branch", "taken": not skip})
                if not skip: at = lines.index(rest + ":") + 1
            elif word.startswith("ld.param"): registers[target] = params[sources[0].strip("[]")]
            elif word in ("ld.global.u32", "st.global.u32"):
                address = value((sources[0] if opcode == "ld" else target).strip("[]"))
                (name, words), offset = memory[address >> 32], address & 0xffffffff
                if opcode == "ld": registers[target] = words[offset // 4]
                else: words[offset // 4] = value(sources[0])
                events.append({**event, "kind": "load" if opcode == "ld" else "store", "buffer": name,
                               "offset": offset, "value": words[offset // 4]})
            elif opcode == "setp":
                registers[target] = getattr(operator, dots[0])(*(value(s, dots[-1]) for s in sources))
            elif opcode in COMPUTE:
                result = COMPUTE[opcode](*(value(s, dots[-1]) for s in sources))
                registers[target] = result & (1 << int(dots[-1][1:]) * (2 if "wide" in dots else 1)) - 1
            else: return {"unsupported": f"does not know {word}"}
    return {"outputs": dict(memory.values()), "events": events}

if __name__ == "__main__":
    for text in sys.stdin:
        request = json.loads(text)
        print(json.dumps({"id": request["id"], **answer(request)}), flush=True)
