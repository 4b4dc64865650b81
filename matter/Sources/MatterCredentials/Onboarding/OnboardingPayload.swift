// SPDX-License-Identifier: Apache-2.0

public import MatterTLV

/// The fields of a device's onboarding codes, with which a commissioner finds the device and proves possession.
public struct OnboardingPayload: Equatable, Sendable {
    /// The maximum discriminator, of twelve bits.
    public static let greatestDiscriminator: UInt16 = 0xFFF
    /// The maximum number of octets after the fixed fields, which fit a QR code of moderate size.
    public static let longestAdditionalData = 128

    /// The user's part in making the device commissionable.
    public enum CommissioningFlow: UInt8, Sendable {
        /// None: the device is commissionable when it is powered.
        case standard = 0
        /// An action at the device, such as a button.
        case userIntent = 1
        /// An action that the manufacturer describes.
        case custom = 2
    }

    /// The technologies by which the device is found.
    public struct DiscoveryCapabilities: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8
        /// The technologies with these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Advertising over Bluetooth LE.
        public static let bluetooth = DiscoveryCapabilities(rawValue: 1 << 1)
        /// DNS service discovery on a network that the device is part of.
        public static let onNetwork = DiscoveryCapabilities(rawValue: 1 << 2)
        /// Wi-Fi public action frames.
        public static let wifiPublicAction = DiscoveryCapabilities(rawValue: 1 << 3)
        /// NFC.
        public static let nfc = DiscoveryCapabilities(rawValue: 1 << 4)
    }

    /// The manufacturer; 0 in the code of a window that an administrator opened.
    public let vendor: VendorID
    /// The product of that manufacturer.
    public let product: ProductID
    /// The user's part.
    public let flow: CommissioningFlow
    /// The technologies by which the device is found.
    public let discovery: DiscoveryCapabilities
    /// Distinguishes devices that advertise at the same time.
    public let discriminator: UInt16
    /// The proof of possession.
    public let passcode: SetupPasscode
    /// Optional TLV after the fixed fields; not verified.
    public let additionalData: [UInt8]

    /// The payload with these fields.
    ///
    /// - Throws: `discriminator`, or `length` for too much additional data.
    public init(
        vendor: VendorID, product: ProductID, flow: CommissioningFlow = .standard, discovery: DiscoveryCapabilities,
        discriminator: UInt16, passcode: SetupPasscode, additionalData: [UInt8] = []
    ) throws(OnboardingError) {
        guard discriminator <= OnboardingPayload.greatestDiscriminator else { throw .discriminator(discriminator) }
        guard additionalData.count <= OnboardingPayload.longestAdditionalData else {
            throw .length(additionalData.count)
        }
        self.vendor = vendor
        self.product = product
        self.flow = flow
        self.discovery = discovery
        self.discriminator = discriminator
        self.passcode = passcode
        self.additionalData = additionalData
    }

    /// The manual code: 11 digits for the standard flow; others need vendor and product, thus 21.
    public var manualCode: String { (flow == .standard ? code(product: nil) : code(product: identifiers)).text }

    /// The manual code with vendor and product, 21 digits.
    public var longManualCode: String { code(product: identifiers).text }

    private var identifiers: ManualCode.Product { ManualCode.Product(vendor: vendor, product: product) }

    private func code(product: ManualCode.Product?) -> ManualCode {
        ManualCode(discriminator: discriminator, passcode: passcode, product: product)
    }
}

extension OnboardingPayload {
    private static let prefix = "MT:"
    /// The octets of the fixed fields.
    private static let fixedCount = 11

    /// The text of the QR code.
    public var qrText: String {
        var bits = BitPacker()
        bits.append(0, width: 3)  // version
        bits.append(UInt32(vendor.rawValue), width: 16)
        bits.append(UInt32(product.rawValue), width: 16)
        bits.append(UInt32(flow.rawValue), width: 2)
        bits.append(UInt32(discovery.rawValue), width: 8)
        bits.append(UInt32(discriminator), width: 12)
        bits.append(passcode.rawValue, width: 27)
        bits.append(0, width: 4)  // padding
        return OnboardingPayload.prefix + Base38.text(bits.octets + additionalData)
    }

    /// Reads the text of a QR code.
    public init(qrText: some StringProtocol) throws(OnboardingError) {
        guard qrText.hasPrefix(OnboardingPayload.prefix) else { throw .prefix }
        let code = Substring(qrText.dropFirst(OnboardingPayload.prefix.count))
        // Five characters are three octets.
        let longest = (OnboardingPayload.fixedCount + OnboardingPayload.longestAdditionalData + 2) / 3 * 5
        guard code.utf8.count <= longest else { throw .length(code.count) }
        let octets = try Base38.octets(code)
        guard octets.count >= OnboardingPayload.fixedCount else { throw .length(code.count) }
        var bits = BitPacker(octets)
        let version = UInt8(bits.next(3))
        guard version == 0 else { throw .version(version) }
        let vendor = VendorID(rawValue: UInt16(bits.next(16)))
        let product = ProductID(rawValue: UInt16(bits.next(16)))
        guard let flow = CommissioningFlow(rawValue: UInt8(bits.next(2))) else { throw .flow }
        let discovery = DiscoveryCapabilities(rawValue: UInt8(bits.next(8)))
        let discriminator = UInt16(bits.next(12))
        let passcode = try SetupPasscode(bits.next(27))
        guard bits.next(4) == 0 else { throw .padding }
        try self.init(
            vendor: vendor, product: product, flow: flow, discovery: discovery, discriminator: discriminator,
            passcode: passcode, additionalData: Array(octets[OnboardingPayload.fixedCount...]))
    }
}

/// Fields of some bits each in octets, the least significant bit first.
private struct BitPacker {
    var octets: [UInt8] = []
    /// The number of bits written or read.
    private var position = 0

    init(_ octets: [UInt8] = []) { self.octets = octets }

    mutating func append(_ value: UInt32, width: Int) {
        for bit in 0..<width {
            if position % 8 == 0 { octets.append(0) }
            octets[position / 8] |= UInt8(value >> UInt32(bit) & 1) << UInt8(position % 8)
            position += 1
        }
    }

    /// The next field; zeros after the last octet.
    mutating func next(_ width: Int) -> UInt32 {
        var value: UInt32 = 0
        for bit in 0..<width where position + bit < octets.count * 8 {
            let index = position + bit
            value |= UInt32(octets[index / 8] >> UInt8(index % 8) & 1) << UInt32(bit)
        }
        position += width
        return value
    }
}
