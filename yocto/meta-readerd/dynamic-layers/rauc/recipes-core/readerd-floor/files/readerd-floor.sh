#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# RAUC's pre-install handler: refuses a bundle that is older than the firmware which has served with the reader's state,
# however well it is signed. RAUC has verified the bundle, and writes nothing if this does not end with 0.
set -u

# RAUC mounts the bundle, whose manifest is part of what is signed.
readonly MANIFEST="${RAUC_BUNDLE_MOUNT_POINT:-${RAUC_UPDATE_SOURCE:-}}/manifest.raucm"

fail() { printf 'readerd-floor: %s\n' "$*" >&2; exit 1; }

[ -r "$MANIFEST" ] || fail "the bundle has no manifest at $MANIFEST"
# `version` of the section [update], as RAUC reads it.
version=$(sed -n '/^\[update\][[:space:]]*$/,/^\[/s/^version[[:space:]]*=[[:space:]]*//p' "$MANIFEST") || fail "cannot read $MANIFEST"
# Nothing that could be an option.
case $version in
    [0-9]*) exec readerd check-update "$version" ;;
    "") fail "the manifest of the bundle names no version" ;;
    *) fail "the version of the bundle does not begin with a digit" ;;
esac
