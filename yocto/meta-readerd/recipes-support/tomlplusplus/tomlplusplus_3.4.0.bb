SUMMARY = "TOML parser for C++17, headers only"
DESCRIPTION = "toml++ reads and writes TOML 1.0, and knows line and column of every value."
HOMEPAGE = "https://marzer.github.io/tomlplusplus/"
BUGTRACKER = "https://github.com/marzer/tomlplusplus/issues"
SECTION = "libs"
LICENSE = "MIT"
LIC_FILES_CHKSUM = "file://include/toml++/toml.hpp;beginline=1;endline=4;md5=ccd9c77e53595152aba0218856eeb980"

SRC_URI = "git://github.com/marzer/tomlplusplus.git;protocol=https;nobranch=1;destsuffix=tomlplusplus"
SRCREV = "30172438cee64926dc41fdd9c11fb3ba5b2ba9de"

# scarthgap unpacks to WORKDIR, later releases to UNPACKDIR.
S = "${@d.getVar('UNPACKDIR') or d.getVar('WORKDIR')}/tomlplusplus"

CVE_PRODUCT = "tomlplusplus"

do_configure[noexec] = "1"
do_compile[noexec] = "1"

do_install() {
    install -d ${D}${includedir}
    cp -R --no-dereference --preserve=mode,links ${S}/include/toml++ ${D}${includedir}/
}

# There is nothing but headers, and they are all in the package for developers.
RDEPENDS:${PN}-dev = ""
