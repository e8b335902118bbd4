#!/usr/bin/env python3
"""Ratios of processor time, side by side in one run: what docs/performance.md quotes.

usage: bench/ratios.py [--program target/release/sesslint] [--peer PROGRAM] [--runs N] [--big]

Every goal is a ratio of two commands on the same file, run in turn (A B A B ...): machines differ and drift. CPU time is
user + system of the finished process; memory is its peak resident set. Inputs are made by the shared generator when it
is there; without it only the start-up row is measured. `--peer` names the reference program (SessLint 0.2.0);
`--big` adds the 1 GB log.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GENERATOR = ROOT.parent / "shared" / "bench" / "gen_sessions.py"


def once(command):
    """CPU seconds and peak memory in MiB of one run; what it prints is thrown away."""
    with open(os.devnull, "wb") as sink:
        process = subprocess.Popen(command, stdout=sink, stderr=sink)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def pair(ours, theirs, runs):
    """Medians of both, and the median of the ratios run by run."""
    once(ours), once(theirs)
    rows = [(once(ours), once(theirs)) for _ in range(runs)]
    ratio = statistics.median(a[0] / max(b[0], 1e-6) for a, b in rows)
    return (
        statistics.median(a[0] for a, _ in rows),
        statistics.median(b[0] for _, b in rows),
        ratio,
        max(a[1] for a, _ in rows),
        max(b[1] for _, b in rows),
    )


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--program", default=str(ROOT / "target/release/sesslint"))
    options.add_argument("--peer")
    options.add_argument("--runs", type=int, default=7)
    options.add_argument("--big", action="store_true")
    args = options.parse_args()
    print("| what | ours, CPU s | other, CPU s | ratio | ours, MiB | other, MiB |")
    print("|---|--:|--:|--:|--:|--:|")

    def row(what, ours, theirs, runs=args.runs):
        a, b, ratio, mine, other = pair(ours, theirs, runs)
        print(f"| {what} | {a:.3f} | {b:.3f} | {ratio:.3f} | {mine:.1f} | {other:.1f} |", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        made = lambda name, *how: make(Path(folder) / name, *how)
        check = lambda path: [args.program, "check", path]
        if GENERATOR.is_file():
            real = made("real.jsonl", "--format", "claude-code", "--shape", "real", "--profile", "typical", "--bytes", "100MB")
            row("100 MB Claude Code log / openssl dgst -sha256", check(real), ["openssl", "dgst", "-sha256", real])
            row("100 MB Claude Code log / sha256sum", check(real), ["sha256sum", real])
            if args.big:
                big = made("big.jsonl", "--format", "claude-code", "--shape", "real", "--profile", "heavy", "--bytes", "1GB")
                row("1 GB Claude Code log / openssl dgst -sha256", check(big), ["openssl", "dgst", "-sha256", big], 3)
            long = made("long.jsonl", "--format", "claude-code", "--shape", "real", "--events", "200", "--defects", "long-line", "--long-line", "64MB")
            row("a line of 64 MB / openssl dgst -sha256", check(long), ["openssl", "dgst", "-sha256", long])
            for count in (4000, 8000, 16000):
                how = ["--format", "canonical", "--profile", "compact", "--defects", "missing-parent", "--defect-gap", "15"]
                small, large = (
                    made(f"lost-{n}.jsonl", *how, "--events", str(n), "--defect-count", str(n // 20)) for n in (count, 2 * count)
                )
                row(f"lost parents: {2 * count} events / {count} events", check(large), check(small))
            if args.peer:
                for form, suffix in (("claude-code", "jsonl"), ("canonical", "jsonl"), ("openai-agents", "json")):
                    compact = made(f"{form}.{suffix}", "--format", form, "--profile", "compact", "--events", "20000")
                    row(f"20,000 compact {form} events / SessLint 0.2.0", check(compact), [args.peer, "check", compact], 3)
        else:
            print(f"note: {GENERATOR} is absent; only start-up is measured", file=sys.stderr)
        if args.peer:
            row("start-up (--version) / SessLint 0.2.0", [args.program, "--version"], [args.peer, "--version"])


def make(path, *how):
    subprocess.run([sys.executable, str(GENERATOR), *how, "--out", str(path)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return str(path)


if __name__ == "__main__":
    main()
