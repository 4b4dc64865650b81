// SPDX-License-Identifier: Apache-2.0

public import MatterCredentials
public import MatterTLV

/// The properties of a node that its manufacturer or its user chooses. They are constant during the node's lifetime.
public struct MatterConfiguration: Sendable {
    /// The identification in Basic Information (Matter Core 11.1) and in discovery.
    public struct Product: Equatable, Sendable {
        /// The manufacturer.
        public var vendor: VendorID
        /// The manufacturer's name, at most 32 octets.
        public var vendorName: String
        /// The product.
        public var product: ProductID
        /// The product's name, at most 32 octets.
        public var productName: String
        /// The serial number, at most 32 octets.
        public var serialNumber: String
        /// A unique identifier that is not printed on the device, at most 32 octets.
        public var uniqueID: String
        /// The hardware's revision.
        public var hardwareVersion: UInt16 = 1
        /// The hardware's revision as text, 1 to 64 octets.
        public var hardwareVersionText = "1"
        /// The software's revision, which never decreases.
        public var softwareVersion: UInt32 = 1
        /// The software's revision as text, 1 to 64 octets.
        public var softwareVersionText = "1.0"

        /// A product with these names and numbers.
        public init(
            vendor: VendorID, vendorName: String, product: ProductID, productName: String, serialNumber: String,
            uniqueID: String
        ) {
            self.vendor = vendor
            self.vendorName = vendorName
            self.product = product
            self.productName = productName
            self.serialNumber = serialNumber
            self.uniqueID = uniqueID
        }
    }

    /// The kind of network that Network Commissioning configures.
    public enum Network: Equatable, Sendable {
        /// Wi-Fi, on the station of the program. The octets are the station's hardware address.
        case wifi(address: [UInt8])
        /// Thread: the dataset is stored, and the node remains reachable over IP as if through a border router.
        case thread(address: [UInt8])
        /// A network that needs no configuration; the text is the name of the interface.
        case ethernet(name: String, address: [UInt8])
    }

    /// The passcode of the label as stored in a device: the verifier, and the parameters of its derivation.
    public struct Label: Equatable, Sendable {
        /// The verifier, w0 ‖ L, 97 octets.
        public var verifier: [UInt8]
        /// The salt, 16 to 32 octets.
        public var salt: [UInt8]
        /// The iterations of PBKDF2, 1,000 to 100,000.
        public var iterations: UInt32
        /// The discriminator, 12 bits.
        public var discriminator: UInt16

        /// A label with these values.
        public init(verifier: [UInt8], salt: [UInt8], iterations: UInt32, discriminator: UInt16) {
            self.verifier = verifier
            self.salt = salt
            self.iterations = iterations
            self.discriminator = discriminator
        }
    }

    /// The product.
    public var product: Product
    /// The device on endpoint 1.
    public var device: MatterDevice
    /// The network.
    public var network: Network
    /// The label's code.
    public var label: Label
    /// The certificates and the key that attest the device.
    public var attestation: DeviceAttestation

    /// True if a battery powers the node (Power Source on the root endpoint).
    public var hasBattery = false
    /// True if a node without fabrics opens a window itself, at its start and with the removal of its last fabric.
    public var opensWindowWithoutFabrics = true
    /// True if commissioning over Bluetooth LE is offered while no fabric is known.
    public var offersBluetooth = true
    /// True for a reader's lock: the program decides about each window of an administrator, which then ends with its
    /// fabric, and fabrics are added only through a window.
    public var asksForWindows = false
    /// The time that a window opened by the device itself stays open; nil for no end. The specification limits it to
    /// 15 minutes, or to 48 hours with extended announcement.
    public var windowLength: Duration? = .seconds(900)
    /// True if administrators may open a basic window, with the label's code.
    public var offersBasicWindow = true
    /// The fail-safe armed by PASE itself, and the length that Basic Commissioning Info announces, in seconds.
    public var failSafeSeconds: UInt16 = 60
    /// The limit of the sum of all extensions of one fail-safe, in seconds.
    public var cumulativeFailSafeSeconds: UInt16 = 900
    /// The announced limit of a scan, in seconds.
    public var scanSeconds: UInt8 = 10
    /// The announced limit of a join, in seconds.
    public var connectSeconds: UInt8 = 20
    /// The pairing hint of commissionable advertising: the bits of Matter Core 5.4.2.5.6.
    public var pairingHint: UInt16 = 0x21
    /// The build time of the software in seconds since 1970: no certificate is checked against an earlier time.
    public var buildTime: Int64 = 1_767_225_600

    /// A node with these properties.
    public init(
        product: Product, device: MatterDevice, network: Network, label: Label, attestation: DeviceAttestation
    ) {
        self.product = product
        self.device = device
        self.network = network
        self.label = label
        self.attestation = attestation
    }
}
