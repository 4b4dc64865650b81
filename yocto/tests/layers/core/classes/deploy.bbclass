do_deploy[dirs] = "${DEPLOYDIR}"
