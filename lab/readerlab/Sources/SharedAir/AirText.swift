// SPDX-License-Identifier: Apache-2.0

import Console
import Emulation
import Octets
import Peripheral
import Timekeeping

/// Notices and answers as aligned lines: time, place, sentence.
struct AirText: Equatable {
    /// The width of the column with the places.
    private let width: Int

    init(places: [String]) {
        width = (places + ["air"]).map(\.count).max() ?? 0
    }

    /// Returns a line such as `    3.913  phone   link 1 to reader, interval 30 ms`.
    func line(_ notice: AirNotice) -> String { line(notice.at, notice.place ?? "air", notice.sentence) }

    /// Returns the lines of an answer.
    func lines(_ answer: TypedAnswer, at time: Duration) -> [String] {
        answer.sentences.map { line(time, "air", $0) }
    }

    private func line(_ time: Duration, _ place: String, _ text: String) -> String {
        "\(TextColumn.seconds(time))  \(TextColumn.padded(place, width))  \(text)"
    }

    /// Returns metres with two decimals at most: `1.5`.
    static func metres(_ metres: Double) -> String { "\((metres * 100).rounded() / 100)" }

    /// Returns a status such as `0x13 (ended by the other host)`, with the meaning of those that occur on this air
    /// (Core 5.4, Vol 1, Part F).
    static func reason(_ reason: HCIStatus) -> String {
        let meaning: String? =
            switch reason.rawValue {
            case 0x05: "authentication failed"
            case 0x06: "no key"
            case 0x08: "nothing was received for too long"
            case 0x13: "ended by the other host"
            case 0x15: "the other controller was reset"
            case 0x16: "ended by its host"
            case 0x3B: "parameters not accepted"
            case 0x3D: "different keys"
            case 0x3E: "never established"
            default: nil
            }
        return "0x" + reason.rawValue.padded(to: 2, radix: 16, uppercase: true) + (meaning.map { " (\($0))" } ?? "")
    }
}
