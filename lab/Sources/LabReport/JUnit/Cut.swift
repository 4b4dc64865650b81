// SPDX-License-Identifier: Apache-2.0

/// The part of a run that has room in a file: first outputs are cut, then passed cases are left out, from the last on.
struct Cut {
    /// The octets of a case as written.
    struct Size {
        /// The octets that stay.
        var fixed: Int
        /// The octets of its outputs.
        var output: Int
    }

    /// False for a case that is left out.
    private(set) var isKept: [Bool]
    /// The octets of each output that are kept; `Int.max` for all.
    private(set) var outputCount = Int.max

    /// The octets that an escape takes at most for one: `&quot;`.
    static let widest = 6
    /// The notice of a cut, in octets.
    static let noticeCount = 60

    /// The cases of these sizes that have room in `room` octets.
    init(_ sizes: [Size], _ isFailure: [Bool], in room: Int) {
        isKept = sizes.map { _ in true }
        var fixed = sizes.reduce(0) { $0 + $1.fixed }
        // Passed cases first, then failures: no file is larger than its limit.
        for dropsFailures in [false, true] {
            for index in sizes.indices.reversed() where fixed > room && isFailure[index] == dropsFailures {
                isKept[index] = false
                fixed -= sizes[index].fixed
            }
        }
        let outputs = zip(sizes, isKept).filter { $0.1 && $0.0.output > 0 }.map(\.0.output)
        guard fixed + outputs.reduce(0, +) > room, !outputs.isEmpty else { return }
        // Equal shares, each twice: a failure's text and an output.
        outputCount = max(0, ((room - fixed) / outputs.count - 2 * Cut.noticeCount) / (2 * Cut.widest))
    }

    /// The octets of one octet of text as written.
    static func width(_ octet: UInt8) -> Int {
        switch octet {
        case UInt8(ascii: "&"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): 5
        case UInt8(ascii: "<"), UInt8(ascii: ">"): 4
        case UInt8(ascii: "\""): 6
        // Forbidden characters become U+FFFD, three octets.
        case 0..<0x20, 0x7F: 3
        // The second octet of a control beyond ASCII stands for two of three.
        case 0x80..<0xA0: 2
        default: 1
        }
    }

    /// The text, or its beginning and end with a notice between them. `count` is a limit in octets.
    static func text(_ text: String, _ count: Int) -> String {
        let octets = text.utf8
        guard octets.count > count else { return text }
        let half = count / 2
        func part(_ some: some Sequence<UInt8>) -> String { String(decoding: Array(some), as: UTF8.self) }
        // A character that is cut in two is left out.
        let begin = part(octets.prefix(half)).filter { $0 != "\u{FFFD}" }
        let end = part(octets.suffix(half)).filter { $0 != "\u{FFFD}" }
        return "\(begin)\n[\(octets.count - 2 * half) octets left out]\n\(end)"
    }
}
