# SPDX-License-Identifier: MIT
# TEST: timeout=600 quick=0
"""The package as pip makes it: source distribution, wheel and editable install, isolated and
without a network, with clang and without. What is installed is used in a fresh environment, from
elsewhere."""

import email
import glob
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import pes
from mori._paths import native

pytest.importorskip("scikit_build_core")

ROOT = Path(pes.HERE).parents[1]
BUILD = Path(os.environ.get("BUILD", ROOT / "build"))
MACHINE = os.uname().machine
HAS_CLANG = os.path.exists(native("lib", "mori", "nvptx64"))

# The tests' own environment must not shine through. What is compiled here need not be fast.
CLEAN = {
    k: v
    for k, v in os.environ.items()
    if not k.startswith(("PYTHON", "MORI_", "VIRTUAL_ENV", "SKBUILD", "SOURCE_DATE_EPOCH"))
}
QUICK = "CMAKE_C_FLAGS_RELEASE=-O0"

PROGRAM = """
import importlib.metadata, sys, mori, mori.ir, mori.kernel, mori.shmem as s
assert mori.__file__.startswith(sys.argv[1]), mori.__file__
assert importlib.metadata.version("mori-shmem") == mori.__version__
for target in sys.argv[3:]:
    assert mori.ir.find_bitcode(target).startswith(sys.argv[2]), mori.ir.find_bitcode(target)
s.shmem_init()
ptr = s.shmem_malloc(64)
s.int64_p(ptr, 42, s.shmem_mype(), 0)
assert s.int64_g(ptr, s.shmem_mype(), 0) == 42
print("PE", s.shmem_mype(), "of", s.shmem_npes(), mori.__version__, flush=True)
s.shmem_finalize()
"""
KERNEL = "#include <mori/shmem_device.h>\nMORI_KERNEL void k(int *x) { *x = mori_shmem_n_pes(); }\n"


def call(*command, cwd, check=True, **more):
    done = subprocess.run(
        [str(c) for c in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=500,
        **{"env": CLEAN, **more},
    )
    assert not check or done.returncode == 0, (
        f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    )
    return done


def venv(path, python=sys.executable):
    """A fresh environment; without a pip of its own, which takes seconds to install."""
    call(python, "-m", "venv", "--without-pip", path, cwd=path.parent)
    return path / "bin"


def pip(*args, bin=None, before=(), **more):
    """The tests' pip, for another environment if *bin* is given; *before* stands before it."""
    other = ("--python", bin / "python") if bin else ()
    return call(*before, sys.executable, "-m", "pip", *other, *args, **more)


def site(bin):
    (path,) = bin.parent.glob("lib/python*/site-packages")
    return path


def lend(bin):
    """What the tests have installed, scikit-build-core among it, for builds without isolation."""
    (site(bin) / "tests.pth").write_text(sysconfig.get_path("purelib"))


def offline():
    """What to put before a command to take the network away from it."""
    alone = ["unshare", "--map-root-user", "--net"]
    return alone if subprocess.run([*alone, "true"], capture_output=True).returncode == 0 else []


def build_tree(folder, **more):
    """The wheel of the tree. The build folder stays for the next time."""
    env = {**CLEAN, "SKBUILD_CMAKE_DEFINE": QUICK, "SKBUILD_BUILD_DIR": str(BUILD / "wheel")}
    args = ("wheel", "--no-cache-dir", "--no-build-isolation", "--no-index", "-w", folder, ROOT)
    pip(*args, cwd=folder, env=env, **more)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    # It may hold what is not asked for any more.
    (BUILD / "wheel/CMakeCache.txt").unlink(missing_ok=True)
    return build_tree(tmp_path_factory.mktemp("wheel"))


def hook(name, tree, folder, **more):
    """What pip calls to have a distribution of a tree made in a folder."""
    code = f"import sys; from scikit_build_core import build; build.{name}(sys.argv[1])"
    return call(sys.executable, "-c", code, folder, cwd=tree, **more)


def build_sdist(tree, folder):
    hook("build_sdist", tree, folder)
    (path,) = folder.glob("*.tar.gz")
    return path


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The source distribution of the tree, unpacked."""
    folder = tmp_path_factory.mktemp("sources")
    with tarfile.open(build_sdist(ROOT, folder)) as tar:
        tar.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def install(bin, sources, *args, defines, env=None):
    """pip install of the source distribution, without isolation and network; the whole log."""
    lend(bin)
    env = {
        **CLEAN,
        "SKBUILD_CMAKE_DEFINE": ";".join((QUICK, *defines)),
        "SKBUILD_BUILD_DIR": str(sources.parent / "build"),
        **(env or {}),
    }
    options = ("-v", "--no-cache-dir", "--no-build-isolation", "--no-index")
    done = pip("install", *options, *args, ".", bin=bin, before=offline(), cwd=sources, env=env)
    return done.stdout + done.stderr


def use(bin, cwd, package=None, targets=("sm_90", "gfx942", "cpu") if HAS_CLANG else ()):
    """What a user does first, in a folder that has nothing to do with the sources; *package* is
    where the package should be."""
    version = call(bin / "mori", "--version", cwd=cwd).stdout.split()[1]
    program = ("-c", PROGRAM, package or site(bin), site(bin), *targets)
    out = call(bin / "mori", "run", "-n", "2", "--", bin / "python", *program, cwd=cwd).stdout
    assert sorted(filter(None, out.split("\n"))) == [f"PE 0 of 2 {version}", f"PE 1 of 2 {version}"]
    assert "library" in call(bin / "python", "-m", "mori", "info", cwd=cwd).stdout


def contents(wheel):
    with zipfile.ZipFile(wheel) as z:
        return {info.filename: (info, z.read(info)) for info in z.infolist()}


def is_device(name):
    """Whether it is there only with clang."""
    return name.endswith((".bc", ".image"))


def test_contents(wheel):
    kernels = [*ROOT.glob("bench/kernels/*.c"), *ROOT.glob("examples/kernels/allreduce_*.c")]
    native_files = {
        *(f"bin/{program}" for program in ("mori", "mori-bench", "mori-bench-kernels")),
        *(f"bin/kernels/{d}/{k.stem}.image" for k in kernels for d in ("cpu", "cuda")),
        *(f"include/mori/{header.name}" for header in (ROOT / "include/mori").glob("*.h")),
        "lib/libmori_shmem.so",
        *(f"lib/mori/{t}/libmori_shmem_device.bc" for t in ("nvptx64", "amdgcn", MACHINE)),
        *(f"lib/mori/{t}/libmori_shmem_p2p.bc" for t in ("nvptx64", "amdgcn")),
    }
    package = {
        str(path.relative_to(ROOT / "python/mori"))
        for path in (ROOT / "python/mori").rglob("*")
        if path.suffix in (".py", ".pyi", ".typed")
    }
    assert {"__init__.py", "_shmem.pyi", "py.typed", "ir/triton/ops.py"} <= package
    info = ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    want = {
        *(f"mori/{name}" for name in package),
        "mori/_shmem.abi3.so",
        *(f"mori/_native/{name}" for name in native_files if HAS_CLANG or not is_device(name)),
        *(f"{'-'.join(wheel.name.split('-')[:2])}.dist-info/{name}" for name in info),
    }
    files = contents(wheel)
    assert set(files) == want
    for name, (entry, _) in files.items():
        if not name.endswith(".so"):  # a library may have either
            mode = 0o755 if name.startswith("mori/_native/bin/mori") else 0o644
            assert entry.external_attr >> 16 & 0o777 == mode, name
    assert wheel.name.startswith("mori_shmem-")
    assert wheel.name.endswith(f"-cp311-abi3-linux_{MACHINE}.whl")
    assert wheel.stat().st_size < 8 << 20


def test_metadata(wheel):
    files = {name.split("/", 1)[-1]: data for name, (_, data) in contents(wheel).items()}
    about = email.message_from_bytes(files["METADATA"])
    version = (ROOT / "CMakeLists.txt").read_text().split("VERSION ")[2].split()[0]
    assert (about["Name"], about["Version"]) == ("mori-shmem", version)
    assert (about["License-Expression"], about["Requires-Python"]) == ("MIT", ">=3.11")
    assert set(about.get_all("Provides-Extra")) == {"torch", "triton", "mpi"}
    assert set(about.get_all("Requires-Dist")) == {
        'torch; extra == "torch"',
        'triton>=3.4; extra == "triton"',
        'greenlet; extra == "triton"',
        'mpi4py; extra == "mpi"',
    }
    assert about.get_payload().strip() == (ROOT / "README.md").read_text().strip()
    assert b"mori = mori.__main__:main" in files["entry_points.txt"]


def test_binaries(wheel, tmp_path):
    """They find each other wherever they lie, and carry no debug information."""
    with zipfile.ZipFile(wheel) as z:
        z.extractall(tmp_path)
    for name, path in {
        "_native/lib/libmori_shmem.so": "soname: [libmori_shmem.so]",
        "_native/bin/mori": "[$ORIGIN/../lib]",
        "_native/bin/mori-bench": "[$ORIGIN/../lib]",
        "_shmem.abi3.so": "[$ORIGIN/_native/lib]",
    }.items():
        about = call("readelf", "-dSW", tmp_path / "mori" / name, cwd=tmp_path).stdout
        assert path in about and ".debug" not in about, f"{name}: {about}"


def test_same_bytes_again(wheel, tmp_path):
    assert build_tree(tmp_path, umask=0o077).read_bytes() == wheel.read_bytes()


def test_install_and_use(wheel, tmp_path):
    bin = venv(tmp_path / "venv")
    pip("install", "--no-deps", "--no-index", wheel, bin=bin, cwd=tmp_path)
    use(bin, tmp_path)
    perf = ("perf", "--quick", "--no-peer", "--only", "barrier")
    assert "barrier" in call(bin / "mori", *perf, cwd=tmp_path).stdout
    # It carries all that a kernel needs but clang, and a C program can be built with it.
    (tmp_path / "k.c").write_text(KERNEL)
    for target in ("cpu", "sm_90", "gfx942") if HAS_CLANG else ():
        call(bin / "mori", "cc", "k.c", "--target", target, "-o", f"k.{target}", cwd=tmp_path)
    parts = site(bin) / "mori/_native"
    (tmp_path / "p.c").write_text(
        "#include <mori/shmem.h>\n"
        "int main(void)\n"
        "{ return mori_shmem_init() || mori_shmem_n_pes() != 1 || mori_shmem_finalize(); }\n"
    )
    flags = [f"-I{parts}/include", f"-L{parts}/lib", "-lmori_shmem", f"-Wl,-rpath,{parts}/lib"]
    call("cc", "p.c", "-o", "p", *flags, cwd=tmp_path)
    call("./p", cwd=tmp_path)
    pip("uninstall", "-y", "mori-shmem", bin=bin, cwd=tmp_path)
    assert not list(site(bin).glob("mori*"))


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
        pip("install", "--no-deps", "--no-index", wheel, bin=bin, cwd=tmp_path)
        use(bin, tmp_path)


def test_isolated(tmp_path):
    """pip fetches all that the build needs; up to where it would compile."""
    args = ("install", "--dry-run", "--ignore-installed", "--no-deps", "--retries", "1", ROOT)
    done = pip(*args, bin=venv(tmp_path / "venv"), cwd=tmp_path, check=False)
    if "No matching distribution found for scikit-build-core" in done.stderr:
        pytest.skip("there is no package index to reach")
    assert "Would install mori-shmem-" in done.stdout, done.stdout + done.stderr


def test_source_distribution(sources):
    """It has what git keeps, and no builds."""
    files = {str(p.relative_to(sources)) for p in sources.rglob("*") if p.is_file()}
    assert {"pyproject.toml", "CMakeLists.txt", ".gitignore", "src/core/pe.c", "PKG-INFO"} <= files
    listed = ("ls-files", "-co", "--exclude-standard", "--deduplicate", "-z")
    kept = subprocess.run(["git", "-C", ROOT, *listed], capture_output=True, text=True)
    if kept.returncode == 0:
        tree = {name for name in kept.stdout.split("\0") if name and (ROOT / name).exists()}
        assert files == tree | {"PKG-INFO"}
    top = {name.split("/")[0] for name in files}
    assert {"bench", "cmake", "docs", "examples", "python", "tests", "tools"} <= top
    assert not {name for name in top if name.startswith(("build", "dist", ".cache", ".git/"))}
    assert os.access(sources / "tools/build_shmem_bitcode.sh", os.X_OK)


def test_sources_without_git(sources, tmp_path):
    """A source distribution of a source distribution, with a build folder in it, is the same."""
    copy = tmp_path / "tree"
    shutil.copytree(sources, copy)
    (copy / "PKG-INFO").unlink()
    caches = (".cache/venv/x", "python/mori/__pycache__/x.pyc")
    for junk in ("build-x/x.bc", "dist/x.tar.gz", "x.whl", *caches):
        (copy / junk).parent.mkdir(parents=True, exist_ok=True)
        (copy / junk).write_text("")
    (first,) = sources.parent.glob("*.tar.gz")
    assert build_sdist(copy, tmp_path).read_bytes() == first.read_bytes()


def test_host_only(sources, tmp_path):
    """Without clang and a network it installs, works on the host and says what is missing."""
    bin = venv(tmp_path / "venv")
    log = install(bin, sources, defines=["MORI_CLANG=NO"])
    assert "This package has no device library" in log
    assert "clang-19, llvm-19" in log and "MORI_BITCODE_DIR" in log
    use(bin, tmp_path, targets=())
    assert not [str(p) for p in site(bin).rglob("mori/**/*") if is_device(p.name)]
    code = (
        "import sys, pathlib, mori, mori.ir.bitcode, mori.kernel, mori._paths, mori.shmem as s\n"
        "# wherever else this machine may have one\n"
        "mori.ir.bitcode._places = lambda: [pathlib.Path(mori._paths.native('lib', 'mori'))]\n"
        "s.shmem_init()\n"
        "load = lambda: mori.kernel.load(sys.argv[1].encode())\n"
        "for call in (load, lambda: mori.ir.find_bitcode('cpu')):\n"
        "    try:\n"
        "        print('WORKS', call())\n"
        "    except (mori.ShmemError, FileNotFoundError) as e:\n"
        "        print(type(e).__name__, str(e).replace('\\n', ' '))\n"
    )
    out = call(bin / "python", "-c", code, KERNEL, cwd=tmp_path).stdout.splitlines()
    assert [line.split()[0] for line in out] == ["ShmemError", "FileNotFoundError"], out
    for line in out:
        assert "clang-19 and llvm-19" in line and "install" in line and "again" in line, line
        assert "MORI_SHMEM_BC" in line, line


def test_editable(sources, wheel, tmp_path):
    """With device libraries made elsewhere; the build that the test above made is used again."""
    bin = venv(tmp_path / "venv")
    ready = tmp_path / "wheel"
    with zipfile.ZipFile(wheel) as z:
        z.extractall(ready)
    # With clang and without opt no device library is built, but the host library of the wheel.
    env = {"SKBUILD_CMAKE_ARGS": "-UMORI_CLANG"}
    if HAS_CLANG:
        env["MORI_BITCODE_DIR"] = str(ready / "mori/_native/lib/mori")
    install(bin, sources, "-e", defines=["MORI_OPT=NO"], env=env)
    use(bin, tmp_path, package=sources / "python/mori")
    # The source distribution is built to the same bytes as the tree.
    for name, (_, data) in contents(wheel).items():
        if name.endswith((".py", ".pyi", ".typed")):
            assert (sources / "python" / name).read_bytes() == data, name
        elif name.startswith("mori/") and not name.endswith(".image"):
            assert (site(bin) / name).read_bytes() == data, name
    # A change of the sources is there at once, and so is a new file.
    package = sources / "python/mori"
    with open(package / "_paths.py", "a") as f:
        f.write("\nCHANGED = 17\n")
    (package / "ir/added.py").write_text("NEW = 18\n")
    code = "import mori._paths, mori.ir.added; print(mori._paths.CHANGED, mori.ir.added.NEW)"
    assert call(bin / "python", "-c", code, cwd=tmp_path).stdout.split() == ["17", "18"]


def test_wrong_bitcode_folder(sources, tmp_path):
    """A folder without device libraries is an error that names what is not there."""
    build = {"SKBUILD_BUILD_DIR": str(sources.parent / "build"), "MORI_BITCODE_DIR": str(tmp_path)}
    done = hook("build_wheel", sources, tmp_path, env={**CLEAN, **build}, check=False)
    assert done.returncode != 0
    assert f"{tmp_path}/nvptx64/libmori_shmem_device.bc" in done.stderr
