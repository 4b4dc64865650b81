// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Phone
import Timekeeping

/// The complete discovery of a client: services, characteristics, descriptors (Core 5.4, Vol 3, Part G, 4.4.1, 4.6.1,
/// 4.7.1). A value: the response to one request goes in, the next request comes out.
struct Discovery {
    private static let all = AttributeHandle(rawValue: 0x0001)...AttributeHandle(rawValue: 0xFFFF)

    private var client = GATTClient(exchangedMTU: Int(LoadController.mtu))
    private var descriptors: [RemoteDescriptor] = []
    /// The characteristics in handle order.
    private(set) var characteristics: [RemoteCharacteristic] = []
    /// The next request; nil after the last one, or after a response that is none.
    private(set) var request: [UInt8]?

    init() {
        let operations: [GATTOperation] = [
            .discoverServices, .discoverCharacteristics(in: Discovery.all), .discoverDescriptors(in: Discovery.all),
        ]
        for operation in operations { client.start(operation, at: .origin) }
        advance()
    }

    /// Handles the response to the last request. An error, or a response that does not advance the discovery, ends
    /// the step.
    mutating func receive(_ pdu: [UInt8]) {
        client.receive(pdu.span, at: .origin)
        while let event = client.nextEvent() {
            switch event {
            case .completed(_, .success(.characteristics(let found))): characteristics = found
            case .completed(_, .success(.descriptors(let found))): descriptors = found
            default: break
            }
        }
        advance()
    }

    private mutating func advance() {
        var pdu: [UInt8] = []
        request = client.nextPDU(into: &pdu) ? pdu : nil
    }

    /// The value handle of the first characteristic with this UUID.
    func value(_ uuid: BluetoothUUID) -> UInt16? {
        characteristics.first { $0.uuid == uuid }?.value.rawValue
    }

    /// The handle of the first client characteristic configuration after a value.
    func configuration(after value: UInt16) -> UInt16? {
        descriptors.first { $0.uuid == .clientConfiguration && $0.handle.rawValue > value }?.handle.rawValue
    }
}
