// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

/// The purpose of a visit, and the reader.
public struct PhoneVisitPlan: Sendable {
    /// A reader that the user names.
    public enum Reader: Equatable, Sendable {
        /// By its device id.
        case deviceID(String)
        /// By an advertising address.
        case address(UInt64)
    }

    /// The credentials, at most one per reader.
    public var credentials: [PhoneCredential]
    /// The requests.
    public var task: PhoneTask
    /// The reader; nil for the strongest that there is a credential for.
    public var reader: Reader?
    /// The mode whose packet and service are used; nil for any.
    public var mode: ReaderMode?
    /// The name of the access application, for a touch (docs/protocol/nfc-profile.md, 1).
    public var application = CardSelection.usualApplication
    /// The lengths of such a name in octets (ISO/IEC 7816-4, 8.2.1.2).
    public static let applicationLength = 5...16
    /// The number of visits.
    public var visits = 1
    /// The time-out of finding a reader, and of each answer.
    public var timeout: Duration = .seconds(10)
    /// The time for comparing signals after the first reader is heard.
    public var comparison: Duration = .milliseconds(300)
    /// The delay before the next visit after success, and after failure, as published phones have them.
    public var pauses: (success: Duration, failure: Duration) = (.seconds(2), .milliseconds(500))
    /// The share of time in which the phone listens for readers.
    public var scanning = ScanDuty.always
    /// The MTU that the phone asks for.
    public var maximumMTU = GATTClient.largestMTU
    /// The parameters of the connections. An attempt that no one answers is given up early, and made again.
    public var connection = ConnectionSettings(timeLimit: .seconds(2))

    /// A visit to the strongest reader that there is a credential for.
    public init(_ task: PhoneTask, credentials: [PhoneCredential]) {
        self.task = task
        self.credentials = credentials
    }

    /// The credential for a reader that is heard, or nil; also nil if another reader is wanted.
    func credential(for sighting: ReaderSighting) -> PhoneCredential? {
        guard let found = sighting.mode, sighting.isConnectable, mode == nil || mode == found else { return nil }
        guard case .address(let address) = reader else { return credential(forReader: sighting.name) }
        return sighting.address.value == address ? own(sighting.name) ?? only : nil
    }

    /// The credential for a reader with this device id, or nil; also nil if another reader is wanted.
    ///
    /// A phone with one credential presents it to a reader that is named: its key decides whether this is the reader.
    func credential(forReader id: String?) -> PhoneCredential? {
        guard case .deviceID(let wanted) = reader else { return own(id) }
        return id == wanted ? own(id) ?? only : nil
    }

    private func own(_ id: String?) -> PhoneCredential? { credentials.first { $0.deviceID == id } }
    private var only: PhoneCredential? { credentials.count == 1 ? credentials.first : nil }
}

/// The readers that a scan has heard, and the best of those that may be visited.
struct ReaderSearch {
    /// The maximum number of readers that are remembered.
    static let limit = 64

    /// Every reader, in the order of the first packets.
    private(set) var seen: [ReaderSighting] = []
    /// The time when signals have been compared; nil before the first reader that may be visited.
    private(set) var decision: Instant?
    /// The time when the first reader that may be visited was heard.
    private(set) var firstHeard: Instant?

    /// Takes a sighting; `isWanted` if the phone has a credential for it.
    mutating func consider(_ sighting: ReaderSighting, isWanted: Bool, comparison: Duration, at now: Instant) {
        guard sighting.mode != nil else { return }
        if let index = seen.firstIndex(where: { $0.address == sighting.address }) {
            seen[index] = sighting
        } else if seen.count < ReaderSearch.limit {
            seen.append(sighting)
        }
        guard isWanted, firstHeard == nil else { return }
        firstHeard = now
        decision = now + comparison
    }

    /// Waits for another reader that may be visited.
    mutating func forgetDecision() { (firstHeard, decision) = (nil, nil) }

    /// The strongest reader that `plan` has a credential for.
    func best(_ plan: PhoneVisitPlan) -> (ReaderSighting, PhoneCredential)? {
        var best: (ReaderSighting, PhoneCredential)?
        for sighting in seen {
            guard let credential = plan.credential(for: sighting) else { continue }
            if let known = best, known.0.rssi ?? .min >= sighting.rssi ?? .min { continue }
            best = (sighting, credential)
        }
        return best
    }
}
