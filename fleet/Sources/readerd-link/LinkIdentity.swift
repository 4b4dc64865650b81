// SPDX-License-Identifier: Apache-2.0

import Fleet
import Glibc
import MQTT
import System
import Timekeeping

/// The own identity towards the broker: its files, which are renewed from time to time, and their contents.
struct LinkIdentity {
    /// The inodes, sizes and modification times of an identity's files.
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

    /// The number of days before the certificate's end at which a fault is reported.
    private static let daysBefore: Int64 = 14
    private static let daySeconds: Int64 = 86_400

    private let broker: Broker
    private let files: Broker.TLS
    private var choice = RenewedIdentity<Stamp>()
    private var former: TLSIdentity?
    private var tried: TLSIdentity?
    /// The end of the last used certificate, in seconds since 1970.
    private var end: Int64?
    /// The reason why renewed files are not in use.
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
            // Certificate and key may be replaced one after the other, so they are checked again soon.
            problem = error.description
            return false
        }
        return true
    }

    /// Begins an attempt, and returns its identity.
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

    /// Records that the attempt has connected.
    mutating func connect() {
        choice.connect()
        if let tried { (former, problem) = (tried, nil) }
        tried = nil
    }

    /// Records that the attempt has failed.
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
