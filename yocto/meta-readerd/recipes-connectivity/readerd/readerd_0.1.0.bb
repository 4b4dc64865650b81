SUMMARY = "Door reader for a board with Bluetooth LE, NFC and GPIO"
DESCRIPTION = "A phone comes near, the reader verifies that it really is near, checks its credential offline, and moves \
               the lock. The Bluetooth LE stack is its own, down to HCI."
SECTION = "net"

require readerd-program.inc

DEPENDS += "libgpiod libnfc openssl sqlite3 tomlplusplus"

do_install:append() {
    install -D -m 0644 ${READERD_SOURCES}/packaging/systemd/bluetooth-readerd.conf \
        ${D}${systemd_system_unitdir}/bluetooth.service.d/readerd.conf
    # The unit names its program by this path.
    install -D -m 0755 ${READERD_SOURCES}/packaging/console/missing ${D}${libexecdir}/readerd/missing
    install -D -m 0644 ${READERD_SOURCES}/packaging/systemd/readerd-console.service \
        ${D}${systemd_system_unitdir}/readerd-console.service
    install -m 0644 ${READERD_SOURCES}/packaging/systemd/readerd-adapter.socket ${READERD_SOURCES}/packaging/systemd/readerd-adapter@.service \
        ${D}${systemd_system_unitdir}/
    install -D -m 0644 ${READERD_SOURCES}/packaging/udev/60-readerd.rules ${D}${nonarch_base_libdir}/udev/rules.d/60-readerd.rules
}

# What the board lacks, at its login prompt: tmpfiles has the prompt's text where this unit writes it.
SYSTEMD_SERVICE:${PN} += "readerd-console.service"

# The service runs as a user of its own. gpio and dialout are the groups of the lines and serial ports unless a rule of
# a board specifies others; dialout exists already. The state directory is made by systemd, 0700.
GROUPADD_PARAM:${PN} = "--system gpio"
USERADD_PARAM:${PN} = "--system --user-group --groups gpio,dialout --home-dir ${localstatedir}/lib/readerd \
                       --no-create-home --shell ${base_sbindir}/nologin readerd"

# What takes the Bluetooth adapter for the service, which starts its socket.
FILES:${PN} += "\
    ${systemd_system_unitdir}/bluetooth.service.d \
    ${systemd_system_unitdir}/readerd-adapter.socket \
    ${systemd_system_unitdir}/readerd-adapter@.service \
"

# tzdata: local time with daylight saving (reader.time-zone).
RDEPENDS:${PN} += "tzdata"
# BitBake builds what is recommended, and refuses the image where that cannot be built for the machine.
# agetty: a prompt with /etc/issue.d, which BusyBox's getty has not.
RRECOMMENDS:${PN} += "util-linux-agetty ${@'readerd-board' if d.getVar('READERD_BOARD') else ''}"
