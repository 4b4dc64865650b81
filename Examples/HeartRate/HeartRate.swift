// A heart-rate sensor (Heart Rate Service 1.0) on the Peripheral library, in one file.
//
//     swift run heart-rate --hci hci-socket:0        the adapter hci0; it must be down, and needs CAP_NET_ADMIN
//     swift run heart-rate --hci tcp-client:127.0.0.1:6402
//
// Any phone with a heart-rate app finds it as "heart".

import Glibc
import HostLoop
import Peripheral
import Timekeeping

/// The sensor: a host with a database, and a measurement that is notified each second to who has subscribed.
struct HeartRateSensor: ~Copyable, HostedDevice {
    private var host: Host
    private let measurement: AttributeHandle
    private let controlPoint: AttributeHandle
    private var subscribers: [LinkID] = []
    private var nextBeat: Instant?
    private var beats: UInt8 = 60

    init(address: BluetoothAddress) throws(DatabaseError) {
        var builder = DatabaseBuilder()
        builder.addGAPService(name: "heart", appearance: 0x0341)  // Heart Rate Belt
        builder.addService(BluetoothUUID(0x180D))
        measurement = builder.addCharacteristic(BluetoothUUID(0x2A37), properties: .notify)
        builder.addCharacteristic(
            BluetoothUUID(0x2A38), properties: .read, value: .stored([0x01]))  // Body Sensor Location: chest
        controlPoint = builder.addCharacteristic(BluetoothUUID(0x2A39), properties: .write)
        host = Host(database: try builder.build(), configuration: HostConfiguration())
        host.configure(advertising: [
            AdvertisingSet(
                id: 0, address: address,
                data: [2, 0x01, 0x06, 3, 0x03, 0x0D, 0x18, 6, 0x09] + Array("heart".utf8), scanResponse: [],
                interval: .milliseconds(100))
        ])
    }

    mutating func start(at now: Instant) {
        host.start(at: now)
        takeEvents(at: now)
    }

    mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        host.receive(packet, at: now)
        takeEvents(at: now)
    }

    mutating func advance(to now: Instant) {
        host.advance(to: now)
        takeEvents(at: now)
        guard let beat = nextBeat, beat <= now else { return }
        nextBeat = now + .seconds(1)
        beats = beats < 99 ? beats + 1 : 60
        // Flags: the rate has 8 bits (Heart Rate Service 1.0, 3.1.1.1).
        let value: [UInt8] = [0x00, beats]
        for link in subscribers { _ = host.notify(link, measurement, value.span, at: now) }
    }

    var nextDeadline: Instant? {
        guard let beat = nextBeat else { return host.nextDeadline }
        return host.nextDeadline.map { min($0, beat) } ?? beat
    }

    mutating func popPacket(into packet: inout [UInt8]) -> Bool { host.outbound.popFirst(into: &packet) }

    private mutating func takeEvents(at now: Instant) {
        while let event = host.nextEvent() {
            switch event {
            case .subscribed(let link, measurement, let configuration):
                subscribers.removeAll { $0 == link }
                if configuration.contains(.notification) { subscribers.append(link) }
            case .disconnected(let link, _): subscribers.removeAll { $0 == link }
            case .written(_, controlPoint, let value) where Array(host.eventOctets[value]) == [0x01]:
                beats = 60  // "Reset Energy Expended"; this sensor has none, and starts its measurement anew
            default: break
            }
        }
        nextBeat = subscribers.isEmpty ? nil : nextBeat ?? now + .seconds(1)
    }
}

@main
enum HeartRate {
    static func main() {
        do {
            let arguments = CommandLine.arguments
            guard arguments.count == 3, arguments[1] == "--hci" else {
                throw HostLoopError(description: "name the controller, as: heart-rate --hci hci-socket:0")
            }
            let address = BluetoothAddress.randomStatic(from: UInt64.random(in: .min ... .max))
            let loop = try HostLoop(HeartRateSensor(address: address), on: TransportName(arguments[2]))
            try loop.run { _ in }
        } catch {
            let line = "heart-rate: \(error)\n"
            _ = write(STDERR_FILENO, line, line.utf8.count)
            exit(1)
        }
    }
}
