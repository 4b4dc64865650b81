# SPDX-License-Identifier: Apache-2.0
"""A machine with Debian's kernel, by software emulation, on the host's files.

It sees the host's root read-only under a layer in memory, so every program that is built or installed here runs in it,
at the same path. Its output goes to /out, which is a directory of the host: written there when write()
returns. No KVM: TCG needs none, so it runs wherever the programs do.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VM = ROOT / "Tests/Kernel/vm"
CACHE = Path(os.environ.get("READERD_KERNEL_CACHE") or ROOT / ".cache/kernel")
HOST = "10.0.2.2"
"""The host, as a machine with a network sees it."""

TIMEOUT_FACTOR = float(os.environ.get("READERD_KERNEL_TIMEOUT_FACTOR") or 1)
"""All limits times this: `__main__` sets it by how slow the host is now."""

POLL_SECONDS = 0.02
DEATH_SIGNAL_OPTION = 1
"""PR_SET_PDEATHSIG."""

ONE_WRITE = "virtio_blk.queue_depth=1"
"""A write or flush is asked for when the previous one is done. QEMU reserves an entry of its log before it writes it,
so that
of several at once the later could be acknowledged while the earlier, and with it the rest of the log, is missing.
"""
KERNEL_LINE = [
    *("console=ttyS0", "quiet", "panic=-1", "mitigations=off", "nokaslr", ONE_WRITE),
    # The emulated time-stamp counter is calibrated wrongly on a busy host, and the clock then runs several times too
    # fast. The HPET's does not.
    *("notsc", "clocksource=hpet", "noapictimer"),
]
ARM64_KERNEL_LINE = ["console=ttyAMA0", "quiet", "panic=-1", "mitigations=off", "nokaslr"]
SYSTEM_LINE = [
    *("systemd.mask=serial-getty@ttyS0.service", "systemd.mask=serial-getty@ttyAMA0.service"),
    "systemd.show_status=no",
    "systemd.default_timeout_start_sec=300",
]
"""With systemd in it: no login, and no time-outs caused by a slow machine."""
CLOCK = "shift=1,sleep=on"
"""The machine's time follows its instructions, 2 ns each, and by the host's clock while it has nothing to do: what is
timed in it does not depend on how busy the host is."""


class Failure(Exception):
    """A test failed; the text has the details."""


@dataclass(frozen=True)
class Disk:
    """A disk of the machine: /dev/vda and so on. With `log`, QEMU also notes every write and flush in that file."""

    image: Path
    log: Path | None = None


@dataclass(frozen=True)
class Result:
    """The end of a machine. `code` is the script's, None if it did not end."""

    code: int | None
    output: str
    seconds: float


def kernel_directory(cache: Path = CACHE, how: str = "script/bootstrap --kernel") -> Path:
    """Where `prepare` has put the kernel. Raises Failure with how to get it."""
    version = cache / "version"
    if not version.exists():
        raise Failure(f"there is no kernel in {cache}: {how} fetches it")
    directory = cache / version.read_text().strip()
    if not (directory / "initrd").exists():
        raise Failure(f"{directory} is not complete: remove it, and run {how}")
    return directory


@dataclass
class Machine:
    """One machine, from `start` to its end. `directory` becomes /out in it, and keeps its logs."""

    directory: Path
    memory: int = 512
    disks: list[Disk] = field(default_factory=list)
    network: bool = False
    console: bool = False
    """Whether this program's terminal is the machine's, /dev/ttyS0 in it."""
    system: Path | None = None
    """Its own root instead of the host's, which then is /host in it; systemd starts it."""
    tpm: Path | None = None
    """Where its TPM 2.0 (swtpm) keeps its seeds; another directory is another TPM. None: it has none."""
    arm64: bool = False
    """Whether it is one for arm64, with `system` of that architecture (`make-debian-arm64`)."""
    boots_itself: bool = False
    """Whether it starts by the boot loader on its first disk, and starts again when it restarts. /out is all it sees of
    the host, for its system to mount."""
    _process: subprocess.Popen[bytes] | None = None
    _tpm_process: subprocess.Popen[bytes] | None = None
    _began: float = 0

    def start(self, script: str, environment: dict[str, str] | None = None) -> Machine:
        """Switches it on; `script` is for bash in it, with `environment`."""
        kernel = kernel_directory(CACHE / "arm64", "board/virt/run --arch arm64") if self.arm64 else kernel_directory()
        self.directory.mkdir(parents=True, exist_ok=True)
        for name in ("code", "output", "console"):
            (self.directory / name).unlink(missing_ok=True)
        (self.directory / "script").write_text(script)
        shutil.copy(VM / "guest-main", self.directory / "main")
        shutil.copy(VM / "guest-main.service", self.directory / "main.service")
        values = {
            "KERNEL": str(kernel),
            "NETWORK": "yes" if self.network else "no",
            "DIRECTORY": str(ROOT),
            "HOST": HOST,
            **(environment or {}),
        }
        lines = [f"export {name}={shlex.quote(value)}\n" for name, value in values.items()]
        (self.directory / "environment").write_text("".join(lines))
        self._began = time.monotonic()
        try:
            streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
            with self._start_tpm() as plug:
                self._process = subprocess.Popen(
                    self._command(kernel, plug),
                    preexec_fn=end_with_parent,
                    pass_fds=(plug.fileno(),),
                    **({} if self.console else streams),
                )
        except FileNotFoundError as error:
            raise Failure(f"there is no {error.filename}: script/bootstrap --kernel installs it") from error
        return self

    def _start_tpm(self) -> socket.socket:
        """Switches its TPM on, if it has one; that ends with the machine. QEMU's options for it."""
        plug, served = socket.socketpair()
        with served:
            if self.tpm:
                self.tpm.mkdir(exist_ok=True)
                command = ["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={self.tpm}"]
                command += ["--ctrl", f"type=unixio,clientfd={served.fileno()}"]
                command += ["--log", f"file={self.directory / 'swtpm'}"]
                self._tpm_process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, preexec_fn=end_with_parent, pass_fds=(served.fileno(),)
                )
        return plug

    def _command(self, kernel: Path, plug: socket.socket) -> list[str]:
        line = ARM64_KERNEL_LINE if self.arm64 else KERNEL_LINE
        if self.system:
            line = [*line, f"system={self.system}", *SYSTEM_LINE]
        # QEMU puts the first file system of an uncompressed kernel where the firmware of a machine with a TPM has its
        # tables (7.2: its log of 64 KB is not reckoned with). A compressed one costs 3 CPU seconds.
        image = kernel / f"boot/vmlinuz-{kernel.name}" if self.tpm else kernel / "vmlinux"
        machine = ["qemu-system-x86_64", "-machine", "q35", "-cpu", "qemu64"]
        if self.arm64:
            machine = ["qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a53"]
        from_host = [
            *("-no-reboot", "-kernel", str(image), "-initrd", str(kernel / "initrd"), "-append", " ".join(line)),
            *("-fsdev", "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap"),
            *("-device", "virtio-9p-pci,fsdev=host,mount_tag=host"),
        ]
        command = [
            *(*machine, "-nodefaults", "-no-user-config", "-display", "none"),
            *("-accel", "tcg,tb-size=512", "-icount", CLOCK),
            *("-m", str(self.memory)),
            *([] if self.boots_itself else from_host),
            *("-serial", "mon:stdio" if self.console else f"file:{_quoted(self.directory / 'console')}"),
            *("-device", "virtio-rng-pci"),
            *("-fsdev", f"local,id=out,path={_quoted(self.directory)},security_model=none"),
            *("-device", "virtio-9p-pci,fsdev=out,mount_tag=out"),
        ]
        for number, disk in enumerate(self.disks):
            place = f"driver=file,filename={_quoted(disk.image)}"
            if disk.log:
                place = (
                    f"driver=blklogwrites,log-sector-size=512,file.driver=file,file.filename={_quoted(disk.image)},"
                    f"log.driver=file,log.filename={_quoted(disk.log)}"
                )
            else:
                place = f"driver=raw,file.driver=file,file.filename={_quoted(disk.image)}"
            command += ["-blockdev", f"node-name=disk{number},{place}"]
            # It reports a cache that is not safe without power, so the guest flushes.
            command += ["-device", f"virtio-blk-pci,drive=disk{number},write-cache=on"]
        if self.network:
            command += ["-netdev", "user,id=net", "-device", "virtio-net-pci,netdev=net"]
        if self.tpm:
            command += ["-chardev", f"socket,id=tpm,fd={plug.fileno()}"]
            command += ["-tpmdev", "emulator,id=tpm,chardev=tpm", "-device", "tpm-tis,tpmdev=tpm"]
        return command

    @property
    def seconds(self) -> float:
        """Since it was switched on."""
        return time.monotonic() - self._began

    @property
    def output(self) -> str:
        """The script's output so far."""
        return self.file("output")

    def file(self, name: str) -> str:
        """The contents of /out/`name` so far; empty without one."""
        path = self.directory / name
        return path.read_text(errors="replace") if path.exists() else ""

    @property
    def is_running(self) -> bool:
        """Whether the machine is running."""
        return self._process is not None and self._process.poll() is None

    def wait_for(self, text: str, seconds: float, name: str = "output") -> None:
        """Waits until `text` appears in /out/`name`. Raises Failure if the machine ends first, or on a time-out."""
        seconds *= TIMEOUT_FACTOR
        deadline = time.monotonic() + seconds
        while True:
            running = self.is_running
            if text in self.file(name):
                return
            if not running or time.monotonic() > deadline:
                why = f"{seconds:g} s are over" if running else "the machine has ended"
                raise Failure(f"{why} without {text!r} in {name}:\n{self.tail(name)}")
            time.sleep(POLL_SECONDS)

    def wait(self, seconds: float) -> Result:
        """Waits for its end; after `seconds` it is switched off. Raises Failure when it did not end."""
        assert self._process
        seconds *= TIMEOUT_FACTOR
        try:
            said, _ = self._process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failure(f"the machine was not done after {seconds:g} s; its last lines:\n{self.tail()}") from None
        self._end_tpm()
        code = self.file("code").strip()
        if not code:
            text = said.decode(errors="replace") + self.file("console")
            raise Failure(f"the machine ended without a result:\n{text[-2000:]}\n{self.tail()}")
        return Result(int(code), self.output, self.seconds)

    def wait_for_end(self) -> None:
        """Waits for its end, however long that takes."""
        assert self._process
        self._process.wait()

    def run(self, script: str, seconds: float, environment: dict[str, str] | None = None) -> Result:
        """From switching on to its end."""
        return self.start(script, environment).wait(seconds)

    def kill(self) -> None:
        """Cuts the power: QEMU ends at once, whatever it was doing (SIGKILL). No matter if it is off."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        if self._process:
            self._process.wait()
            if self._process.stdout:
                self._process.stdout.close()
        self._end_tpm()

    def _end_tpm(self) -> None:
        """Its state is whole then, for the next machine."""
        if self._tpm_process:
            self._tpm_process.send_signal(signal.SIGTERM)
            self._tpm_process.wait()

    def tail(self, name: str = "output", lines: int = 25) -> str:
        """The last lines of /out/`name`."""
        return "\n".join("    " + line for line in self.file(name).splitlines()[-lines:]) or "    (nothing)"


def _quoted(path: Path) -> str:
    """As QEMU's options have it."""
    return str(path).replace(",", ",,")


def end_with_parent() -> None:
    """In the child: a machine ends with the process that started it."""
    ctypes.CDLL(None, use_errno=True).prctl(DEATH_SIGNAL_OPTION, signal.SIGKILL)
