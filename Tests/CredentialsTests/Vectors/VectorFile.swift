// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The values of a file in Tests/Vectors by path, such as `nfc/standard/apdus/0/command`, and which of them a test has
/// read: a vector without a consumer is a finding.
final class VectorFile {
    private var values: [String: String] = [:]
    private(set) var unread: Set<String> = []

    /// The octets of a file.
    static func data(_ name: String) throws -> Data {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return try Data(contentsOf: root.appendingPathComponent("Vectors/\(name).json"))
    }

    init(_ name: String) throws {
        add(try JSONSerialization.jsonObject(with: VectorFile.data(name)), at: "")
        unread = Set(values.keys).filter { !["about", "source", "why"].contains($0.split(separator: "/").last) }
    }

    private func add(_ value: Any, at path: String) {
        let prefix = path.isEmpty ? "" : "\(path)/"
        switch value {
        case let members as [String: Any]: for (name, member) in members { add(member, at: prefix + name) }
        case let items as [Any]: for (index, item) in items.enumerated() { add(item, at: "\(prefix)\(index)") }
        default: values[path] = "\(value)"
        }
    }

    /// The text at a path, which must be there.
    func text(_ path: String, _ location: SourceLocation = #_sourceLocation) -> String {
        unread.remove(path)
        if values[path] == nil { Issue.record("no vector \(path)", sourceLocation: location) }
        return values[path] ?? ""
    }

    /// The octets at a path, which must be there.
    func octets(_ path: String, _ location: SourceLocation = #_sourceLocation) -> [UInt8] {
        TestSupport.octets(text(path, location))
    }

    func has(_ path: String) -> Bool { values[path] != nil || values.keys.contains { $0.hasPrefix("\(path)/") } }

    /// The number of items of a list.
    func count(_ path: String) -> Int { (0...).first { !has("\(path)/\($0)") } ?? 0 }

    /// Values that are no concern of the reader, with the reason.
    func skip(_ paths: [String], because _: String) { for path in paths { _ = text(path) } }

    /// Verifies that each value was read.
    func isConsumed(_ location: SourceLocation = #_sourceLocation) {
        #expect(unread.sorted() == [], sourceLocation: location)
        #expect(values.count > 20, sourceLocation: location)
    }
}
