SUMMARY = "A door reader and what belongs to it"
DESCRIPTION = "The reader, what makes the board one, and with RAUC in the distribution what confirms an \
               update, and restarts into it."
BUGTRACKER = "https://readerd.example/issues"
SECTION = "net"

# It has packages that depend on the machine.
PACKAGE_ARCH = "${MACHINE_ARCH}"

inherit packagegroup

RDEPENDS:${PN} = "\
    readerd \
    ${@bb.utils.contains('DISTRO_FEATURES', 'rauc', 'readerd-confirm readerd-floor readerd-restart', '', d)} \
"
# Where the kernel has the adapter (hci-socket), its drivers, if they are modules.
RRECOMMENDS:${PN} = "\
    kernel-module-bluetooth \
    kernel-module-hci-uart \
"
