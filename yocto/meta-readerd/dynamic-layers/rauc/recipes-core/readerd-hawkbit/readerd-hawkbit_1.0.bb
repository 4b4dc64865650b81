SUMMARY = "Updates from hawkBit for a board with a reader"
DESCRIPTION = "rauc-hawkbit-updater without the right to restart the device by itself: after an installation \
               readerd-restart waits for the door, and the service manager restarts."
HOMEPAGE = "https://readerd.example/"
BUGTRACKER = "https://readerd.example/issues"
SECTION = "base"
LICENSE = "Apache-2.0"
# nooelint: oelint.var.licenseremotefile - the files are here, there is nothing remote
LIC_FILES_CHKSUM = "file://${COMMON_LICENSE_DIR}/Apache-2.0;md5=89aea4e17d99a7cacdbeed46a0096b10"

SRC_URI = "\
    file://config.conf \
    file://readerd.conf \
"

CVE_PRODUCT = "readerd"

# scarthgap unpacks files to ${WORKDIR}, later releases to ${UNPACKDIR}.
READERD_FILES = "${@d.getVar('UNPACKDIR') or d.getVar('WORKDIR')}"

# A drop-in, in place of an append to meta-rauc's recipe: the layer alone changes nothing of others.
do_install() {
    install -D -m 0644 ${READERD_FILES}/readerd.conf \
        ${D}${systemd_system_unitdir}/rauc-hawkbit-updater.service.d/readerd.conf
    sed -i -e 's!@BINDIR@!${bindir}!g' ${D}${systemd_system_unitdir}/rauc-hawkbit-updater.service.d/readerd.conf
    install -D -m 0644 ${READERD_FILES}/config.conf ${D}${datadir}/readerd-hawkbit/config.conf
}

FILES:${PN} += "${systemd_system_unitdir}/rauc-hawkbit-updater.service.d"

RDEPENDS:${PN} = "rauc-hawkbit-updater readerd-confirm readerd-restart"
