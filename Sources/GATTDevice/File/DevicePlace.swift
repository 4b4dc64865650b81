import JSON
import Peripheral
import Timekeeping

/// A node of a device file with the way to it, read as what it has to be.
struct DevicePlace {
    let node: JSONNode
    let path: String

    /// The whole file.
    init(file octets: [UInt8]) throws(DeviceFault) {
        do throws(JSONFault) { self.init(try JSONParser.parse(octets), "") } catch {
            throw DeviceFault(line: error.line, path: "", error.problem)
        }
    }

    private init(_ node: JSONNode, _ path: String) {
        self.node = node
        self.path = path
    }

    /// A fault at this place.
    func fault(_ problem: String) -> DeviceFault { DeviceFault(line: node.line, path: path, problem) }

    /// The members of an object, which may only have these names.
    func members(_ known: [String]) throws(DeviceFault) -> DeviceMembers {
        guard case .object(let members) = node.content else { throw fault("is \(node.kind), and must be an object") }
        for member in members where !known.contains(member.name) {
            let place = path.isEmpty ? member.name : "\(path).\(member.name)"
            throw DeviceFault(line: member.line, path: place, "unknown key; here are \(known.joined(separator: ", "))")
        }
        return DeviceMembers(place: self, members: members)
    }

    /// The members' names, for deciding by which form a thing is described.
    func has(_ name: String) -> Bool {
        guard case .object(let members) = node.content else { return false }
        return members.contains { $0.name == name }
    }

    /// The place of a member.
    func member(_ member: JSONNode.Member) -> DevicePlace {
        DevicePlace(member.value, path.isEmpty ? member.name : "\(path).\(member.name)")
    }

    /// The places of a list's elements.
    func elements() throws(DeviceFault) -> [DevicePlace] {
        guard case .array(let elements) = node.content else { throw fault("is \(node.kind), and must be a list") }
        return elements.enumerated().map { DevicePlace($1, "\(path)[\($0)]") }
    }

    /// A text.
    func text() throws(DeviceFault) -> String {
        guard case .string(let text) = node.content else { throw fault("is \(node.kind), and must be text") }
        return text
    }

    /// One of these words.
    func word(_ known: [String]) throws(DeviceFault) -> String {
        let text = try text()
        guard known.contains(text) else {
            throw fault("\(text.debugDescription) is not known; write \(known.joined(separator: ", "))")
        }
        return text
    }

    /// True or false.
    func boolean() throws(DeviceFault) -> Bool {
        guard case .boolean(let value) = node.content else { throw fault("is \(node.kind), and must be true or false") }
        return value
    }

    /// A whole number in this range.
    func number(_ range: ClosedRange<Int>) throws(DeviceFault) -> Int {
        guard case .number(let text) = node.content else { throw fault("is \(node.kind), and must be a number") }
        guard let value = Int(text), range.contains(value) else {
            throw fault("\(text) is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// An attribute's handle.
    func handle() throws(DeviceFault) -> UInt16 {
        // The range leaves nothing to be cut off.
        UInt16(truncatingIfNeeded: try number(1...0xFFFF))
    }

    /// A UUID of 16 or 128 bits.
    func uuid() throws(DeviceFault) -> BluetoothUUID {
        let text = try text()
        guard let uuid = BluetoothUUID(text) else {
            throw fault(
                "\(text.debugDescription) is no UUID; write four hexadecimal digits, or 36 characters with hyphens")
        }
        return uuid
    }

    /// Octets, two hexadecimal digits each, as they go over the air.
    func octets(maximum: Int = AttributeDatabase.maximumValueCount) throws(DeviceFault) -> [UInt8] {
        let digits = Array(try text().utf8)
        guard digits.count.isMultiple(of: 2) else {
            throw fault("has \(digits.count) hexadecimal digits; two make an octet")
        }
        var octets: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Character(UnicodeScalar(digits[index])).hexDigitValue,
                let low = Character(UnicodeScalar(digits[index + 1])).hexDigitValue
            else { throw fault("has something else than hexadecimal digits at character \(index + 1)") }
            octets.append(UInt8(truncatingIfNeeded: high << 4 | low))
        }
        guard octets.count <= maximum else { throw fault("has \(octets.count) octets, and \(maximum) are the most") }
        return octets
    }

    /// A time, as `250 ms` or `1 s`, within a day.
    func duration(atLeast: Duration) throws(DeviceFault) -> Duration {
        let text = try text()
        let digits = text.prefix { ("0"..."9").contains($0) }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        let scale: Int64? = unit == "ms" ? 1 : unit == "s" ? 1000 : nil
        guard digits.count <= 9, let count = Int64(digits), let scale else {
            throw fault("\(text.debugDescription) is no time; write it as \"250 ms\" or \"1 s\"")
        }
        let duration = Duration.milliseconds(count * scale)
        guard (atLeast ... .seconds(86_400)).contains(duration) else {
            throw fault("\(text) is out of range: \(atLeast.wholeMilliseconds) ms to 86400 s")
        }
        return duration
    }
}

/// The members of an object.
struct DeviceMembers {
    let place: DevicePlace
    let members: [JSONNode.Member]

    /// The member of this name, if it is there.
    subscript(_ name: String) -> DevicePlace? {
        members.first { $0.name == name }.map(place.member)
    }

    /// The member of this name.
    func required(_ name: String) throws(DeviceFault) -> DevicePlace {
        guard let found = self[name] else { throw place.fault("lacks \"\(name)\"") }
        return found
    }
}
