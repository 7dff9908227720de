# SPDX-License-Identifier: GPL-2.0-or-later
"""
A second reader of trace files, written from Documentation/kmt-file.rst and abi.rst alone, to find out whether these texts
say what the tool does. Where this reader and the tool differ, one of the two is wrong, or the text is. It is plain rather
than fast, and holds a trace in memory.

In layers, from the file inwards: File (header and chunks), Trace (texts, sub-buffers, stack table of one file or
several), streams of events by CPU, losses, and all events in order.
"""
import codecs
import collections
import heapq
import re
import struct
import unicodedata
import zlib

FILE_MAGIC = b"\x89KMT\r\n\x1a\n"
BYTE_ORDER = 0x01020304
FILE_VERSION = 2
CHUNK_MAGIC = 0x4B4E4843
CHUNK_HEAD = 24
CHUNK_MAX = 1 << 30
PLACE = 0xfffff  # the position in a chunk's number; the bits above it are the file's
SNAPSHOT, DATA, STACKS, END, ZSTD = 1, 2, 3, 4, 5
OPTIONAL = 1
LONGEST = {SNAPSHOT: 1 << 28, DATA: 1 << 24, STACKS: 1 << 24}  # bytes of payload
UNPACKED_FREE, UNPACKED_RATIO = 1 << 24, 64
LONGEST_TEXT = {}  # bytes; others are as long as a chunk may be
LONGEST_TEXT.update(dict.fromkeys(["events", "cpu_nodes", "overwrite", "paths", "meminfo", "vmstat", "recovered", "buddyinfo"], 1 << 20))
LONGEST_TEXT.update(dict.fromkeys(["host", "abi", "stats", "caches", "cache_aliases", "bpf_programs", "modules", "build_ids", "slabinfo"],
                                  1 << 24))
LONGEST_TEXT.update(dict.fromkeys(["kallsyms", "module_times", "module_functions"], 1 << 26))

ABI_VERSION = 1
SUBBUF_MAGIC = 0x42544D4B
SUBBUF_HEAD = 128
TABLE_MAGIC = 0x53544D4B
TABLE_HEAD = 16
TABLE_MAX = 1 << 30
RECORD = 48
RECORD_MAX = 1024
CPUS_MAX = 8192
DEPTH_MAX = 128
STACK_CUT = 1  # flag
CUT = 1  # ends the addresses of a stack that was cut
MARK_MAX = 128

START, FINISH = 0, 1  # phases
REASONS = ["buffer_full", "nmi", "recursion", "stack_full", "cache_full", "name"]
BUFFER_FULL = 0
EVENTS = {1: "kmalloc", 2: "kmem_cache_alloc", 3: "kfree", 4: "kmem_cache_free", 5: "page_alloc", 6: "page_free",
          7: "task", 8: "kfree_rcu", 9: "percpu_alloc", 10: "percpu_free", 11: "vmap_alloc", 12: "vmap_free",
          13: "extfrag", 14: "zone_locked", 15: "pcpu_drain", 16: "map", 17: "exec", 18: "fork",
          19: "mark", 20: "page_move", 21: "resize", 22: "compact", 23: "dup_mm"}
HAVE_CACHE = {1, 2, 3, 4}
OF_PAGES = {5, 6, 13, 14, 15, 20, 22}
TASK = 7
MARK = 19
CONTEXT_UNUSED = 3


class Refused(Exception):
    """A file that can't be read. The text names it, the offset, and what was expected."""


def order_of(data, at, value):
    """The struct prefix of the byte order in which the four bytes at an offset are value, or None."""
    for order in "<>":
        if data[at:at + 4] == struct.pack(order + "I", value):
            return order
    return None


def padded(length):
    return (length + 7) // 8 * 8


def chunk_bytes(order, kind, flags, payload, number=0):
    """A chunk as it stands in a file, for those who make files."""
    head = struct.pack(order + "IHHIII", CHUNK_MAGIC, kind, flags, len(payload), zlib.crc32(payload), number)
    return head + struct.pack(order + "I", zlib.crc32(head)) + payload + bytes(-len(payload) % 8)


# ---- the file ----

class Chunk(collections.namedtuple("Chunk", "offset type flags payload crc number")):
    """As it stands in the file: payload compressed, if it is. crc is what the header says. number: 0 if it has none."""

    def fine(self):
        return zlib.crc32(self.payload) == self.crc


class File:
    """The header and the chunks of one file. cut: the offset behind what is good, None of a complete file."""

    def __init__(self, path, data):
        self.path, self.data = path, data
        self._read_header()
        self.chunks, end = self._walk()
        if not self._has_end():
            end = self._drop_bad_tail(end)
        self.cut = None if self._has_end() and end == len(data) else end
        self._check()

    def refuse(self, offset, text):
        raise Refused("%s: offset %d: %s" % (self.path, offset, text))

    def _read_header(self):
        data = self.data
        if len(data) < 16 or data[:8] != FILE_MAGIC:
            self.refuse(0, "no header of a trace")
        self.order = order_of(data, 8, BYTE_ORDER)
        if not self.order:
            self.refuse(8, "no byte order")
        self.version, self.header_len = struct.unpack_from(self.order + "HH", data, 12)
        if not 1 <= self.version <= FILE_VERSION:
            self.refuse(12, "version %d, expected 1 to %d" % (self.version, FILE_VERSION))
        if self.header_len < 16 or self.header_len % 8 or self.header_len > len(data):
            self.refuse(14, "header of %d bytes" % self.header_len)
        if self.header_len > 16 and self._header_at(16):
            self.refuse(14, "header of %d bytes, with a chunk at 16" % self.header_len)

    def _header_at(self, at):
        """The fields of a chunk's header, or None if it is bad or not all there."""
        head = self.data[at:at + CHUNK_HEAD]
        fields = struct.unpack(self.order + "IHHIIII", head) if len(head) == CHUNK_HEAD else (0,)
        return fields if fields[0] == CHUNK_MAGIC and fields[-1] == zlib.crc32(head[:20]) else None

    def _is_torn(self, at):
        """Of a bad header: whether the writer may have been stopped there."""
        length = struct.unpack_from(self.order + "I", self.data, at + 8)[0]
        behind = self.data[at + CHUNK_HEAD:]
        return len(behind) in (length, padded(length)) or not behind.strip(b"\0")

    def _walk(self):
        """All whole chunks, and the offset behind the last one."""
        chunks, at, data = [], self.header_len, self.data
        while at + CHUNK_HEAD <= len(data):
            fields = self._header_at(at)
            if not fields and not self._is_torn(at):
                self.refuse(at, "bad header of a chunk")
            if not fields:
                break
            _, kind, flags, length, crc, number, _ = fields
            behind = at + CHUNK_HEAD + length
            if length > CHUNK_MAX:
                self.refuse(at, "chunk of %d bytes" % length)
            if behind > len(data):
                break
            chunks.append(Chunk(at, kind, flags, data[at + CHUNK_HEAD:behind], crc, number))
            at += CHUNK_HEAD + padded(length)
        return chunks, min(at, len(data))

    def _has_end(self):
        return bool(self.chunks) and self.chunks[-1].type == END

    def _drop_bad_tail(self, end):
        while self.chunks and not self.chunks[-1].fine():
            end = self.chunks.pop().offset
        return end

    def missing(self):
        """How many chunks are missing or not in their place, by their numbers, if there are any."""
        last = gaps = displaced = strangers = 0
        for chunk in self.chunks:
            ahead = (chunk.number - last) % (PLACE + 1)
            if not chunk.number or last and (chunk.number ^ last) & ~PLACE:
                strangers += 1
            elif not ahead or ahead > PLACE // 2:
                displaced += 1
            else:
                gaps, last = gaps + ahead - 1, chunk.number
        return max(gaps, displaced) + strangers if last or displaced else 0

    def _check_version(self, chunk, kind, payload):
        """Version 1 has nothing that came with version 2."""
        if self.version == 1 and (chunk.number or chunk.type == ZSTD or
                                  kind == SNAPSHOT and struct.unpack_from(self.order + "I", payload, 12)[0]):
            self.refuse(12, "version 1, and what a chunk of version 2 has at offset %d" % chunk.offset)

    def _check(self):
        """What a reader skips it needn't check."""
        for chunk in self.chunks:
            is_used = chunk.type in (SNAPSHOT, DATA, STACKS, ZSTD)
            if is_used and not chunk.fine():
                self.refuse(chunk.offset, "payload of another CRC")
            if not is_used and chunk.type != END and not chunk.flags & OPTIONAL:
                self.refuse(chunk.offset, "chunk of unknown type %d" % chunk.type)

    def contents(self):
        """(chunk, type, payload) of each chunk that is understood, unpacked."""
        unpacked = 0
        for chunk in self.chunks:
            if chunk.type == ZSTD:
                kind, payload = unpack(self, chunk)
                unpacked += len(payload)
                if unpacked > UNPACKED_FREE + UNPACKED_RATIO * (chunk.offset + CHUNK_HEAD + len(chunk.payload)):
                    self.refuse(chunk.offset, "%d bytes are compressed so far" % unpacked)
            elif chunk.type in (SNAPSHOT, DATA, STACKS):
                kind, payload = chunk.type, chunk.payload
            else:
                continue
            if len(payload) > LONGEST[kind]:
                self.refuse(chunk.offset, "payload of %d bytes" % len(payload))
            if kind == SNAPSHOT and len(payload) >= 16 or kind != SNAPSHOT:
                self._check_version(chunk, kind, payload)
            yield chunk, kind, payload


def unpack(file, chunk):
    """Type and payload of the chunk that a ZSTD chunk holds."""
    import zstandard  # from python3-zstandard; only packed chunks need it
    if len(chunk.payload) < 8:
        file.refuse(chunk.offset, "no head of a compressed chunk")
    kind, head_len, raw_len = struct.unpack_from(file.order + "HHI", chunk.payload)
    if kind not in (SNAPSHOT, DATA, STACKS):
        file.refuse(chunk.offset, "compressed chunk of type %d" % kind)
    if raw_len > LONGEST[kind] or head_len > raw_len or 8 + head_len > len(chunk.payload):
        file.refuse(chunk.offset, "compressed chunk of %d bytes, its head %d" % (raw_len, head_len))
    head = chunk.payload[8:8 + head_len]
    if head_len < least_head(file.order, kind, head, raw_len):
        file.refuse(chunk.offset, "head of %d bytes" % head_len)
    machine = zstandard.ZstdDecompressor().decompressobj()
    try:
        rest = machine.decompress(chunk.payload[8 + head_len:])
    except zstandard.ZstdError as error:
        file.refuse(chunk.offset, "frame that can't be unpacked: %s" % error)
    if not machine.eof or machine.unused_data or head_len + len(rest) != raw_len:
        file.refuse(chunk.offset, "frame of another length")
    return kind, head + rest


def least_head(order, kind, head, raw_len):
    """How many bytes of a payload a ZSTD chunk leaves as they are."""
    if kind == DATA:
        return SUBBUF_HEAD
    if kind == SNAPSHOT:
        return 16 + (struct.unpack_from(order + "H", head, 10)[0] if len(head) >= 12 else 0)
    return 8 + TABLE_HEAD if head[:8] == bytes(8) and raw_len >= 8 + TABLE_HEAD else 8


def read_file(path):
    with open(path, "rb") as stream:
        return File(path, stream.read())


# ---- texts ----

Piece = collections.namedtuple("Piece", "time_ns phase text_at name text")


def parse_snapshot(file, chunk, payload):
    if len(payload) < 16:
        file.refuse(chunk.offset, "snapshot of %d bytes" % len(payload))
    time_ns, phase, name_len, text_at = struct.unpack_from(file.order + "QHHI", payload)
    if name_len > 64 or 16 + name_len > len(payload):
        file.refuse(chunk.offset, "snapshot with a name of %d bytes" % name_len)
    name, text = payload[16:16 + name_len], payload[16 + name_len:]
    return Piece(time_ns, phase, text_at, name.decode("latin-1"), text)


class Texts:
    """Texts by (name, phase), put together from their pieces."""

    def __init__(self):
        self._texts = {}
        self._open = set()  # the texts that the next piece may continue

    def add(self, piece):
        key = piece.name, piece.phase
        if piece.text_at == 0:
            self._texts[key] = piece.text
            self._open.add(key)
        elif key in self._open and len(self._texts[key]) == piece.text_at:
            self._texts[key] += piece.text
        else:
            self._open.discard(key)

    def get(self, name, phase):
        """The text, or None."""
        text = self._texts.get((name, phase))
        if text is not None and len(text) > LONGEST_TEXT.get(name, LONGEST[SNAPSHOT]):
            raise Refused("text '%s' of %d bytes" % (name, len(text)))
        return None if text is None else text.replace(b"\0", b"?").decode("latin-1")

    def host(self):
        values, rest = {}, self.get("host", START) or ""
        while rest:
            key, _, value = rest.partition("=")
            if key == "command":
                values[key] = value
                break
            values[key], _, rest = value.partition("\n")
        return values


def unescape(name):
    """Names in caches and tasks have octal escapes."""
    return re.sub(r"\\([0-3][0-7]{2})", lambda match: chr(int(match.group(1), 8)), name)


# ---- sub-buffers ----

Event = collections.namedtuple("Event", "time_ns cpu event context addr call_site stack_id bytes_req bytes_alloc gfp "
                                        "tid cache order migratetype node comm text part parts",
                               defaults=(b"", 0, 0))


class Subbuf:
    """One sub-buffer. payload is all of it; order that of the traced machine."""

    def __init__(self, file, chunk, payload):
        self.payload = payload
        self.order = order_of(payload, 0, SUBBUF_MAGIC)
        if len(payload) < SUBBUF_HEAD or not self.order:
            file.refuse(chunk.offset, "no header of a sub-buffer")
        fields = struct.unpack_from(self.order + "IHHHBBIQQQQQQ8Q", payload)
        (_, version, self.header_len, self.record_len, _, self.word_size, self.cpu, self.seq, self.time_ns,
         self.session, self.written, self.ignored, _) = fields[:13]
        self.lost = fields[13:]
        if not 1 <= version <= ABI_VERSION:
            file.refuse(chunk.offset, "sub-buffer of ABI version %d, expected 1" % version)
        if self.cpu >= CPUS_MAX:
            file.refuse(chunk.offset, "sub-buffer of CPU %d" % self.cpu)
        if not SUBBUF_HEAD <= self.header_len <= len(payload) or not RECORD <= self.record_len <= RECORD_MAX:
            file.refuse(chunk.offset, "header of %d bytes, records of %d" % (self.header_len, self.record_len))

    def record_offsets(self):
        return range(self.header_len, len(self.payload) - self.record_len + 1, self.record_len)

    def records(self):
        for at in self.record_offsets():
            yield parse_record(self.payload, at, self.order, self.cpu)

    def last_time_ns(self):
        """Of the last record that counts, or the header's if there is none."""
        return next((record.time_ns for record in reversed(list(self.records())) if is_known(record)), self.time_ns)


def is_known(record):
    return record.event in EVENTS and record.context != CONTEXT_UNUSED


def parse_record(data, at, order, cpu):
    (time_ns, addr, call_site, stack_id, bytes_req, bytes_alloc, gfp, tid, cache, node,
     kind) = struct.unpack_from(order + "QQQIIIIIHBB", data, at)
    event, comm, page_order, migratetype = kind & 0x3F, b"", 0, 0
    if event in OF_PAGES:
        page_order, migratetype = data[at + 44], data[at + 45]
    if event not in HAVE_CACHE:
        cache = 0
    if event == TASK:
        comm, addr, call_site = data[at + 8:at + 24].split(b"\0")[0], 0, 0
    if event == MARK:
        return Event(time_ns, cpu, event, kind >> 6, 0, 0, 0, 0, 0, 0, tid, 0, 0, 0, node, "",
                     data[at + 8:at + 40].split(b"\0")[0], data[at + 44], data[at + 45])
    return Event(time_ns, cpu, event, kind >> 6, addr, call_site, stack_id, bytes_req, bytes_alloc, gfp, tid, cache,
                 page_order, migratetype, node, comm.decode("latin-1"))


# ---- marks ----

class Mark:
    """Put together from its records. first is that of the piece that was found first."""

    def __init__(self, first):
        self.first, self.next, self.bytes = first, first.part + 1, first.text

    def goes_on_with(self, event):
        return (event.cpu, event.time_ns, event.tid, event.parts, event.part) == \
            (self.first.cpu, self.first.time_ns, self.first.tid, self.first.parts, self.next)

    def add(self, event):
        self.bytes += event.text
        self.next += 1

    def is_over(self):
        return self.next >= self.first.parts

    def text(self):
        """As people get it, with what is missing and what can't be printed made visible."""
        clean = visible(self.bytes[:MARK_MAX])
        return ("…" if self.first.part else "") + clean + ("" if self.is_over() else "…")


def octal(data):
    return "".join("\\%03o" % byte for byte in data)


def split_utf8(data):
    """The letters; what is no UTF-8 as escapes."""
    return data.decode("utf-8", "octal")


LAYOUT = "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def visible(data):
    """What a terminal gets: control characters, what turns text, and what is no UTF-8 are escapes."""
    return "".join(octal(letter.encode()) if unicodedata.category(letter) == "Cc" or letter in LAYOUT else letter
                   for letter in split_utf8(data))


codecs.register_error("octal", lambda error: (octal(error.object[error.start:error.end]), error.end))


def with_marks(events):
    """All events, and in place of those of a mark the mark, in order: (event, None) or (None, Mark)."""
    mark = None
    for event in events:
        if mark and not (event.event == MARK and mark.goes_on_with(event)):
            yield None, mark
            mark = None
        if event.event != MARK:
            yield event, None
            continue
        if mark:
            mark.add(event)
        else:
            mark = Mark(event)
        if mark.is_over():
            yield None, mark
            mark = None
    if mark:
        yield None, mark


# ---- the stack table ----

class StackTable:
    """The table's bytes, put together from pieces."""

    def __init__(self):
        self.data = bytearray()
        self._ranges = []
        self.session = None

    def add(self, file, chunk, payload):
        if len(payload) < 8:
            file.refuse(chunk.offset, "stacks of %d bytes" % len(payload))
        offset, piece = struct.unpack_from(file.order + "Q", payload)[0], payload[8:]
        end = offset + len(piece)
        if end > TABLE_MAX:
            file.refuse(chunk.offset, "stack table of %d bytes" % end)
        self.data.extend(bytes(max(0, end - len(self.data))))
        self.data[offset:end] = piece
        self._ranges.append((offset, end))
        if offset == 0 and len(piece) >= TABLE_HEAD:
            self._check_head(file, chunk)

    def _check_head(self, file, chunk):
        self.order = order_of(self.data, 0, TABLE_MAGIC)
        if not self.order:
            file.refuse(chunk.offset, "no header of a stack table")
        _, version, self.header_len, session = struct.unpack_from(self.order + "IHHQ", self.data)
        if not 1 <= version <= ABI_VERSION:
            file.refuse(chunk.offset, "stack table of ABI version %d, expected 1" % version)
        if self.header_len < TABLE_HEAD or self.header_len % 8:
            file.refuse(chunk.offset, "header of %d bytes of the stack table" % self.header_len)
        if self.session not in (None, session):
            file.refuse(chunk.offset, "a second stack table, of session %d" % session)
        self.session = session

    def _check_holes(self, path):
        reached = 0
        for start, end in sorted(self._ranges):
            if start > reached:
                raise Refused("%s: no stacks from byte %d of their table to %d" % (path, reached, start))
            reached = max(reached, end)
        if self.data and self.session is None:
            raise Refused("%s: no header of the stack table" % path)

    def entries(self, path):
        """{id: (offset, hash, [address…])}"""
        self._check_holes(path)
        found, at = {}, self.header_len if self.data else 0
        while at + 8 <= len(self.data):
            hashed, depth, flags = struct.unpack_from(self.order + "IHH", self.data, at)
            if hashed == 0:
                break
            if not 1 <= depth <= DEPTH_MAX:
                raise Refused("%s: stack %d of depth %d" % (path, at // 8, depth))
            if at + 8 + 8 * depth > len(self.data):
                break
            addrs = list(struct.unpack_from("%s%dQ" % (self.order, depth), self.data, at + 8))
            found[at // 8] = addrs + [CUT] if flags & STACK_CUT else addrs
            at += 8 + 8 * depth
        return found


# ---- a trace ----

class Trace:
    """One file, or several that belong together, read as one."""

    def __init__(self, paths):
        self.files = [read_file(path) for path in paths]
        if len(self.files) > 1:
            self._sort_files()
        self.path = self.files[0].path
        self.texts, self.table, self._subbufs = Texts(), StackTable(), {}
        first, last = Texts(), Texts()
        for file in self.files:
            for chunk, kind, payload in file.contents():
                self._add(file, chunk, kind, payload, first, last)
        self.first_host, self._first_overwrite = first.host(), first.get("overwrite", START)
        self._first_stats = first.get("stats", START)
        self._last_host, self._last_part = last.host(), last.get("last_part", FINISH)
        self.final_stats = last.get("stats", FINISH)
        self.stacks = self.table.entries(self.path)

    def _sort_files(self):
        """By the time of the first snapshot; one boot only."""
        def first_ns(file):
            chunk, kind, payload = next(file.contents(), (None, None, None))
            return parse_snapshot(file, chunk, payload).time_ns if kind == SNAPSHOT else 0

        def boot_id(file):
            texts = Texts()
            for chunk, kind, payload in file.contents():
                if kind == SNAPSHOT:
                    texts.add(parse_snapshot(file, chunk, payload))
            if texts.get("host", START) is None and file.cut is None and texts.get("recovered", FINISH) is None:
                raise Refused("%s: no text 'host', and not the only file" % file.path)
            return texts.host().get("boot_id")

        self.files.sort(key=first_ns)
        boots = {boot_id(file) for file in self.files} - {None}
        if len(boots) > 1:
            raise Refused("%s: of several boots: %s" % (self.files[0].path, ", ".join(sorted(boots))))

    def _add(self, file, chunk, kind, payload, first, last):
        if kind == SNAPSHOT:
            piece = parse_snapshot(file, chunk, payload)
            self.texts.add(piece)
            if file is self.files[0]:
                first.add(piece)
            if file is self.files[-1]:
                last.add(piece)
        elif kind == DATA:
            subbuf = Subbuf(file, chunk, payload)
            self._subbufs.setdefault(subbuf.cpu, {}).setdefault((subbuf.session, subbuf.seq), subbuf)
        else:
            self.table.add(file, chunk, payload)

    def cpus(self):
        return sorted(self._subbufs)

    def subbufs(self, cpu):
        """In order of session and sequence number."""
        return [subbuf for _, subbuf in sorted(self._subbufs[cpu].items())]

    def starts_later(self):
        """Sub-buffers that are missing before the first one are no loss."""
        return self.first_host.get("mode") == "continue" or part_of(self.first_host) > 1 or \
            (self._first_overwrite or "").strip() == "1"


    def ends_early(self):
        """It is a part of a recording, and not the last one."""
        last = re.match("[0-9]+", self._last_part or "")
        return part_of(self._last_host) > 0 and int(last.group() if last else 0) != part_of(self._last_host)

    def earlier(self, cpu, subbuf, of_first_session):
        """How many sub-buffers before this one, the first that there is of a session, are no loss."""
        if self.starts_later():
            return subbuf.seq
        return min(self.before().get(cpu, {}).get("consumed", 0) if of_first_session else 0, subbuf.seq)

    def before(self):
        """{CPU: counters} of when the recorder came, where that was after the session's start."""
        return stats_rows(self._first_stats) if self.first_host.get("mode") in ("continue", "extract") else {}


TOLERANCE_NS = 100000


class Stream:
    """The events of one CPU in order, and what was skipped."""

    def __init__(self, trace, cpu):
        self.events, self.unknown, self.unfinished, self.backward = [], 0, 0, 0
        self._run, session = [], None  # events still to be sorted
        for subbuf in trace.subbufs(cpu):
            if subbuf.session != session:
                self._end_run()
            session = subbuf.session
            for event in subbuf.records():
                self._add(event, subbuf.session == trace.table.session)
        self._end_run()

    def _end_run(self):
        self.events += sorted(self._run, key=lambda event: event.time_ns)
        self._run, self._newest_ns = [], 0

    def _add(self, event, has_stack):
        if event.event == 0:
            self.unfinished += 1
        elif not is_known(event):
            self.unknown += 1
        else:
            if self._newest_ns - event.time_ns > TOLERANCE_NS:
                self.backward += 1
                self._end_run()
            self._newest_ns = max(self._newest_ns, event.time_ns)
            self._run.append(event if has_stack else event._replace(stack_id=0))


def streams(trace):
    """{cpu: Stream}"""
    return {cpu: Stream(trace, cpu) for cpu in trace.cpus()}


def merged(by_cpu):
    """All events in order: that of each CPU is kept, between CPUs it is that of time, then of the CPU's number."""
    heap = [(stream.events[0].time_ns, cpu, 0) for cpu, stream in by_cpu.items() if stream.events]
    heapq.heapify(heap)
    while heap:
        _, cpu, index = heap[0]
        events = by_cpu[cpu].events
        yield events[index]
        if index + 1 < len(events):
            heapq.heapreplace(heap, (events[index + 1].time_ns, cpu, index + 1))
        else:
            heapq.heappop(heap)


# ---- losses ----

def part_of(host):
    """Which part of a recording, from 1 on; 0: none."""
    match = re.match("[1-9][0-9]*", host.get("part", ""))
    return int(match.group()) if match else 0


Loss = collections.namedtuple("Loss", "cpu reason from_ns to_ns count")  # times None: unknown


def reason_name(number):
    return REASONS[number] if number < len(REASONS) else "reason_%d" % number


def losses_between(cpu, earlier, later, taken=0):
    """Of two consecutive sub-buffers of a session; earlier is None at its start, of which so many were taken before."""
    before = earlier.lost if earlier else later.lost if taken else [0] * 8
    for number, (was, now) in enumerate(zip(before, later.lost)):
        start = None if not earlier else earlier.last_time_ns() if number == BUFFER_FULL else earlier.time_ns
        if now > was:
            yield Loss(cpu, reason_name(number), start, later.time_ns, now - was)
    missing = later.seq - (earlier.seq + 1 if earlier else taken)
    if missing:
        yield Loss(cpu, "missing", earlier and earlier.last_time_ns(), later.time_ns, missing)
    elif not taken and later.written > (next_written(earlier) if earlier else 0):
        yield Loss(cpu, "short", earlier and earlier.last_time_ns(), later.time_ns,
                   later.written - (next_written(earlier) if earlier else 0))


def next_written(subbuf):
    """What the header of the next one tells, if all is there."""
    return subbuf.written + len(subbuf.record_offsets())


def losses_at_end(cpu, last, before, after):
    """Of what the tracer gave away at the end, what isn't there; last is None if nothing is."""
    seq = last.seq + 1 if last else before.get("consumed", 0)
    written = next_written(last) if last else before.get("written", 0)
    if after.get("consumed", 0) > seq:
        yield Loss(cpu, "missing", last and last.last_time_ns(), None, after["consumed"] - seq)
    elif after.get("written", 0) > written and (last or "consumed" not in after):
        yield Loss(cpu, "short", last and last.last_time_ns(), None, after["written"] - written)


def stats_rows(text):
    """{cpu: {column: number}} of a text stats."""
    lines = (text or "").splitlines()
    names = lines[0].split() if lines else []
    rows = [line.split() for line in lines[1:]]
    rows = [row for row in rows if len(row) == len(names) and all(re.fullmatch("[0-9]+", word) for word in row)]
    return {int(row[0]): dict(zip(names, map(int, row))) for row in rows if names[0] == "cpu"}


def final_rows(trace):
    """What stats_rows makes of the end, if it says how much was written."""
    rows = stats_rows(trace.final_stats)
    return rows if all("written" in row for row in rows.values()) else {}


def final_counters(trace):
    """{cpu: {reason: count}} of the end."""
    return {cpu: {name: row[name] for name in REASONS if name in row} for cpu, row in final_rows(trace).items()}


def losses_behind(cpu, last, counters):
    """What the final counters tell beyond the last sub-buffer, which is None if the CPU has none."""
    for number, name in enumerate(REASONS):
        was = last.lost[number] if last else 0
        if counters.get(name, 0) > was:
            start = None if not last else last.last_time_ns() if number == BUFFER_FULL else last.time_ns
            yield Loss(cpu, name, start, None, counters[name] - was)


def losses(trace):
    """Every Loss, by CPU and time."""
    finals, found = final_counters(trace), []
    before, after = trace.before(), final_rows(trace)
    ends_early, lacks_parts = trace.ends_early(), part_of(trace.first_host) > 1
    for cpu in sorted(set(trace.cpus()) | set(finals)):
        subbufs = trace.subbufs(cpu) if cpu in trace.cpus() else []
        earlier = None
        for subbuf in subbufs:
            if earlier and earlier.session != subbuf.session:
                earlier = None
            taken = 0 if earlier else trace.earlier(cpu, subbuf, subbuf.session == subbufs[0].session)
            found.extend(losses_between(cpu, earlier, subbuf, taken))
            earlier = subbuf
        found.extend(losses_behind(cpu, earlier, finals.get(cpu, {})))
        if cpu in after and not ends_early and (subbufs or not lacks_parts):
            found.extend(losses_at_end(cpu, earlier, before.get(cpu, {}), after[cpu]))
    return found
