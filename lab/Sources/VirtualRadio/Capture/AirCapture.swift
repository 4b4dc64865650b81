// SPDX-License-Identifier: Apache-2.0

import Octets
public import Timekeeping

/// The packets of an air in the pcapng format: for each controller an interface `air NAME` with the packets that its
/// radio sent and received, and `hci NAME` with the packets exchanged with its host; `events` with lines of text.
///
/// A value that gives octets. Equal runs give equal octets.
public struct AirCapture: Sendable {
    private enum Source: Hashable {
        case air(Int)
        case hci(Int)
        case events
    }

    /// The end of the tags before an exported PDU, and the tag that names its dissector (Wireshark, `exported_pdu.h`).
    private static let dissectorTag: UInt16 = 12
    private static let dissector = Array("syslog".utf8)
    /// Facility local0, severity informational (RFC 5424, 6.2.1).
    private static let priority = "<134>"

    private var blocks: PCAPNG
    private var interfaces: [Source: UInt32] = [:]
    /// The wall clock time of `Instant.origin`, in nanoseconds since 1970-01-01 UTC.
    private let epoch: Int64

    /// An empty capture.
    ///
    /// - Parameters:
    ///   - comment: the section's comment: what was captured, with its seed.
    ///   - application: the program and its version.
    ///   - epochAtOrigin: the wall clock time of `Instant.origin`, in nanoseconds since 1970-01-01 UTC.
    public init(comment: String, application: String, epochAtOrigin: Int64) {
        blocks = PCAPNG(comment: comment, application: application)
        epoch = epochAtOrigin
    }

    /// Removes and returns the octets so far. All of a capture, one after another, are its file.
    public mutating func drain() -> [UInt8] { blocks.drain() }

    /// Adds a line of text.
    public mutating func comment(_ text: String, at now: Instant) {
        var octets: [UInt8] = []
        octets.append(bigEndian: AirCapture.dissectorTag)
        let padding = (4 - AirCapture.dissector.count % 4) % 4
        octets.append(bigEndian: UInt16(AirCapture.dissector.count + padding))
        octets += AirCapture.dissector + [UInt8](repeating: 0, count: padding + 4)
        octets += Array((AirCapture.priority + text).utf8)
        add(octets, .events, "events", .exportedPDU, .inbound, at: now)
    }

    /// Adds a packet between a controller and its host, with its H4 type octet.
    mutating func host(_ packet: Span<UInt8>, of controller: VirtualController, isReceived: Bool, at now: Instant) {
        var octets: [UInt8] = [0, 0, 0, isReceived ? 1 : 0]
        octets.append(packet)
        add(
            octets, .hci(controller.index), "hci \(controller.name)", .hci, isReceived ? .inbound : .outbound, at: now)
    }

    /// Adds a packet that a controller sent; nil for `level`; or received.
    mutating func radio(_ packet: AirPacket, at controller: VirtualController, level: Int8?, at now: Instant) {
        add(
            packet.octets(level: level), .air(controller.index), "air \(controller.name)", .linkLayer,
            level == nil ? .outbound : .inbound, at: now)
    }

    private mutating func add(
        _ octets: [UInt8], _ source: Source, _ name: @autoclosure () -> String, _ type: PCAPNG.LinkType,
        _ direction: PCAPNG.Direction, at now: Instant
    ) {
        let interface: UInt32
        if let known = interfaces[source] {
            interface = known
        } else {
            interface = blocks.addInterface(name(), type)
            interfaces[source] = interface
        }
        let nanoseconds = UInt64(clamping: epoch &+ (now - .origin).wholeNanoseconds)
        blocks.add(octets, on: interface, direction, nanoseconds: nanoseconds)
    }
}
