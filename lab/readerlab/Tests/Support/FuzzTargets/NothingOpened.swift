// SPDX-License-Identifier: Apache-2.0

import Reader

/// A finding if an effect is one that takes a signed token other than a PING.
func requireNothingOpened(_ effects: [ReaderEffect]) {
    for effect in effects {
        switch effect {
        case .door(.setLock(energised: true), _):
            finding("the lock has current, and nobody has shown a token that opens")
        case .notice(.executed(_, let credential, let command, _)):
            require(command == "PING" && credential == "CRED000001", "executed: \(command), which nobody signed")
        case .notice(.decided): finding("a decision about a credential, which nobody signed")
        case .notice(.door(let event)): require(event.isUnlocked != true, "the door is unlocked")
        default: break
        }
    }
}
