// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Octets

extension MatterNotice: CustomStringConvertible {
    /// The step in one line.
    public var description: String {
        switch self {
        case .windowOpened(let kind, let author): "commissionable: \(kind)" + MatterNotice.by(author)
        case .windowClosed(let end): "no longer commissionable: \(end)"
        case .passcodeAttempt: "PASE begins"
        case .passcodeFailed(let count): "PASE failed: wrong passcode, \(count) of 20"
        case .passcodeAccepted: "PASE: the passcode is right"
        case .passcodeSessionEnded: "the PASE session has ended"
        case .sessionEstablished(let fabric, let node): "CASE session: \(MatterAuthor(fabric: fabric, node: node))"
        case .sessionEnded(let fabric, let node): "CASE session ended: \(MatterAuthor(fabric: fabric, node: node))"
        case .sessionDisplaced(let fabric, let node, let author):
            "CASE session of \(MatterAuthor(fabric: fabric, node: node)) ends with its subscriptions: too many sessions,"
                + " \(author) opens another one"
        case .failSafeArmed(let seconds, let byCommand):
            "fail-safe: \(seconds) s\(byCommand ? "" : ", armed by PASE")"
        case .failSafeExpired(let end): "fail-safe ended, all is undone: \(end)"
        case .command(_, _, let name, _, let outcome): "\(name): \(outcome)"
        case .fabricAdded(let fabric, let node): "fabric \(fabric.rawValue) added, node \(MatterAuthor.text(node))"
        case .fabricUpdated(let fabric): "credentials of fabric \(fabric.rawValue) replaced"
        case .commissioned(let fabric): "commissioned: fabric \(fabric.rawValue)"
        case .fabricRemoved(let fabric, let author): "fabric \(fabric.rawValue) removed" + MatterNotice.by(author)
        case .networkStored(let name): "network stored: \(MatterNotice.network(name))"
        case .networkJoined(let name, 0): "network joined: \(MatterNotice.network(name))"
        case .networkJoined(let name, let status): "network not joined: \(MatterNotice.network(name)), status \(status)"
        case .networkLost: "network lost"
        case .subscribed(let fabric, let subscription, let interval):
            "subscription \(MatterAuthor.hexadecimal(UInt64(subscription))) of fabric \(fabric.rawValue), at most "
                + "\(interval) s"
        case .unsubscribed(let subscription):
            "subscription \(MatterAuthor.hexadecimal(UInt64(subscription))) ended"
        case .lockOperation(let action, let source, let fabric, let node, let isRefused):
            "lock: \(action)\(isRefused ? " refused" : ""), by \(source)"
                + (fabric.flatMap { fabric in node.map { ", \(MatterAuthor(fabric: fabric, node: $0))" } } ?? "")
        case .pinRefused(let action, let author, let reason):
            "lock: \(action) refused, \(reason.text)\(MatterNotice.by(author))"
        case .identifying(let seconds): seconds == 0 ? "identified enough" : "identifies itself for \(seconds) s"
        case .storingFailed: "the state was not stored: the app gets no answer"
        case .faultInjected(let text): "fault: \(text)"
        case .factoryReset: "as delivered"
        case .refused(let text): "refused: \(text)"
        }
    }

    private static func by(_ author: MatterAuthor?) -> String { author.map { ", by \($0)" } ?? "" }

    /// An SSID as text; other identifiers as hexadecimal digits.
    private static func network(_ name: [UInt8]) -> String {
        name.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? String(decoding: name, as: UTF8.self) : Hexadecimal.text(name)
    }
}

extension PINRefusal {
    fileprivate var text: String {
        switch self {
        case .missing: "no PIN"
        case .wrong: "a wrong PIN"
        case .lastWrong: "a wrong PIN, and PINs are disabled for a time"
        case .disabled: "PINs are disabled for a time"
        }
    }
}

extension MatterAuthor: CustomStringConvertible {
    /// Fabric and node.
    public var description: String { "fabric \(fabric.rawValue), node \(MatterAuthor.text(node))" }

    fileprivate static func text(_ node: NodeID) -> String { hexadecimal(node.rawValue) }

    fileprivate static func hexadecimal(_ number: UInt64) -> String {
        "0x" + String(number, radix: 16, uppercase: true)
    }
}

extension WindowKind: CustomStringConvertible {
    /// The code that opens it.
    public var description: String {
        switch self {
        case .label: "the label's code"
        case .enhanced: "a code of an administrator's"
        case .basic: "the label's code, opened by an administrator"
        }
    }
}

extension WindowEnd: CustomStringConvertible {
    /// The cause in a few words.
    public var description: String {
        switch self {
        case .commissioned: "commissioned"
        case .timeout: "its time is over"
        case .revoked: "revoked"
        case .tooManyFailures: "twenty wrong passcodes"
        case .closed: "closed by hand"
        case .programLost: "the connection to the reader is lost"
        case .fabricRemoved: "the fabric is removed"
        }
    }
}

extension FailSafeEnd: CustomStringConvertible {
    /// The cause in a few words.
    public var description: String {
        switch self {
        case .timeout: "its time is over"
        case .disarmed: "disarmed by the app"
        case .revoked: "revoked"
        case .fabricRemoved: "its fabric is removed"
        case .sessionLost: "the connection is lost"
        case .factoryReset: "forgotten by hand"
        }
    }
}

extension LockAction: CustomStringConvertible {
    /// The movement.
    public var description: String {
        switch self {
        case .lock: "lock"
        case .unlock: "unlock"
        case .unbolt: "unbolt"
        }
    }
}

extension LockSource: CustomStringConvertible {
    /// The name in the specification (OperationSourceEnum), as words.
    public var description: String {
        switch self {
        case .unspecified: "an unspecified source"
        case .manual: "hand"
        case .proprietaryRemote: "proprietary remote"
        case .keypad: "keypad"
        case .auto: "the lock itself"
        case .button: "button"
        case .schedule: "schedule"
        case .remote: "remote"
        case .rfid: "RFID"
        case .biometric: "biometrics"
        case .aliro: "Aliro"
        }
    }
}

extension MatterActuation: CustomStringConvertible {
    /// The movement.
    public var description: String {
        switch self {
        case .lock: "lock"
        case .unlock: "unlock"
        case .unlatch: "unlatch"
        case .power(let isOn): isOn ? "on" : "off"
        case .identify(seconds: 0): "identification ends"
        case .identify(let seconds): "identifies itself for \(seconds) s"
        case .effect(let number): "effect \(number)"
        }
    }
}

extension MatterStateError: CustomStringConvertible {
    /// The fault in one line.
    public var description: String {
        switch self {
        case .damaged: "the stored state is damaged"
        case .unknownVersion(let version): "the stored state has the unknown version \(version)"
        case .invalidFabric(let index): "the certificates or the key of fabric \(index.rawValue) do not agree"
        }
    }
}
