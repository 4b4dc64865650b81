// SPDX-License-Identifier: Apache-2.0

import Configuration
import JSON
import Peripheral
import Reader
import Timekeeping

/// The readings of a site survey under way. A value; the time is a parameter.
///
/// A phone is a number of this survey, in order of first connections: its address stays in here.
struct SurveyRecording {
    /// The maximum number of readings: one link at a time at the usual pace has half of it. Further ones are dropped.
    static let maximumReadings = 2048
    /// The maximum number of phones. Further ones are ignored.
    static let maximumPhones = 16

    private struct Reading {
        var phone: Int
        var milliseconds: Int64
        var dBm: Int8
    }

    /// The ticket of the request.
    let ticket: UInt64
    private let start: Instant
    private var phones: [BluetoothAddress] = []
    private var links: [(link: LinkID, phone: Int)] = []
    private var readings: [Reading] = []

    /// A survey that begins at `start`, requested with this ticket.
    init(ticket: UInt64, start: Instant) { (self.ticket, self.start) = (ticket, start) }

    /// Takes a notice: the connections during the survey, and their readings. Links from before are not measured.
    mutating func receive(_ notice: ReaderNotice, at now: Instant) {
        switch notice {
        case .connected(let link, _, let peer): connected(link, peer)
        case .traced(let link, let dBm):
            guard let phone = links.first(where: { $0.link == link })?.phone,
                readings.count < SurveyRecording.maximumReadings
            else { return }
            readings.append(
                Reading(phone: phone, milliseconds: max(0, (now - start).wholeMilliseconds), dBm: dBm))
        case .disconnected(let link, _): links.removeAll { $0.link == link }
        default: break
        }
    }

    private mutating func connected(_ link: LinkID, _ peer: BluetoothAddress) {
        if let index = phones.firstIndex(of: peer) {
            links.append((link, index + 1))
        } else if phones.count < SurveyRecording.maximumPhones {
            phones.append(peer)
            links.append((link, phones.count))
        }
    }

    /// The members of the answer: the common gate, the modes with their own gate, and each reading as phone,
    /// milliseconds and dBm.
    func answer(_ proximity: ReaderSettings.Proximity) -> JSONObject {
        let gate = proximity.common
        let others = ReaderSettings.Mode.allCases.filter { proximity.gate(of: $0).map { $0 != gate } ?? false }
        return [
            "gate": proximity.report, "own-gates": others.map(\.rawValue),
            "readings": readings.map { [Int64($0.phone), $0.milliseconds, Int64($0.dBm)] },
        ]
    }
}

extension ReaderSettings.Proximity {
    /// The common gate, for the status and for a survey.
    var report: JSONObject {
        [
            "threshold-dbm": common.thresholdDBm, "window-ms": common.windowMilliseconds,
            "interval-ms": common.intervalMilliseconds, "samples": common.samples,
        ]
    }
}
