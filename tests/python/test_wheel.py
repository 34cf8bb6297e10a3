# SPDX-License-Identifier: MIT
# TEST: timeout=600 quick=0
"""pip install, in fresh environments and used from elsewhere: isolated, without isolation, editable; and what is in the wheel."""

import glob
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

import pes

ROOT = os.path.dirname(os.path.dirname(pes.HERE))

# The tests' own environment must not shine through.
CLEAN = {
    k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "MORI_", "VIRTUAL_ENV"))
}

PROGRAM = """
import os, sys, mori, mori.ir, mori.kernel, mori.shmem as s
assert mori.__file__.startswith(sys.argv[1]), mori.__file__
for target in ("sm_90", "gfx942", "cpu"):
    assert mori.ir.find_bitcode(target).startswith(sys.argv[1]), mori.ir.find_bitcode(target)
s.shmem_init()
ptr = s.shmem_malloc(64)
s.int64_p(ptr, 42, s.shmem_mype(), 0)
assert s.int64_g(ptr, s.shmem_mype(), 0) == 42
print("PE", s.shmem_mype(), "of", s.shmem_npes(), mori.__version__, flush=True)
s.shmem_finalize()
"""


def call(*command, cwd, check=True, env=CLEAN):
    done = subprocess.run(
        [str(c) for c in command], cwd=cwd, env=env, capture_output=True, text=True, timeout=500
    )
    assert not check or done.returncode == 0, (
        f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    )
    return done


def venv(path, python=sys.executable):
    """A fresh environment; without a pip of its own, which takes seconds to install."""
    call(python, "-m", "venv", "--without-pip", path, cwd=path.parent)
    return path / "bin"


def pip(bin, *args, **more):
    return call(sys.executable, "-m", "pip", "--python", bin / "python", *args, **more)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built by pip, isolated, as `pip install .` does it."""
    folder = tmp_path_factory.mktemp("wheel")
    bin = venv(folder / "builder")
    pip(bin, "wheel", "--no-deps", "-w", folder, ROOT, cwd=folder)
    (path,) = folder.glob("*.whl")
    return path


def use(bin, cwd, where):
    """What a user does first, in a folder that has nothing to do with the sources."""
    version = call(bin / "mori", "--version", cwd=cwd).stdout.split()[1]
    out = call(
        bin / "mori", "run", "-n", "2", "--", bin / "python", "-c", PROGRAM, where, cwd=cwd
    ).stdout
    assert sorted(filter(None, out.split("\n"))) == [f"PE 0 of 2 {version}", f"PE 1 of 2 {version}"]
    assert "library" in call(bin / "python", "-m", "mori", "info", cwd=cwd).stdout
    assert version in pip(bin, "show", "mori-shmem", cwd=cwd).stdout
    return version


def test_contents(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    machine = os.uname().machine
    native = {
        "bin/mori",
        "bin/mori-bench",
        "lib/libmori_shmem.so",
        "include/mori/shmem.h",
        "include/mori/shmem_device.h",
        "include/mori/shmem_types.h",
        *(f"lib/mori/{t}/libmori_shmem_device.bc" for t in ("nvptx64", "amdgcn", machine)),
        *(f"lib/mori/{t}/libmori_shmem_near.bc" for t in ("nvptx64", "amdgcn")),
    }
    package = {
        "__init__.py",
        "_shmem.abi3.so",
        "_shmem.pyi",
        "py.typed",
        "kernel.py",
        "shmem/__init__.py",
        "ir/__init__.py",
    }
    assert {f"mori/_native/{n}" for n in native} | {f"mori/{n}" for n in package} <= names
    assert not [n for n in names if "__pycache__" in n or n.startswith(("tests", "src"))]
    assert wheel.name.startswith("mori_shmem-") and wheel.name.endswith(
        f"-cp311-abi3-linux_{machine}.whl"
    )
    assert wheel.stat().st_size < 8 << 20


def test_install_and_use(wheel, tmp_path):
    bin = venv(tmp_path / "venv")
    pip(bin, "install", "--no-deps", wheel, cwd=tmp_path)
    use(bin, tmp_path, str(tmp_path))
    out = call(bin / "mori", "perf", "--quick", "--no-peer", "--only", "barrier", cwd=tmp_path).stdout
    assert "barrier" in out
    # It carries all that a kernel needs but clang, and a C program can be built with it.
    (tmp_path / "k.c").write_text(
        "#include <mori/shmem_device.h>\nMORI_KERNEL void k(int *x) { *x = mori_shmem_n_pes(); }\n"
    )
    for target in ("cpu", "sm_90", "gfx942") if shutil.which("clang-19") else ():
        call(bin / "mori", "cc", "k.c", "--target", target, "-o", f"k.{target}", cwd=tmp_path)
    (native,) = (tmp_path / "venv").glob("lib/python*/site-packages/mori/_native")
    (tmp_path / "p.c").write_text(
        "#include <mori/shmem.h>\nint main(void) { return mori_shmem_init() || mori_shmem_n_pes() != 1 || mori_shmem_finalize(); }\n"
    )
    flags = [f"-I{native}/include", f"-L{native}/lib", "-lmori_shmem", f"-Wl,-rpath,{native}/lib"]
    call("cc", "p.c", "-o", "p", *flags, cwd=tmp_path)
    call("./p", cwd=tmp_path)
    pip(bin, "uninstall", "-y", "mori-shmem", cwd=tmp_path)
    assert not list((tmp_path / "venv").glob("lib/python*/site-packages/mori*"))


def other_pythons():
    """By minor version: those in PATH and those that stand beside this one."""
    found = {}
    for minor in range(11, 16):
        beside = glob.glob(
            os.path.join(
                os.path.dirname(sys.base_prefix), f"3.{minor}.*", "bin", f"python3.{minor}"
            )
        )
        for path in filter(None, [*beside, shutil.which(f"python3.{minor}")]):
            done = subprocess.run(
                [path, "-c", "import sys, venv; print(sys.version_info[1])"], capture_output=True
            )
            if done.stdout.strip() == str(minor).encode():
                found[minor] = path
    found.pop(sys.version_info[1], None)
    return found


def test_one_wheel_for_every_python(wheel, tmp_path):
    pythons = other_pythons()
    if not pythons:
        pytest.skip("there is no other Python from 3.11 on")
    for minor, python in pythons.items():
        bin = venv(tmp_path / f"venv{minor}", python)
        pip(bin, "install", "--no-deps", "--no-index", wheel, cwd=tmp_path)
        use(bin, tmp_path, str(tmp_path))


def test_without_isolation(tmp_path):
    bin = venv(tmp_path / "venv")
    pip(bin, "install", "--no-build-isolation", "--no-index", ROOT, cwd=tmp_path)
    use(bin, tmp_path, str(tmp_path))


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A source distribution, unpacked."""
    folder = tmp_path_factory.mktemp("sources")
    code = "import sys; sys.path.insert(0, sys.argv[1]); import mori_build; print(mori_build.build_sdist('.'))"
    name = call(
        sys.executable, "-c", code, os.path.join(ROOT, "python"), cwd=folder
    ).stdout.split()[-1]
    with tarfile.open(folder / name) as tar:
        tar.extractall(folder, filter="data")
    return folder / name.removesuffix(".tar.gz")


def test_source_distribution(sources):
    for part in (
        "pyproject.toml",
        "CMakeLists.txt",
        "python/mori_build.py",
        "src/core/pe.c",
        "PKG-INFO",
    ):
        assert (sources / part).exists()
    assert not [p for p in sources.iterdir() if p.name.startswith("build") or p.name == ".cache"]


def test_editable(sources, tmp_path):
    """Of an unpacked source distribution; the device library was made by the tests above."""
    bin = venv(tmp_path / "venv")
    env = dict(CLEAN)
    ready = os.path.join(ROOT, "build-wheel", "lib", "mori")
    if os.path.exists(os.path.join(ready, "amdgcn")):
        env |= {
            "MORI_CMAKE_ARGS": "-DMORI_CLANG=none -DCMAKE_BUILD_TYPE=Debug",
            "MORI_BITCODE_DIR": ready,
        }
    pip(bin, "install", "--no-build-isolation", "-e", sources, cwd=tmp_path, env=env)
    version = use(bin, tmp_path, str(sources))
    # A change of the sources is there at once.
    with open(sources / "python" / "mori" / "_paths.py", "a") as f:
        f.write("\nCHANGED = 17\n")
    code = "import mori._paths; print(mori._paths.CHANGED, mori.__version__)"
    assert call(bin / "python", "-c", code, cwd=tmp_path).stdout.split() == ["17", version]


def test_no_clang_and_no_bitcode(tmp_path):
    """It says what to install, and takes what was made elsewhere."""
    if not os.path.exists(os.path.join(ROOT, "build-wheel", "CMakeCache.txt")):
        pytest.skip("there is no build of a wheel to look at")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import mori_build as m, pathlib\n"
        "m._take_bitcode(pathlib.Path(sys.argv[2]))\n"
    )
    folder = tmp_path / "build"
    env = {**CLEAN, "MORI_BITCODE_DIR": str(tmp_path / "none")}
    args = (sys.executable, "-c", code, os.path.join(ROOT, "python"), folder)
    done = call(*args, cwd=tmp_path, check=False, env=env)
    assert done.returncode == 1 and "clang-19" in done.stderr and "MORI_BITCODE_DIR" in done.stderr
    ready = os.path.join(ROOT, "build-wheel", "lib", "mori")
    if not os.path.exists(os.path.join(ready, "amdgcn")):
        pytest.skip("clang-19 is not installed")
    call(*args, cwd=tmp_path, env={**env, "MORI_BITCODE_DIR": ready})
    assert (folder / "lib/mori" / "nvptx64" / "libmori_shmem_device.bc").exists()
