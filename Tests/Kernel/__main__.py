"""Runs the kernel tests: see script/test-kernel."""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The rig of the interop tests has the radio, and the phone's half of the protocol.
sys.path[:0] = [str(HERE), str(HERE.parent / "Interop")]

# A reader in an emulated machine takes its time to answer. Read when the rig is imported.
os.environ.setdefault("RIG_ANSWER_SECONDS", str(10 * float(os.environ.get("READERD_KERNEL_PATIENCE") or 1)))

import cases  # noqa: E402, F401
from bench import CASES, Bench, Case, Check  # noqa: E402
from machine import ROOT, Failure  # noqa: E402

LOGS = ROOT / ".build/kernel-tests"


def processor_seconds() -> float:
    """What the machines and other children have taken so far: the test's cost, however busy the host is."""
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
    return {
        "name": case.name,
        "shows": case.summary,
        "passed": all(check.holds for check in bench.checks),
        "seconds": round(time.monotonic() - began, 1),
        "processor-seconds": round(processor_seconds() - worked, 1),
        "logs": str(directory.relative_to(ROOT)),
        "checks": [vars(check) for check in bench.checks],
    }


def show(result: dict[str, object]) -> None:
    """One test of the table, as soon as it is through."""
    print(f"{result['name']}: {result['shows']}")
    for check in result["checks"]:
        mark = "ok    " if check["holds"] else "FAILED"
        detail = check["detail"]
        if detail and "\n" in detail:
            detail = "\n" + "\n".join("           " + line for line in detail.splitlines())
        print(f"    {mark} {check['text']}" + (f": {detail}" if detail else ""))
    sys.stdout.flush()


def table(results: list[dict[str, object]]) -> None:
    """The end: a line for each test."""
    width = max(len(str(result["name"])) for result in results)
    print(f"\n{'test':{width}}  {'result':6}  {'checks':>6}  {'time':>7}  {'CPU':>7}  logs")
    for result in results:
        verdict = "ok" if result["passed"] else "FAILED"
        count, seconds = len(result["checks"]), f"{result['seconds']:.1f} s"
        worked = f"{result['processor-seconds']:.1f} s"
        print(f"{result['name']:{width}}  {verdict:6}  {count:6}  {seconds:>7}  {worked:>7}  {result['logs']}")


def main() -> int:
    """0 when every test was run and passed."""
    parser = argparse.ArgumentParser(prog="script/test-kernel", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="TEST", help="only these; all without")
    parser.add_argument("--list", action="store_true", help="the tests, and what each shows")
    parser.add_argument(
        "--json", action="store_true", help="the results as JSON on standard output, in place of the table"
    )
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)), help="repeats a run's chances")
    options = parser.parse_args()
    known = {case.name: case for case in CASES}
    if options.list:
        for case in CASES:
            print(f"{case.name:16} {case.summary}")
        return 0
    if unknown := [name for name in options.names if name not in known]:
        print(f"test-kernel: there is no test {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    results = []
    print(f"test-kernel: seed {options.seed}", file=sys.stderr)
    for case in [known[name] for name in options.names] or CASES:
        results.append(run(case, options.seed))
        if not options.json:
            show(results[-1])
    if options.json:
        print(json.dumps({"seed": options.seed, "tests": results}, indent=2))
    else:
        table(results)
    return 0 if all(result["passed"] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
