// SPDX-License-Identifier: Apache-2.0

import Fleet
import Glibc
import MQTT
import System
import Timekeeping

/// The own identity towards the broker: the files, which are renewed from time to time, and what was read of them.
struct LinkIdentity {
    /// The time of an identity's files.
    struct Stamp: Equatable, Sendable {
        private var numbers: [Int] = []

        init(_ files: Broker.TLS) {
            for path in [files.authorities, files.certificate, files.key] {
                var status = stat()
                let isThere = stat(path, &status) == 0
                numbers +=
                    isThere
                    ? [Int(status.st_ino), status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec] : [-1]
            }
        }
    }

    /// The time in days before the certificate's end from which on it is a fault.
    private static let daysBefore: Int64 = 14
    private static let daySeconds: Int64 = 86_400

    private let broker: Broker
    private let files: Broker.TLS
    private var choice = RenewedIdentity<Stamp>()
    private var former: TLSIdentity?
    private var tried: TLSIdentity?
    /// The end of the certificate that was used last, in seconds since 1970.
    private var end: Int64?
    /// The reason for which renewed files do not serve.
    private var problem: String?

    /// The identity of a broker's client; nil for a broker in the clear.
    init?(_ broker: Broker) {
        guard let files = broker.tls else { return nil }
        (self.broker, self.files) = (broker, files)
    }

    /// True if the files were renewed, and can be used.
    mutating func isRenewed(at now: Instant) -> Bool {
        guard choice.isRenewed(Stamp(files), at: now) else { return false }
        do throws(ProgramFailure) { _ = try TLSIdentity(broker) } catch {
            // Certificate and key may be replaced one after the other: they are looked at again soon.
            problem = error.description
            return false
        }
        return true
    }

    /// The identity for an attempt.
    mutating func begin(at now: Instant) throws(ProgramFailure) -> TLSIdentity? {
        if choice.begin(Stamp(files), at: now) == .former, let former {
            end = former.end
            return former
        }
        do throws(ProgramFailure) { tried = try TLSIdentity(broker) } catch {
            guard choice.fail(.identity, at: now), let former else { throw error }
            problem = error.description
            return former
        }
        end = tried?.end
        return tried
    }

    /// The attempt has led to a connection.
    mutating func connect() {
        choice.connect()
        if let tried { (former, problem) = (tried, nil) }
        tried = nil
    }

    /// The attempt has failed.
    mutating func fail(_ fault: LinkFault, _ text: String, at now: Instant) {
        if choice.fail(fault, at: now) { problem = text }
        tried = nil
    }

    /// The fault of the own certificate, for people; nil for none.
    func fault(at epochSeconds: Int64) -> String? {
        if let problem {
            return "the renewed identity does not serve, and the former one does until its end: \(problem)"
        }
        guard let end else { return nil }
        let left = end - epochSeconds
        guard left < LinkIdentity.daysBefore * LinkIdentity.daySeconds else { return nil }
        return left < 0
            ? "the own certificate has ended; renew \(files.certificate)"
            : "the own certificate ends in \(left / LinkIdentity.daySeconds) days; renew \(files.certificate)"
    }
}
