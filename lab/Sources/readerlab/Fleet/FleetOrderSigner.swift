// SPDX-License-Identifier: Apache-2.0

import Crypto
import Fleet
import Glibc

/// The order of a command line, signed when it is to leave: its time begins then, and its counter is on the disk.
struct FleetOrderSigner {
    private let command: FleetOrderCommand
    private let key: OrderKey
    /// The reader's identifier in topics.
    let device: String
    /// The reader's name and its terminal key.
    let reader: FleetSite.Reader

    init(_ command: FleetOrderCommand) throws(EmulationError) {
        self.command = command
        do throws(CredentialError) {
            let site = try FleetSite(CredentialStore.site(command.site), path: command.site)
            device = try site.device(of: command.reader)
            guard let reader = site.readers[device] else {
                throw CredentialError("\(command.site): has no key of \(command.reader)")
            }
            self.reader = reader
        } catch {
            throw FleetCommand.misuse(error.description)
        }
        key = try OrderKey(path: command.commandKey)
    }

    /// The order, and its octets.
    func sign() throws(EmulationError) -> (order: FleetOrder, message: [UInt8]) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let seconds = UInt64(clamping: now.tv_sec)
        let counter = try OrderCounter(keyPath: command.commandKey)
            .next(at: seconds * 1000 + UInt64(clamping: now.tv_nsec / 1_000_000))
        var random = SystemRandomSource()
        var id = [UInt8](repeating: 0, count: RemoteOrder.idCount)
        var span = id.mutableSpan
        random.fill(&span)
        let order = FleetOrder(
            command.command, to: device, name: reader.name, key: key.id, id: id, counter: counter, now: seconds,
            seconds: command.valid)
        return (order, try key.message(order.order))
    }
}
