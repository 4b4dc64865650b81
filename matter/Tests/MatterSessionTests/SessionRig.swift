// SPDX-License-Identifier: Apache-2.0

import MatterCredentials
import MatterTLV
import Testing

@testable import MatterSession
@testable import MatterTestSupport

/// Channels that are ready for sessions.
enum SessionRig {
    /// A PASE session with the passcode 20202021.
    static func pase(from peer: TransportPeer = .host(1)) throws -> (rig: ChannelRig, session: TestSession) {
        let rig = ChannelRig()
        rig.channel.acceptPASE(try PASEInitiator.parameters())
        let initiator = try PASEInitiator()
        let session = try initiator.establish(with: rig, from: peer).session
        rig.channel.acceptPASE(nil)
        _ = rig.drain()
        return (rig, session)
    }

    /// A channel of a node that is on a fabric.
    static func fabric() throws -> (rig: ChannelRig, fabric: TestFabric, identity: OperationalIdentity) {
        let rig = ChannelRig()
        let fabric = try TestFabric()
        let identity = try fabric.identity()
        rig.channel.setFabrics([identity], effects: &rig.effects)
        return (rig, fabric, identity)
    }
}
