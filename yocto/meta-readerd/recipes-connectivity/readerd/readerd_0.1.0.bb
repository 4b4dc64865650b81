SUMMARY = "Door reader for a board with Bluetooth LE, NFC and GPIO"
DESCRIPTION = "A phone comes near, the reader verifies that it really is near, checks its credential offline, and moves \
               the lock. The Bluetooth LE stack is its own, down to HCI."
SECTION = "net"

require readerd-source.inc

DEPENDS += "libgpiod libnfc openssl sqlite3 tomlplusplus"

# The packages that Package.swift names, in exactly its versions: script/check-yocto compares them. SwiftPM finds them by
# the mirrors below and fetches nothing itself, so a build from a filled DL_DIR needs no network.
SRC_URI += "\
    git://github.com/apple/swift-log.git;protocol=https;nobranch=1;name=log;destsuffix=swift-packages/swift-log \
"
SRCREV_log = "c2cb5297956b2a95420f70d1f51e8dc4b4f94708"
SWIFT_PACKAGES = "swift-log=1.16.2"

inherit swift systemd useradd

# Warnings are errors in this package's C++, and meta-swift gives the C++ compiler -lstdc++ as well, of which it warns.
# nooelint: oelint.vars.mispell.unknown - meta-swift's class knows it
EXTRA_OESWIFT = "--product readerd -Xcxx -Wno-error=unused-command-line-argument"

# SwiftPM resolves a version by its tag, which the fetcher does not promise to bring along.
readerd_swift_mirrors[doc] = "Tells SwiftPM where the fetched packages are, so that it fetches nothing itself"
readerd_swift_mirrors() {
    entries=""
    for package in ${SWIFT_PACKAGES}; do
        name=$(echo "$package" | cut -d = -f 1)
        version=$(echo "$package" | cut -d = -f 2)
        fetched="${READERD_UNPACKDIR}/swift-packages/$name"
        git -C "$fetched" tag --force "$version" HEAD
        [ -z "$entries" ] || entries="$entries, "
        entries="$entries{\"original\": \"https://github.com/apple/$name\", \"mirror\": \"$fetched\"}"
    done
    mkdir -p "${S}/.swiftpm/configuration"
    printf '{"object": [%s], "version": 1}\n' "$entries" > "${S}/.swiftpm/configuration/mirrors.json"
}

do_unpack[postfuncs] += "readerd_swift_mirrors"

do_install() {
    install -D -m 0755 ${BUILD_DIR}/readerd ${D}${bindir}/readerd
    install -D -m 0644 ${S}/packaging/systemd/readerd.service ${D}${systemd_system_unitdir}/readerd.service
    install -D -m 0644 ${S}/packaging/systemd/bluetooth-readerd.conf \
        ${D}${systemd_system_unitdir}/bluetooth.service.d/readerd.conf
    install -D -m 0644 ${S}/packaging/systemd/readerd.sysusers ${D}${nonarch_libdir}/sysusers.d/readerd.conf
    install -D -m 0644 ${S}/packaging/systemd/readerd.tmpfiles ${D}${nonarch_libdir}/tmpfiles.d/readerd.conf
    install -D -m 0644 ${S}/packaging/udev/60-readerd.rules ${D}${nonarch_base_libdir}/udev/rules.d/60-readerd.rules
}

# The service runs as a user of its own. gpio and dialout are the groups of the lines and serial ports unless a rule of
# a board specifies others; dialout exists already. The state directory is made by systemd, 0700.
USERADD_PACKAGES = "${PN}"
GROUPADD_PARAM:${PN} = "--system gpio"
USERADD_PARAM:${PN} = "--system --user-group --groups gpio,dialout --home-dir ${localstatedir}/lib/readerd \
                       --no-create-home --shell ${base_sbindir}/nologin readerd"

SYSTEMD_SERVICE:${PN} = "readerd.service"
# The image decides when it opens doors: readerd-image enables it by a preset.
SYSTEMD_AUTO_ENABLE = "disable"

FILES:${PN} += "\
    ${nonarch_libdir}/sysusers.d \
    ${nonarch_libdir}/tmpfiles.d \
    ${systemd_system_unitdir}/bluetooth.service.d \
"

# tzdata: local time with daylight saving (reader.time-zone).
RDEPENDS:${PN} += "tzdata"
RRECOMMENDS:${PN} += "readerd-board"

# With meta-swift for scarthgap, paths of the build machine are in what the Swift compiler writes.
# nooelint: oelint.vars.insaneskip
INSANE_SKIP:${PN} += "buildpaths"
# nooelint: oelint.vars.insaneskip
INSANE_SKIP:${PN}-dbg += "buildpaths"
