import Octets

/// Which commands a controller lists (Core 5.4, Vol 4, Part E, 6.27): 64 octets of bits.
struct SupportedCommands: Equatable, Sendable {
    /// How many octets the list has.
    static let count = 64

    /// One command's place in the list.
    struct Place: Equatable, Sendable {
        var octet: Int
        var bit: Int

        static let readRSSI = Place(octet: 15, bit: 5)
        static let leConnectionUpdate = Place(octet: 27, bit: 2)
        static let leSetDataLength = Place(octet: 33, bit: 6)
        static let leWriteSuggestedDefaultDataLength = Place(octet: 34, bit: 0)
        static let leSetAdvertisingSetRandomAddress = Place(octet: 36, bit: 1)
        static let leSetExtendedAdvertisingParameters = Place(octet: 36, bit: 2)
        static let leSetExtendedAdvertisingData = Place(octet: 36, bit: 3)
        static let leSetExtendedScanResponseData = Place(octet: 36, bit: 4)
        static let leSetExtendedAdvertisingEnable = Place(octet: 36, bit: 5)
        static let leReadNumberOfSupportedAdvertisingSets = Place(octet: 36, bit: 7)
        static let leReadBufferSizeV2 = Place(octet: 41, bit: 5)
    }

    private var octets: [UInt8]

    /// A controller that lists nothing: only what every LE controller must know is used.
    init() { octets = [] }

    /// The list in 64 octets.
    init(_ octets: [UInt8]) { self.octets = octets }

    /// Whether the command with this place is listed.
    func contains(_ place: Place) -> Bool {
        octets.indices.contains(place.octet) && octets[place.octet] & (1 << place.bit) != 0
    }

    /// Whether everything is there that a set with an address of its own needs. Half a set of commands is none: the
    /// two kinds of advertising must not be mixed (Core 5.4, Vol 4, Part E, 3.1.1).
    var hasExtendedAdvertising: Bool {
        let needed: [Place] = [
            .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
            .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable,
        ]
        return needed.allSatisfy(contains)
    }
}
