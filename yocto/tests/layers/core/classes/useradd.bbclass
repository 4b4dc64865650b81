python () {
    packages = (d.getVar("USERADD_PACKAGES") or "").split()
    if not packages:
        bb.fatal("%s inherits useradd and sets no USERADD_PACKAGES" % d.getVar("PN"))
    for package in packages:
        if not any(d.getVar("%s:%s" % (name, package)) for name in ("USERADD_PARAM", "GROUPADD_PARAM", "GROUPMEMS_PARAM")):
            bb.fatal("%s sets no USERADD_PARAM, GROUPADD_PARAM or GROUPMEMS_PARAM for %s" % (d.getVar("PN"), package))
}
