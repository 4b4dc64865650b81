// SPDX-License-Identifier: Apache-2.0

public import MatterNode
import MatterTLV
import Octets

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
        return .event(text(notice))
    }

    private static func text(_ notice: MatterNotice) -> String {
        switch notice {
        case .windowOpened(let kind): "commissionable: \(text(kind))"
        case .windowClosed(let end): "no longer commissionable: \(text(end))"
        case .passcodeAttempt: "PASE begins"
        case .passcodeFailed(let count): "PASE failed: wrong passcode, \(count) of 20"
        case .passcodeAccepted: "PASE: the passcode is right"
        case .passcodeSessionEnded: "the PASE session has ended"
        case .sessionEstablished(let fabric, let node): "CASE session: \(peer(fabric, node))"
        case .sessionEnded(let fabric, let node): "CASE session ended: \(peer(fabric, node))"
        case .failSafeArmed(let seconds, let byCommand):
            "fail-safe: \(seconds) s\(byCommand ? "" : ", armed by PASE")"
        case .failSafeExpired(let end): "fail-safe ended, all is undone: \(text(end))"
        case .command(_, _, let name, _, let outcome): "\(name): \(outcome)"
        case .fabricAdded(let fabric, let node): "fabric \(fabric.rawValue) added, node \(hexadecimal(node.rawValue))"
        case .fabricUpdated(let fabric): "credentials of fabric \(fabric.rawValue) replaced"
        case .commissioned(let fabric): "commissioned: fabric \(fabric.rawValue)"
        case .fabricRemoved(let fabric): "fabric \(fabric.rawValue) removed"
        case .networkStored(let name): "network stored: \(network(name))"
        case .networkJoined(let name, 0): "network joined: \(network(name))"
        case .networkJoined(let name, let status): "network not joined: \(network(name)), status \(status)"
        case .networkLost: "network lost"
        case .subscribed(let fabric, let subscription, let interval):
            "subscription \(hexadecimal(UInt64(subscription))) of fabric \(fabric.rawValue), at most \(interval) s"
        case .unsubscribed(let subscription): "subscription \(hexadecimal(UInt64(subscription))) ended"
        case .lockOperation(let action, let source, let fabric, let node, let isRefused):
            "lock: \(action)\(isRefused ? " refused" : ""), by \(source)"
                + (fabric.flatMap { fabric in node.map { ", \(peer(fabric, $0))" } } ?? "")
        case .identifying(let seconds): seconds == 0 ? "identified enough" : "identifies itself for \(seconds) s"
        case .storingFailed: "the state was not stored: the app gets no answer"
        case .faultInjected(let text): "fault: \(text)"
        case .factoryReset: "as delivered"
        case .refused(let text): "refused: \(text)"
        }
    }

    private static func text(_ kind: WindowKind) -> String {
        switch kind {
        case .label: "the label's code"
        case .enhanced: "a code of an administrator's"
        case .basic: "the label's code, opened by an administrator"
        }
    }

    private static func text(_ end: WindowEnd) -> String {
        switch end {
        case .commissioned: "commissioned"
        case .timeout: "its time is over"
        case .revoked: "revoked"
        case .tooManyFailures: "twenty wrong passcodes"
        case .closed: "closed by hand"
        }
    }

    private static func text(_ end: FailSafeEnd) -> String {
        switch end {
        case .timeout: "its time is over"
        case .disarmed: "disarmed by the app"
        case .revoked: "revoked"
        case .fabricRemoved: "its fabric is removed"
        case .sessionLost: "the connection is lost"
        case .factoryReset: "forgotten by hand"
        }
    }

    private static func peer(_ fabric: FabricIndex, _ node: NodeID) -> String {
        "fabric \(fabric.rawValue), node \(hexadecimal(node.rawValue))"
    }

    private static func hexadecimal(_ number: UInt64) -> String { "0x" + String(number, radix: 16, uppercase: true) }

    /// An SSID as text; other identifiers as hexadecimal digits.
    private static func network(_ name: [UInt8]) -> String {
        name.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? String(decoding: name, as: UTF8.self) : Hexadecimal.text(name)
    }
}
