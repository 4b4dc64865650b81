// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The numbered checks of a reader: each is a test by its name, of the transaction or of the reader's service.
@Suite struct AliroCheckListTests {
    /// NFC, documents, Bluetooth LE (56 to 65), and the checks beyond certification.
    private static let numbers = Set(1...76)
    /// An optional descriptor of the reader, for which its maker needs a registered identifier.
    private static let omitted: Set<Int> = [10]

    /// The numbers of a name such as `Checks 2 to 5, 7: …`.
    private func numbers(of name: Substring) -> [Int] {
        name.split(separator: ",").flatMap { part -> [Int] in
            let bounds = part.split(separator: "t").compactMap { Int($0.filter(\.isNumber)) }
            guard let first = bounds.first, let last = bounds.last else { return [] }
            return Array(first...last)
        }
    }

    @Test func everyCheckIsATest() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let links = folder.appendingPathComponent("../../ReaderTests/Links").standardizedFileURL
        var found: Set<Int> = []
        for file in try [folder, links].flatMap({
            try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
        }) where file.pathExtension == "swift" {
            let source = try String(contentsOf: file, encoding: .utf8)
            for test in source.components(separatedBy: "@Test(").dropFirst() {
                let name = test.drop { $0.isWhitespace }.dropFirst()
                guard name.hasPrefix("Check"), let end = name.firstIndex(of: ":") else { continue }
                found.formUnion(numbers(of: name[..<end]))
            }
        }
        #expect(Self.numbers.subtracting(found) == Self.omitted)
        #expect(found.isSubset(of: Self.numbers))
    }
}
