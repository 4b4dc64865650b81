// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Testing

@testable import MatterSession
@testable import MatterTestSupport

/// Channels with a session.
enum SessionRig {
    /// A PASE session with the passcode 20202021.
    static func pase(from peer: TransportPeer = .host(1)) throws -> (rig: ChannelRig, session: TestSession) {
        let rig = ChannelRig()
        rig.channel.acceptPASE(try PASEInitiator.parameters())
        let initiator = try PASEInitiator()
        let session = try initiator.establish(with: rig, from: peer).session
        rig.channel.acceptPASE(nil)
        _ = rig.take()
        return (rig, session)
    }
}
