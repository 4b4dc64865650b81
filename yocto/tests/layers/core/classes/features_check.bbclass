python () {
    missing = set((d.getVar("REQUIRED_DISTRO_FEATURES") or "").split()) - set(d.getVar("DISTRO_FEATURES").split())
    if missing:
        raise bb.parse.SkipRecipe("missing required distro feature %s" % " ".join(sorted(missing)))
}
