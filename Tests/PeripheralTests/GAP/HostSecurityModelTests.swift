// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Testing
import Timekeeping

@testable import Peripheral

/// Any order of what a central and a controller may say of pairing and encryption, against a model of one sentence:
/// what needs encryption is open exactly from a successful Encryption Change that follows a key from the host, to the
/// next event of encryption or the end of the link.
@Suite struct HostSecurityModelTests {
    private struct Model {
        var isUp = false
        var hasKey = false
        var isOpen = false
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func anyOrder(seed: UInt64) throws {
        var store = TransientBondStore()
        let peers = (0..<3).map { BluetoothAddress(kind: .random, value: 0xC000_0000_0001 + $0) }
        for peer in peers.prefix(2) {
            try store.save(
                Bond(
                    identity: peer, resolvingKey: nil, longTermKey: Value128(hex: "\(seed)7"), keySize: 16,
                    isAuthenticated: false, isSecureConnections: true))
        }
        var policy = SecurityPolicy()
        policy.secureConnections = .preferred
        let rig = try SecureRig([policy, nil], store: store)
        rig.controller.handles = []
        var model = [Model](repeating: Model(), count: 3)
        var numbers = SplitMix64(seed: seed)
        var opened = 0
        let pairing = octets("01030009100303")
        for _ in 0..<1500 {
            let index = Int(numbers.below(3))
            let handle = UInt16(0x40 + index)
            switch numbers.below(14) {
            case 0, 1:
                guard !model[index].isUp else { break }
                rig.controller.data = []
                // The second device does not pair.
                try rig.connect(handle, peers[index], set: numbers.below(5) == 0 ? 2 : 1)
                model[index] = Model(isUp: true)
            case 2:
                guard numbers.below(4) == 0 else { break }
                rig.disconnected(handle)
                model[index] = Model()
            case 3, 4, 5:
                let name = numbers.below(4) == 0 ? LTKIdentifier(diversifier: 1, random: 2) : .zero
                let answer = rig.askForKey(handle, name)
                #expect((answer != nil) == model[index].isUp)
                model[index].hasKey = answer?.first == 0x1A
            case 6, 7:
                encrypt(rig, handle, &model[index], enabled: UInt8(numbers.below(8) == 0 ? 0 : 1), isRefresh: false)
            case 8: encrypt(rig, handle, &model[index], enabled: 1, isRefresh: true)
            case 11, 12:
                guard model[index].isUp else { break }
                model[index].hasKey = rig.askForKey(handle)?.first == 0x1A
                encrypt(rig, handle, &model[index], enabled: 1, isRefresh: false)
            case 9: rig.give(handle, pairing)
            case 10: rig.give(handle, [UInt8](repeating: UInt8(numbers.below(16)), count: Int(numbers.below(70))))
            default: rig.run(to: rig.now.milliseconds + Double(numbers.below(20_000)))
            }
            // A link that the host has ended goes at last.
            while let place = rig.controller.commands.firstIndex(where: { $0[0] == 0x06 && $0[1] == 0x04 }) {
                let command = rig.controller.commands.remove(at: place)
                rig.disconnected(UInt16(command[3]), reason: 0x16)
                model[Int(command[3]) - 0x40] = Model()
            }
            rig.controller.commands = []
            // Requests wait while a key is given (Vol 6, Part B, 5.1.3.1): `EncryptionOrderTests`.
            for index in model.indices {
                if model[index].isOpen { opened += 1 }
                guard !model[index].hasKey else { continue }
                let answer = rig.read(UInt16(0x40 + index), SecureRig.encrypted)
                let isAnswered = model[index].isUp
                #expect(answer.isEmpty == !isAnswered)
                #expect((answer == "0ba2") == model[index].isOpen, "\(index): \(answer)")
            }
            _ = rig.takeEvents()
        }
        #expect(opened > 150, "hardly ever encrypted")
        #expect(rig.bonds.count == 2)
    }

    /// An event of encryption: only success with 1, after a key, opens; all else ends the link.
    private func encrypt(
        _ rig: SecureRig, _ handle: UInt16, _ model: inout Model, enabled: UInt8, isRefresh: Bool
    ) {
        guard model.isUp else { return }
        if isRefresh { rig.keyRefresh(handle) } else { rig.encryptionChange(handle, enabled: enabled) }
        model.isOpen = model.hasKey && enabled == 1
        model.hasKey = false
    }
}
