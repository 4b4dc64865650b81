# Each unit that a package names is one that do_install installs.
python () {
    for package in d.getVar("PACKAGES").split():
        for unit in (d.getVar("SYSTEMD_SERVICE:" + package) or "").split():
            if "/" + unit not in d.getVar("do_install"):
                bb.fatal("%s: do_install installs no %s, which SYSTEMD_SERVICE names" % (d.getVar("PN"), unit))
}
