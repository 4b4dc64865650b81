// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON

/// A tag of a recording: a marked moment with the interval of its highlight (Bandit §3.8).
public struct Tag: Equatable, Sendable {
    /// The one key that says what was marked.
    public enum Kind: Equatable, Sendable {
        /// A press of a button, a phone, a remote: `tag_button`, `tag_mobile`, `tag_remote`.
        case mark(String)
        /// A measured value.
        case value(String, Double)
        /// A measured whole number.
        case count(String, Int)

        static let marks = ["tag_button", "tag_mobile", "tag_remote"]
        static let values = [
            "max_speed_mps", "max_acceleration", "max_deceleration", "max_vertical_speed_mps", "max_g_force",
        ]
        static let counts = ["max_heartrate_bpm", "max_rotation"]
    }

    /// The extent of a tag's highlight on either side (Bandit §3.8).
    static let extent = 5.0

    /// The id, at most 36 characters.
    public var id: String
    /// The kind.
    public var kind: Kind
    /// The marked moment in seconds.
    public var offset: Double
    /// The start of the highlight.
    public var start: Double
    /// The length of the highlight.
    public var length: Double

    /// A tag with a highlight of the usual extent.
    init(id: String, _ kind: Kind, at offset: Double, of total: Double) {
        self.id = id
        self.kind = kind
        self.offset = offset
        start = max(0, offset - Tag.extent)
        length = max(1, min(total, offset + Tag.extent) - start)
    }

    /// A tag from a request; unknown keys are ignored, as the private ones of the Android library. Nil without an
    /// offset, without exactly one kind, and for values out of range: a highlight is at least a second long and at most
    /// the whole video. `delivered_length_secs` is the part of it that can be cut.
    init?(_ fields: JSONFields, id: String, of total: Double) {
        guard let offset = fields.number("offset_secs"), (0...max(total, 0)).contains(offset) else { return nil }
        var kinds = Kind.marks.filter { fields.boolean($0) == true }.map { Kind.mark($0) }
        kinds += Kind.values.compactMap { name in fields.number(name).map { .value(name, $0) } }
        kinds += Kind.counts.compactMap { name in fields.integer(name).map { .count(name, $0) } }
        guard kinds.count == 1 else { return nil }
        // An octet (Bandit §3.9).
        if case .count("max_heartrate_bpm", let rate) = kinds[0], !(0...255).contains(rate) { return nil }
        self.init(id: id, kinds[0], at: offset, of: total)
        guard fields.has("highlight_offset_secs") || fields.has("highlight_length_secs") else { return }
        guard let start = fields.number("highlight_offset_secs"), let length = fields.number("highlight_length_secs"),
            (0...total).contains(start), length >= min(1, total), Recording.holds(length, in: total)
        else { return nil }
        self.start = start
        self.length = length
    }

    /// The JSON object, with the part that can be cut.
    func json(of recording: Recording) -> JSONObject {
        let cut = recording.cut(from: start, length: length)
        let (name, value): (String, any JSONWritable) =
            switch kind {
            case .mark(let name): (name, true)
            case .value(let name, let value): (name, value)
            case .count(let name, let value): (name, value)
            }
        return [
            "id": id, "offset_secs": offset, "highlight_offset_secs": start, "highlight_length_secs": length,
            "delivered_offset_secs": cut.start, "delivered_length_secs": cut.length, name: value,
        ]
    }
}
