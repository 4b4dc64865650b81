SUMMARY = "A system that is a door reader"
DESCRIPTION = "A small image with the reader enabled, and nothing that would take its Bluetooth adapter."
BUGTRACKER = "https://readerd.example/issues"
SECTION = "net"
LICENSE = "Apache-2.0"
CVE_PRODUCT = "readerd"

inherit core-image features_check

# The unit's hardening is systemd's, and so is the state directory.
REQUIRED_DISTRO_FEATURES = "systemd"

# Not packagegroup-base-extended, which brings bluetoothd along where the distribution has Bluetooth.
IMAGE_INSTALL = "packagegroup-core-boot packagegroup-readerd ${CORE_IMAGE_EXTRA_INSTALL}"

# It marks each slot good that starts, and asks no reader.
BAD_RECOMMENDATIONS += "rauc-mark-good"

# The package alone leaves the service off.
readerd_enable[doc] = "Has the service start with the system"
readerd_enable() {
    install -d ${IMAGE_ROOTFS}${systemd_unitdir}/system-preset
    printf 'enable readerd.service\nenable readerd-console.service\n' > ${IMAGE_ROOTFS}${systemd_unitdir}/system-preset/50-readerd.preset
}
ROOTFS_POSTPROCESS_COMMAND:prepend = "readerd_enable; "
