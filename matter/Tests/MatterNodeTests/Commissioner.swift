// SPDX-License-Identifier: Apache-2.0

import WiFi

import Timekeeping
import TestSupport
import MatterInteraction
import Crypto
import MatterCredentials
import MatterTLV
import Testing

@testable import MatterNode
@testable import MatterSession
@testable import MatterTestSupport

/// The steps of commissioning, in order.
enum CommissioningStep: Int, CaseIterable, Comparable {
    case passcode
    case failSafe
    case regulatory
    case attestation
    case request
    case root
    case credentials
    case session
    case complete

    static func < (left: CommissioningStep, right: CommissioningStep) -> Bool { left.rawValue < right.rawValue }
}

/// A commissioner with a fabric of its own.
struct Commissioner {
    let fabric: TestFabric
    /// The administrator on the fabric.
    let administrator: NodeID
    /// The identifier that it gives to the node.
    let node: NodeID
    let peer: TransportPeer
    /// The code of the window: passcode, salt and iterations.
    var code: (passcode: UInt32, salt: [UInt8], iterations: Int) = (
        NodeRig.passcode, NodeRig.salt, Int(NodeRig.iterations)
    )
    /// Sessions over PASE, and then over CASE.
    var controller: Controller?
    /// The session parameters that it sends, a structure in notation; nil for none.
    var parameters: String?
    /// True if it sends an empty certificate where it has none.
    var sendsEmptyIntermediate = false
    private(set) var index: FabricIndex?

    init(
        _ fabric: FabricID = 0xFAB1, key: UInt8 = 7, administrator: NodeID = 112_233, node: NodeID = 0x1001,
        peer: TransportPeer = .host(1)
    ) throws {
        self.fabric = try TestFabric(fabric, key: key)
        self.administrator = administrator
        self.node = node
        self.peer = peer
    }

    /// Performs all steps up to `last`, and returns the controller of the last session.
    @discardableResult
    mutating func commission(_ rig: inout NodeRig, upTo last: CommissioningStep = .complete) throws -> Controller {
        for step in CommissioningStep.allCases where step <= last { try perform(step, &rig) }
        return try #require(controller)
    }

    mutating func perform(_ step: CommissioningStep, _ rig: inout NodeRig) throws {
        switch step {
        case .passcode: try establishPASE(&rig)
        case .failSafe: try expect("{0=0 1=\"\"}", &rig, 0x30, 0, "{0=60 1=1}")
        case .regulatory: try expect("{0=0 1=\"\"}", &rig, 0x30, 2, "{0=2 1=\"XX\" 2=2}")
        case .attestation:
            _ = try answer(&rig, 0x3E, 2, "{0=1}")
            _ = try answer(&rig, 0x3E, 0, "{0=\(Commissioner.nonce)}")
        case .request: operationalKey = try requestKey(&rig)
        case .root: try expect("status 0", &rig, 0x3E, 0x0B, "{0=\(quoted(fabric.root.tlv))}")
        case .credentials:
            let index = rig.node.model.state.nextFabricIndex
            try expect("{0=0 1=\(index)}", &rig, 0x3E, 6, try credentials())
            self.index = FabricIndex(rawValue: index)
        case .session: try establishCASE(&rig)
        case .complete: try expect("{0=0 1=\"\"}", &rig, 0x30, 4, "{}")
        }
    }

    static let nonce = "h\"" + String(repeating: "5a", count: 32) + "\""

    /// The key that the last CSR announced, 65 octets.
    private(set) var operationalKey: [UInt8] = []

    /// CSRRequest; the public key in the request.
    mutating func requestKey(_ rig: inout NodeRig, isForUpdate: Bool = false) throws -> [UInt8] {
        let update = isForUpdate ? " 1=true" : ""
        try takeRequest(try answer(&rig, 0x3E, 4, "{0=\(Commissioner.nonce)\(update)}"))
        return operationalKey
    }

    /// Takes the public key of CSRResponse.
    mutating func takeRequest(_ text: String) throws {
        let response = try TLVElement(Notation.octets(text)).structure()
        let elements = try TLVElement(response.required(0).octets()).structure()
        #expect(try elements.required(2).octets() == [UInt8](repeating: 0x5A, count: 32))
        let request = try elements.required(1).octets()
        // The point follows the bit string's header in SubjectPublicKeyInfo.
        let prefix: [UInt8] = [0x03, 0x42, 0x00]
        let start = try #require(request.indices.first { request[$0...].starts(with: prefix) })
        operationalKey = Array(request[start + 3..<start + 68])
    }

    /// The fields of AddNOC.
    func credentials(
        subject: NodeID? = nil, vendor: UInt16 = 0xFFF1, key: [UInt8]? = nil, fabricID: FabricID? = nil
    ) throws -> String {
        let certificate = try fabric.certificate(node: node, point: key ?? operationalKey, fabric: fabricID)
        return "{0=\(quoted(certificate.tlv)) 2=\(quoted(fabric.groupKey)) "
            + "3=\((subject ?? administrator).rawValue) 4=\(vendor)}"
    }

    mutating func establishPASE(_ rig: inout NodeRig) throws {
        let initiator = try PASEInitiator(
            rig.initiator(isReliable: isReliable), passcode: code.passcode, salt: code.salt,
            iterations: code.iterations)
        let response = try rig.answer(initiator.request(session: sessionParameters()), from: peer)
        let pake2 = try rig.answer(try initiator.pake1(after: response), from: peer)
        let pake3 = try initiator.pake3(after: pake2)
        let report = try initiator.messages.read(rig.answer(pake3.octets, from: peer))
        #expect(report.report == .established)
        if report.isReliable {
            rig.receive(initiator.messages.message(0x10, acknowledging: report.header.counter), from: peer)
        }
        controller = Controller(session: pake3.session, peer: peer)
    }

    mutating func establishCASE(_ rig: inout NodeRig) throws {
        let identity = try #require(
            rig.node.model.state.fabrics.first { $0.identity.rootPublicKey == fabric.root.publicKey }?.identity)
        let initiator = try CASEInitiator(rig.initiator(), fabric: fabric, node: administrator)
        let sigma1 = try initiator.sigma1(to: identity, session: sessionParameters())
        let sigma2 = try rig.answer(sigma1, from: operationalPeer)
        let sigma3 = try initiator.sigma3(after: sigma2, from: identity) {
            if sendsEmptyIntermediate { $0.intermediate = [] }
        }
        let report = try initiator.messages.read(rig.answer(sigma3.octets, from: operationalPeer))
        #expect(report.report == .established)
        rig.receive(initiator.messages.message(0x10, acknowledging: report.header.counter), from: operationalPeer)
        controller = Controller(session: sigma3.session, peer: operationalPeer)
    }

    private func sessionParameters() throws -> TLVElement? {
        try parameters.map { try TLVElement(Notation.octets($0)) }
    }

    /// CASE runs over UDP.
    var operationalPeer: TransportPeer { isReliable ? peer : .host(0x77) }

    private var isReliable: Bool { if case .udp = peer { true } else { false } }

    private mutating func answer(
        _ rig: inout NodeRig, _ cluster: UInt32, _ command: UInt32, _ fields: String, timed: Bool = false
    ) throws -> String {
        guard let answer = try controller?.invoke(&rig, cluster, command, fields, timed: timed) else {
            throw NoAnswer()
        }
        return answer
    }

    mutating func expect(
        _ outcome: String, _ rig: inout NodeRig, _ cluster: UInt32, _ command: UInt32, _ fields: String,
        timed: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try answer(&rig, cluster, command, fields, timed: timed)
        #expect(answer == outcome, sourceLocation: sourceLocation)
    }
}

/// Octets in the notation of the traces.
func quoted(_ octets: [UInt8]) -> String {
    "h\"" + octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
}
