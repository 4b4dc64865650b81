SUMMARY = "Matter lock for a door reader"
DESCRIPTION = "Makes a reader a lock that apps commission and control by Matter. It is the process with the network port, and \
               has nothing of the door: each order goes to the reader, which decides and records it."
SECTION = "net"

require readerd-program.inc

READERD_FOLDER = "/matter"

DEPENDS += "openssl"

USERADD_PARAM:${PN} = "--system --user-group --home-dir ${localstatedir}/lib/readerd-matter --no-create-home \
                       --shell ${base_sbindir}/nologin readerd-matter"

RDEPENDS:${PN} += "readerd"
