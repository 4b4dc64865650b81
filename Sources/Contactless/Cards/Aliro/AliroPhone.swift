// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// A phone with an Aliro 1.0 credential, over NFC unless an `AliroLinkPhone` has it: fast, standard and step-up phase.
/// It fails on purpose, if it has a fault, and reports the rules that the reader breaks.
public struct AliroPhone: ContactlessCard {
    /// The reader that the phone trusts.
    public struct Trust: Sendable {
        /// The length of a group's identifier in octets.
        public static let groupCount = 16
        /// The identifier of the reader's group; nil for any.
        public let group: [UInt8]?
        /// The reader's point, or its authority's.
        public let point: P256PublicKey

        /// A group with this point; nil for an identifier of another length.
        public init?(group: [UInt8]?, point: P256PublicKey) {
            guard group.map({ $0.count == Trust.groupCount }) ?? true else { return nil }
            (self.group, self.point) = (group, point)
        }

        /// Any group with this point.
        public init(point: P256PublicKey) { (group, self.point) = (nil, point) }
    }

    /// A stage of a transaction, by its command.
    package enum Stage: String, CaseIterable, Sendable {
        case select = "SELECT"
        case authenticate0 = "AUTH0"
        case certificate = "LOAD CERT"
        case authenticate1 = "AUTH1"
        case selectStepUp = "SELECT of documents"
        case envelope = "ENVELOPE"
        case mailbox = "EXCHANGE of a mailbox"
        case exchange = "EXCHANGE"
        case control = "CONTROL FLOW"
    }

    /// The phase in which the phone was authenticated.
    public enum Phase: String, Sendable {
        case none
        case fast
        case standard
        case stepUp = "step-up"
    }

    /// The result of a transaction.
    public struct Tap: Equatable, Sendable {
        /// The phase that was reached.
        public internal(set) var phase = Phase.none
        /// The reader's final status (tag 97): the first octet is 01 after an opening; nil without one.
        public internal(set) var status: [UInt8]?
        /// The octets of CONTROL FLOW; nil without one.
        public internal(set) var control: [UInt8]?
        /// The rules that the reader has broken, a sentence each.
        public internal(set) var findings: [String] = []
        /// The commands.
        package internal(set) var commands: [[UInt8]] = []
        /// The reason why the fault cannot be made; nil if it can. The phone leaves instead.
        public internal(set) var misfit: String?
        /// True once the fault has shown.
        public internal(set) var hasFailed = false

        /// True if the reader has reported an opened or unlocked door.
        public var isGranted: Bool { status?.first == 0x01 }
    }

    /// The documents that a reader may request, by type.
    public static let documentTypes = ["aliro-a", "aliro-r"]

    /// The phone's activation.
    public var activation: CardActivation
    /// The credential's key.
    public let key: P256PrivateKey
    /// Documents in CBOR, by type.
    public var documents: [String: [UInt8]] = [:]
    /// The whole answer to ENVELOPE before it is sealed, instead of one with the documents.
    public var wholeDocuments: [UInt8]?
    /// The signals (tag 5E); nil for those of the documents.
    public var signals: UInt16?
    /// The mailbox; nil without one.
    package var mailbox: [UInt8]?
    /// Vendor data in the response to AUTH0, a whole B2 element.
    package var vendorData: [UInt8] = []
    /// The times of the documents' signatures, as texts of 20 octets, by the tag of AUTH1 (91, 92).
    public var signatureTimes: [UInt8: [UInt8]] = [:]
    /// True if the step-up application is selected before documents are requested.
    public var selectsStepUp = true
    /// The maximum number of octets in a response APDU.
    public var part = 256
    /// The fault; nil for a right phone.
    public let fault: AliroPhoneFault?
    /// True once the phone carries documents that its fault has changed.
    var isIssued = false
    /// The result of the present transaction.
    public internal(set) var tap = Tap()

    package var trust: Trust
    /// True over Bluetooth LE, where the keys differ and an empty EXCHANGE confirms the channel.
    package var isOverBluetooth = false
    /// False for a phone that serves any reader.
    package var verifiesReader = true
    /// Changes of responses by stage.
    package var changes: [Stage: AliroPhoneFault.Change] = [:]
    /// The element A5 of the response to SELECT: type 0000, version 1.0.
    package var application: [UInt8] = [0xA5, 0x08, 0x80, 0x02, 0x00, 0x00, 0x5C, 0x02, 0x01, 0x00]
    /// The keys of fast phases, by reader.
    package var persistentKeys: [[UInt8]: [UInt8]] = [:]
    /// Ephemeral points and transaction identifiers of readers; none may return.
    var seen: Set<[UInt8]> = []
    /// The sealed answer to AUTH1 of the last transaction.
    var lastProof: [UInt8] = []
    var session = Session()

    /// The state that ends with a transaction.
    struct Session: Sendable {
        enum State { case idle, selected, begun, proven, documents }

        var state = State.idle
        var chained: [UInt8] = []
        var pending: [UInt8] = []
        var isGone = false
        var isEndless = false
        var ephemeral: P256PrivateKey?
        var keys: AliroPhoneKeys?
        var certificate: [UInt8] = []
        var channel: AliroPhoneChannel?
        var stepUp: AliroPhoneChannel?
        /// The channel of notifications over Bluetooth LE.
        var bluetooth: AliroPhoneChannel?
        /// The mailbox in an atomic session.
        var mailbox: [UInt8]?
    }

    /// A phone with a credential for the readers of `trust`.
    public init(_ key: P256PrivateKey, trust: Trust, activation: CardActivation, fault: AliroPhoneFault? = nil) {
        (self.key, self.trust, self.activation, self.fault) = (key, trust, activation, fault)
        guard let fault else { return }
        if case .application(let application) = fault.change { self.application = application }
        changes[fault.stage] = fault.change
    }

    /// A phone with the credential of this scalar, for the readers with this point.
    public init(scalar: [UInt8], trusting point: [UInt8]) throws(CryptoError) {
        self.init(
            try P256PrivateKey(scalar: scalar.span), trust: Trust(point: try P256PublicKey(point: point.span)),
            activation: CardActivation(random: (1, 2, 3)))
    }

    /// The credential's point: 04 ‖ X ‖ Y.
    public var point: [UInt8] { key.publicPoint.list }

    /// True if the phone has a key for the fast phase with some reader.
    public var hasFastKey: Bool { !persistentKeys.isEmpty }

    /// The reader's certificate in this transaction; empty without one.
    package var certificate: [UInt8] { session.certificate }

    /// True once the phone was authenticated.
    public var isRead: Bool { tap.phase != .none }

    /// A transaction begins; keys of fast phases remain.
    public mutating func activate() { (session, tap) = (Session(), Tap()) }

    /// A transaction begins without SELECT, as over Bluetooth LE.
    package mutating func connect() {
        activate()
        session.state = .selected
    }

    /// The channel of notifications, before its first message; nil before AUTH1.
    package var bluetoothChannel: AliroPhoneChannel? { session.bluetooth }

    /// Reports a rule that the reader has broken.
    mutating func report(_ finding: String) {
        if !tap.findings.contains(finding) { tap.findings.append(finding) }
    }
}
