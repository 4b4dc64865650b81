SUMMARY = "Link of a door reader to a fleet"
DESCRIPTION = "Delivers the events and states of a reader to an MQTT 5 broker. It is the process with the network, and has \
               nothing of the door."
SECTION = "net"

require recipes-connectivity/readerd/readerd-program.inc

READERD_FOLDER = "/fleet"

DEPENDS += "openssl"

USERADD_PARAM:${PN} = "--system --user-group --home-dir / --no-create-home --shell ${base_sbindir}/nologin readerd-link"

RDEPENDS:${PN} += "readerd"
