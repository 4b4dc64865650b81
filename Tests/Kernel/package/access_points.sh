# In the network namespace of the air: the access points of wifi/air.sh, by the host's programs.
. Tests/Kernel/guest/common.sh
. Tests/Kernel/wifi/air.sh
hostapd() { chroot "$PROGRAMS" hostapd "$@"; }
busybox() { chroot "$PROGRAMS" busybox "$@"; }
start_access_points
