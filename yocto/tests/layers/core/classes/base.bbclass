do_fetch() {
    :
}
do_unpack() {
    :
}
do_configure() {
    :
}
do_compile() {
    :
}
do_install() {
    :
}
do_package() {
    :
}
do_build() {
    :
}
addtask fetch
addtask unpack after do_fetch
addtask configure after do_unpack
addtask compile after do_configure
addtask install after do_compile
addtask package after do_install
addtask build after do_package
do_build[noexec] = "1"

# As in openembedded-core, a recipe for other machines is skipped, and one without a licence is refused.
python () {
    import re
    machines = d.getVar("COMPATIBLE_MACHINE")
    if machines and not re.match(machines, d.getVar("MACHINE")):
        raise bb.parse.SkipRecipe("incompatible with machine %s (not in COMPATIBLE_MACHINE)" % d.getVar("MACHINE"))
    if not d.getVar("LICENSE"):
        raise bb.parse.SkipRecipe("no LICENSE")
}
