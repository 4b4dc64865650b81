// SPDX-License-Identifier: Apache-2.0

package import Emulation
import Octets

/// Places that are reserved for the Bluetooth chips of the Android Emulator, `netsim1` and so on, and how their program
/// listens.
package struct NetsimPlan: Equatable {
    /// The number of places.
    let count: Int
    /// HOST:PORT of PacketStreamer, as the program reads it.
    let listen: String
    /// The instance of netsim, which names its file.
    let instance: UInt16

    /// - Throws: a count that is out of range.
    package init(count: Int, listen: String, instance: UInt16) throws(CommandFault) {
        guard (1...PlacePlan.maximumCount).contains(count) else {
            throw CommandFault("--netsim-places \(count): write 1 to \(PlacePlan.maximumCount)")
        }
        (self.count, self.listen, self.instance) = (count, listen, instance)
    }

    /// The names of the places.
    var names: [String] { (1...count).map { "netsim\($0)" } }

    /// Adds the places to others, with sockets in `directory`.
    package func places(addedTo plans: [PlacePlan], in directory: String) throws(CommandFault) -> [PlacePlan] {
        if let plan = plans.first(where: { names.contains($0.name) }) {
            throw CommandFault("--netsim has a place \(plan.name) already; give that of --listen another name")
        }
        guard plans.count + count <= PlacePlan.maximumCount else {
            throw CommandFault(
                "\(plans.count) places and --netsim-places \(count): \(PlacePlan.maximumCount) are the most together")
        }
        return names.map { PlacePlan(name: $0, way: .unix(path: "\(directory)/\($0)")) }
    }
}

/// A line of the program `readerlab-netsim`.
enum NetsimLine: Equatable {
    /// PacketStreamer is open at this HOST:PORT, and in these files.
    case open(endpoint: String, files: [String])
    /// An event at the place of this name; nil for no place.
    case note(String, place: String?)

    /// Reads a line, whose fields end with tabs; nil for other text.
    init?(_ line: String) {
        let fields = line.split(separator: "\t").map { String($0).printable }
        switch fields.first {
        case "open" where fields.count > 2: self = .open(endpoint: fields[1], files: Array(fields[2...]))
        case "note" where fields.count == 3: self = .note(fields[2], place: fields[1] == "-" ? nil : fields[1])
        default: return nil
        }
    }
}
