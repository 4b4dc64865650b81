SUMMARY = "What makes a board a reader: configuration, udev rules, device-tree overlay"
DESCRIPTION = "Installs for the machine what the sources have for it in board/. The overlay is also deployed, for boot \
               loaders that apply it."
SECTION = "net"

require readerd-source.inc

DEPENDS += "dtc-native"

inherit deploy

# A machine of your own: append to COMPATIBLE_MACHINE, and set READERD_BOARD to the folder in board/.
COMPATIBLE_MACHINE = "(beaglebone-yocto|raspberrypi4-64|verdin-imx8mp)"
READERD_BOARD ?= ""
READERD_BOARD:beaglebone-yocto ?= "beaglebone-black"
READERD_BOARD:raspberrypi4-64 ?= "raspberry-pi-4"
READERD_BOARD:verdin-imx8mp ?= "verdin-imx8mp"

PACKAGE_ARCH = "${MACHINE_ARCH}"

B = "${WORKDIR}/build"

do_configure[noexec] = "1"

do_compile() {
    dtc -@ -I dts -O dtb -o ${B}/readerd.dtbo ${S}/board/${READERD_BOARD}/readerd.dtso
}

do_install() {
    install -D -m 0644 ${S}/board/${READERD_BOARD}/readerd.toml ${D}${sysconfdir}/readerd/readerd.toml
    install -d ${D}${sysconfdir}/udev/rules.d
    install -m 0644 ${S}/board/${READERD_BOARD}/*.rules ${D}${sysconfdir}/udev/rules.d/
    install -D -m 0644 ${B}/readerd.dtbo ${D}${nonarch_base_libdir}/firmware/readerd.dtbo
}

do_deploy() {
    install -m 0644 ${B}/readerd.dtbo ${DEPLOYDIR}/readerd.dtbo
}
addtask deploy before do_build after do_compile

FILES:${PN} += "${nonarch_base_libdir}/firmware"
CONFFILES:${PN} = "${sysconfdir}/readerd/readerd.toml"
