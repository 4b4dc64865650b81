// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import MatterCredentials
import MatterTLV
import TestSupport
import System
import Testing

@testable import readerd_matter

/// The label of a lock, made on the device.
struct LockLabelTests {
    private let directory: TemporaryDirectory
    private var state: LockFiles { LockFiles(directory: directory.path + "/state") }
    private var options: LockOptions.Initialise {
        LockOptions.Initialise(
            state: directory.path + "/state", attestation: directory.path + "/attestation", vendor: 0xFFF1,
            product: 0x8001)
    }

    init() throws {
        directory = try TemporaryDirectory()
        try #require(mkdir(directory.path + "/attestation", 0o700) == 0)
        for name in ["dac.der", "pai.der", "cd.der"] { try directory.write("attestation/\(name)", name) }
        try directory.write("attestation/dac-key.pem", P256PrivateKey.generate().pem())
    }

    /// The codes agree with what is kept, and the passcode is not kept.
    @Test
    func aNewLabel() throws {
        let codes = try LockLabel.make(options, state)
        let payload = try OnboardingPayload(qrText: codes.qr)
        let device = try state.device()
        #expect(payload.discriminator == device.label.discriminator && payload.vendor.rawValue == 0xFFF1)
        #expect(payload.flow == .userIntent && codes.manual.count == 21)
        #expect(!device.label.json.contains("\(payload.passcode.rawValue)"))
        #expect(device.label.iterations == 100_000 && device.label.salt.count == 32)
        #expect(device.attestation.dac == Array("dac.der".utf8))
        // Another device has another code.
        let other = try LockLabel.make(
            LockOptions.Initialise(attestation: options.attestation), LockFiles(directory: directory.path + "/other"))
        #expect(other.qr != codes.qr)
    }

    @Test
    func aLockIsNotReplaced() throws {
        _ = try LockLabel.make(options, state)
        let error = #expect(throws: LockProgram.Failure.self) { try LockLabel.make(options, state) }
        #expect(error?.description.contains("there is a lock; remove the file for a new code") == true)
    }

    @Test
    func withoutALockThereIsARemedy() throws {
        let error = #expect(throws: LockProgram.Failure.self) { try state.device() }
        #expect(error?.description.hasSuffix("holds no lock; make one with readerd-matter init") == true)
    }

    @Test(arguments: ["dac.der", "pai.der", "cd.der", "dac-key.pem"])
    func aMissingPartIsNamed(name: String) throws {
        try #require(unlink("\(directory.path)/attestation/\(name)") == 0)
        let error = #expect(throws: LockProgram.Failure.self) { try LockLabel.make(options, state) }
        #expect(error?.description.contains("attestation/\(name): no such file") == true)
        #expect(throws: LockProgram.Failure.self) { try state.device() }
    }

    @Test(arguments: [
        ("", "not JSON"), ("{}", "lacks"), (#"{"vendor":65536}"#, "65536 is not a whole number"),
    ])
    func aDamagedLabelIsRefused(text: String, fault: String) {
        let error = #expect(throws: LockProgram.Failure.self) { try LockLabel(Array(text.utf8), "label.json") }
        #expect(error?.description.contains("label.json:1: ") == true, "\(text)")
    }
}
