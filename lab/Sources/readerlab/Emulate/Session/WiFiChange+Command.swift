// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulation
import WiFiProvisioning

extension WiFiChange {
    /// The change that a command asks for; nil for other commands, and for a name or a passphrase that is too long.
    init?(_ command: EmulationCommand) {
        switch command {
        case .wifi(let isUp): self = .all(isUp: isUp)
        case .dhcp(let isUp): self = .addresses(isUp: isUp)
        case .network(let text, let change):
            guard let name = WiFiName(text) else { return nil }
            switch change {
            case .isUp(let isUp): self = .network(name, isUp: isUp)
            case .signal(let level): self = .signal(name, Int8(clamping: level))
            case .passphrase(let text):
                guard let passphrase = WiFiPassphrase(Array(text.utf8)) else { return nil }
                self = .passphrase(name, passphrase)
            }
        default: return nil
        }
    }

    /// A sentence about the change that is made; never a passphrase.
    var words: String {
        switch self {
        case .all(let isUp): isUp ? "the access points are back" : "the access points are gone"
        case .network(let name, let isUp): "\(name) is \(isUp ? "back" : "gone")"
        case .passphrase(let name, _): "\(name) has another passphrase"
        case .signal(let name, let level): "\(name) is received with \(level) dBm"
        case .addresses(let isUp): isUp ? "addresses are assigned again" : "no addresses are assigned any more"
        }
    }
}

extension EmulationCommand {
    /// A sentence about a network that cannot be changed as the command says.
    var problemOfNetwork: String {
        guard case .network(let name, let change) = self else { return "nothing has changed" }
        if case .passphrase = change {
            return "there is no network \(name.debugDescription) with a passphrase, or the new one is too long"
        }
        return "there is no network \(name.debugDescription)"
    }
}
