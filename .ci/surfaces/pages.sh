#!/usr/bin/env bash
# The HTML page and the job summary in a real browser, light and dark: they are drawn, marks have the colours of their
# severities, the chart is accepted by Mermaid, and hostile names stay text.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/install.sh
python_tools cmarkgfm==2024.11.20 pillow==11.3.0
program=$(readlink -f "$program")
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  { apt-get update && apt-get install --yes --no-install-recommends chromium fonts-dejavu-core; } >/dev/null
  browser=$(command -v chromium || true)
fi
if [ -z "$browser" ]; then
  note "no Chromium here; the pages were not opened"
  exit 0
fi
mermaid=$(node_package mermaid@11.12.0)/dist/mermaid.min.js
work=${PAGES_KEEP:-$(mktemp -d)}
mkdir -p "$work/logs"
[ -n "${PAGES_KEEP:-}" ] || trap 'rm -rf "$work"' EXIT

git -C "$work" init -q
cp fixtures/examples/*.jsonl "$work/logs/"
for name in $'x\n::error::y' '##[error]z' 'p|q`r' '<script>alert(1)<script>' '<b>@all #1 [l](https://x.example)'; do
  cp fixtures/examples/claude-code-broken.jsonl "$work/logs/${name//\//_}.jsonl"
done
(cd "$work" && "$program" ci logs --fail-on never --output html=page.html --also markdown=summary.md >/dev/null)

python3 - "$work" "$mermaid" <<'PYTHON'
import html.parser, re, sys, cmarkgfm
from cmarkgfm.cmark import Options
work, mermaid = sys.argv[1:]
text = open(f"{work}/summary.md", encoding="utf-8").read()
# As the service does: markup in the text counts.
body = cmarkgfm.github_flavored_markdown_to_html(text, options=Options.CMARK_OPT_UNSAFE)

class Look(html.parser.HTMLParser):
    tags, rows, links = [], [], []
    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1
        if tag == "a":
            self.links.append(attributes)

look = Look()
look.feed(body)
assert set(look.rows) == {5, 7}, look.rows
# One link, to the pages of the codes; none that an input made.
assert [re.fullmatch(r"https://github\.com/[\w-]+/[\w-]+/tree/main/docs/codes", dict(a)["href"]) is not None for a in look.links] == [True], look.links
wanted = {"h2", "h3", "table", "thead", "tbody", "tr", "td", "th", "code", "pre", "strong", "br", "p", "a"}
assert set(look.tags) <= wanted, set(look.tags) - wanted
chart = re.search(r'<pre[^>]*lang="mermaid"[^>]*><code>(.*?)</code></pre>', body, re.S) or re.search(r'<code class="language-mermaid">(.*?)</code>', body, re.S)
page = body.replace(chart.group(0), f'<pre class="mermaid">{chart.group(1)}</pre>')
style = "<style>:root{color-scheme:light dark} body{font:14px/1.5 system-ui;max-width:60rem;margin:1rem auto} td,th{border:1px solid #8884;padding:.3rem .6rem} table{border-collapse:collapse}</style>"
script = f'<script src="file://{mermaid}"></script><script>mermaid.initialize({{startOnLoad: true}})</script>'
open(f"{work}/summary.html", "w", encoding="utf-8").write(f"<!DOCTYPE html><meta charset=utf-8>{style}{page}{script}")
PYTHON

shot() {
  "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --user-data-dir="$work/profile" --hide-scrollbars --window-size=980,2400 \
    --virtual-time-budget=8000 "$@" 2>/dev/null
}
for page in page summary; do
  shot --screenshot="$work/$page-light.png" "file://$work/$page.html"
  shot --blink-settings=preferredColorScheme=0 --screenshot="$work/$page-dark.png" "file://$work/$page.html"
done
shot --dump-dom "file://$work/summary.html" >"$work/summary.dom"
shot --dump-dom "file://$work/page.html" >"$work/page.dom"

python3 - "$work" <<'PYTHON'
import re, sys
from PIL import Image
work = sys.argv[1]

def colours(name):
    image = Image.open(f"{work}/{name}.png").convert("RGB")
    return image.getpixel((2, 2)), {colour for _, colour in image.getcolors(1 << 24)}

for page, error in (("page", {"light": (0xCF, 0x22, 0x2E), "dark": (0xFF, 0x7B, 0x72)}), ("summary", {})):
    for scheme in ("light", "dark"):
        corner, seen = colours(f"{page}-{scheme}")
        assert (sum(corner) > 600) == (scheme == "light"), (page, scheme, corner)
        assert len(seen) > 20, f"{page} {scheme} is blank"
        if error:
            assert error[scheme] in seen, f"{page} {scheme} has no mark in the colour of errors"
summary = open(f"{work}/summary.dom", encoding="utf-8").read()
assert re.search(r"<svg[^>]*flowchart", summary), "Mermaid drew nothing"
assert "Syntax error" not in summary
page = open(f"{work}/page.dom", encoding="utf-8").read()
assert "<script" not in page and page.count("<svg") == page.count('class="strip"') > 0
print("page and summary: drawn, light and dark")
PYTHON
