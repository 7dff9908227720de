# SPDX-License-Identifier: GPL-2.0-or-later
"""Names in a trace: of threads and caches, as kmt-file.rst and abi.rst tell."""
import kmt


def _lines(trace, name, phase):
    """Lines of two words and a name."""
    for line in (trace.texts.get(name, phase) or "").splitlines():
        words = line.split(" ", 2)
        if len(words) == 3 and words[0].isdecimal():
            yield int(words[0]), words[1], kmt.unescape(words[2])


def threads(trace):
    """{tid: name} of the start."""
    names = {0: "swapper"}  # the idle threads, which have no TASK events
    names.update({tid: name for tid, _, name in _lines(trace, "tasks", kmt.START)})
    return names


def abi(trace):
    """{bits: name} of the flags of allocations, and {number: name} of the types of pages."""
    flags, types = {}, {}
    for line in (trace.texts.get("abi", kmt.START) or "").splitlines():
        words = line.split()
        if len(words) == 3 and words[0] == "gfp":
            flags[int(words[2], 16)] = words[1]
        elif len(words) == 3 and words[0] == "migratetype":
            types[int(words[1])] = words[2]
    return flags, types


def caches(trace):
    """{id: name}"""
    return {number: name for number, _, name in _lines(trace, "caches", kmt.FINISH)}
