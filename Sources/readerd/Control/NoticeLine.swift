// SPDX-License-Identifier: Apache-2.0

import Configuration
import JSON
import Peripheral
import Reader

/// A notice of the reader for a client that watches it: docs/operate/control.md.
enum NoticeLine {
    /// A JSON object: the words of the log, and of a link its number, what has become of it, and a reading.
    static func json(_ notice: ReaderNotice) -> String {
        var object = JSONObject()
        if let link = notice.phone?.link { object.add("link", link.generation) }
        if let (what, dBm) = notice.reading {
            object.add("what", what)
            if let dBm { object.add("rssi-dbm", dBm) }
        }
        if let loss = notice.pathLoss { object.add("path-loss-db", loss) }
        if case .connected(_, let mode, let peer) = notice {
            object.add("peer", "\(peer)")
            if let mode { object.add("mode", mode.rawValue) }
        }
        object.add("text", "\(notice)")
        return object.text
    }

    /// The change of an output, named as its key.
    static func json(_ action: DoorAction) -> String {
        (["name": action.output.key.rawValue, "on": action.level] as JSONObject).text
    }
}

extension ReaderNotice {
    /// The path loss in dB, where it is known.
    fileprivate var pathLoss: Int? {
        switch self {
        case .measured(_, _, let loss): loss
        case .refused(_, .pathLoss(let median)): median
        default: nil
        }
    }

    /// The state of a link in one word, and the reading that says so, in dBm; nil for other notices.
    fileprivate var reading: (what: String, dBm: Int8?)? {
        switch self {
        case .connected: ("connected", nil)
        case .measured(_, let dBm, _), .traced(_, let dBm): ("measured", dBm)
        case .near(_, let median): ("near", median)
        case .refused(_, .tooFar(let median)): ("refused", median)
        case .refused(_, .wellUnder(let last)): ("refused", last)
        case .refused: ("refused", nil)
        case .disconnected: ("disconnected", nil)
        default: nil
        }
    }
}
