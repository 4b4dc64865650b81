// SPDX-License-Identifier: Apache-2.0

import WiFi

import MatterInteraction
import MatterCredentials
import Crypto
import MatterTLV
import TestSupport
import Testing
import Timekeeping

@testable import MatterNode
@testable import MatterSession
@testable import MatterTestSupport

/// The stored state. Damage never makes a device that can be commissioned, or one that opens.
struct DocumentTests {
    private func document(_ device: MatterDevice = .light) throws -> (NodeRig, [UInt8]) {
        var (rig, controller) = try NodeRig.commissioned(.test(device))
        let key = "h\"000102030405060708090a0b0c0d0e0f\""
        #expect(
            try controller.invoke(&rig, 0x3F, 0, "{0={0=42 1=0 2=\(key) 3=1 4=null 5=null 6=null 7=null}}")
                == "status 0")
        #expect(try controller.write(&rig, 0x3F, 0, "[{1=7 2=42 254=0}]") == 0)
        #expect(try controller.invoke(&rig, 1, 4, 0, "{0=7 1=\"x\"}") == "{0=0 1=7}")
        #expect(try controller.invoke(&rig, 1, 6, 1) == "status 0")
        return (rig, try #require(rig.stored))
    }

    private func restore(_ document: [UInt8]) throws(MatterStateError) -> NodeState {
        try NodeState.restore(document).0
    }

    @Test
    func roundTrip() throws {
        let (rig, document) = try document()
        let (state, events) = try NodeState.restore(document)
        #expect(try state.document(events: events) == document)
        #expect(state.accessEntries == rig.node.model.state.accessEntries)
        #expect(state.groups.count == 1 && state.load == StoredLoad(isOn: true, startUp: nil))
    }

    @Test
    func truncation() throws {
        let (_, document) = try document()
        for count in document.indices {
            #expect(throws: MatterStateError.damaged) { try restore(Array(document[..<count])) }
        }
        #expect(throws: MatterStateError.damaged) { try restore(document + [0]) }
    }

    /// A flipped bit is refused, or changes a value that no rule connects; a fabric is never lost, and its identity
    /// never another.
    @Test
    func flippedBits() throws {
        let (rig, document) = try document()
        let identity = try #require(rig.node.model.state.fabrics.first?.identity)
        var generator = SplitMix64(seed: 3)
        for _ in 0..<400 {
            var damaged = document
            let bit = Int.random(in: 0..<document.count * 8, using: &generator)
            damaged[bit / 8] ^= 1 << (bit % 8)
            guard let state = try? restore(damaged) else { continue }
            #expect(state.fabrics.count == 1, "bit \(bit)")
            #expect(state.fabrics.first?.identity.node == identity.node, "bit \(bit)")
            #expect(state.fabrics.first?.identity.root == identity.root, "bit \(bit)")
        }
    }

    @Test
    func otherVersions() throws {
        let unknown = Notation.octets("{0=2}")
        #expect(throws: MatterStateError.unknownVersion(2)) { try restore(unknown) }
        #expect(throws: MatterStateError.damaged) { try restore(Notation.octets("{}")) }
        #expect(throws: MatterStateError.damaged) { try restore([]) }
    }

    /// The key of another fabric's.
    @Test
    func exchangedKey() throws {
        let (rig, _) = try document()
        var state = rig.node.model.state
        let fabric = try #require(state.fabrics.first)
        state.put(Fabric(identity: fabric.identity, key: try .generate(), vendor: fabric.vendor, label: ""))
        let document = try state.document(events: rig.node.server.events.encoded())
        #expect(throws: MatterStateError.invalidFabric(1)) { try restore(document) }
    }

    /// Numbers of events rise over a loss of power, and the lock's events remain.
    @Test
    func events() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        var controller = try commissioner.commission(&rig)
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 0")
        let next = rig.node.server.events.nextNumber
        try rig.cutPower()
        #expect(rig.node.server.events.nextNumber > next)
        try commissioner.establishCASE(&rig)
        #expect(try commissioner.controller?.events(&rig, "<2=257>") == ["1/257/2 {0=1 1=7 2=null 3=1 4=112233}"])
    }
}
