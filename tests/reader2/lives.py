# SPDX-License-Identifier: GPL-2.0-or-later
"""
What became of each allocation, by the rules of Documentation/schema.rst, from the events that kmt.py reads. Plain rather
than fast: pages are a dictionary of frames. What is asked of the names of functions is a parameter, so that nothing here
is the tool's.
"""
import collections

import kmt

SLAB, PAGE, PERCPU, VMALLOC = "slab", "page", "percpu", "vmalloc"
KIND = {1: SLAB, 2: SLAB, 5: PAGE, 9: PERCPU, 11: VMALLOC}  # of allocations
FREED_KIND = {3: SLAB, 4: SLAB, 6: PAGE, 10: PERCPU, 12: VMALLOC}
KMALLOC, KFREE_RCU, PAGE_MOVE, RESIZE = 1, 8, 20, 21
SOURCE_OUTSIDE, DESTINATION_OUTSIDE = 1, 2  # of the sample
LIVE, FREED, UNSEEN, FREED_RCU, FREEING = "live", "freed", "free_unseen", "freed_rcu", "freeing"
NO_POINTER = 17  # below: NULL, and the result of kmalloc(0)
UNDONE_NS = 1000000000  # an allocation that fails may be recorded so much later than the free of the pages it had
EARLY_NS = 1000  # a free on another CPU may be so much earlier than its allocation
BIG_KMALLOC_PAGES = 2  # a larger kmalloc has pages of its own


EXPECTED = "a free that is no allocation's"


class Life:
    """One allocation. end_ns: None as long as it lives; freer: the event that freed it, None if none was seen."""

    def __init__(self, event, comm):
        self.event, self.kind, self.addr, self.time_ns, self.comm = event, KIND[event.event], event.addr, event.time_ns, comm
        self.origin = event  # call site, stack and sizes
        self.state, self.backing, self.end_ns, self.freer, self.freer_comm = LIVE, None, None, None, None
        self.rcu, self.early, self.turns = None, None, None
        self.frames, self.objects, self.block = 0, {}, None
        self.pages_freed, self.overlapped, self.moves = 0, False, 0


class Lives:
    """Feed it every event of a trace, then end it: all are in the list "all"."""

    def __init__(self, page_size, linear_base, backing_of, account=0):
        """account: the flag __GFP_ACCOUNT; 0: not known."""
        self.page_size, self.linear_base, self.backing_of = page_size, linear_base, backing_of
        self.all, self.duplicates, self.failed, self.undone, self.account = [], 0, 0, 0, account
        self.matched, self.unmatched = 0, 0
        self._at = {SLAB: {}, PERCPU: {}, VMALLOC: {}}
        self._frames = {}  # frame to Life, or to EXPECTED
        self._strangers = set()  # unknown addresses passed to kfree_rcu()
        self.areas_retried, self._failed_areas = 0, {}  # by thread
        self._early = collections.deque(maxlen=16)  # the last frees that matched nothing
        self._comms, self._turns = {0: "swapper"}, collections.Counter()
        self._last_free = {}  # frees of pages without an owner, by thread, if it has done nothing since
        self._name_then = {}  # the name of the task that called kfree_rcu() or freed early, by the id of the event

    def name_threads(self, names):
        self._comms.update(names)

    # ---- the end of an allocation ----

    def _end(self, life, state, end_ns, freer=None):
        if freer:
            life.early = None
        if life.early and state in (UNSEEN, LIVE):
            state, freer, end_ns = FREED, life.early, life.time_ns
            self.matched, self.unmatched = self.matched + 1, self.unmatched - 1
        elif life.rcu and state == FREED:
            freer = life.rcu
        elif life.rcu and state == UNSEEN:
            state, freer, end_ns = FREED_RCU, life.rcu, life.rcu.time_ns
        elif life.rcu and state == LIVE:
            state, freer = FREEING, life.rcu
        life.state, life.freer = state, freer
        life.freer_comm = self._name_then.pop(id(freer), self._comms.get(freer.tid)) if freer else None
        if state in (LIVE, FREEING):
            return
        life.end_ns = max(end_ns, life.time_ns)
        if state == FREED:
            life.turns = self._turns[self._thread(life.event)] - life.turn if end_ns > life.time_ns else 0
        if life.block:
            life.block.objects.pop(id(life), None)

    def _end_pages(self, life, end_ns, freer):
        for thing in list(life.objects.values()):
            del self._at[SLAB][thing.addr]
            self._end(thing, UNSEEN, end_ns)
        is_seen = freer and not life.overlapped
        self._end(life, FREED if is_seen else UNSEEN, end_ns, freer if is_seen else None)

    def _take_frames(self, event, new):
        """The frames of a page event go from their owners to new, or to nobody. How many had an owner, or all expected it?"""
        taken = collections.Counter()
        owners = {}
        expected = 0
        for frame in range(event.addr, event.addr + (1 << event.order)):
            owner = self._frames.pop(frame, None)
            if owner == EXPECTED:
                expected += 1
            elif owner:
                taken[id(owner)] += 1
                owners[id(owner)] = owner
            if new:
                self._frames[frame] = new
        for key, owner in owners.items():
            owner.frames -= taken[key]
            if new:
                owner.overlapped = True
            else:
                owner.early = None
            if not owner.frames:
                self._end_pages(owner, event.time_ns, None if new else event)
        return sum(taken.values()), expected == 1 << event.order

    # ---- pages that the kernel migrates ----

    def _lose(self, frame, event):
        """The frame left the sample."""
        owner = self._frames.pop(frame, None)
        if not owner or owner == EXPECTED:
            return
        owner.frames, owner.overlapped = owner.frames - 1, True
        if not owner.frames:
            self._end_pages(owner, event.time_ns, None)

    def _move_frame(self, source, target, event):
        """Returns whose frame was moved; None: nobody's."""
        owner, migrator = self._frames.pop(source, None), self._frames.pop(target, None)
        for life, old, new in ((owner, source, target), (migrator, target, source)):
            if life and life != EXPECTED:
                life.early = None
                if life.addr == old:
                    life.addr = new
        if owner:
            self._frames[target] = owner
        self._frames[source] = migrator or EXPECTED
        if event.gfp & SOURCE_OUTSIDE:
            self._lose(source, event)
            self._frames.setdefault(target, EXPECTED)
        if event.gfp & DESTINATION_OUTSIDE:
            self._lose(target, event)
        return None if owner == EXPECTED else owner

    def _move(self, event):
        target = event.bytes_alloc << 32 | event.bytes_req
        owners = [self._move_frame(event.addr + i, target + i, event) for i in range(1 << event.order)]
        for owner in {id(owner): owner for owner in owners if owner}.values():
            owner.moves += 1

    # ---- events ----

    @staticmethod
    def _thread(event):
        return event.tid if event.context == 0 else ("interrupt", event.cpu, event.context)

    @staticmethod
    def _worker(event):
        """Each CPU has a thread 0 of its own."""
        return event.tid or ("idle", event.cpu)

    def _settle_last_free(self, event):
        """What the kernel frees as it can't have it after all, before it tells that it failed."""
        free = self._last_free.get(self._worker(event))
        if not free or (free[0].tid, free[0].context) != (event.tid, event.context) or \
                (event.context != 0 and free[0].cpu != event.cpu):
            return
        del self._last_free[self._worker(event)]
        if event.event == 5 and event.addr == 0 and event.order == free[0].order and \
                (not self.account or event.gfp & self.account) and 0 <= event.time_ns - free[0].time_ns <= UNDONE_NS and \
                not any(life.early is free[0] for life in self.all):
            self.unmatched, self.undone = self.unmatched - 1, self.undone + 1
            if free in self._early:
                self._early.remove(free)

    def feed(self, event):
        if event.event in KIND or event.event in FREED_KIND or event.event == KFREE_RCU:
            self._settle_last_free(event)
        if event.event == kmt.TASK:
            self._comms[event.tid] = event.comm
        elif event.event in KIND:
            self._alloc(event)
        elif event.event == KFREE_RCU:
            self._give_to_rcu(event)
        elif event.event == PAGE_MOVE:
            self._move(event)
        elif event.event == RESIZE:
            self._resize(event)
        elif event.event in FREED_KIND:
            self._free(event, FREED_KIND[event.event])

    def _block_of(self, addr):
        block = self._frames.get((addr - self.linear_base) // self.page_size) if addr >= self.linear_base else None
        return None if block == EXPECTED else block

    def _is_duplicate(self, old, event):
        block = self._block_of(event.addr)
        return (old and block and block is old.block and block.backing == "kmalloc-large" and not old.rcu and
                old.event.event == event.event == KMALLOC and old.event.tid == event.tid and
                event.bytes_alloc == self.page_size << block.event.order)

    def _is_second_try(self, event):
        """The kernel tells of both, and the first one does not count."""
        first = self._failed_areas.pop(event.tid, None)
        is_same = first is not None and first.bytes_alloc == event.bytes_alloc
        self.failed += first is not None and not is_same
        return is_same

    def _alloc(self, event):
        kind = KIND[event.event]
        if kind == VMALLOC and self._is_second_try(event):
            self.areas_retried += 1
        elif kind == VMALLOC and event.addr == 0:
            self._failed_areas[event.tid] = event
            return
        if event.addr == 0:
            self.failed += 1
            return
        if kind == SLAB and event.addr < NO_POINTER:
            return
        old = self._at[kind].get(event.addr) if kind != PAGE else None
        if kind == SLAB and self._is_duplicate(old, event):
            old.origin, self.duplicates = event, self.duplicates + 1
            return
        life = Life(event, self._comms.get(event.tid))
        self.all.append(life)
        if kind in (SLAB, VMALLOC):
            self._strangers.discard(event.addr)
        shown = self.backing_of(event) if kind == PAGE else None
        if not shown:
            self._turns[self._thread(event)] += 1
        life.turn = self._turns[self._thread(event)]
        self._claim_early(life)
        if kind == PAGE:
            self._take_frames(event, life)
            life.frames, life.backing = 1 << event.order, shown
            return
        self._at[kind][event.addr] = life
        if old:
            self._end(old, UNSEEN, event.time_ns)
        if kind == SLAB:
            self._put_in_block(life)

    def _put_in_block(self, life):
        block = self._block_of(life.addr)
        if not block:
            return
        life.block, block.objects[id(life)] = block, life
        pages, size = 1 << block.event.order, life.event.bytes_alloc
        if block.backing:
            return
        is_whole = size == pages * self.page_size and life.addr == self.linear_base + block.addr * self.page_size
        if size < pages * self.page_size:
            block.backing = "slab"
        elif is_whole:
            is_large = life.event.event == KMALLOC and pages > BIG_KMALLOC_PAGES
            block.backing = "kmalloc-large" if is_large else "slab"
        thread = self._thread(life.event)
        if block.backing and block.event.cpu == life.event.cpu and self._thread(block.event) == thread and \
                block.turn + 1 == life.turn:
            life.turn, self._turns[thread] = block.turn, self._turns[thread] - 1  # one allocation, not two

    def _claim_early(self, life):
        for free, free_comm in self._early:
            if free.addr == life.addr and free.cpu != life.event.cpu and FREED_KIND[free.event] == life.kind and \
                    0 <= life.time_ns - free.time_ns <= EARLY_NS and \
                    (life.kind != PAGE or free.order == life.event.order):
                self._early.remove((free, free_comm))
                life.early = free
                self._name_then[id(free)] = free_comm
                return

    def _free(self, event, kind):
        if event.addr == 0 or kind == SLAB and event.addr < NO_POINTER:
            return
        if kind == PAGE:
            is_known, is_expected = self._take_frames(event, None)
            if is_expected:
                return
        else:
            life = self._at[kind].pop(event.addr, None)
            is_known = life is not None
            if life:
                self._end(life, FREED, event.time_ns, event)
            elif kind in (SLAB, VMALLOC) and event.addr in self._strangers:
                self._strangers.remove(event.addr)
                return
        if is_known:
            self.matched += 1
        else:
            self.unmatched += 1
            self._early.append((event, self._comms.get(event.tid)))
            if kind == PAGE:
                self._last_free[self._worker(event)] = self._early[-1]

    def _resize(self, event):
        life = self._at[SLAB].get(event.addr)
        if life and not life.rcu:
            life.early, life.origin = None, life.origin._replace(bytes_req=event.bytes_req)

    def _give_to_rcu(self, event):
        if event.addr < NO_POINTER:
            return
        kind = SLAB if event.addr in self._at[SLAB] else VMALLOC
        life = self._at[kind].get(event.addr)
        if life:
            life.early = None
        if life and not life.rcu:
            life.rcu = event
            self._name_then[id(event)] = self._comms.get(event.tid)
            return
        if life:
            del self._at[kind][event.addr]
            self._end(life, UNSEEN, event.time_ns)
        self._strangers.add(event.addr)
        self.unmatched += 1

    def end(self):
        self.failed += len(self._failed_areas)
        for life in self.all:
            if life.state == LIVE and life.end_ns is None:
                self._end(life, LIVE, None)
                if life.kind == PAGE and life.state == LIVE:
                    life.pages_freed = (1 << life.event.order) - life.frames
