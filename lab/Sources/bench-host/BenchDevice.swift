// SPDX-License-Identifier: Apache-2.0

import LoadGenerator
import Octets
import Peripheral
import Timekeeping

/// The measured device: this project's host with the table of the load generator. A value, like every device.
struct BenchDevice: ~Copyable {
    private enum Attribute {
        static let setID: UInt8 = 1
        static let address = BluetoothAddress.randomStatic(from: 0x1122_3344_5566)
    }

    var host: Host
    private let handles: Handles
    /// The remaining notifications of each link, and their length.
    private var orders: [Order]
    /// The number of received write commands.
    private var commands: UInt32 = 0
    private var value: [UInt8] = []
    private var control: [UInt8] = []

    private struct Handles {
        var command: AttributeHandle
        var notify: AttributeHandle
        var control: AttributeHandle
    }

    private struct Order {
        var remaining: UInt32 = 0
        var count = 0
    }

    /// The device, with room for `links` links.
    init(links: Int) throws(DatabaseError) {
        var builder = DatabaseBuilder()
        builder.addGAPService(name: "bench", appearance: 0)
        builder.addService(BenchTable.service)
        func add(
            _ characteristic: BenchTable.Characteristic, _ properties: CharacteristicProperties,
            _ value: AttributeValue
        ) -> AttributeHandle {
            builder.addCharacteristic(characteristic.uuid, properties: properties, value: value)
        }
        let read = [UInt8](repeating: 0x55, count: BenchTable.readCount)
        _ = add(.read, .read, .static(read, maximumCount: BenchTable.readCount))
        _ = add(.write, .write, .static([], maximumCount: BenchTable.longestCount))
        handles = Handles(
            command: add(.command, .writeWithoutResponse, .writeOnly),
            notify: add(.notify, .notify, .writeOnly),
            control: add(.control, .write, .writeOnly))
        var configuration = HostConfiguration()
        configuration.links = links
        host = Host(database: try builder.build(), configuration: configuration)
        orders = Array(repeating: Order(), count: links)
        host.configure(advertising: [
            AdvertisingSet(
                id: Attribute.setID, address: Attribute.address, data: [0x02, 0x01, 0x06], scanResponse: [],
                interval: .milliseconds(20))
        ])
    }

    /// Handles the pending events. Call this after every input.
    mutating func settle(at now: Instant) {
        while let event = host.nextEvent() { receive(event, at: now) }
    }

    private mutating func receive(_ event: HostEvent, at now: Instant) {
        switch event {
        case .written(let link, let handle, let range): written(link, handle, range, at: now)
        case .writable(let link): notify(link, at: now)
        case .connected(let link, _), .disconnected(let link, _): orders[link.slot] = Order()
        default: break
        }
    }

    private mutating func written(_ link: LinkID, _ handle: AttributeHandle, _ range: Range<Int>, at now: Instant) {
        if handle == handles.command {
            commands &+= 1
        } else if handle == handles.control, range.count == 6 {
            control.removeAll(keepingCapacity: true)
            control.append(contentsOf: host.eventOctets[range])
            var order = Order(count: Int(control[4]) | Int(control[5]) << 8)
            for index in (0..<4).reversed() { order.remaining = order.remaining << 8 | UInt32(control[index]) }
            order.count = min(max(order.count, 4), BenchTable.longestCount)
            orders[link.slot] = order
            notify(link, at: now)
        }
    }

    /// Notifies until everything is sent or the link's queue is full; `writable` continues.
    private mutating func notify(_ link: LinkID, at now: Instant) {
        let slot = link.slot
        guard orders[slot].remaining > 0 else { return }
        var octets: [UInt8] = []
        swap(&octets, &value)
        defer { swap(&octets, &value) }
        octets.removeAll(keepingCapacity: true)
        octets.append(littleEndian: commands)
        octets.append(contentsOf: repeatElement(0x55, count: orders[slot].count - 4))
        while orders[slot].remaining > 0 {
            switch host.notify(link, handles.notify, octets.span, at: now) {
            case .accepted: orders[slot].remaining -= 1
            case .busy: return
            case .notSubscribed, .gone, .tooLong: orders[slot].remaining = 0
            }
        }
    }
}
