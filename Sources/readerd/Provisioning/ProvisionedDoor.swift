import Reader

/// Which door of which site a reader was provisioned for: the file `door` of its identity, two lines,
/// `site-id 1` and `door-id 7`.
struct ProvisionedDoor: Equatable {
    /// The site's number in credentials, 1 to 65535.
    var siteID: Int
    /// The door's, 1 to 65535.
    var doorID: Int

    /// As the file has it.
    var text: String { "site-id \(siteID)\ndoor-id \(doorID)\n" }

    init(siteID: Int, doorID: Int) {
        (self.siteID, self.doorID) = (siteID, doorID)
    }

    /// The content of a file; nil if it is invalid.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3, lines[2].isEmpty, lines[0].hasPrefix("site-id "), lines[1].hasPrefix("door-id "),
            let siteID = ProvisionedDoor.number(lines[0].dropFirst(8)),
            let doorID = ProvisionedDoor.number(lines[1].dropFirst(8))
        else { return nil }
        self.init(siteID: siteID, doorID: doorID)
    }

    /// A number of a site or a door, in plain digits; nil for any other text.
    static func number(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(text), 1...65_535 ~= number else {
            return nil
        }
        return number
    }

    /// The door of the identity in `state`; nil if that names none.
    static func load(from state: StateDirectory) throws(ReaderdError) -> ProvisionedDoor? {
        let place = try IdentityDirectory.current(in: state)
        let file = IdentityFiles.File.door
        guard let contents = try place.contents(of: file.rawValue, maximumCount: file.maximumCount) else { return nil }
        guard let door = ProvisionedDoor(String(decoding: contents.octets, as: UTF8.self)) else {
            throw .failed("\(place.file(file.rawValue)): needs two lines, such as: site-id 1 and door-id 7")
        }
        return door
    }

    /// Takes the place of what `settings` do not say. A configuration that names another door than the identity is a
    /// fault, since either may be the slip. The default, 1, counts as not said.
    func apply(to settings: inout ReaderSettings) throws(ReaderdError) {
        let unsaid = ReaderSettings().reader
        let said = settings.reader
        guard said.siteID == siteID || said.siteID == unsaid.siteID else {
            throw .failed(ProvisionedDoor.difference("site-id", said.siteID, siteID))
        }
        guard said.doorID == doorID || said.doorID == unsaid.doorID else {
            throw .failed(ProvisionedDoor.difference("door-id", said.doorID, doorID))
        }
        settings.reader.siteID = siteID
        settings.reader.doorID = doorID
    }

    private static func difference(_ key: String, _ said: Int, _ provisioned: Int) -> String {
        "reader.\(key) is \(said) in the configuration, and this reader was provisioned for \(provisioned); "
            + "remove the key, or provision the reader for \(said)"
    }
}
