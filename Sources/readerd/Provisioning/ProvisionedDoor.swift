// SPDX-License-Identifier: Apache-2.0

import Configuration

/// The site and door that a reader was provisioned for: the file `door` of its identity, with the two lines `site-id 1`
/// and `door-id 7`.
struct ProvisionedDoor: Equatable {
    /// The site number in credentials, 1 to 65535.
    var siteID: Int
    /// The door number in credentials, 1 to 65535.
    var doorID: Int

    /// The file's contents.
    var text: String { "site-id \(siteID)\ndoor-id \(doorID)\n" }

    init(siteID: Int, doorID: Int) {
        (self.siteID, self.doorID) = (siteID, doorID)
    }

    /// Parses a file's contents; nil if they are invalid.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3, lines[2].isEmpty, lines[0].hasPrefix("site-id "), lines[1].hasPrefix("door-id "),
            let siteID = ProvisionedDoor.number(lines[0].dropFirst(8)),
            let doorID = ProvisionedDoor.number(lines[1].dropFirst(8))
        else { return nil }
        self.init(siteID: siteID, doorID: doorID)
    }

    /// Parses a site or door number of decimal digits; nil for any other text.
    static func number(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(text), 1...65_535 ~= number else {
            return nil
        }
        return number
    }

    /// Loads the door of the identity in `state`; nil if the identity names none.
    static func load(from state: StateDirectory) throws(ReaderdError) -> ProvisionedDoor? {
        let place = try IdentityDirectory.current(in: state)
        let file = IdentityFiles.File.door
        guard let contents = try place.contents(of: file.rawValue, maximumCount: file.maximumCount) else { return nil }
        guard let door = ProvisionedDoor(String(decoding: contents.octets, as: UTF8.self)) else {
            throw .damaged(place.file(file.rawValue), "needs two lines, such as: site-id 1 and door-id 7")
        }
        return door
    }

    /// Applies the numbers to `settings` that do not state them. The default, 1, counts as not stated.
    ///
    /// - Throws: An error if `settings` state another door, since either may be the mistake.
    func apply(to settings: inout ReaderSettings) throws(ReaderdError) {
        if let difference = differences(from: settings).first { throw .failed("\(difference.key) \(difference.text)") }
        settings.reader.siteID = siteID
        settings.reader.doorID = doorID
    }

    /// The keys of `settings` that state another site or door, each with the difference and its remedy.
    func differences(from settings: ReaderSettings) -> [(key: String, text: String)] {
        let unsaid = ReaderSettings().reader
        let numbers = [
            ("site-id", settings.reader.siteID, unsaid.siteID, siteID),
            ("door-id", settings.reader.doorID, unsaid.doorID, doorID),
        ]
        return numbers.filter { $1 != $3 && $1 != $2 }.map { key, said, _, provisioned in
            let text =
                "is \(said) in the configuration, but \(provisioned) in the identity; remove the key, or provision the "
                + "reader for \(said)"
            return ("reader.\(key)", text)
        }
    }
}
