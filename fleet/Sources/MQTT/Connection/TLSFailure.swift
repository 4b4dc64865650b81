// SPDX-License-Identifier: Apache-2.0

import CTLS
import Fleet

/// The faults of TLS towards a broker.
enum TLSFailure {
    /// The failure that a connection's certificates have caused; nil for another cause.
    static func failure(of socket: BrokerSocket, _ broker: Broker) -> LinkFailure? {
        let authorities = broker.tls?.authorities ?? ""
        switch socket.failure {
        case Int(READERD_TLS_OTHER_NAME):
            return LinkFailure(.certificateName, "the broker's certificate is not for \(broker.host)")
        case Int(READERD_TLS_COMMON_NAME):
            return LinkFailure(
                .certificateName,
                "the broker's certificate names \(broker.host) as its common name only, which does not count; issue it "
                    + "with that subject alternative name")
        case Int(READERD_TLS_OTHER_TIME):
            return LinkFailure(
                .certificateTime, "the broker's certificate is not valid now; check the clock, and renew it")
        case Int(READERD_TLS_UNTRUSTED):
            return LinkFailure(
                .certificateUntrusted,
                "the broker's certificate is of no authority in \(authorities) (\(socket.refusal))")
        case Int(READERD_TLS_REFUSED):
            return LinkFailure(
                .refused, "the broker refuses this certificate, or the TLS connection; enrol the reader there")
        default: return nil
        }
    }
}
