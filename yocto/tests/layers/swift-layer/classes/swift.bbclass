BUILD_DIR = "${S}/.build/release"
DEPENDS:append = " swift-native swift-stdlib"
do_compile() {
    swift build --configuration release ${EXTRA_OESWIFT}
}
