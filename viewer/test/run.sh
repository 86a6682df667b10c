#!/usr/bin/env bash
# Tests of the page in a browser without a screen. Installs what is missing; fails if it cannot.
set -euo pipefail
cd "$(dirname "$0")/.."

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }
install() {
  echo "installing $*"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null 2>&1 ||
    { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null; } ||
    { echo "viewer/test/run.sh: cannot install $*: install it by hand, then run this again" >&2; exit 1; }
}

command -v node >/dev/null && command -v npm >/dev/null || install nodejs npm
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || install chromium fonts-dejavu-core
# What is installed is what the lock says, and is fetched again only when the lock changes.
cmp -s package-lock.json node_modules/.installed-lock || {
  npm ci --no-audit --no-fund --loglevel=error
  cp package-lock.json node_modules/.installed-lock
}

# All of it takes a minute or two: whatever hangs is ended, and said to have failed.
timeout --kill-after=10 900 node --test --test-concurrency=1 test/*.test.mjs
