// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// Reads the features of a customer extension file in order (access protocol, 7): a size of two octets, itself
/// included, then tag, length and value.
///
/// A tag is an octet up to 0x7F, or `81` and one octet, or `82` and two, and a length likewise; the shortest form is
/// not required. Only zeros may follow the file's own size.
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
    /// - Throws: −245 for too many features, −246 for a value above the limit, −247 for a length that is invalid or
    ///   exceeds the file, −248 for an invalid tag.
    public mutating func next(_ bytes: Span<UInt8>) throws(StatusCode) -> (tag: UInt16, value: Range<Int>)? {
        let end = min(end, bytes.count)
        guard position < end else { return nil }
        guard features < OSSExtensionReader.featureLimit else { throw .extensionTooManyFeatures }
        features += 1
        guard let tag = number(bytes, end) else { throw .extensionTag }
        guard let length = number(bytes, end) else { throw .extensionLength }
        guard length <= OSSExtensionReader.valueLimit else { throw .extensionValueTooLarge }
        guard Int(length) <= end - position else { throw .extensionLength }
        let value = position..<position + Int(length)
        position = value.upperBound
        return (tag, value)
    }

    private mutating func number(_ bytes: Span<UInt8>, _ end: Int) -> UInt16? {
        guard position < end else { return nil }
        let first = bytes[position]
        let count: Int
        switch first {
        case ...0x7F: count = 0
        case 0x81: count = 1
        case 0x82: count = 2
        default: return nil
        }
        guard end - position > count else { return nil }
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

    /// The start of the validity in the file that is all of `bytes`; nil if there is none, the latest if there are
    /// several. Other valid features are skipped.
    ///
    /// - Throws: as `OSSExtensionReader` does, −247 for a start of other than six octets, −233 for one that is no
    ///   timestamp.
    public static func startOfValidity(_ bytes: Span<UInt8>) throws(StatusCode) -> OSSTimestamp? {
        var reader = try OSSExtensionReader(bytes)
        var start: OSSTimestamp?
        while let (tag, range) = try reader.next(bytes) {
            guard tag == startOfValidityTag else { continue }
            guard range.count == OSSTimestamp.octetCount else { throw .extensionLength }
            let timestamp = try OSSTimestamp(octets: bytes.extracting(range))
            start = max(start ?? timestamp, timestamp)
        }
        return start
    }

    /// Appends the file.
    ///
    /// - Throws: −245 for more than 8 features, −246 for a value of more than 64 octets.
    public func append(to octets: inout [UInt8]) throws(StatusCode) {
        guard features.count <= OSSExtensionReader.featureLimit else { throw .extensionTooManyFeatures }
        var body: [UInt8] = []
        for feature in features {
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
