# SPDX-License-Identifier: MIT
"""The hook that fills in Triton's modules, over kernels that need no GPU: it chains, and touches only what is ours."""

import gc
import os
import sys
import warnings

import pes
import pytest
import triton_versions

triton_versions.need()
os.environ["TRITON_INTERPRET"] = "0"

from triton import knobs

import mori
import mori.shmem
from mori.ir.triton import get_extern_libs, install_hook, runtime

PTX = {True: ".visible .global .align 8 .b8 globalGpuStates[24];", False: ".visible .entry other()"}


class Kernel:
    """What Triton's compiled kernel has, as far as the hook looks."""

    name = "mine"

    def __init__(self, uses=True, stage="ptx", lib=None):
        self.asm = {stage: PTX[uses], "cubin": b"\0"}
        self.metadata = type("Metadata", (), {"extern_libs": (("mori", lib),) if lib else ()})()
        self.module = None
        self.loads = 0

    def _init_handles(self):
        if self.module is None:
            self.loads += 1
            self.module = 0x1000 + id(self) % 0x1000


def compiled(kernel, device=0, cache=None):
    """Triton's call after it has compiled a kernel."""
    cache = {} if cache is None else cache
    cache["key"] = kernel
    jit = type("Jit", (), {"device_caches": {device: (cache, None, None)}})()
    info = type("Info", (), {"jit_function": jit, "name": "mine", "module": "test"})()
    return knobs.runtime.jit_post_compile_hook(
        key="key", repr="mine", fn=info, compile={"device": device}, is_manual_warmup=False, already_compiled=False
    )


@pytest.fixture
def filled(monkeypatch):
    """The modules that were filled in; set filled.status to have it fail."""

    class Filled(list):
        status = 0

    modules = Filled()

    def module_init(module):
        if modules.status:
            raise mori.ShmemError(modules.status, "no")
        modules.append(module)
        return 0

    monkeypatch.setattr(mori.shmem, "shmem_module_init", module_init)
    monkeypatch.setattr(knobs.runtime, "jit_post_compile_hook", None)
    monkeypatch.setattr(runtime, "_kernels", [])
    yield modules
    loaded = getattr(knobs.runtime, "kernel_load_end_hook", None)
    if hasattr(loaded, "remove"):
        loaded.remove(runtime._after_load)


@pytest.mark.parametrize("stage", ["ptx", "amdgcn"])
def test_fills(filled, stage):
    install_hook()
    kernel = Kernel(stage=stage)
    assert compiled(kernel) is None
    assert filled == [kernel.module] and kernel.loads == 1


def test_leaves_others_alone(filled):
    install_hook()
    kernel = Kernel(uses=False)
    compiled(kernel)
    assert filled == [] and kernel.loads == 0


def test_chains(filled):
    calls = []
    knobs.runtime.jit_post_compile_hook = lambda **kwargs: calls.append(kwargs["key"]) or "theirs"
    install_hook()
    install_hook()
    kernel = Kernel()
    assert compiled(kernel) == "theirs"
    assert calls == ["key"] and filled == [kernel.module]
    # And one that comes later and calls what was there.
    ours = knobs.runtime.jit_post_compile_hook
    knobs.runtime.jit_post_compile_hook = lambda **kwargs: (calls.append("later"), ours(**kwargs))[1]
    install_hook()
    assert compiled(Kernel()) == "theirs"
    assert calls[1:].count("later") == 1 and calls[1:].count("key") == 1


def test_before_init(filled):
    """A kernel that is compiled too early is named, and works once there is a PE."""
    install_hook()
    filled.status = mori.shmem.MORI_SHMEM_ESTATE
    kernel = Kernel()
    told = "kernel mine .*before this PE was initialised: .*its first call ends the launch.*the context is lost"
    with pytest.warns(RuntimeWarning, match=told):
        compiled(kernel)
    assert filled == []
    filled.status = 0
    mori.shmem.shmem_init()
    assert filled == [kernel.module]
    mori.shmem.shmem_finalize()
    mori.shmem.shmem_init()
    assert filled == [kernel.module] * 2
    mori.shmem.shmem_finalize()


def test_other_errors(filled):
    install_hook()
    filled.status = mori.shmem.MORI_SHMEM_EABI
    with pytest.raises(mori.ShmemError) as raised:
        compiled(Kernel())
    assert raised.value.status == mori.shmem.MORI_SHMEM_EABI


def test_refused(filled):
    """A kernel that cannot be this PE's is named, and Triton does not keep it."""
    install_hook()
    filled.status, cache = mori.shmem.MORI_SHMEM_ENOTSUP, {}
    with pytest.raises(mori.ShmemError, match="the Triton kernel mine: no") as raised:
        compiled(Kernel(), cache=cache)
    assert raised.value.status == mori.shmem.MORI_SHMEM_ENOTSUP
    assert cache == {}


def test_refused_in_the_next_job(filled):
    """One of a job before: the new PE is there, and the kernel is named."""
    install_hook()
    kernel = Kernel()
    compiled(kernel)
    filled.status = mori.shmem.MORI_SHMEM_ENOTSUP
    with pytest.warns(RuntimeWarning, match="the Triton kernel mine: no"):
        mori.shmem.shmem_init()
    assert mori.shmem.shmem_is_initialized()
    mori.shmem.shmem_finalize()


def test_refused_without_the_symbol(filled, monkeypatch):
    """A kernel that has contexts alone holds no symbol for the library to look at."""
    install_hook()
    p2p, whole = (Kernel(uses=False, lib=f"/lib/libmori_shmem_{name}.bc") for name in ("p2p", "device"))
    compiled(p2p)
    mori.shmem.shmem_init()
    try:
        compiled(p2p)
        info = mori.shmem.shmem_heap_info()
        monkeypatch.setattr(mori.shmem, "shmem_heap_info", lambda: info._replace(p2p=0))
        compiled(whole)
        cache = {}
        with pytest.raises(mori.ShmemError, match=r"kernel mine was compiled without queues.*p2p=False") as raised:
            compiled(p2p, cache=cache)
        assert raised.value.status == mori.shmem.MORI_SHMEM_ENOTSUP and cache == {}
    finally:
        mori.shmem.shmem_finalize()


def test_extern_libs_install_the_hook(filled):
    pes.need_compiler()
    get_extern_libs("sm_90")
    kernel = Kernel()
    compiled(kernel)
    assert filled == [kernel.module]


def test_a_kernel_that_is_gone(filled):
    install_hook()
    compiled(Kernel())
    assert len(filled) == 1
    gc.collect()
    mori.shmem.shmem_init()
    mori.shmem.shmem_finalize()
    assert len(filled) == 1


def test_loaded_without_the_jit(filled, tmp_path):
    chain = getattr(knobs.runtime, "kernel_load_end_hook", None)
    if not hasattr(chain, "add"):
        pytest.skip("this Triton has no hook for loaded kernels")
    install_hook()
    for uses in (True, False):
        path = tmp_path / f"{uses}.ptx"
        path.write_text(PTX[uses])
        chain(77, 78, "mine", {f"{uses}.json": "x.json", f"{uses}.ptx": str(path)}, "hash")
    assert filled == [77]


def test_extern_libs():
    pes.need_compiler()
    libs = get_extern_libs("sm_90")  # before init anything may come
    assert list(libs) == ["mori"] and libs["mori"].endswith("nvptx64/libmori_shmem_device.bc")
    assert get_extern_libs("gfx942")["mori"].endswith("amdgcn/libmori_shmem_device.bc")
    assert get_extern_libs("gfx942", p2p=True)["mori"].endswith("amdgcn/libmori_shmem_p2p.bc")
    assert get_extern_libs("gfx942", p2p=False)["mori"].endswith("amdgcn/libmori_shmem_device.bc")
    assert get_extern_libs("cpu")["mori"].endswith("libmori_shmem_device.bc")


def test_extern_libs_of_a_job(monkeypatch):
    pes.need_compiler()
    mori.shmem.shmem_init()
    try:
        assert get_extern_libs("sm_90")["mori"].endswith("libmori_shmem_p2p.bc")
        info = mori.shmem.shmem_heap_info()
        assert info.p2p == 1
        monkeypatch.setattr(mori.shmem, "shmem_heap_info", lambda: info._replace(p2p=0))
        assert get_extern_libs("sm_90")["mori"].endswith("libmori_shmem_device.bc")
    finally:
        mori.shmem.shmem_finalize()


LIBRARIES = """
import mmap, os, sys
import mori.shmem as ms
from mori.ir.triton import get_extern_libs, install_hook

def library():
    return os.path.basename(get_extern_libs("sm_90")["mori"])

install_hook()
seen = [library()]
ms.shmem_init()
seen.append(library())
alone = mmap.mmap(-1, 8192, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # no other process can map it
ms.shmem_symmetric_register(alone, 8192)
seen.append(library())
ms.shmem_symmetric_deregister(alone, 8192)
seen.append(library())
ms.shmem_finalize()
print(*("p2p" if name == "libmori_shmem_p2p.bc" else "whole" for name in seen))
"""


@pytest.mark.parametrize("p2p", [True, False])
def test_extern_libs_of_pes(p2p):
    """MORI's order of calls, and a window that cannot be mapped."""
    pes.need_compiler()
    env = {"TRITON_INTERPRET": "0", "MORI_DISABLE_P2P": "0" if p2p else "1"}
    out = pes.run(pes.mori(), "run", "-n", "2", pes.python(), "-c", LIBRARIES, env=env)
    want = "whole p2p whole p2p" if p2p else "whole whole whole whole"
    assert out.splitlines() == [want] * 2, out


def test_with_an_older_triton():
    if not os.path.isdir(triton_versions.OLDER) or "TRITON_HOOK_OLDER" in os.environ:
        pytest.skip(f"no Triton 3.6 in {triton_versions.OLDER}")
    env = {**triton_versions.environment(triton_versions.OLDER), "TRITON_HOOK_OLDER": "1"}
    out = pes.run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, env=env)
    assert " passed" in out, out


def test_called_on_the_host():
    import mori.ir.triton as d

    with pytest.raises(RuntimeError, match=r"my_pe is for kernels.*@triton\.jit.*mori\.shmem"):
        d.my_pe()
    with pytest.raises(TypeError, match=r"putmem_block\(dest, src, bytes, pe, qp\).*missing"):
        d.putmem_block(1, 2)


@pytest.mark.parametrize("active", [True, False])
def test_no_gpu_is_named(monkeypatch, active):
    """Before Triton's own "0 active drivers ([])"; compiling for a named target needs no GPU."""
    from triton.backends import backends

    pes.need_compiler()
    for backend in backends.values():
        monkeypatch.setattr(backend.driver, "is_active", lambda: active)
    monkeypatch.setattr(runtime, "find_bitcode", lambda target, p2p: target)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        get_extern_libs()
        get_extern_libs("sm_90")
    texts = [str(w.message) for w in seen if "set TRITON_INTERPRET=1" in str(w.message)]
    assert len(texts) == (not active), texts
    assert all(w.filename == __file__ for w in seen)
