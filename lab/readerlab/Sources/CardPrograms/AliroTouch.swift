// SPDX-License-Identifier: Apache-2.0

package import Contactless
package import JSON
import Octets

/// The touch of an Aliro phone: its phase, the reader's status, and findings about the reader.
package struct AliroTouch: TouchReport {
    private let tap: AliroPhone.Tap
    private let fault: AliroPhoneFault?
    package let findings: [String]

    /// The touch of this phone that is over.
    package init(_ phone: AliroPhone) { (tap, fault, findings) = (phone.tap, phone.fault, phone.findings) }

    package var sentence: String {
        if let fault, let misfit = tap.misfit { return "\(fault.name) cannot be made of the response: \(misfit)" }
        if let fault, tap.hasFailed { return "\(fault.name): the phone \(fault.action); \(ending)" }
        return tap.phase == .none ? ending : "\(tap.phase.rawValue) phase; \(ending)"
    }

    private var ending: String {
        if let status = tap.status {
            return tap.isGranted
                ? "the reader opens (\(Hexadecimal.text(status)))" : "the reader refuses (\(Hexadecimal.text(status)))"
        }
        if let control = tap.control { return "the reader ends by CONTROL FLOW \(Hexadecimal.text(control))" }
        return "the reader ends without a status"
    }

    package var members: JSONObject {
        [
            "phase": tap.phase.rawValue, "status": tap.status.map { Hexadecimal.text($0) },
            "control": tap.control.map { Hexadecimal.text($0) }, "fault": tap.hasFailed ? fault?.name : nil,
        ]
    }

    /// With a fault, a reader without findings; otherwise an opening.
    package var isSuccess: Bool { tap.misfit == nil && (fault != nil ? findings.isEmpty : tap.isGranted) }
}

/// A row of the faults of Aliro phones and readers.
package struct AliroFaultRow {
    /// The side that fails: `phone` or `reader`.
    package let side: String
    /// The fault's name.
    package let name: String
    /// The reaction of the other side, if it is right.
    package let reaction: String
    /// The action of the failing side.
    package let action: String
    /// True if the phone has to carry an access document.
    package var needsDocument = false
    /// True if an issuer has to sign the document with the fault.
    package var needsIssuer = false

    /// All faults.
    package static let all =
        AliroPhoneFault.all.map {
            AliroFaultRow(
                side: "phone", name: $0.name, reaction: text($0.reaction), action: $0.action,
                needsDocument: $0.needsDocument, needsIssuer: $0.needsIssuer)
        }
        + AliroReaderFault.all.map {
            AliroFaultRow(side: "reader", name: $0.name, reaction: text($0.reaction), action: $0.action)
        }

    private static func text(_ reaction: AliroPhoneFault.Reaction) -> String {
        switch reaction {
        case .refuses: "refuses"
        case .goesOn: "goes on"
        case .staysShut: "stays shut"
        case .hasOpened: "has opened"
        case .needsClock: "needs a clock"
        }
    }

    private static func text(_ reaction: AliroReaderFault.Reaction) -> String {
        switch reaction {
        case .refuses(let word): "refuses with \(word)"
        case .goesOn: "goes on"
        }
    }
}
