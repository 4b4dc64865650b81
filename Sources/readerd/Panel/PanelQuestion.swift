// SPDX-License-Identifier: Apache-2.0

import OSDP

/// The questions of a panel for data that OSDP has no command for (osdp_MFG): the first octet of the data. None moves
/// the lock.
enum PanelQuestion: UInt8, CaseIterable {
    /// The firmware's version and the reader's identifier.
    case identity = 1
    /// The present faults, by their codes.
    case faults
    /// True if the reader can be restarted unnoticed.
    case rest

    /// The state of the reader that answers.
    struct State {
        var version: String
        var deviceID: String
        var faults: [String]
        var isAtRest: Bool
    }

    /// The data of osdp_MFGREP: the question's octet, then text, or for `rest` one octet. Of the faults their number,
    /// and as many whole codes as fit.
    func answer(_ state: State) -> [UInt8] {
        switch self {
        case .identity: return [rawValue] + "\(state.version) \(state.deviceID)".utf8
        case .faults:
            var octets = [rawValue, UInt8(clamping: state.faults.count)]
            for code in state.faults {
                let word = (octets.count > 2 ? " " : "") + code
                guard octets.count + word.utf8.count <= OSDPDevice.manufacturerLimit else { break }
                octets += word.utf8
            }
            return octets
        case .rest: return [rawValue, state.isAtRest ? 1 : 0]
        }
    }
}
