SUMMARY = "Restarts into an update once nobody is at the door"
DESCRIPTION = "RAUC's post-install handler, and the service that it starts: waits until a restart disturbs nobody, and has \
               the service manager restart the device."
HOMEPAGE = "https://readerd.example/"
BUGTRACKER = "https://readerd.example/issues"
SECTION = "base"
LICENSE = "Apache-2.0"
# nooelint: oelint.var.licenseremotefile - the files are here, there is nothing remote
LIC_FILES_CHKSUM = "file://${COMMON_LICENSE_DIR}/Apache-2.0;md5=89aea4e17d99a7cacdbeed46a0096b10"

SRC_URI = "\
    file://readerd-restart.service \
    file://readerd-restart.sh \
"

CVE_PRODUCT = "readerd"

inherit systemd

# scarthgap unpacks files to ${WORKDIR}, later releases to ${UNPACKDIR}.
READERD_FILES = "${@d.getVar('UNPACKDIR') or d.getVar('WORKDIR')}"

do_install() {
    install -D -m 0755 ${READERD_FILES}/readerd-restart.sh ${D}${libexecdir}/readerd-restart
    install -D -m 0644 ${READERD_FILES}/readerd-restart.service ${D}${systemd_system_unitdir}/readerd-restart.service
    sed -i -e 's!@LIBEXECDIR@!${libexecdir}!g' ${D}${systemd_system_unitdir}/readerd-restart.service
}

SYSTEMD_SERVICE:${PN} = "readerd-restart.service"
# RAUC's handler starts it.
SYSTEMD_AUTO_ENABLE = "disable"

RDEPENDS:${PN} = "readerd"
