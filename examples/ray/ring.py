# SPDX-License-Identifier: MIT
"""Ray actors as PEs: a value goes to the next one; then one is killed, and the rest go on.

usage: ring.py [ACTORS]
"""

import sys

import ray

import mori
import mori.shmem as shmem


def failure(call):
    """What is said of it; None if it succeeds."""
    try:
        return call()
    except mori.ShmemError as e:
        return e.text


@ray.remote(num_cpus=1)
class PE:
    """Methods that make collective calls are called on all actors before a result is waited for."""

    def unique_id(self):
        return shmem.shmem_get_unique_id()  # the rendezvous is in this actor from here on

    def join(self, rank, n, uid):
        shmem.shmem_init_attr(shmem.MORI_SHMEM_INIT_WITH_UNIQUEID, rank, n, uid)

    def pass_on(self):
        me, n = shmem.my_pe(), shmem.n_pes()
        box = shmem.zeros(1, "int64")
        shmem.p(box, 100 + me, (me + 1) % n)
        shmem.barrier()
        value = int(box[0])
        shmem.free(box)
        return f"PE {me} of {n}: my neighbour gave me {value}"

    def barrier(self):
        return failure(shmem.barrier)

    def leave(self):
        return failure(shmem.finalize)


def call(actors, method, *args):
    return ray.get([getattr(actor, method).remote(*args) for actor in actors])


def join(actors):
    uid = ray.get(actors[0].unique_id.remote())
    ray.get([actor.join.remote(i, len(actors), uid) for i, actor in enumerate(actors)])


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    ray.init(num_cpus=n, include_dashboard=False)
    actors = [PE.remote() for _ in range(n)]
    join(actors)
    print(*call(actors, "pass_on"), sep="\n")

    # The others get an error that names the one that is lost; finalize frees everything all the same.
    waiting = [actor.barrier.remote() for actor in actors[:-1]]
    ray.kill(actors.pop())
    for i, text in enumerate(ray.get(waiting)):
        print(f"PE {i}: {text}")
    call(actors, "leave")
    join(actors)
    print(*call(actors, "pass_on"), sep="\n")
    print("all have left" if not any(call(actors, "leave")) else "not all have left")
    ray.shutdown()


if __name__ == "__main__":
    main()
