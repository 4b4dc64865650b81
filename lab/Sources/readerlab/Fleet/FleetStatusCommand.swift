// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import JSON
import Reader

/// `readerlab fleet status`.
struct FleetStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Every reader of a collector's database: present, its door, its faults, its last event.",
        discussion: "  readerlab fleet status --database fleet.db")

    @Option(help: ArgumentHelp("The collector's database.", valueName: "file"))
    var database: String

    @Flag(help: "One JSON object a reader.")
    var json = false

    func run() throws {
        do throws(EmulationError) {
            guard access(database, F_OK) == 0 else {
                throw FleetCommand.misuse("\(database): no such file; readerlab fleet collect makes it")
            }
            let opened = try FleetDatabase(reading: database)
            let readers: [FleetDatabase.Reader]
            do throws(DiskFault) { readers = try opened.readers() } catch {
                throw EmulationError(code: 1, "\(database): \(error.summary)")
            }
            for line in json ? readers.map(\.json) : FleetStatusCommand.table(readers) {
                EmulationOutput.write(line, to: STDOUT_FILENO)
            }
        } catch {
            throw error.told
        }
    }

    private static func table(_ readers: [FleetDatabase.Reader]) -> [String] {
        let titles = ["reader", "link", "door", "events", "lost", "last event", "faults"]
        let rows = [titles] + readers.map(\.cells)
        let widths = titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { cells in
            let line = zip(cells, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}

extension FleetDatabase.Reader {
    private func member(_ name: String, of text: String) -> JSONNode? {
        (try? JSONParser.parse(Array(text.utf8)))?[name]
    }

    private func text(_ name: String, of text: String) -> String? {
        guard case .string(let value) = member(name, of: text)?.content else { return nil }
        return value
    }

    fileprivate var cells: [String] {
        let link = isOnline.map { $0 ? "there" : "gone" } ?? "never seen"
        let isOpen = member("open", of: state)?.content == .boolean(true)
        let door = text("lock", of: state).map { $0.lowercased() + (isOpen ? ", open" : "") } ?? "-"
        var faults: [String] = []
        if case .array(let codes) = member("faults", of: state)?.content {
            for code in codes { if case .string(let name) = code.content { faults.append(name) } }
        }
        let event = [text("time", of: last), text("kind", of: last), text("credential", of: last)].compactMap(\.self)
        return [
            name, link, door, "\(events)", "\(lost)", event.isEmpty ? "-" : event.joined(separator: " "),
            faults.isEmpty ? "-" : faults.joined(separator: ", "),
        ]
    }

    fileprivate var json: String {
        var object = JSONObject()
        object.add("reader", name)
        object.add("device", device)
        object.add("online", json: isOnline.map { $0 ? "true" : "false" } ?? "null")
        object.add("events", events)
        object.add("lost", lost)
        object.add("state", json: state.isEmpty ? "null" : state)
        object.add("last", json: last.isEmpty ? "null" : last)
        return object.text
    }
}
