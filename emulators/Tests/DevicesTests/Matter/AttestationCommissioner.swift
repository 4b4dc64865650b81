// SPDX-License-Identifier: Apache-2.0

import Crypto
import Devices
import MatterCredentials
import MatterTLV
import TestSupport

/// The part of a commissioner that judges a device's attestation, in the order of the CHIP controller.
struct AttestationCommissioner {
    /// The only trusted PAA.
    let trusted: [UInt8]
    let vendor: UInt16
    /// The date as digits of year, month and day.
    let today: Int

    func judge(
        _ material: AttestationMaterial, elements: [UInt8], signature: [UInt8], nonce: [UInt8], challenge: [UInt8]
    ) throws -> AttestationResult {
        guard !material.attestation.pai.isEmpty else { return .none }
        let (paa, pai, dac) = (
            try X509(trusted), try X509(material.attestation.pai), try X509(material.attestation.dac)
        )
        guard dac.vendor == pai.vendor else { return .dacVendorMismatch }
        guard pai.authorityKeyIdentifier == paa.subjectKeyIdentifier else { return .paaNotFound }
        guard today < dac.notAfter, today >= dac.notBefore else { return .dacExpired }
        guard dac.isIssued(by: pai), pai.isIssued(by: paa), dac.notBefore < pai.notAfter else {
            return .dacSignatureInvalid
        }
        guard try accepts(signature, over: elements + challenge, from: material.attestation.dac) else {
            return .elementsSignatureInvalid
        }
        let fields = try TLVElement(elements).structure()
        guard try fields.required(2).octets() == nonce else { return .nonceMismatch }
        guard let declaration = Declaration(try fields.required(1).octets()) else { return .declarationMalformed }
        guard declaration.signer == octets("62fa823359acfaa9963e1cfa140addf504f37160") else {
            return .declarationSignerUnknown
        }
        guard declaration.isSigned else { return .declarationSignatureInvalid }
        return try judge(declaration.content, material, paa, pai, dac)
    }

    func accepts(_ signature: [UInt8], over message: [UInt8], from dac: [UInt8]) throws -> Bool {
        try X509(dac).key.isValid(rawSignature: signature.span, for: message.span)
    }

    private func judge(
        _ content: [UInt8], _ material: AttestationMaterial, _ paa: X509, _ pai: X509, _ dac: X509
    ) throws -> AttestationResult {
        let fields = try TLVElement(content).structure()
        guard try fields.required(0).unsigned(UInt8.self) == 1 else { return .elementsMalformed }
        let declared = try fields.required(1).unsigned(UInt16.self)
        let products = try fields.required(2).array().map { try $0.unsigned(UInt16.self) }
        guard declared == vendor else { return .declarationVendorInvalid }
        guard products.contains(material.basicInformationProduct.rawValue) else { return .declarationProductInvalid }
        if let originVendor = fields[9], let originProduct = fields[10] {
            guard try originVendor.unsigned(UInt16.self) == dac.vendor else { return .declarationVendorInvalid }
            guard try originProduct.unsigned(UInt16.self) == dac.product else { return .declarationProductInvalid }
        } else {
            guard dac.vendor == declared else { return .declarationVendorInvalid }
            guard let product = dac.product, products.contains(product) else { return .declarationProductInvalid }
        }
        guard pai.product == nil || pai.product == dac.product else { return .declarationProductInvalid }
        if let allowed = fields[11] {
            let identifiers = try allowed.array().map { try $0.octets() }
            guard identifiers.contains(paa.subjectKeyIdentifier) else { return .declarationPAANotListed }
        }
        return .success
    }
}

/// A DER element, read without limits: the test's own octets.
private struct Element {
    let tag: UInt8
    let content: [UInt8]
    let whole: [UInt8]

    /// The elements in `octets`; nil if they do not end with the octets.
    static func all(_ octets: [UInt8]) -> [Element]? {
        var elements: [Element] = []
        var start = 0
        while start < octets.count {
            guard start + 2 <= octets.count else { return nil }
            var (count, first) = (Int(octets[start + 1]), start + 2)
            if count >= 0x80 {
                let width = count & 0x7F
                guard first + width <= octets.count else { return nil }
                count = octets[first..<first + width].reduce(0) { $0 << 8 | Int($1) }
                first += width
            }
            guard first + count <= octets.count else { return nil }
            elements.append(
                Element(
                    tag: octets[start], content: Array(octets[first..<first + count]),
                    whole: Array(octets[start..<first + count])))
            start = first + count
        }
        return elements
    }

    var children: [Element] { Element.all(content) ?? [] }
}

/// The fields of a certificate that attestation depends on.
private struct X509 {
    let key: P256PublicKey
    let notBefore: Int
    let notAfter: Int
    let subjectKeyIdentifier: [UInt8]
    let authorityKeyIdentifier: [UInt8]
    let vendor: UInt16?
    let product: UInt16?
    private let issuer: [UInt8]
    private let subject: [UInt8]
    private let toBeSigned: [UInt8]
    private let signature: [UInt8]

    init(_ der: [UInt8]) throws {
        let parts = (Element.all(der) ?? [])[0].children
        let fields = parts[0].children
        toBeSigned = parts[0].whole
        signature = Array(parts[2].content.dropFirst())
        (issuer, subject) = (fields[3].whole, fields[5].whole)
        (notBefore, notAfter) = (X509.date(fields[4].children[0]), X509.date(fields[4].children[1]))
        let info = fields[6].whole
        key = try P256PublicKey(subjectPublicKeyInfo: info.span)
        let extensions = fields[7].children[0].children.map(\.children)
        func value(_ number: UInt8) -> [UInt8] {
            extensions.first { $0[0].content == [0x55, 0x1D, number] }?.last?.content ?? []
        }
        subjectKeyIdentifier = Element.all(value(0x0E))?[0].content ?? []
        authorityKeyIdentifier = Element.all(value(0x23))?[0].children[0].content ?? []
        (vendor, product) = (X509.identifier(1, "Mvid:", fields[5]), X509.identifier(2, "Mpid:", fields[5]))
    }

    func isIssued(by authority: X509) -> Bool {
        issuer == authority.subject && authorityKeyIdentifier == authority.subjectKeyIdentifier
            && authority.key.isValid(signature: signature.span, for: toBeSigned.span)
    }

    /// Year, month and day as digits.
    private static func date(_ element: Element) -> Int {
        let digits = String(decoding: element.content, as: UTF8.self)
        return Int((element.tag == 0x17 ? "20" : "") + digits.dropLast(7)) ?? 0
    }

    /// The identifier of an attribute of its own, or inside the common name.
    private static func identifier(_ number: UInt8, _ label: String, _ name: Element) -> UInt16? {
        for attribute in name.children.map({ $0.children[0].children }) {
            let text = String(decoding: attribute[1].content, as: UTF8.self)
            if attribute[0].content == octets("2b0601040182a27c02") + [number] { return UInt16(text, radix: 16) }
            if let range = text.split(separator: " ").first(where: { $0.hasPrefix(label) }) {
                return UInt16(range.dropFirst(label.count), radix: 16)
            }
        }
        return nil
    }
}

/// A certification declaration; nil for octets that are none.
private struct Declaration {
    let content: [UInt8]
    let signer: [UInt8]
    let isSigned: Bool

    init?(_ cms: [UInt8]) {
        guard let outer = Element.all(cms), outer.count == 1 else { return nil }
        let signedData = outer[0].children[1].children[0].children
        content = signedData[2].children[1].children[0].content
        let information = signedData[3].children[0].children
        signer = information[1].content
        let signature = information[4].content
        // The public key of the signer for tests, of its published private key.
        let scalar = octets("aef3484116e9481ec57be0472df41bf499064e5024ad869eca5e889802d48075")
        let message = content
        isSigned =
            (try? P256PrivateKey(scalar: scalar.span))?.publicKey.isValid(
                signature: signature.span, for: message.span) ?? false
    }
}
