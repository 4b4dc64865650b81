// SPDX-License-Identifier: Apache-2.0

import Timekeeping
public import WiFi

/// An event of a gateway's network, for its log; it never contains a passphrase.
public enum GatewayNotice: Equatable, Sendable, CustomStringConvertible {
    /// The provisioning window has opened for this duration.
    case opened(GatewayWindow.Cause, Duration)
    /// The provisioning window has closed.
    case closed(GatewayWindow.End)
    /// The supplicant is available, with this number of stored networks.
    case supplicantReady(networks: Int)
    /// The supplicant is unavailable.
    case supplicantGone
    /// A phone has connected during the window.
    case phoneConnected
    /// The phone has disconnected.
    case phoneGone
    /// A phone has configured a network, which is being joined.
    case trying(WiFiName)
    /// The gateway is connected to a network, by a phone's configuration or by the supplicant itself.
    case joined(WiFiName, IPv4Address)
    /// The network that a phone has configured could not be joined.
    case notJoined(WiFiName, WiFiJoinFailure)
    /// The connection to the network is lost.
    case lost
    /// A network has been stored.
    case kept(WiFiName)
    /// A phone has removed all networks.
    case forgotten
    /// The supplicant does not save its networks to its file.
    case notSaved

    /// One line.
    public var description: String {
        switch self {
        case .opened(let cause, let time):
            "provisioning: open for \(time.wholeMilliseconds / 1000) s (\(cause.words))"
        case .closed(let end): "provisioning: closed, \(end.words)"
        case .supplicantReady(let networks):
            "wifi: the supplicant is connected, and knows \(networks) networks"
        case .supplicantGone: "wifi: the supplicant has disconnected"
        case .phoneConnected: "provisioning: a phone has connected"
        case .phoneGone: "provisioning: the phone has disconnected"
        case .trying(let name):
            "provisioning: a phone has named the network \(name.description); trying it"
        case .joined(let name, let address): "wifi: in the network \(name.description) as \(address)"
        case .notJoined(let name, let failure):
            "provisioning: not in the network \(name.description): \(failure.words)"
        case .lost: "wifi: out of the network"
        case .kept(let name): "provisioning: the network \(name.description) is kept"
        case .forgotten: "provisioning: a phone has removed all networks"
        case .notSaved:
            "provisioning: the supplicant did not write its networks to its file, and will not know them when it starts again; "
                + "it needs update_config=1"
        }
    }

    /// True if the event requires attention.
    public var isWarning: Bool { self == .notSaved }
}

extension GatewayWindow.Cause {
    fileprivate var words: String {
        switch self {
        case .button: "the button"
        case .control: "an operator"
        case .firstBoot: "no network is known"
        }
    }
}

extension GatewayWindow.End {
    fileprivate var words: String {
        switch self {
        case .timeOver: "its time is over"
        case .done: "the network works"
        case .control: "an operator has closed it"
        case .shutDown: "the reader ends"
        }
    }
}

extension WiFiJoinFailure {
    fileprivate var words: String {
        switch self {
        case .authentication: "the passphrase is wrong, or it does not let this device in"
        case .networkNotFound: "no network of that name and protection was found"
        case .timeout: "it took too long"
        case .address: "no IPv4 address was assigned"
        case .other: "the supplicant could not join it"
        }
    }
}
