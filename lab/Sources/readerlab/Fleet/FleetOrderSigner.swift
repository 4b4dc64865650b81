// SPDX-License-Identifier: Apache-2.0

import Fleet

/// The order of a command line, signed when it is to leave: its time begins then.
struct FleetOrderSigner {
    private let command: FleetOrderCommand
    private let signer: FleetSigner

    init(_ command: FleetOrderCommand) throws(EmulationError) {
        self.command = command
        signer = try FleetSigner(reader: command.reader, site: command.site, commandKey: command.commandKey)
    }

    /// The reader's identifier in topics.
    var device: String { signer.device }
    /// The reader's name and its terminal key.
    var reader: FleetSite.Reader { signer.reader }

    /// The order, and its octets.
    func sign() throws(EmulationError) -> (order: FleetOrder, message: [UInt8]) {
        let stamp = try signer.stamp()
        let order = FleetOrder(
            command.command, to: device, name: reader.name, key: signer.key.id, id: stamp.id, counter: stamp.counter,
            now: stamp.now, seconds: command.valid)
        return (order, try signer.key.message(order.order))
    }
}
