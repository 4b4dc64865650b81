# shellcheck shell=bash
# A board in a Debian system that systemd has started, for the scripts of the flavours: its packages and adapters.
. Tests/Kernel/package/system.sh

status_has() { [[ $(readerd status --json) == *"$1"* ]]; }
# A section of the page, as root, in the directory with the packages; the first command that fails ends it.
carry_out() { (cd "$work" && bash -e -u -o pipefail "/out/$1.sh"); }
# borrow NAME PROGRAM: a program of the host, which runs in the directory that it is called in.
borrow() {
    cat >"/usr/local/bin/$1" <<SH
#!/bin/bash
exec chroot /host /bin/bash -c 'cd "\$0" && exec "\$@"' "\$PWD" "$2" "\$@"
SH
    chmod +x "/usr/local/bin/$1"
}

work=/tmp/board
mkdir -p "$work"
# shellcheck disable=SC2086
cp $PACKAGES "$work"
# The virtual controllers do not report support for reading RSSI.
mkdir -p /etc/readerd/readerd.d
printf '%s\n' '[proximity]' 'gate = []' >/etc/readerd/readerd.d/bench.toml
start_controllers
