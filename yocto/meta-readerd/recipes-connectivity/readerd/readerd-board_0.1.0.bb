SUMMARY = "What makes a board a reader: configuration, udev rules, device-tree overlay"
DESCRIPTION = "Installs for the machine what the sources have for it in board/. The overlay is also deployed, for boot \
               loaders that apply it."
SECTION = "net"

require readerd-source.inc

DEPENDS += "dtc-native"

inherit deploy

# Only for a machine that has a board (readerd-source.inc).
COMPATIBLE_MACHINE = "${@d.getVar('MACHINE') if d.getVar('READERD_BOARD') else '(^$)'}"

PACKAGE_ARCH = "${MACHINE_ARCH}"

B = "${WORKDIR}/build"

do_configure[noexec] = "1"

do_compile() {
    dtc -@ -I dts -O dtb -o ${B}/readerd.dtbo ${READERD_SOURCES}/board/${READERD_BOARD}/readerd.dtso
}

do_install() {
    install -D -m 0644 ${READERD_SOURCES}/board/${READERD_BOARD}/readerd.toml ${D}${sysconfdir}/readerd/readerd.toml
    install -d ${D}${sysconfdir}/udev/rules.d
    install -m 0644 ${READERD_SOURCES}/board/${READERD_BOARD}/*.rules ${D}${sysconfdir}/udev/rules.d/
    install -D -m 0644 ${B}/readerd.dtbo ${D}${nonarch_base_libdir}/firmware/readerd.dtbo
}

do_deploy() {
    install -m 0644 ${B}/readerd.dtbo ${DEPLOYDIR}/readerd.dtbo
}
addtask deploy before do_build after do_compile

FILES:${PN} += "${nonarch_base_libdir}/firmware"
CONFFILES:${PN} = "${sysconfdir}/readerd/readerd.toml"
