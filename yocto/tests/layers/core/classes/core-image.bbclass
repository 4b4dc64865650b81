CORE_IMAGE_EXTRA_INSTALL ?= ""
PACKAGES = ""
RDEPENDS += "${IMAGE_INSTALL}"
do_rootfs() {
    :
}
addtask rootfs before do_build after do_install
