# Sourced by the scripts in surfaces/: installs the outside tools they need, pinned, into .ci/tools, and nothing twice.
# shellcheck shell=bash disable=SC2034

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/tools
shared=$tools/../../../shared
program=$tools/../../target/debug/sesslint
mkdir -p "$tools"

# The programs of the Python packages named, on the PATH.
python_tools() {
  local folder=$tools/python package
  [ -x "$folder/bin/pip" ] || python3 -m venv "$folder"
  for package in "$@"; do
    [ -e "$folder/installed-$package" ] && continue
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$package"
    touch "$folder/installed-$package"
  done
  export PATH=$folder/bin:$PATH
}

# Unpacks one npm package, without those it depends on, and prints its folder.
node_package() {
  local folder=$tools/node/${1//\//_}
  if [ ! -e "$folder/package.json" ]; then
    mkdir -p "$folder"
    (cd "$tools/node" && tar -xzf "$(npm pack --silent --ignore-scripts "$1" | tail -n 1)" --strip-components 1 -C "$folder")
  fi
  printf '%s\n' "$folder"
}

# Says why a part of a script does not run here.
note() { printf 'note: %s\n' "$*" >&2; }

[ -x "$program" ] || cargo build --locked --quiet
