// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// The services of a recorded table, as a description has them.
extension RecordedTable {
    /// The services in the order of their handles; the contents that the capture does not show are remarked.
    func services(_ remarks: inout [String]) throws(DeviceImportFault) -> [DescriptionText.Service] {
        var services: [DescriptionText.Service] = []
        let handles = RecordedHandles(self)
        for (start, service) in self.services.sorted(by: { $0.key < $1.key }) {
            guard start > 0, service.end >= start, start > services.last?.end ?? 0 else {
                throw DeviceImportFault(
                    .file,
                    "shows a service at handles \(start) to \(service.end), which another one has too: the device has "
                        + "changed; capture one connection")
            }
            var attributes = ServiceAttributes(self, handles, service.uuid, start, service.end)
            services.append(
                DescriptionText.Service(
                    uuid: service.uuid, isPrimary: service.isPrimary, start: start, end: service.end,
                    attributes: attributes.all()))
            remarks += attributes.remarks
        }
        var outside: [UInt16] = []
        var index = 0
        for handle in values.keys.sorted() {
            while index < services.count, services[index].end < handle { index += 1 }
            if index == services.count || handle < services[index].start { outside.append(handle) }
        }
        if !outside.isEmpty {
            let handles = outside.prefix(8).map { "\($0)" }.joined(separator: ", ")
            remarks.append("values of handles \(handles) are in no service that the capture shows: left out")
        }
        return services
    }
}

/// The handles of a table in their order: a service's are found by binary search.
private struct RecordedHandles {
    let includes: [UInt16]
    let declarations: [UInt16]
    let types: [UInt16]

    init(_ table: RecordedTable) {
        includes = table.includes.keys.sorted()
        declarations = table.declarations.keys.sorted()
        types = table.types.keys.sorted()
    }

    static func slice(_ handles: [UInt16], _ range: ClosedRange<UInt16>) -> ArraySlice<UInt16> {
        let first = lowerBound(handles, range.lowerBound)
        return handles[first..<(range.upperBound == .max ? handles.count : lowerBound(handles, range.upperBound + 1))]
    }

    /// The index of the first handle that is not less.
    private static func lowerBound(_ handles: [UInt16], _ handle: UInt16) -> Int {
        var (low, high) = (0, handles.count)
        while low < high {
            let middle = (low + high) / 2
            if handles[middle] < handle { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The attributes of one service.
private struct ServiceAttributes {
    private let table: RecordedTable
    private let handles: RecordedHandles
    private let uuid: BluetoothUUID
    private let start: UInt16
    private let end: UInt16
    private var attributes: [UInt16: DescriptionText.Attribute] = [:]
    var remarks: [String] = []

    init(
        _ table: RecordedTable, _ handles: RecordedHandles, _ uuid: BluetoothUUID, _ start: UInt16, _ end: UInt16
    ) {
        (self.table, self.handles, self.uuid, self.start, self.end) = (table, handles, uuid, start, end)
    }

    /// The attributes after the declaration, in the order of their handles.
    mutating func all() -> [DescriptionText.Attribute] {
        guard start < end else { return [] }
        let range = (start + 1)...end
        for handle in RecordedHandles.slice(handles.includes, range) {
            attributes[handle] = DescriptionText.Attribute(
                handle: handle, type: .include, permissions: ["read"], value: table.includes[handle] ?? [])
        }
        let declared = Array(RecordedHandles.slice(handles.declarations, range))
        for (index, handle) in declared.enumerated() {
            // Handles of a characteristic end before the next declaration.
            let last = index + 1 < declared.count ? declared[index + 1] - 1 : end
            addCharacteristic(handle, through: last)
        }
        if declared.isEmpty, attributes.isEmpty {
            remarks.append("service \(uuid): the capture shows no characteristics")
        }
        for handle in RecordedHandles.slice(handles.types, range) where attributes[handle] == nil {
            let type = table.types[handle].map { "\($0)" } ?? ""
            remarks.append("handle \(handle) (\(type)) is in no characteristic that the capture shows: left out")
        }
        return attributes.values.sorted { $0.handle < $1.handle }
    }

    private mutating func addCharacteristic(_ handle: UInt16, through last: UInt16) {
        guard let octets = table.declarations[handle], let declaration = CharacteristicDeclaration(octets),
            declaration.value.rawValue > handle, declaration.value.rawValue <= last,
            !ServiceAttributes.structure.contains(declaration.uuid)
        else {
            return remarks.append("the declaration at handle \(handle) has no value before the next one: left out")
        }
        attributes[handle] = DescriptionText.Attribute(
            handle: handle, type: .characteristic, permissions: ["read"], value: octets)
        let descriptors = descriptors(of: declaration, through: last)
        let isConfigured = descriptors.contains { table.types[$0] == .clientConfiguration }
        addValue(declaration, isConfigured: isConfigured)
        for descriptor in descriptors { addDescriptor(descriptor) }
        guard !isConfigured, !declaration.properties.isDisjoint(with: [.notify, .indicate]) else { return }
        let value = declaration.value.rawValue
        remarks.append(
            "\(declaration.uuid) (handle \(value)) is sent, and the capture does not show its configuration (2902): "
                + "clients cannot subscribe")
    }

    /// The types of attributes that make the structure of a table.
    private static let structure: Set<BluetoothUUID> = [
        .primaryService, .secondaryService, .include, .characteristic, .clientConfiguration,
    ]

    // MARK: - Values

    private mutating func addValue(_ declaration: CharacteristicDeclaration, isConfigured: Bool) {
        let (handle, properties) = (declaration.value.rawValue, declaration.properties)
        let value = table.values[handle] ?? RecordedValue()
        let name = "\(declaration.uuid) (handle \(handle))"
        var permissions: [String] = []
        if properties.contains(.read) {
            if value.refusedRead == .readNotPermitted {
                remarks.append("\(name) was declared as readable, and a read was not permitted: nor is it here")
            } else {
                permissions.append(value.asksForSecurity.reading ? "read_encrypt" : "read")
            }
            remarkReads(value, name)
        }
        if !properties.isDisjoint(with: [.write, .writeWithoutResponse]), value.refusedWrite != .writeNotPermitted {
            permissions.append(value.asksForSecurity.writing ? "write_encrypt" : "write")
        }
        if value.asksForSecurity != (false, false) {
            remarks.append("\(name) asked for a secure link: here an encrypted one, of any pairing")
        }
        var attribute = DescriptionText.Attribute(
            handle: handle, type: declaration.uuid, permissions: permissions, value: value.reads.first ?? [])
        addRecording(value, isConfigured ? properties : properties.subtracting([.notify, .indicate]), name, &attribute)
        attributes[handle] = attribute
    }

    private mutating func remarkReads(_ value: RecordedValue, _ name: String) {
        if value.reads.isEmpty, let error = value.refusedRead, error != .readNotPermitted {
            let code = error.rawValue.padded(to: 2, radix: 16, uppercase: true)
            remarks.append("\(name): a read was refused with 0x\(code): its value is empty")
        } else if value.reads.isEmpty {
            remarks.append("\(name) was never read: its value is empty")
        }
        if value.isCut { remarks.append("\(name) may be longer than its \(value.reads.last?.count ?? 0) octets shown") }
    }

    /// Adds the later values of reads, the sent values with their times, and the answers to writes.
    private mutating func addRecording(
        _ value: RecordedValue, _ properties: CharacteristicProperties, _ name: String,
        _ attribute: inout DescriptionText.Attribute
    ) {
        if value.reads.count > 1, attribute.permissions.contains(where: { $0.hasPrefix("read") }) {
            let values = value.reads.dropFirst().map { "\"\(Hexadecimal.text($0))\"" }.joined(separator: ", ")
            attribute.more.append("\"later-values\": [\(values)]")
        }
        if value.left > 0 { remarks.append("\(name): \(value.left) more values than are kept") }
        guard !value.sent.isEmpty, !properties.isDisjoint(with: [.notify, .indicate]) else { return }
        let isWritten = attribute.permissions.contains { $0.hasPrefix("write") }
        let answers = isWritten ? value.sent.filter { $0.answering != nil } : []
        let sends = value.sent.filter { !isWritten || $0.answering == nil }
        if !answers.isEmpty { attribute.more.append("\"answers\": [\(ServiceAttributes.answers(answers))]") }
        guard !sends.isEmpty else { return }
        let texts = sends.map { sent in
            // Whole milliseconds, at least one, at most a day.
            let after = min(max(1, sent.after / 1000), 86_400_000)
            return "{\"after\": \"\(after) ms\", \"value\": \"\(ServiceAttributes.text(sent))\"}"
        }
        attribute.more.append("\"sends\": [\(texts.joined(separator: ", "))]")
    }

    private static func text(_ sent: RecordedValue.Sent) -> String {
        Hexadecimal.text(sent.octets.prefix(AttributeDatabase.maximumValueCount))
    }

    /// The first answer to each written value.
    private static func answers(_ sent: [RecordedValue.Sent]) -> String {
        var seen: Set<[UInt8]> = []
        var texts: [String] = []
        for sent in sent {
            let written = Array((sent.answering ?? []).prefix(AttributeDatabase.maximumValueCount))
            guard seen.insert(written).inserted else { continue }
            texts.append("{\"to\": \"\(Hexadecimal.text(written))\", \"value\": \"\(text(sent))\"}")
        }
        return texts.joined(separator: ", ")
    }

    // MARK: - Descriptors

    /// The handles of the descriptors; of several client characteristic configurations, the first.
    private func descriptors(of declaration: CharacteristicDeclaration, through last: UInt16) -> [UInt16] {
        let value = declaration.value.rawValue
        guard value < last else { return [] }
        var isConfigured = false
        return RecordedHandles.slice(handles.types, (value + 1)...last).filter { handle in
            guard let type = table.types[handle], attributes[handle] == nil else { return false }
            guard type == .clientConfiguration else { return !ServiceAttributes.structure.contains(type) }
            defer { isConfigured = true }
            return !isConfigured
        }
    }

    private mutating func addDescriptor(_ handle: UInt16) {
        guard let type = table.types[handle] else { return }
        let value = table.values[handle] ?? RecordedValue()
        var permissions = [value.asksForSecurity.reading ? "read_encrypt" : "read"]
        if type == .clientConfiguration || value.written != nil {
            permissions.append(value.asksForSecurity.writing ? "write_encrypt" : "write")
        }
        let isConfiguration = type == .clientConfiguration
        if !isConfiguration, value.reads.isEmpty {
            remarks.append("descriptor \(type) (handle \(handle)) was never read: its value is empty")
        }
        attributes[handle] = DescriptionText.Attribute(
            handle: handle, type: type, permissions: permissions,
            value: isConfiguration ? [0, 0] : value.reads.first ?? [])
    }
}
