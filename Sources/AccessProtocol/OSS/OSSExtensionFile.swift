// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// Reads the features of a customer extension file in order (access protocol, 7): a size of two octets, itself
/// included, then tag, length and value.
///
/// A tag is an octet up to 0x7F, or `81` and one octet, or `82` and two, and never 0. A length is written likewise, and
/// may be 0. The shortest form is not required. Only zeros may follow the file's own size.
public struct OSSExtensionReader: Sendable {
    /// The maximum length of a value in octets.
    public static let valueLimit = 64
    /// The maximum number of features.
    public static let featureLimit = 8
    /// The maximum length of a file in octets: its size, and the maximum number of features of maximum length.
    public static let sizeLimit = 2 + featureLimit * (3 + 3 + valueLimit)

    private var position = 2
    private let end: Int
    private var features = 0

    /// Reads the size of the file that is all of `bytes`.
    ///
    /// - Throws: −243 for a size above the limit, −6 for a truncated file, −244 for a size that excludes itself, and
    ///   for surplus octets.
    public init(_ bytes: Span<UInt8>) throws(StatusCode) {
        guard bytes.count >= 2 else { throw .endOfFile }
        let size = Int(bytes[0]) << 8 | Int(bytes[1])
        guard size <= OSSExtensionReader.sizeLimit else { throw .extensionTooLarge }
        guard size >= 2 else { throw .extensionInvalidSize }
        guard size <= bytes.count else { throw .endOfFile }
        for index in size..<bytes.count where bytes[index] != 0 { throw .extensionInvalidSize }
        end = size
    }

    /// The next feature's tag and the range of its value; nil after the last.
    ///
    /// - Throws: −245 for too many features, −246 for a value above the limit, −247 for an invalid length, −248 for an
    ///   invalid tag, −7 for a feature that exceeds the file.
    public mutating func next(_ bytes: Span<UInt8>) throws(StatusCode) -> (tag: UInt16, value: Range<Int>)? {
        let end = min(end, bytes.count)
        guard position < end else { return nil }
        guard features < OSSExtensionReader.featureLimit else { throw .extensionTooManyFeatures }
        features += 1
        let tag = try number(bytes, end, invalid: .extensionTag)
        guard tag != 0 else { throw .extensionTag }
        let length = try number(bytes, end, invalid: .extensionLength)
        guard length <= OSSExtensionReader.valueLimit else { throw .extensionValueTooLarge }
        guard Int(length) <= end - position else { throw .overflow }
        let value = position..<position + Int(length)
        position = value.upperBound
        return (tag, value)
    }

    /// Reads a number of one to three octets.
    ///
    /// - Throws: `invalid` for another first octet, −7 at the end of the file.
    private mutating func number(
        _ bytes: Span<UInt8>, _ end: Int, invalid: StatusCode
    ) throws(StatusCode) -> UInt16 {
        guard position < end else { throw .overflow }
        let first = bytes[position]
        let count: Int
        switch first {
        case ...0x7F: count = 0
        case 0x81: count = 1
        case 0x82: count = 2
        default: throw invalid
        }
        guard end - position > count else { throw .overflow }
        var number = count == 0 ? UInt16(first) : 0
        for index in position + 1..<position + 1 + count { number = number << 8 | UInt16(bytes[index]) }
        position += 1 + count
        return number
    }
}

/// The customer extension file of an OSS Standard Offline credential.
public struct OSSExtensionFile: Equatable, Sendable {
    /// True if `bytes` is acceptable where the data file announces no extension file: nothing, or the header of a
    /// file without features, `0002`, which the access system's own client writes there.
    public static func isAbsent(_ bytes: Span<UInt8>) -> Bool {
        bytes.isEmpty || bytes.count == 2 && bytes[0] == 0 && bytes[1] == 2
    }

    /// The tag of the feature that holds the start of the validity.
    public static let startOfValidityTag: UInt16 = 0x01

    /// A feature, whose tag determines its meaning.
    public struct Feature: Equatable, Sendable {
        /// The tag.
        public var tag: UInt16
        /// The value, at most 64 octets.
        public var value: [UInt8]

        /// A feature with this value.
        public init(tag: UInt16, value: [UInt8]) {
            self.tag = tag
            self.value = value
        }
    }

    /// The features in order.
    public var features: [Feature]

    /// A file with the start of the validity only.
    public init(startOfValidity start: OSSTimestamp) {
        var value: [UInt8] = []
        start.append(to: &value)
        features = [Feature(tag: OSSExtensionFile.startOfValidityTag, value: value)]
    }

    /// Reads a file from all of `bytes`.
    ///
    /// - Throws: as `OSSExtensionReader` does.
    public init(decoding bytes: Span<UInt8>) throws(StatusCode) {
        var reader = try OSSExtensionReader(bytes)
        features = []
        while let (tag, range) = try reader.next(bytes) {
            features.append(Feature(tag: tag, value: range.map { bytes[$0] }))
        }
    }

    /// The start of the validity in an extension file.
    public enum Start: Equatable, Sendable {
        /// There is none.
        case absent
        /// This minute; the latest if there are several.
        case at(OSSTimestamp)
        /// A start of other than six octets, or one that is no timestamp.
        case unreadable
    }

    /// Reads the start of the validity from the file that is all of `bytes`. All other features are validated and
    /// skipped.
    ///
    /// - Throws: as `OSSExtensionReader` does.
    public static func startOfValidity(_ bytes: Span<UInt8>) throws(StatusCode) -> Start {
        var reader = try OSSExtensionReader(bytes)
        var start = Start.absent
        while let (tag, range) = try reader.next(bytes) {
            guard tag == startOfValidityTag, start != .unreadable else { continue }
            guard let timestamp = try? OSSTimestamp(octets: bytes.extracting(range)) else {
                start = .unreadable
                continue
            }
            if case .at(let other) = start, other >= timestamp { continue }
            start = .at(timestamp)
        }
        return start
    }

    /// Appends the file.
    ///
    /// - Throws: −245 for more than 8 features, −246 for a value of more than 64 octets, −248 for tag 0.
    public func append(to octets: inout [UInt8]) throws(StatusCode) {
        guard features.count <= OSSExtensionReader.featureLimit else { throw .extensionTooManyFeatures }
        var body: [UInt8] = []
        for feature in features {
            guard feature.tag != 0 else { throw .extensionTag }
            guard feature.value.count <= OSSExtensionReader.valueLimit else { throw .extensionValueTooLarge }
            OSSExtensionFile.append(feature.tag, to: &body)
            OSSExtensionFile.append(UInt16(feature.value.count), to: &body)
            body += feature.value
        }
        octets.append(bigEndian: UInt16(body.count + 2))
        octets += body
    }

    private static func append(_ number: UInt16, to octets: inout [UInt8]) {
        switch number {
        case ...0x7F: octets.append(UInt8(number))
        case ...0xFF: octets += [0x81, UInt8(number)]
        default: octets += [0x82, UInt8(number >> 8), UInt8(number & 0xFF)]
        }
    }
}
