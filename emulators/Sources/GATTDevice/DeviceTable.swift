// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// A device as described by a file: its attributes, its advertising and its behaviour.
public struct DeviceTable: Sendable {
    /// The reaction to a write of a value that is not stored.
    struct Reaction: Equatable, Sendable {
        /// The clients that are notified.
        enum Audience: String, Equatable, Sendable, CaseIterable {
            /// The client that wrote.
            case echo
            /// Every client that has subscribed.
            case notify
        }

        var audience: Audience
        /// The value that is notified: the written one itself, or another of the same service.
        var target: AttributeHandle
        /// True if the target is another value, whose value changes as well.
        var changesTarget: Bool
    }

    /// A value that is notified or indicated by itself.
    struct Rhythm: Equatable, Sendable {
        /// One sending.
        struct Beat: Equatable, Sendable {
            /// The time since the previous one, or since the first subscription.
            var after: Duration
            var octets: [UInt8]
        }

        var value: AttributeHandle
        /// Sent in a cycle; never empty.
        var beats: [Beat]
        /// True for a recording, which begins again with each first subscription, and whose values are not read.
        var isRecorded: Bool
    }

    /// A value held by the device instead of the server, so that reads are reported.
    struct DynamicValue: Equatable, Sendable {
        var octets: [UInt8]
        var maximumCount: Int
        /// The values of a client's second read and the following ones; the last stays.
        var later: [[UInt8]] = []

        /// Replaces the value; a longer one is cut to the maximum.
        mutating func set(_ octets: [UInt8]) {
            self.octets = Array(octets.prefix(maximumCount))
            later = []
        }

        /// The value of a client's read, counted from 0.
        func octets(ofRead number: Int) -> [UInt8] {
            number <= 0 || later.isEmpty ? octets : later[min(number, later.count) - 1]
        }
    }

    /// The minimum period of a notified value: the shortest connection interval is 7.5 ms.
    static let shortestRhythm = Duration.milliseconds(10)
    /// The maximum length of a file in octets. A server with an attribute for each handle would be longer, but the
    /// largest known device has a few hundred attributes.
    public static let maximumFileCount = 1_048_576
    /// The range of SPSMs for dynamic allocation (Core 5.4, Vol 3, Part A, 4.22).
    public static let channelNumbers: ClosedRange<Int> = 0x80...0xFF
    /// The maximum length of a name, from the Device Name characteristic (Core 5.4, Vol 3, Part C, 12.1).
    public static let maximumNameCount = DatabaseBuilder.maximumNameCount
    /// The maximum ATT_MTU that can be configured; a longer one carries nothing more.
    public static let maximumMTU = 517

    /// The advertised name, and the Device Name if the file has no Generic Access service.
    public internal(set) var name: String
    /// The offered ATT_MTU, 23 to 517.
    public internal(set) var mtu: Int
    /// The SPSM of a channel service that echoes SDUs; nil for none.
    public internal(set) var echoChannel: UInt16?
    /// The attribute database.
    public internal(set) var database: AttributeDatabase
    /// The primary services in file order, without Generic Access and Generic Attribute, each once.
    public internal(set) var services: [BluetoothUUID]
    /// The advertising sets, 1 to `DeviceAdvertising.maximumSets`: the file's sets, or a single set with the services
    /// and the name.
    public internal(set) var advertising: [DeviceAdvertising]
    /// True if the file describes the advertising.
    public internal(set) var hasOwnAdvertising: Bool
    /// The contents that the device's source does not show or that cannot be played, a line each.
    public var remarks: [String] = []
    /// The behaviour of a profile; nil for a device from a file.
    var logic: (any ProfileLogic)?
    /// The types of the attributes that can be written, subscribed to or notified, by handle.
    var types: [AttributeHandle: BluetoothUUID]
    var reactions: [AttributeHandle: Reaction]
    /// The values that are sent to a client that writes certain octets to them.
    var answers: [AttributeHandle: [[UInt8]: [UInt8]]]
    var rhythms: [Rhythm]
    /// The accesses of clients to a value, which have steps: reading, writing, notification.
    var accesses: [AttributeHandle: CharacteristicProperties]
    /// Values that are held outside the database.
    var dynamicValues: [AttributeHandle: DynamicValue]

    /// The remark that the packets made of services and name have no room for all of them; nil if they do.
    public var advertisingOmission: String? {
        guard !hasOwnAdvertising, let packets = advertising.first else { return nil }
        var size = DeviceAdvertising.flagsCount
        for length in Set(services.map(\.encodedCount)) {
            size += 2 + length * services.count { $0.encodedCount == length }
        }
        let isWhole = size == packets.data.count && packets.scanResponse.count == 2 + name.utf8.count
        return isWhole ? nil : "not all of its services and name fit its packets, which \"advertising\" can choose"
    }
}
