SUMMARY = "Confirms an update to RAUC once the reader works"
DESCRIPTION = "After a start from a newly written slot the reader is asked whether all of it works. Only then is the slot \
               marked good; otherwise the device goes back to the slot before."
HOMEPAGE = "https://readerd.example/"
BUGTRACKER = "https://readerd.example/issues"
SECTION = "base"
LICENSE = "Apache-2.0"
# nooelint: oelint.var.licenseremotefile - the files are here, there is nothing remote
LIC_FILES_CHKSUM = "file://${COMMON_LICENSE_DIR}/Apache-2.0;md5=89aea4e17d99a7cacdbeed46a0096b10"

SRC_URI = "\
    file://readerd-confirm.service \
    file://readerd-confirm.sh \
"

CVE_PRODUCT = "readerd"

inherit systemd

# scarthgap unpacks files to ${WORKDIR}, later releases to ${UNPACKDIR}.
READERD_FILES = "${@d.getVar('UNPACKDIR') or d.getVar('WORKDIR')}"

do_install() {
    install -D -m 0755 ${READERD_FILES}/readerd-confirm.sh ${D}${libexecdir}/readerd-confirm
    install -D -m 0644 ${READERD_FILES}/readerd-confirm.service ${D}${systemd_system_unitdir}/readerd-confirm.service
    sed -i -e 's!@LIBEXECDIR@!${libexecdir}!g' ${D}${systemd_system_unitdir}/readerd-confirm.service
}

SYSTEMD_SERVICE:${PN} = "readerd-confirm.service"

RDEPENDS:${PN} = "rauc readerd"
# It would mark every slot good that starts.
RCONFLICTS:${PN} = "rauc-mark-good"
