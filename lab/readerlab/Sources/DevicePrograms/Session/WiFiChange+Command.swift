// SPDX-License-Identifier: Apache-2.0

package import Devices
package import Emulation
import WiFi

extension WiFiChange {
    /// The change that a command requests; nil for other commands, and for a name or a passphrase that is too long.
    package init?(_ command: EmulationCommand) {
        switch command {
        case .wifi(let isUp): self = .all(isUp: isUp)
        case .dhcp(let isUp): self = .addresses(isUp: isUp)
        case .network(let target, let change):
            guard let selection = WiFiSelection(target) else { return nil }
            switch change {
            case .isUp(let isUp): self = .power(selection, isUp: isUp)
            case .signal(let level): self = .signal(selection, Int8(clamping: level))
            case .passphrase(let text):
                guard let passphrase = WiFiPassphrase(Array(text.utf8)) else { return nil }
                self = .passphrase(selection, passphrase)
            }
        default: return nil
        }
    }

    /// A sentence about the change, which never contains a passphrase.
    package var words: String {
        switch self {
        case .all(let isUp): isUp ? "the access points are back" : "the access points are gone"
        case .power(let selection, let isUp): "\(selection) is \(isUp ? "back" : "gone")"
        case .passphrase(let selection, _): "\(selection) has another passphrase"
        case .signal(let selection, let level): "\(selection) is received with \(level) dBm"
        case .addresses(let isUp): isUp ? "addresses are assigned again" : "no addresses are assigned any more"
        }
    }
}

extension WiFiSelection {
    /// The access points of a command; nil for a name that is too long.
    fileprivate init?(_ target: NetworkTarget) {
        switch target {
        case .network(let text):
            guard let name = WiFiName(text) else { return nil }
            self = .network(name)
        case .accessPoint(let octets):
            guard let address = WiFiAddress(octets) else { return nil }
            self = .accessPoint(address)
        }
    }
}

extension EmulationCommand {
    /// A sentence about a network that cannot be changed as requested.
    package var problemOfNetwork: String {
        guard case .network(let target, let change) = self else { return "nothing has changed" }
        let what =
            switch target {
            case .network(let name): "network \(name.debugDescription)"
            case .accessPoint(let octets): "access point \(WiFiAddress(octets)?.description ?? "")"
            }
        if case .passphrase = change {
            return "there is no \(what) with a passphrase, or the new one does not suit its security"
        }
        return "there is no \(what)"
    }
}
