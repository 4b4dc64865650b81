// SPDX-License-Identifier: Apache-2.0

import AirRig
import Foundation
import HostLoop
import Peripheral
import Testing

/// The code in the articles of Peripheral.docc is code of the example and of the tests, which compiles.
@Suite struct ArticleTests {
    struct Lock {
        var isOpen = false
        var display = ""
        var asking: LinkID?
        var button: Bool?
    }

    /// The lock of "Links, security and bonds".
    static func lock() -> DeviceDefinition<Lock> {
        var policy = SecurityPolicy()
        policy.ioCapability = .displayYesNo
        policy.requiresAuthentication = true

        var device = DeviceDefinition<Lock>(name: "lock")
        device.pairing = policy
        device.addService(BluetoothUUID(0xCC00))
        let bolt = device.addCharacteristic(
            BluetoothUUID(0xCC01), [.read, .write], security: .secureConnections, value: [0])
        device.onWrite(bolt) { lock, _, write in
            lock.isOpen = write.value == [1]
            return .accept
        }
        device.onPairing { lock, _, link, notice in
            switch notice {
            case .compare(let number):
                lock.display = String(String(1_000_000 + number).dropFirst())
                lock.asking = link
            case .paired, .failed:
                lock.display = ""
                lock.asking = nil
            default: break
            }
        }
        device.every(.milliseconds(50)) { lock, context in
            guard let link = lock.asking, let isSame = lock.button else { return }
            (lock.asking, lock.button) = (nil, nil)
            context.answerComparison(link, isSame)
        }
        return device
    }

    struct Lamp { var level: UInt8 = 0 }

    /// The lamp of docs/emulators/gatt-device.md.
    static func lamp() -> DeviceDefinition<Lamp> {
        var lamp = DeviceDefinition<Lamp>(name: "lamp")
        lamp.addService(BluetoothUUID(high: 0x7E2F_5A00_4D1C_4B57, low: 0x9C39_6F1F_6D0C_1A00))
        let level = lamp.addCharacteristic(
            BluetoothUUID(high: 0x7E2F_5A01_4D1C_4B57, low: 0x9C39_6F1F_6D0C_1A00), [.read, .notify], value: [0])
        lamp.every(.seconds(1)) { lamp, context in
            lamp.level = (lamp.level + 1) % 100
            try? context.setValue(level, [lamp.level])
            context.notify(level, [lamp.level])
        }
        return lamp
    }

    /// The value that the lamp of docs/emulators/gatt-device.md notifies is the value that is read.
    @Test func theLampIsReadAsItNotifies() throws {
        let rig = try ProgramRig(Lamp(), [ArticleTests.lamp()])
        let phone = try rig.connected()
        #expect(try rig.send([0x0A, 18, 0], phone) == [[0x0B, rig.device.state.level]])
        #expect(try rig.send([0x12, 19, 0, 1, 0], phone) == [[0x13]])
        rig.run(.seconds(2))
        let read = try rig.send([0x0A, 18, 0], phone).last
        #expect(read == [0x0B, rig.device.state.level])
        #expect(rig.device.state.level > 1)
    }

    /// Insufficient Authentication (Core 5.4, Vol 3, Part C, 10.3.1).
    @Test func aStrangerDoesNotOpenTheLock() throws {
        let rig = try ProgramRig(Lock(), [ArticleTests.lock()])
        let phone = try rig.connected()
        #expect(try rig.send([0x12, 18, 0, 1], phone) == [[0x01, 0x12, 18, 0, 0x05]])
        #expect(!rig.device.state.isOpen)
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Lines without their indentation, and without empty ones.
    private func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private func contains(_ block: [String], in source: [String]) -> Bool {
        guard let first = block.first else { return false }
        return source.indices.contains { start in
            source[start] == first && source[start...].starts(with: block)
        }
    }

    @Test func codeInArticlesCompiles() throws {
        let sources = try [
            "emulators/Examples/HeartRate/HeartRate.swift", "lab/Tests/DeviceProgramTests/ArticleTests.swift",
            "lab/Tests/DeviceProgramTests/SeveralDevicesTests.swift",
            "lab/Tests/DeviceProgramTests/ProgramHandlerTests.swift",
        ].map { lines(try String(contentsOf: ArticleTests.root.appendingPathComponent($0), encoding: .utf8)) }
        let catalog = ArticleTests.root.appendingPathComponent("Sources/Peripheral/Peripheral.docc")
        let articles = try FileManager.default.contentsOfDirectory(at: catalog, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "md" }
        var count = 0
        for article in articles {
            let parts = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```")
            for part in parts.enumerated() where part.offset % 2 == 1 && part.element.hasPrefix("swift\n") {
                let block = lines(part.element.dropFirst("swift\n".count))
                #expect(sources.contains { contains(block, in: $0) }, "\(article.lastPathComponent): \(block)")
                count += 1
            }
        }
        #expect(articles.count == 5 && count >= 9)
        let page = ArticleTests.root.appendingPathComponent("docs/emulators/gatt-device.md")
        let examples = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```")
            .filter { $0.hasPrefix("swift\nimport HostLoop\nimport Peripheral\n") }
        for example in examples {
            // Behind the imports; the state is declared beside the function.
            let block = Array(lines(example.dropFirst("swift\n".count)).dropFirst(3))
            #expect(sources.contains { contains(block, in: $0) }, "gatt-device.md: \(block)")
        }
        #expect(examples.count == 1)
    }
}
