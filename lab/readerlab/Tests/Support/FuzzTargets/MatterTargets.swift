// SPDX-License-Identifier: Apache-2.0

import MatterCredentials
import MatterTLV
import Octets

/// TLV from anywhere: a tree that can be walked to its end and written again octet for octet, or an error.
func fuzzMatterTLV(_ input: inout FuzzInput) {
    let octets = input.rest()
    guard let element = try? TLVElement(octets) else { return }
    var walk = TLVWalk()
    walk.visit(element, depth: 1)
    require(Array(element.encoding) == octets, "an element is shorter than its octets")
    var writer = TLVWriter()
    writer.element(element, as: 7)
    guard let copy = try? TLVElement(writer.octets) else { finding("a copy with another tag cannot be read") }
    var copyWalk = TLVWalk()
    copyWalk.visit(copy, depth: 1)
    require(copyWalk.count == walk.count, "a copy has \(copyWalk.count) elements in place of \(walk.count)")
    require(walk.count <= octets.count, "more elements than octets")
}

/// Every way to read an element, all the way down.
private struct TLVWalk {
    var count = 0

    mutating func visit(_ element: TLVElement, depth: Int) {
        count += 1
        require(depth <= TLVElement.deepestNesting + 1, "deeper than the limit")
        _ = try? element.unsigned(UInt16.self)
        _ = try? element.signed(Int8.self)
        _ = try? element.bool()
        _ = try? element.octets(upTo: 64)
        if let text = try? element.text() { require(text.utf8.count <= element.encoding.count, "a longer text") }
        require(element.isContainer || !element.encoding.isEmpty, "an element without octets")
        if let members = (try? element.array()) ?? (try? element.orderedList()) {
            for member in members { visit(member, depth: depth + 1) }
        }
        if let fields = try? element.structure() {
            for tag in 0..<16 as Range<UInt8> {
                if let field = fields[tag] { visit(field, depth: depth + 1) }
            }
        }
    }
}

/// Certificates: octets from anywhere, and the recorded chain with changes. Only the recorded node comes out of it.
func fuzzMatterCertificate(_ input: inout FuzzInput) {
    let choice = input.octet()
    guard choice & 1 == 1 else {
        guard let certificate = try? OperationalCertificate(tlv: input.rest()) else { return }
        require(certificate.toBeSigned().count <= 4 * OperationalCertificate.longest, "an overlong TBSCertificate")
        _ = try? OperationalChain.verify(root: certificate)
        return
    }
    var chain = RecordedChain.all
    while !input.isEmpty {
        let number = input.number(below: chain.count)
        let offset = Int(input.word()) % chain[number].count
        chain[number][offset] ^= input.octet()
    }
    do throws(CertificateError) {
        let identity = try OperationalChain.verify(
            node: OperationalCertificate(tlv: chain[0]), intermediate: OperationalCertificate(tlv: chain[1]),
            root: OperationalCertificate(tlv: chain[2]), at: nil)
        require(identity.node == 4097 && identity.fabric == 1 && identity.tags.isEmpty, "another node: \(identity)")
    } catch {
        require(chain != RecordedChain.all, "the recorded chain is refused: \(error)")
        require(!error.description.isEmpty, "an error without a word")
    }
}

/// Onboarding codes: what is read is written again as it was.
func fuzzMatterCode(_ input: inout FuzzInput) {
    let choice = input.octet()
    let text = String(decoding: input.rest(), as: UTF8.self)
    if choice & 1 == 0 {
        do throws(OnboardingError) {
            let payload = try OnboardingPayload(qrText: text)
            require(payload.qrText == text, "\(text) is written as \(payload.qrText)")
            require((try? ManualCode(payload.longManualCode))?.passcode == payload.passcode, "another manual code")
        } catch {
            require(!error.description.isEmpty, "an error without a word")
        }
    } else if let code = try? ManualCode(text) {
        require(code.text == text.filter { $0 != " " && $0 != "-" }, "\(text) is written as \(code.text)")
    }
}

/// The operational certificates of a recorded commissioning.
private enum RecordedChain {
    static let all = [node, intermediate, root]

    private static func octets(_ text: String) -> [UInt8] {
        Hexadecimal.octets(text.filter { !$0.isWhitespace }) ?? []
    }

    private static let node = octets(
        """
        1530010101240201370324130218260480228127260580254d3a3706241501251101101824070124080130094104a84bc329dac0
        d1c83e15b8e02c0d144e709a5d49602993616bc358a2c2a3097c319f84ed6c65b16803b9c7506453dee3787758e8774f5a88e10d
        427b718a64d7370a350128011824020136030402040118300414bdef56dbd4facf61d2e9c6d22c123654f4d72576300514db53e1
        21fc0931819266d716bad3345acbc096b218300b40afee077b017b42853a8fb23fb7ec767e911667b661de2756bf468dd480990f
        751bcb30408fae02e82ec68343dc1843760a764d5ddcb1302b4caa5cb50d5efc5918
        """)
    private static let intermediate = octets(
        """
        1530010101240201370324140118260480228127260580254d3a37062413021824070124080130094104cc74730331ae434adc24
        39747c425dda8479fd30cebc545ff96c2fa78f8071048d0f6b187d3bbed53f4a83bf297283d7cdff2dc155dba8b43dcbe4488a7e
        8948370a3501290118240260300414db53e121fc0931819266d716bad3345acbc096b2300514b61e3262e9191b7f7743b30db8bc
        e4d451b4a3e618300b4085133ef251b4ff8e893a1800fc8b78d2023f981576f57cef294a08ab4dafe6684609a4ae4f2c2351c817
        705778be94839ebcb59819dcb33ec86b5cac1971d43c18
        """)
    private static let root = octets(
        """
        1530010101240201370324140118260480228127260580254d3a3706241401182407012408013009410448053ce44a36373c89d4
        33adcfe6655216c8d8a83c9f41b64cf82f50f35d17b08d8de47621e111d38e5dd8b6cf79dd5fc8a50d4ff1219a4059d61c444448
        c78e370a3501290118240260300414b61e3262e9191b7f7743b30db8bce4d451b4a3e6300514b61e3262e9191b7f7743b30db8bc
        e4d451b4a3e618300b40fa159a388e4c8c5db8b0ce60ceab46bd24b619e7285b3d446c1eac4284f9031f1f5298d701f0cb7cad74
        7f8b69ccaa4dac72e29eb83d9b8db2cb0207ce98f19718
        """)
}
