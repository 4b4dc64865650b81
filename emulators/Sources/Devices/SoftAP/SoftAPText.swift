// SPDX-License-Identifier: Apache-2.0

import Octets
internal import Timekeeping
import WiFi
import WiFiStation

extension WiFiJoinFailure {
    /// The name in files and in `GET /prov/status`.
    var word: String {
        switch self {
        case .authentication: "auth"
        case .networkNotFound: "not-found"
        case .timeout: "timeout"
        case .address: "ip"
        case .other: "failed"
        }
    }
}

extension SoftAPNotice {
    /// The name of the event in machine-readable output.
    public var word: String {
        switch self {
        case .scanned: "scanned"
        case .scanFailed: "scan-failed"
        case .accessPointUp: "access-point-up"
        case .answered: "answered"
        case .unanswered: "unanswered"
        case .refused: "refused"
        case .leftOver: "left-over"
        case .stored: "stored"
        case .accessPointDown: "access-point-down"
        case .joining: "joining"
        case .joined: "joined"
        case .joinFailed: "join-failed"
        case .lost: "lost"
        case .fault: "fault"
        case .connectionFailed: "connection-failed"
        case .restarting: "restarting"
        }
    }
}

extension SoftAPNotice: CustomStringConvertible {
    /// One line for the user.
    public var description: String {
        switch self {
        case .scanned(let count): "\(count) networks found"
        case .scanFailed: "the Wi-Fi station cannot look for networks"
        case .accessPointUp: "ready to be configured"
        case .answered(let method, let target, let status): "\(method) \(target): \(status)"
        case .unanswered(let method, let target): "\(method) \(target): no answer, connection closed"
        case .refused(let why): "refused: \(why)"
        case .leftOver(let count):
            "the firmware puts \(count) octets of a refused body before this one; start it again to be rid of them"
        case .stored(let name, let security, let count):
            "stored \(name), \(security.word), passphrase of \(count) octets"
        case .accessPointDown: "the access point goes down"
        case .joining(let step): "joining: \(step.word)"
        case .joined(let name, let address): "joined \(name) as \(address)"
        case .joinFailed(let why): "not joined: \(why.word)"
        case .lost: "the network is gone"
        case .fault(let fault): "fault: \(fault)"
        case .connectionFailed(let why, _): "connection failed: \(why)"
        case .restarting(.connection): "starting again: a failed connection is fatal to the firmware"
        case .restarting(.scan): "starting again: a failed scan is fatal to the firmware"
        case .restarting(.button): "starting again: the button was pressed"
        }
    }
}

extension WiFiJoinStep {
    fileprivate var word: String {
        switch self {
        case .authentication: "authentication"
        case .association: "association"
        case .obtainingAddress: "waiting for an address"
        }
    }
}

extension SoftAPFault: CustomStringConvertible {
    /// The syntax of options.
    public var description: String {
        let place = place?.word ?? "connect"
        return switch kind {
        case .delay(let delay): "\(place):delay=\(delay.wholeMilliseconds)"
        case .status(let status): "\(place):status=\(status)"
        case .close: "\(place):close"
        case .lost: "\(place):lost"
        case .body(let body): "\(place):body=\(Hexadecimal.text(body))"
        case .cut(let count): "\(place):cut=\(count)"
        }
    }
}
