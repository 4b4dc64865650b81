// SPDX-License-Identifier: Apache-2.0

public import MatterNode
import MatterTLV

/// The text of a node's notices.
public enum MatterWords {
    /// The step and the text of a notice.
    ///
    /// A command is a request with a result; everything else is an event of the device.
    public enum Entry: Equatable, Sendable {
        /// A command of the app.
        case request(step: String, text: String, result: String)
        /// An event of the device.
        case event(String)
    }

    /// The entry of a notice.
    public static func entry(_ notice: MatterNotice) -> Entry {
        if case .command(_, _, let name, let fabric, let outcome) = notice {
            return .request(step: name, text: fabric.map { "fabric \($0.rawValue)" } ?? "PASE", result: outcome)
        }
        return .event(notice.description)
    }
}
