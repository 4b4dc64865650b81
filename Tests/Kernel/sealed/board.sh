# shellcheck shell=bash disable=SC2034
# In a Debian system that systemd has started: a board with the package, and what its volumes are opened by. No adapter,
# which is its own fault; the reader runs all the same.
. Tests/Kernel/guest/common.sh

# Of /dev/vda and /dev/vdb; /dev/vdc is the stick.
ways=(tpm stick)

is() { [[ $1 == "$2" ]] || { echo "it is $1"; return 1; }; }
not() { ! "$@"; }
unit_is() { is "$(systemctl show --property="$1" --value "${3:-readerd.service}")" "$2"; }
# By the host, which has what was built there, and OpenSSL.
on_host() { chroot /host "$@"; }
public_key() { on_host openssl pkey -pubout </var/lib/readerd/identity/terminal-key.pem; }
# Nothing is mounted on the state directory, and it is empty.
bare() { is "$(findmnt --noheadings --output TARGET /var/lib/readerd)$(ls --almost-all /var/lib/readerd)" ""; }

# Keep the page's changes in /etc: the system of this machine is lost with it.
keep_system() {
    tar --directory=/ --create --file="/out/$1.tar" etc/crypttab etc/fstab etc/systemd/system
}
take_system() {
    tar --directory=/ --extract --file="/out/$1.tar"
    chattr +i /var/lib/readerd
    systemctl daemon-reload
}
drop_system() {
    systemctl stop readerd var-lib-readerd.mount systemd-cryptsetup@readerdstate.service
    chattr -i /var/lib/readerd
    rm -rf /etc/systemd/system/{readerd,systemd-cryptsetup@readerdstate}.service.d /etc/crypttab /etc/fstab
    systemctl daemon-reload
    systemctl reset-failed
}

for place in proc sys dev run tmp; do mount --rbind "/$place" "/host/$place"; done
modprobe -a virtio_blk dm_crypt ext4
check "the machine has its disks" within 20 test -b /dev/vdb
check "and a TPM" within 20 test -c /dev/tpmrm0
check "dpkg installs the package" dpkg --install "$PACKAGE"
