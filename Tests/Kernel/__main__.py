# SPDX-License-Identifier: Apache-2.0
"""Runs the kernel tests: see script/test-kernel."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The rig of the interop tests has the radio, and the phone's half of the protocol.
sys.path[:0] = [str(HERE), str(HERE.parent / "Interop")]

REFERENCE_SECONDS = 0.11
"""The time that `slowness` measures on the reference machine of the limits, idle."""
ROOMY = 2.0
"""All limits, on a machine that is no slower: they end what hangs, and cost nothing else."""
JOBS = min(2, os.cpu_count() or 1)
"""Two machines at once. Each takes a core, and several tests wait for time to pass."""


def slowness() -> float:
    """The ratio of the time for a piece of work here and now to that on the reference machine of the limits; 1 or more.

    By the wall's clock, so a machine that has much else to do is a slow one.
    """
    began = time.monotonic()
    total = 0
    for number in range(2_000_000):
        total += number & 1
    return max(1.0, (time.monotonic() - began) / REFERENCE_SECONDS)


if "READERD_KERNEL_TIMEOUT_FACTOR" not in os.environ:
    os.environ["READERD_KERNEL_TIMEOUT_FACTOR"] = f"{ROOMY * slowness():.1f}"
# A reader in an emulated machine takes its time to answer. Read when the rig is imported.
os.environ.setdefault("RIG_ANSWER_SECONDS", str(10 * float(os.environ["READERD_KERNEL_TIMEOUT_FACTOR"])))

import cases  # noqa: E402, F401
from bench import CASES, Bench, Case, Check  # noqa: E402
from machine import ROOT, TIMEOUT_FACTOR, Failure, end_with_parent  # noqa: E402

LOGS = ROOT / ".build/kernel-tests"


def processor_seconds() -> float:
    """The processor time of the machines and other children so far: the test's cost, however busy the host is."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(case: Case, seed: int) -> dict[str, object]:
    """One test; its result as JSON has it."""
    directory = LOGS / case.name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    bench = Bench(case.name, directory, seed)
    began, worked = time.monotonic(), processor_seconds()
    try:
        case.body(bench)
        if not bench.checks:
            raise Failure("it has checked nothing")
    except Failure as failure:
        bench.checks.append(Check("runs to its end", False, str(failure)))
    except Exception:
        bench.checks.append(Check("runs to its end", False, traceback.format_exc()))
    finally:
        for machine in bench.machines:
            machine.kill()
    return outcome(
        case, bench.checks, time.monotonic() - began, processor_seconds() - worked, str(directory.relative_to(ROOT))
    )


def outcome(case: Case, checks: list[Check], seconds: float, worked: float, logs: str) -> dict[str, object]:
    """A result as JSON has it."""
    return {
        "name": case.name,
        "shows": case.summary,
        "passed": all(check.holds for check in checks),
        "seconds": round(seconds, 1),
        "processor-seconds": round(worked, 1),
        "logs": logs,
        "checks": [vars(check) for check in checks],
    }


OVERTIME_SECONDS = 120.0
"""A test limits its machines itself; this is for its other work."""


def run_apart(case: Case, seed: int) -> dict[str, object]:
    """One test in its own process, which is ended with all its children when its time is over."""
    began = time.monotonic()
    command = [sys.executable, str(HERE), "--json", "--seed", str(seed), "--jobs", "1", case.name]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=end_with_parent,
    )
    limit = case.seconds * TIMEOUT_FACTOR + OVERTIME_SECONDS
    try:
        answer, said = process.communicate(timeout=limit)
        return json.loads(answer)["tests"][0]
    except subprocess.TimeoutExpired:
        why = f"it was not done after {limit:.0f} s"
    except (ValueError, LookupError):
        why = f"it ended with {process.returncode} and no result:\n{said[-2000:]}"
    finally:
        end_all_of(process)
    check = Check("runs to its end", False, why)
    return outcome(case, [check], time.monotonic() - began, 0, str((LOGS / case.name).relative_to(ROOT)))


def end_all_of(process: subprocess.Popen[str]) -> None:
    """SIGKILL for it and what it has started. No matter if all of it has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run_all(chosen: list[Case], options: argparse.Namespace) -> list[dict[str, object]]:
    """All of them, several at once, those that take longest first; each is shown as soon as it is through."""

    def one(case: Case) -> dict[str, object]:
        apart = options.jobs > 1
        result = run_apart(case, options.seed) if apart else run(case, options.seed)
        if not options.json:
            show(result)
        return result

    if options.jobs == 1:
        return [one(case) for case in chosen]
    pool = ThreadPoolExecutor(options.jobs)
    try:
        results = list(pool.map(one, sorted(chosen, key=lambda case: -case.seconds)))
    except KeyboardInterrupt:
        # At once: what has been started ends with this process.
        os._exit(130)
    pool.shutdown()
    names = [case.name for case in chosen]
    return sorted(results, key=lambda result: names.index(str(result["name"])))


def show(result: dict[str, object]) -> None:
    """One test of the table, as soon as it is through."""
    lines = [f"{result['name']}: {result['shows']}"]
    for check in result["checks"]:
        mark = "ok    " if check["holds"] else "FAILED"
        detail = check["detail"]
        if detail and "\n" in detail:
            detail = "\n" + "\n".join("           " + line for line in detail.splitlines())
        lines.append(f"    {mark} {check['text']}" + (f": {detail}" if detail else ""))
    # At once: another test may be through as well.
    print("\n".join(lines), flush=True)


def table(results: list[dict[str, object]]) -> None:
    """The end: a line for each test."""
    width = max(len(str(result["name"])) for result in results)
    print(f"\n{'test':{width}}  {'result':6}  {'checks':>6}  {'time':>7}  {'CPU':>7}  logs")
    for result in results:
        verdict = "ok" if result["passed"] else "FAILED"
        count, seconds = len(result["checks"]), f"{result['seconds']:.1f} s"
        worked = f"{result['processor-seconds']:.1f} s"
        print(f"{result['name']:{width}}  {verdict:6}  {count:6}  {seconds:>7}  {worked:>7}  {result['logs']}")


def asked(options: argparse.Namespace) -> list[Case]:
    """The tests of a run without names."""
    return [case for case in CASES if not (options.quick and case.is_slow)]


def main() -> int:
    """0 when every test was run and passed."""
    parser = argparse.ArgumentParser(prog="script/test-kernel", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="TEST", help="only these; all without")
    parser.add_argument("--quick", action="store_true", help="without the slow ones")
    parser.add_argument("--list", action="store_true", help="the tests, and what each shows")
    parser.add_argument(
        "--json", action="store_true", help="the results as JSON on standard output, instead of the table"
    )
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)), help="repeats a run's chances")
    parser.add_argument("--jobs", type=int, default=JOBS, help="so many at once")
    options = parser.parse_args()
    known = {case.name: case for case in CASES}
    if options.list:
        for case in CASES:
            print(f"{case.name:16} {case.summary}")
        return 0
    if unknown := [name for name in options.names if name not in known]:
        print(f"test-kernel: there is no test {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    print(f"test-kernel: seed {options.seed}, time limits times {TIMEOUT_FACTOR:g}", file=sys.stderr)
    began = time.monotonic()
    results = run_all([known[name] for name in options.names] or asked(options), options)
    if options.json:
        print(json.dumps({"seed": options.seed, "tests": results}, indent=2))
    else:
        table(results)
        print(f"test-kernel: {len(results)} tests in {time.monotonic() - began:.0f} s")
    return 0 if all(result["passed"] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
