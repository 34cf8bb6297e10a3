# SPDX-License-Identifier: MIT
"""The build backend: CMake builds, this packs. It needs nothing but Python itself, CMake and a C compiler.

The wheel holds the package and, in mori/_native, what `make install` would put under a prefix: the library,
the headers, the device library for each target and the mori command. One wheel serves every CPython from
3.11 on (limited API). An editable install leaves the package where it is and links the build beside it.

    MORI_BUILD_DIR      where CMake builds; default build-wheel (build-editable) in the source tree
    MORI_CMAKE_ARGS     more arguments for CMake
    MORI_BITCODE_DIR    device libraries made elsewhere, <target>/libmori_shmem_device.bc, for a machine
                        without clang; the default is build/lib/mori in the source tree
"""

import base64
import contextlib
import fcntl
import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BITCODE = "libmori_shmem_device.bc"
NEAR = "libmori_shmem_near.bc"  # beside it for a GPU
PROGRAMS = ("mori-bench", "mori-bench-kernels")  # that `mori perf` runs


def _project():
    with open(ROOT / "pyproject.toml", "rb") as f:
        return tomllib.load(f)["project"]


def _version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(mori_shmem VERSION ([0-9.]+)", text).group(1)


def _stem():
    return f"{_project()['name'].replace('-', '_')}-{_version()}"


def _tag():
    return "cp311-abi3-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _metadata():
    p = _project()
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {p['name']}",
        f"Version: {_version()}",
        f"Summary: {p['description']}",
        f"License: {p['license']}",
        f"Requires-Python: {p['requires-python']}",
    ]
    for extra, needs in p["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {need}; extra == "{extra}"' for need in needs]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / p["readme"]).read_text()]
    return "\n".join(lines)


def _entry_points():
    scripts = _project()["scripts"].items()
    return "[console_scripts]\n" + "".join(f"{name} = {where}\n" for name, where in scripts)


def _wheel_text():
    return f"Wheel-Version: 1.0\nGenerator: mori_build\nRoot-Is-Purelib: false\nTag: {_tag()}\n"


def _missing_tools():
    """What pip can bring where the system has no CMake that will do."""
    needs = []
    try:
        out = subprocess.run(
            ["cmake", "--version"], capture_output=True, text=True, check=True
        ).stdout
        if tuple(int(n) for n in re.search(r"(\d+)\.(\d+)", out).groups()) < (3, 22):
            needs.append("cmake>=3.22")
    except (OSError, subprocess.CalledProcessError, AttributeError):
        needs.append("cmake>=3.22")
    if not shutil.which("ninja") and not shutil.which("make"):
        needs.append("ninja")
    return needs


def get_requires_for_build_wheel(config_settings=None):
    return _missing_tools()


get_requires_for_build_editable = get_requires_for_build_wheel


def get_requires_for_build_sdist(config_settings=None):
    return []


def _compiler():
    named = os.environ.get("CC")
    if named or any(shutil.which(c) for c in ("cc", "gcc", "clang")):
        return
    sys.exit("mori: no C compiler was found; install gcc (Debian: apt-get install gcc libc6-dev)")


@contextlib.contextmanager
def _build_dir(name):
    """The folder CMake builds in, held alone; one that is kept makes the next build quick."""
    wanted = Path(os.environ.get("MORI_BUILD_DIR") or ROOT / name)
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        lock = open(wanted / ".lock", "w")
    except OSError:
        with tempfile.TemporaryDirectory(prefix="mori-build-") as made:
            yield Path(made)
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield wanted


def _run(*command):
    print("mori:", *command, flush=True)
    done = subprocess.run([str(c) for c in command])
    if done.returncode:
        sys.exit(f"mori: {command[0]} failed")


def _build(folder, *more):
    _compiler()
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        sys.exit("mori: Python.h was not found; install Python's headers (Debian: python3-dev)")
    args = ["-S", ROOT, "-B", folder, f"-DMORI_PYTHON={sys.executable}", *more]
    if not (folder / "CMakeCache.txt").exists() and shutil.which("ninja"):
        args += ["-G", "Ninja"]
    _run("cmake", *args, *shlex.split(os.environ.get("MORI_CMAKE_ARGS", "")))
    has_clang = "MORI_BITCODE:INTERNAL=ON" in (folder / "CMakeCache.txt").read_text()
    targets = ["mori", "mori_shmem", "python_module", *PROGRAMS]
    targets += ["bitcode", "bench_kernels"] if has_clang else []
    _run("cmake", "--build", folder, "-j", str(os.cpu_count() or 2), "--target", *targets)
    if not has_clang:
        _take_bitcode(folder)


def _targets():
    return ("nvptx64", "amdgcn", platform.machine())


def _take_bitcode(folder):
    """There is no clang: device libraries that were made before, or a word about what to install."""
    source = Path(os.environ.get("MORI_BITCODE_DIR") or ROOT / "build/lib/mori")
    for target in _targets():
        ready = source / target / BITCODE
        if ready.exists() and ready.resolve() != (folder / "lib/mori" / target / BITCODE).resolve():
            (folder / "lib/mori" / target).mkdir(parents=True, exist_ok=True)
            for file in (ready, ready.with_name(NEAR)):
                if file.exists():
                    shutil.copy(file, folder / "lib/mori" / target)
            print(f"mori: no clang here; taking {ready}")
    missing = [t for t in _targets() if not (folder / "lib/mori" / t / BITCODE).exists()]
    if missing:
        sys.exit(
            f"mori: no device library for {', '.join(missing)}: there is no clang 19 or later to make it and none "
            f"ready in {source}. Install clang and the LLVM tools (Debian: apt-get install clang-19 llvm-19), or "
            "set MORI_BITCODE_DIR to a folder that holds <target>/" + BITCODE
        )


class _Wheel:
    """A wheel that is being written; RECORD comes last."""

    def __init__(self, folder, tag):
        self.name = f"{_stem()}-{tag}.whl"
        self.info = f"{_stem()}.dist-info"
        self.zip = zipfile.ZipFile(Path(folder) / self.name, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def add_file(self, name, path, mode=0o644):
        self.add(name, Path(path).read_bytes(), mode)

    def close(self):
        for name, text in _info_files().items():
            self.add(f"{self.info}/{name}", text.encode())
        self.record.append(f"{self.info}/RECORD,,")
        self.add(f"{self.info}/RECORD", ("\n".join(self.record) + "\n").encode())
        self.zip.close()
        return self.name


def _info_files():
    return {
        "METADATA": _metadata(),
        "WHEEL": _wheel_text(),
        "entry_points.txt": _entry_points(),
        "licenses/LICENSE": (ROOT / "LICENSE").read_text(),
    }


def _package_files():
    """The sources of the package, without what a build or an editable install left there."""
    for path in sorted((ROOT / "python" / "mori").rglob("*")):
        inside = path.relative_to(ROOT / "python")
        if path.is_symlink() or not path.is_file() or "__pycache__" in inside.parts:
            continue
        if inside.parts[1] != "_native" and path.suffix in (".py", ".pyi", ".typed"):
            yield inside, path


def _native_files(folder):
    """(name in _native, file, mode)"""
    for program in ("mori", *PROGRAMS):
        yield f"bin/{program}", folder / "bin" / program, 0o755
    for image in sorted((folder / "bin" / "kernels").rglob("*.image")):
        yield str(image.relative_to(folder)), image, 0o644
    yield "lib/libmori_shmem.so", folder / "lib" / "libmori_shmem.so", 0o755
    for target in _targets():
        for name in (BITCODE, NEAR):
            if (folder / "lib/mori" / target / name).exists():
                yield f"lib/mori/{target}/{name}", folder / "lib/mori" / target / name, 0o644
    for header in sorted((ROOT / "include" / "mori").glob("*.h")):
        yield f"include/mori/{header.name}", header, 0o644


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    # In front of the caller's own, which -D would else displace.
    flags = f"-Wl,-S {os.environ.get('LDFLAGS', '')}".strip()
    strip = [f"-DCMAKE_{kind}_LINKER_FLAGS={flags}" for kind in ("EXE", "SHARED", "MODULE")]
    with _build_dir("build-wheel") as folder:
        # No links in a wheel: the library has one name, which is also its soname.
        _build(folder, "-DMORI_PLAIN_SONAME=ON", *strip)
        wheel = _Wheel(wheel_directory, _tag())
        for name, path in _package_files():
            wheel.add_file(str(name), path)
        wheel.add_file("mori/_shmem.abi3.so", folder / "python" / "mori" / "_shmem.abi3.so", 0o755)
        for name, path, mode in _native_files(folder):
            wheel.add_file(f"mori/_native/{name}", path, mode)
        return wheel.close()


def _link(link, to):
    if link.is_symlink() or link.exists():
        link.unlink()
    link.symlink_to(to)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    with _build_dir("build-editable") as folder:
        _build(folder)
        package = ROOT / "python" / "mori"
        _link(package / "_native", folder)
        _link(package / "_shmem.abi3.so", folder / "python" / "mori" / "_shmem.abi3.so")
    wheel = _Wheel(wheel_directory, _tag())
    wheel.add("mori_shmem_editable.pth", f"{ROOT / 'python'}\n".encode())
    return wheel.close()


def _write_info(folder):
    info = Path(folder) / f"{_stem()}.dist-info"
    for name, text in _info_files().items():
        (info / name).parent.mkdir(parents=True, exist_ok=True)
        (info / name).write_text(text)
    return info.name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return _write_info(metadata_directory)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_sdist(sdist_directory, config_settings=None):
    """What git keeps, or where there is no git the tree without builds."""
    name = f"{_stem()}.tar.gz"
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True
    )
    if listed.returncode == 0:
        files = [ROOT / f for f in listed.stdout.splitlines()]
    else:
        files = [
            f for f in ROOT.rglob("*") if not re.match(r"build|\.", f.relative_to(ROOT).parts[0])
        ]
    with tarfile.open(Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(files):
            if path.is_file():
                tar.add(path, f"{_stem()}/{path.relative_to(ROOT)}", recursive=False)
        with tempfile.NamedTemporaryFile("w", suffix="-PKG-INFO") as info:
            info.write(_metadata())
            info.flush()
            tar.add(info.name, f"{_stem()}/PKG-INFO")
    return name
