# SPDX-License-Identifier: MIT
"""Daemon threads put and complete for ever, while the program finalizes."""

import threading
import time

import mori.shmem as ms

THREADS = 4
refused = [None] * THREADS
began = [False] * THREADS


def work(number, ptr, peer):
    source = bytearray(64)
    try:
        while True:
            ms.putmem_thread(ptr + 64 * number, source, 64, peer, 0)
            ms.quiet_thread()
            began[number] = True
    except Exception as e:
        refused[number] = getattr(e, "name", repr(e))


ms.shmem_init()
peer = (ms.shmem_mype() + 1) % ms.shmem_npes()
ptr = ms.shmem_malloc(64 * THREADS)
ms.shmem_barrier_all()
workers = [
    threading.Thread(target=work, args=(number, ptr, peer), daemon=True)
    for number in range(THREADS)
]
for w in workers:
    w.start()
while not all(map(any, zip(began, refused))):
    time.sleep(0.001)
ms.shmem_finalize()
for w in workers:
    w.join(60)
print("refused", refused.count("MORI_SHMEM_ESTATE"), "times", set(refused), flush=True)
