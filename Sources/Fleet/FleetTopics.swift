// SPDX-License-Identifier: Apache-2.0

import Octets

/// The topics of one reader, `acc/v1/<id>/…`.
///
/// The identifier is the device's in 16 hexadecimal digits, since its characters may have a meaning in topics.
public struct FleetTopics: Equatable, Sendable {
    /// The beginning of all topics of all readers.
    public static let root = "acc/v1"
    /// The length of a reader's identifier: two digits for each character of the device's.
    private static let deviceCount = 16
    /// The name of Home Assistant's own state.
    public static let homeAssistantStatus = "homeassistant/status"
    /// The filter of a back end for the events of all readers.
    public static let allEvents = "\(root)/+/up/ev"
    /// The filter of a back end for the states of all readers.
    public static let allStates = "\(root)/+/up/state"
    /// The filter of a back end for the firmware of all readers.
    public static let allFirmware = "\(root)/+/up/firmware"
    /// The filter of a back end for the presence of all readers.
    public static let allPresences = "\(root)/+/up/online"

    /// The reader's identifier in topics.
    public let device: String

    /// The topics of the reader with this identifier.
    public init(device: String) { self.device = device }

    /// The topics of the reader with this device identifier of 8 characters.
    public init(deviceID: String) { self.init(device: Hexadecimal.text(Array(deviceID.utf8))) }

    /// Retained `1`, or `0` by the will.
    public var online: String { up("online") }
    /// The retained state.
    public var state: String { up("state") }
    /// The retained version of the firmware.
    public var firmware: String { up("firmware") }
    /// Batches of events, never retained.
    public var events: String { up("ev") }
    /// Events for Home Assistant as they happen, never retained.
    public var occasions: String { up("ha") }
    /// The back end's mark, retained.
    public var mark: String { down("mark") }
    /// Signed orders, never retained.
    public var command: String { down("cmd") }
    /// The desired state, retained.
    public var desired: String { down("desired") }
    /// The filter of the chunks of the desired state, retained.
    public var desiredChunks: String { "\(desired)/+" }
    /// A chunk of the desired state.
    public func desiredChunk(_ index: Int) -> String { "\(desired)/\(index)" }
    /// The index of a chunk by its topic; nil for another topic.
    func index(ofChunk topic: String) -> Int? {
        guard topic.hasPrefix(desired + "/") else { return nil }
        let digits = topic.dropFirst(desired.utf8.count + 1)
        guard let index = Int(digits), "\(index)" == digits else { return nil }
        return index
    }
    /// The answers to orders, never retained.
    public var answers: String { up("res") }
    /// Home Assistant's discovery.
    public var discovery: String { "homeassistant/device/\(device)/config" }

    private func up(_ name: String) -> String { "\(FleetTopics.root)/\(device)/up/\(name)" }
    private func down(_ name: String) -> String { "\(FleetTopics.root)/\(device)/down/\(name)" }

    /// The identifier in a topic of a reader; nil for another topic.
    public static func device(of topic: String) -> String? {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "acc", parts[1] == "v1", isDevice(parts[2]) else { return nil }
        return String(parts[2])
    }

    /// True for an identifier: 16 hexadecimal digits, lower case.
    public static func isDevice(_ text: some StringProtocol) -> Bool {
        text.utf8.count == deviceCount && text.utf8.allSatisfy(isDigit)
    }

    private static func isDigit(_ octet: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(octet)
    }
}
