// SPDX-License-Identifier: Apache-2.0

/// The attestation of an emulated device, good or with one fault, with the expected reaction of an app.
public enum AttestationSet: String, CaseIterable, Sendable {
    case good
    case goodInName = "good-in-name"
    case goodPAIProduct = "good-pai-product"
    case goodOrigin = "good-origin"
    case goodListedPAA = "good-listed-paa"
    case paaUnknown = "paa-unknown"
    case paiMissing = "pai-missing"
    case paiOther = "pai-other"
    case paiVendor = "pai-vendor"
    case paiExpired = "pai-expired"
    case dacExpired = "dac-expired"
    case dacEarly = "dac-early"
    case dacSignature = "dac-signature"
    case dacVendor = "dac-vendor"
    case dacProduct = "dac-product"
    case dacKey = "dac-key"
    case elementsNonce = "elements-nonce"
    case declarationVendor = "cd-vendor"
    case declarationProduct = "cd-product"
    case declarationSignature = "cd-signature"
    case declarationSigner = "cd-signer"
    case declarationCut = "cd-cut"
    case declarationFormat = "cd-format"
    case declarationOrigin = "cd-origin"
    case declarationUnlistedPAA = "cd-unlisted-paa"
    case basicProduct = "basic-product"
    case requestSignature = "request-signature"

    /// The difference from a good set, in one line.
    public var fault: String {
        switch self {
        case .good: "none"
        case .goodInName: "none; vendor and product are inside the common names (Mvid:, Mpid:)"
        case .goodPAIProduct: "none; the PAI names the product too"
        case .goodOrigin: "none; another vendor made the device, and the declaration names it (dac_origin_*)"
        case .goodListedPAA: "none; the declaration lists the PAA"
        case .paaUnknown: "the app does not trust the PAA"
        case .paiMissing: "no PAI: the response is empty"
        case .paiOther: "the PAI did not issue the DAC"
        case .paiVendor: "the PAI is for another vendor than the DAC"
        case .paiExpired: "the PAI ended before the DAC began"
        case .dacExpired: "the DAC has expired"
        case .dacEarly: "the DAC begins in 2090"
        case .dacSignature: "one bit of the DAC's signature is wrong"
        case .dacVendor: "the DAC is for another vendor than all else"
        case .dacProduct: "the DAC is for another product than the declaration"
        case .dacKey: "the device signs with a key that is not the DAC's"
        case .elementsNonce: "the attestation elements hold another nonce than the request"
        case .declarationVendor: "the declaration is for another vendor"
        case .declarationProduct: "the declaration is for another product"
        case .declarationSignature: "the declaration's signature is over other octets"
        case .declarationSigner: "the declaration is signed by an unknown key"
        case .declarationCut: "the declaration lacks its last octet"
        case .declarationFormat: "the declaration's format version is 2"
        case .declarationOrigin: "dac_origin_* names a product that the DAC does not"
        case .declarationUnlistedPAA: "the declaration lists another PAA"
        case .basicProduct: "Basic Information names another product than the declaration"
        case .requestSignature: "the signature of the CSR elements is wrong"
        }
    }

    /// The expected result.
    public var result: AttestationResult {
        switch self {
        case .good, .goodInName, .goodPAIProduct, .goodOrigin, .goodListedPAA, .requestSignature: .success
        case .paaUnknown: .paaNotFound
        case .paiMissing: .none
        case .paiOther, .paiExpired, .dacSignature: .dacSignatureInvalid
        case .paiVendor, .dacVendor: .dacVendorMismatch
        case .dacExpired, .dacEarly: .dacExpired
        case .dacKey: .elementsSignatureInvalid
        case .declarationFormat: .elementsMalformed
        case .elementsNonce: .nonceMismatch
        case .declarationCut: .declarationMalformed
        case .declarationSigner: .declarationSignerUnknown
        case .declarationSignature: .declarationSignatureInvalid
        case .declarationVendor: .declarationVendorInvalid
        case .declarationProduct, .dacProduct, .basicProduct, .declarationOrigin: .declarationProductInvalid
        case .declarationUnlistedPAA: .declarationPAANotListed
        }
    }

    /// The prompt that an app should show.
    public var prompt: String {
        self == .requestSignature
            ? "No question: attestation succeeds, then pairing fails at the operational certificate."
            : result.prompt
    }
}

/// A result of device attestation, numbered as the CHIP controller reports it.
public enum AttestationResult: Int, CaseIterable, Sendable {
    /// The controller gives up before verification (CHIP error 0x18).
    case none = -1
    case success = 0
    case paaNotFound = 101
    case dacExpired = 300
    case dacSignatureInvalid = 301
    case dacVendorMismatch = 305
    case elementsSignatureInvalid = 500
    case elementsMalformed = 501
    case nonceMismatch = 502
    case declarationMalformed = 600
    case declarationSignerUnknown = 601
    case declarationSignatureInvalid = 602
    case declarationVendorInvalid = 604
    case declarationProductInvalid = 605
    case declarationPAANotListed = 606

    /// The code of the CHIP controller; nil if it gives none.
    public var code: Int? { self == .none ? nil : rawValue }

    /// The prompt that an app should show, in one sentence.
    public var prompt: String {
        switch self {
        case .success: "No question; an app may name the device uncertified, because its declaration is for tests."
        case .none: "No question: say that the device's answer is incomplete, and offer to try again."
        case .paaNotFound: "Ask whether to add a device whose maker is unknown; the user may continue."
        case .dacExpired: "Ask with a warning: the device's certificate is not valid now; name the phone's date too."
        case .dacSignatureInvalid: "Warn that the device's certificates are not genuine, and advise to cancel."
        case .dacVendorMismatch: "Warn that the device's certificates are for different makers, and advise to cancel."
        case .elementsSignatureInvalid, .nonceMismatch:
            "Warn that the device cannot prove its certificate to be its own: perhaps a copy; advise to cancel."
        case .elementsMalformed: "Say that the app does not understand the device's declaration; advise to update it."
        case .declarationMalformed: "Warn that the device's declaration is damaged, and ask whether to continue."
        case .declarationSignerUnknown, .declarationSignatureInvalid:
            "Warn that the device's certification cannot be verified, and ask whether to continue uncertified."
        case .declarationVendorInvalid, .declarationProductInvalid:
            "Warn that the certification is for another product, and ask whether to continue uncertified."
        case .declarationPAANotListed:
            "Warn that the certification does not allow the device's certificates, and ask whether to continue."
        }
    }
}
