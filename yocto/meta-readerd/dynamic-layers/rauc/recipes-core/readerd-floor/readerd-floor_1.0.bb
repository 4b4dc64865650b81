SUMMARY = "Refuses updates that are older than what has served"
DESCRIPTION = "RAUC's pre-install handler: asks the reader whether a bundle of this version may be installed. An older one \
               brings back what a newer one has mended, however well it is signed."
HOMEPAGE = "https://readerd.example/"
BUGTRACKER = "https://readerd.example/issues"
SECTION = "base"
LICENSE = "Apache-2.0"
# nooelint: oelint.var.licenseremotefile - the files are here, there is nothing remote
LIC_FILES_CHKSUM = "file://${COMMON_LICENSE_DIR}/Apache-2.0;md5=89aea4e17d99a7cacdbeed46a0096b10"

SRC_URI = "\
    file://readerd-floor.sh \
"

CVE_PRODUCT = "readerd"

# scarthgap unpacks files to ${WORKDIR}, later releases to ${UNPACKDIR}.
READERD_FILES = "${@d.getVar('UNPACKDIR') or d.getVar('WORKDIR')}"

do_install() {
    install -D -m 0755 ${READERD_FILES}/readerd-floor.sh ${D}${libexecdir}/readerd-floor
}

RDEPENDS:${PN} = "readerd"
