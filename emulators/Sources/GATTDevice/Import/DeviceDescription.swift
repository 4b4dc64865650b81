// SPDX-License-Identifier: Apache-2.0

import JSON
import Octets
public import Peripheral
import Timekeeping

/// A description of a device, made of a file of another kind: a capture of HCI traffic, or an export of nRF Connect.
///
/// ```swift
/// let made = try DeviceDescription(importing: octets)
/// let table = try DeviceTable(json: made.json)
/// for remark in made.remarks { print(remark) }
/// ```
public struct DeviceDescription: Sendable {
    /// The maximum length of a file in octets.
    public static let maximumFileCount = CaptureReader.maximumFileCount

    /// The description, as `DeviceTable` reads it.
    public let json: [UInt8]
    /// The contents that the file does not show or that cannot be played, a line each.
    public let remarks: [String]

    /// Makes the description of a file's device.
    ///
    /// - Parameters:
    ///   - file: btsnoop, pcapng, or an XML export of nRF Connect.
    ///   - peer: the device, if a capture has several; by default the only one whose services it shows.
    /// - Throws: `DeviceImportFault` for the first error.
    public init(importing file: [UInt8], peer: BluetoothAddress? = nil) throws(DeviceImportFault) {
        guard file.count <= DeviceDescription.maximumFileCount else {
            throw DeviceImportFault(
                .file, "has more than \(DeviceDescription.maximumFileCount) octets: cut the capture to one session")
        }
        if DeviceDescription.isText(file) {
            self = try NRFConnectExport.description(of: file)
            return
        }
        var recording = CaptureRecording()
        var reader = try CaptureReader(file.span)
        while let packet = try reader.next(file.span) { recording.receive(packet) }
        self = try recording.description(of: peer)
    }

    /// The description of these parts.
    ///
    /// - Throws: a fault if the description is longer than a device file, or has a fault.
    init(_ text: DescriptionText, remarks: [String]) throws(DeviceImportFault) {
        json = Array(text.text.utf8)
        self.remarks = DeviceDescription.limited(remarks)
        guard json.count <= DeviceTable.maximumFileCount else {
            throw DeviceImportFault(
                .file, "makes a description of \(json.count) octets, and \(DeviceTable.maximumFileCount) are the most")
        }
        do throws(DeviceFault) { _ = try DeviceTable(json: json) } catch {
            throw DeviceImportFault(.file, "its description has a fault: \(error)")
        }
    }

    /// The number of remarks that are kept.
    private static let maximumRemarks = 64

    private static func limited(_ remarks: [String]) -> [String] {
        guard remarks.count > maximumRemarks else { return remarks }
        return remarks.prefix(maximumRemarks) + ["and \(remarks.count - maximumRemarks) more such lines"]
    }

    /// True if the first character is `<`, after white space and a byte order mark.
    private static func isText(_ file: [UInt8]) -> Bool {
        let start = file.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        return file.dropFirst(start).first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
    }
}

/// The text of a description, in the raw form.
struct DescriptionText {
    /// An attribute of a service.
    struct Attribute {
        var handle: UInt16
        var type: BluetoothUUID
        var permissions: [String]
        var value: [UInt8]
        /// Further members, each as `"name": value`.
        var more: [String] = []

        fileprivate var text: String {
            let permissions = permissions.map { "\"\($0)\"" }.joined(separator: ", ")
            let members =
                [
                    "\"handle\": \(handle)", "\"type\": \"\(type)\"", "\"permissions\": [\(permissions)]",
                    "\"value\": \"\(Hexadecimal.text(value))\"",
                ] + more
            return "{" + members.joined(separator: ", ") + "}"
        }
    }

    /// A service with its attributes, without the declaration.
    struct Service {
        var uuid: BluetoothUUID
        var isPrimary: Bool
        var start: UInt16
        var end: UInt16
        var attributes: [Attribute] = []

        fileprivate var text: String {
            var octets: [UInt8] = []
            uuid.append(to: &octets)
            let declaration = Attribute(
                handle: start, type: isPrimary ? .primaryService : .secondaryService, permissions: ["read"],
                value: octets)
            let lines = ([declaration] + attributes).map { "      " + $0.text }.joined(separator: ",\n")
            return """
                    {"uuid": "\(uuid)", "primary": \(isPrimary), "start": \(start), "end": \(end), "attributes": [
                \(lines)
                    ]}
                """
        }
    }

    var name: String
    var mtu: Int?
    /// The sets; empty for packets with the services and the name.
    var advertising: [RecordedAdvertising.Packet] = []
    var services: [Service]

    /// The name within the limits of a description: at most 248 octets, at least one.
    static func name(_ text: String?) -> String {
        var name = text ?? ""
        while name.utf8.count > DeviceTable.maximumNameCount { name.removeLast() }
        return name.isEmpty ? "device" : name
    }

    /// The description.
    var text: String {
        var members = ["\"name\": \(JSONObject.quoted(name))"]
        if let mtu { members.append("\"mtu\": \(mtu)") }
        if !advertising.isEmpty {
            let sets = advertising.map { "    " + DescriptionText.text($0) }.joined(separator: ",\n")
            members.append("\"advertising\": [\n\(sets)\n  ]")
        }
        members.append("\"services\": [\n\(services.map(\.text).joined(separator: ",\n"))\n  ]")
        return "{\n  " + members.joined(separator: ",\n  ") + "\n}\n"
    }

    private static func text(_ packet: RecordedAdvertising.Packet) -> String {
        var members = ["\"packet\": \"\(Hexadecimal.text(packet.data))\""]
        if packet.kind != .nonConnectable, !packet.scanResponse.isEmpty {
            members.append("\"scan-response\": \"\(Hexadecimal.text(packet.scanResponse))\"")
        }
        switch packet.kind {
        case .connectable: break
        case .scannable: members.append("\"kind\": \"scannable\"")
        case .nonConnectable: members.append("\"kind\": \"non-connectable\"")
        }
        if let interval = packet.interval {
            members.append("\"interval\": \"\(interval.wholeMilliseconds) ms\"")
        }
        return "{" + members.joined(separator: ", ") + "}"
    }
}
