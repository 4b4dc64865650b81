// SPDX-License-Identifier: Apache-2.0

public import MatterInteraction
public import Timekeeping

/// Messages without a session, for the fuzzer: it has no keys.
@_spi(Fuzzing)
extension MatterNode {
    /// Handles a message of the interaction model as if a session of `accessor` had delivered it.
    public mutating func deliver(
        _ opcode: UInt8, _ payload: [UInt8], exchange: UInt32, by accessor: Accessor, at now: Moment
    ) {
        input(now) { node, now in
            node.server.receive(
                opcode, payload, exchange: exchange, by: accessor, model: &node.model, at: now,
                effects: &node.interactionEffects)
        }
    }

    /// The endpoints with their clusters.
    public var endpoints: [EndpointDeclaration] { model.endpoints }
}
