// SPDX-License-Identifier: Apache-2.0

import Octets
public import MatterTLV

/// The complete content of discovery at a time: Bluetooth LE and DNS-SD.
public struct MatterAdvertisement: Equatable, Sendable {
    /// A node that can be commissioned.
    public struct Commissionable: Equatable, Sendable {
        /// The discriminator, 12 bits.
        public var discriminator: UInt16
        /// The manufacturer.
        public var vendor: VendorID
        /// The product.
        public var product: ProductID
        /// The type of the device on endpoint 1.
        public var deviceType: DeviceTypeID
        /// The device's name, at most 32 octets.
        public var name: String
        /// `CM`: 1 for the label's code, 2 for the code of an administrator's window.
        public var mode: UInt8
        /// The pairing hint.
        public var pairingHint: UInt16
        /// The instance of `_matterc._udp`: 8 octets, different for each window.
        public var instance: [UInt8]
        /// True if the node also advertises over Bluetooth LE.
        public var isOverBluetooth: Bool

        /// The 8 octets of service data for FFF6 (Matter Core 5.4.2.5.6).
        public var serviceData: [UInt8] {
            var data: [UInt8] = [0]
            data.append(littleEndian: discriminator & 0xFFF)
            data.append(littleEndian: vendor.rawValue)
            data.append(littleEndian: product.rawValue)
            data.append(0)
            return data
        }

        /// The name of the instance of `_matterc._udp`.
        public var instanceName: String { Hexadecimal.text(instance).uppercased() }

        /// The subtypes of `_matterc._udp`.
        public var subtypes: [String] {
            [
                "_L\(discriminator)", "_S\(discriminator >> 8)", "_V\(vendor.rawValue)", "_T\(deviceType.rawValue)",
                "_CM",
            ]
        }

        /// The keys and values of the TXT record.
        public var text: [(key: String, value: String)] {
            [
                ("D", "\(discriminator)"), ("CM", "\(mode)"), ("VP", "\(vendor.rawValue)+\(product.rawValue)"),
                ("DT", "\(deviceType.rawValue)"), ("DN", name), ("PH", "\(pairingHint)"),
                ("SII", "500"), ("SAI", "300"), ("SAT", "4000"), ("T", "0"),
            ]
        }
    }

    /// A fabric on which the node can be reached.
    public struct Operational: Hashable, Sendable {
        /// The compressed fabric identifier, 8 octets.
        public var compressedFabric: [UInt8]
        /// The node's identifier on the fabric.
        public var node: NodeID

        /// The name of the instance of `_matter._tcp`.
        public var instanceName: String {
            var octets = compressedFabric
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                octets.append(UInt8(truncatingIfNeeded: node.rawValue >> shift))
            }
            let text = Hexadecimal.text(octets).uppercased()
            return "\(text.prefix(16))-\(text.dropFirst(16))"
        }

        /// The subtype of `_matter._tcp`.
        public var subtype: String { "_I\(Hexadecimal.text(compressedFabric).uppercased())" }

        /// The keys and values of the TXT record.
        public var text: [(key: String, value: String)] {
            [("SII", "500"), ("SAI", "300"), ("SAT", "4000"), ("T", "0")]
        }
    }

    /// The commissionable node; nil while no window is open, or a commissioner is connected.
    public var commissionable: Commissionable?
    /// The node on its fabrics, in the order of their indices.
    public var operational: [Operational] = []
}
