/// A command to wpa_supplicant, one datagram; each is answered by one datagram.
///
/// Whatever came from a phone or the air goes in as hexadecimal digits, or is checked here: no octet of it can end a
/// value, or begin another line of the supplicant's file.
enum SupplicantCommand: Sendable {
    /// Send events from now on.
    case attach
    /// Which kinds of key it can agree on here.
    case keyManagementCapability
    /// Which frequencies the interface has.
    case frequencyCapability
    /// What it is doing, and the address that the interface has.
    case status
    /// How strong the access point is.
    case signal
    /// The networks that are stored.
    case networks
    /// How the network of this number agrees on keys.
    case keyManagement(of: Int)
    /// Scan these frequencies (MHz), all if there are none, passively if so, and join nothing because of what is found.
    case scan(frequencies: [Int], isPassive: Bool)
    /// End the scan.
    case abortScan
    /// What is known of the access points from the number `first` on.
    case results(first: Int)
    /// A new network.
    case addNetwork
    /// Something of a network.
    case set(network: Int, SupplicantSetting)
    /// Join this network, and disable all others.
    case select(Int)
    /// Join this one too, if nothing better is there.
    case enable(Int)
    /// Forget it.
    case remove(Int)
    /// Leave the network, and join none until told.
    case disconnect
    /// Join again what is enabled.
    case reassociate
    /// Write the file.
    case save

    /// The datagram.
    var octets: [UInt8] {
        var octets: [UInt8] = []
        write(into: &octets)
        return octets
    }

    private func write(into octets: inout [UInt8]) {
        func text(_ text: StaticString) { text.withUTF8Buffer { octets.append(contentsOf: $0) } }
        func text(_ text: StaticString, _ number: Int) {
            text.withUTF8Buffer { octets.append(contentsOf: $0) }
            octets.append(decimal: number)
        }
        switch self {
        case .attach: text("ATTACH")
        case .keyManagementCapability: text("GET_CAPABILITY key_mgmt")
        case .frequencyCapability: text("GET_CAPABILITY freq")
        case .status: text("STATUS")
        case .signal: text("SIGNAL_POLL")
        case .networks: text("LIST_NETWORKS")
        case .keyManagement(let network):
            text("GET_NETWORK ", network)
            text(" key_mgmt")
        case .scan(let frequencies, let isPassive):
            text("SCAN TYPE=ONLY")
            if !frequencies.isEmpty {
                text(" freq=")
                for (index, frequency) in frequencies.enumerated() {
                    if index > 0 { text(",") }
                    octets.append(decimal: frequency)
                }
            }
            if isPassive { text(" passive=1") }
        case .abortScan: text("ABORT_SCAN")
        case .results(let first):
            text("BSS RANGE=", first)
            text("- MASK=0x21a87")
        case .addNetwork: text("ADD_NETWORK")
        case .set(let network, let setting):
            text("SET_NETWORK ", network)
            text(" ")
            setting.write(into: &octets)
        case .select(let network): text("SELECT_NETWORK ", network)
        case .enable(let network): text("ENABLE_NETWORK ", network)
        case .remove(let network): text("REMOVE_NETWORK ", network)
        case .disconnect: text("DISCONNECT")
        case .reassociate: text("REASSOCIATE")
        case .save: text("SAVE_CONFIG")
        }
    }
}
