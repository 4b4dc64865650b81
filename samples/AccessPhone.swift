// SPDX-License-Identifier: Apache-2.0

// A phone for readerd in one file, for iOS 15 or macOS 12 and later: finds a reader, proves that it is the right one,
// shows a token. docs/protocol/access-profile.md describes each step; the numbers in brackets are its sections.
//
// Info.plist: NSBluetoothAlwaysUsageDescription. `readerlab credentials phone-bundle` makes the keys and tokens
// (docs/operate/credentials.md).
//
//     let visit = DoorVisit(ReaderEntry(deviceID: …, terminalPublicKey: …, token: …)) { result in … }
//     visit.start()
//
// AccessSession needs no radio: it computes protocols/access/session-vector.json.

import CommonCrypto
import CoreBluetooth
import CryptoKit
import Foundation

/// A reader of a bundle: its device id, its key (SubjectPublicKeyInfo, DER), and a token as it is sent.
struct ReaderEntry {
    var deviceID: String
    var terminalPublicKey: Data
    var token: Data
}

/// The visit ended without success; the text says why.
struct Refusal: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }

    static let damaged = Refusal("the reader sent a damaged message")
}

// MARK: - Messages and frames (4)

enum Frames {
    private static let table: [UInt16] = [
        0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50A5, 0x60C6, 0x70E7,
        0x8108, 0x9129, 0xA14A, 0xB16B, 0xC18C, 0xD1AD, 0xE1CE, 0xF1EF,
    ]

    /// The CRC of a payload; `123456789` gives 0xB58D.
    static func crc(_ octets: Data) -> UInt16 {
        octets.reduce(0xFFFF) { value, octet in
            [octet & 0xF, octet >> 4].reduce(value) { value, nibble in
                value << 4 ^ table[Int(value >> 12) ^ Int(nibble)]
            }
        }
    }

    /// Header and payload.
    static func message(_ payload: Data) -> Data {
        let header = [UInt16(payload.count), crc(payload), 0]
        return header.reduce(into: Data()) { $0 += [UInt8($1 >> 8), UInt8($1 & 0xFF)] } + payload
    }
}

/// Joins the frames of an answer.
struct Inbox {
    private var octets = Data()

    /// The payload once the message is complete. Throws for a status, and for a damaged message.
    mutating func receive(_ frame: Data) throws -> Data? {
        octets += frame
        guard octets.count >= 6 else { throw Refusal.damaged }
        let header = octets.prefix(6).map(UInt16.init)
        let (length, checksum) = (header[0] << 8 | header[1], header[2] << 8 | header[3])
        let status = Int16(bitPattern: header[4] << 8 | header[5])
        let payload = Data(octets.dropFirst(6))
        guard payload.count >= length else { return nil }
        octets = Data()
        guard status == 0 else { throw Refusal("refused with status \(status): docs/protocol/status-codes.md") }
        guard payload.count == length, checksum == (payload.isEmpty ? 0 : Frames.crc(payload)) else {
            throw Refusal.damaged
        }
        return payload
    }
}

// MARK: - Protobuf, as far as the session needs it (5)

enum Wire {
    /// The length-delimited fields of a message that has its length in front; padding may follow.
    static func fields(_ octets: Data) throws -> [Int: Data] {
        var found: [Int: Data] = [:]
        var rest = octets[...]
        let length = try varint(&rest)
        guard length <= rest.count else { throw Refusal.damaged }
        rest = rest.prefix(length)
        while !rest.isEmpty {
            let key = try varint(&rest)
            let value = try varint(&rest)
            guard key & 7 == 2 else { continue }
            guard value <= rest.count else { throw Refusal.damaged }
            found[key >> 3] = Data(rest.prefix(value))
            rest = rest.dropFirst(value)
        }
        return found
    }

    private static func varint(_ rest: inout Data.SubSequence) throws -> Int {
        var value = 0
        for shift in stride(from: 0, through: 28, by: 7) {
            guard let octet = rest.popFirst() else { throw Refusal.damaged }
            value |= Int(octet & 0x7F) << shift
            if octet < 0x80 { return value }
        }
        throw Refusal.damaged
    }
}

// MARK: - The session (5)

/// The phone's side of one exchange: octets in, octets out. Salt and key are arguments for known answers alone.
struct AccessSession {
    private let reader: Data
    private let readerKey: P256.Signing.PublicKey
    private let salt: Data
    private let key: P256.KeyAgreement.PrivateKey
    private let secret: Data
    private var kdfSalt = Data()
    private var macSalt = Data()

    init(reader der: Data, salt: Data = strongSalt(), key: P256.KeyAgreement.PrivateKey = .init()) throws {
        readerKey = try P256.Signing.PublicKey(derRepresentation: der)
        reader = readerKey.x963Representation
        self.salt = salt
        self.key = key
        let peer = try P256.KeyAgreement.PublicKey(x963Representation: reader)
        secret = try key.sharedSecretFromKeyAgreement(with: peer).withUnsafeBytes { Data($0) }
    }

    /// Message 1.
    func handshake() -> Data { Frames.message(Data([18, 0x0A, 16]) + salt) }

    /// Message 2: the reader proves its key.
    mutating func accept(_ payload: Data) throws {
        let reply = try Wire.fields(payload)
        guard let readerSalt = reply[1], AccessSession.isStrong(readerSalt), let signature = reply[2] else {
            throw Refusal("the reader's handshake is damaged or weak")
        }
        guard let proof = try? P256.Signing.ECDSASignature(derRepresentation: signature),
            readerKey.isValidSignature(proof, for: salt)
        else { throw Refusal("wrong reader: the handshake is not signed by the key in the bundle") }
        kdfSalt = salt.prefix(8) + readerSalt.prefix(8)
        macSalt = salt.suffix(8) + readerSalt.suffix(8)
    }

    /// Message 3: the token, encrypted.
    func request(_ token: Data) throws -> Data {
        let own = key.publicKey.x963Representation
        let keys = derive(own)
        let padded = token + Data(count: (16 - token.count % 16) % 16)
        let ciphertext = try cipher(CCOperation(kCCEncrypt), keys[0..<16], padded)
        return Frames.message(own + ciphertext + mac(keys[16..<48], ciphertext))
    }

    /// Message 4: the data of the result.
    func answer(_ payload: Data) throws -> Data {
        guard payload.count >= 65 + 16 + 32 else { throw Refusal.damaged }
        let (sender, ciphertext, tag) = (payload.prefix(65), payload.dropFirst(65).dropLast(32), payload.suffix(32))
        guard sender == reader else { throw Refusal("the answer is not from this reader") }
        let keys = derive(Data(sender))
        let authentication = SymmetricKey(data: keys[64..<96])
        guard
            HMAC<SHA256>.isValidAuthenticationCode(
                tag, authenticating: ciphertext + macSalt, using: authentication)
        else { throw Refusal("the answer was altered on its way") }
        let plaintext = try cipher(CCOperation(kCCDecrypt), keys[48..<64], Data(ciphertext))
        return try Wire.fields(plaintext)[1] ?? Data()
    }

    /// HKDF-SHA256, 96 octets, for the sender's point.
    private func derive(_ sender: Data) -> Data {
        let material = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: sender + secret), salt: kdfSalt,
            info: Data("Secure Message Exchange".utf8), outputByteCount: 96)
        return material.withUnsafeBytes { Data($0) }
    }

    private func mac(_ key: Data, _ ciphertext: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: ciphertext + macSalt, using: SymmetricKey(data: key)))
    }

    /// AES-128-CBC with a zero vector, no padding.
    private func cipher(_ operation: CCOperation, _ key: Data, _ octets: Data) throws -> Data {
        var output = [UInt8](repeating: 0, count: octets.count)
        var count = 0
        let status = CCCrypt(
            operation, CCAlgorithm(kCCAlgorithmAES128), 0, Array(key), key.count, nil, Array(octets), octets.count,
            &output, output.count, &count)
        guard status == kCCSuccess, count == octets.count else { throw Refusal.damaged }
        return Data(output)
    }

    /// The salt rule of both sides.
    static func isStrong(_ salt: Data) -> Bool { salt.count == 16 && Set(salt).subtracting([0xFF]).count >= 8 }

    /// A fresh salt.
    static func strongSalt() -> Data {
        while true {
            let salt = Data((0..<16).map { _ in UInt8.random(in: .min ... .max) })
            if isStrong(salt) { return salt }
        }
    }
}

// MARK: - The visit

/// One visit to a reader of a bundle (1, 2, 3). `done` is called once, on the main queue: with the data of the result
/// (6, 7), or the reason.
final class DoorVisit: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private static let services = [
        CBUUID(string: "FCBA"), CBUUID(string: "00005301-0010-002A-426C-756549442A00"),
        CBUUID(string: "00005301-0000-002A-426C-756549442A00"),
    ]
    private static let receiving = CBUUID(string: "58920001-0BB5-4F7D-ADA1-988C7FEC44E4")
    private static let transmitting = CBUUID(string: "A0150002-4C92-496C-9CF1-007367D7E838")
    private static let limit: TimeInterval = 10

    private let reader: ReaderEntry
    private var done: ((Result<Data, Refusal>) -> Void)?
    private var central: CBCentralManager?
    private var peripheral: CBPeripheral?
    private var rx: CBCharacteristic?
    private var session: AccessSession?
    private var inbox = Inbox()
    private var frames: [Data] = []
    private var hasReply = false

    init(_ reader: ReaderEntry, done: @escaping (Result<Data, Refusal>) -> Void) {
        self.reader = reader
        self.done = done
    }

    /// Starts to scan. A full reader does not advertise, so the scan goes on until the time is over.
    func start() {
        attempt {
            session = try AccessSession(reader: reader.terminalPublicKey)
            central = CBCentralManager(delegate: self, queue: .main)
        }
        DispatchQueue.main.asyncAfter(deadline: .now() + DoorVisit.limit) { [weak self] in
            self?.end(.failure(Refusal("no reader of the bundle is heard: go nearer")))
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: DoorVisit.services)
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover found: CBPeripheral, advertisementData: [String: Any],
        rssi: NSNumber
    ) {
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        guard name == reader.deviceID, peripheral == nil else { return }
        central.stopScan()
        peripheral = found
        found.delegate = self
        central.connect(found)
    }

    func centralManager(_ central: CBCentralManager, didConnect found: CBPeripheral) {
        found.discoverServices(DoorVisit.services)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect found: CBPeripheral, error: (any Error)?) {
        end(.failure(Refusal("not connected: go nearer, or try again")))
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral found: CBPeripheral, error: (any Error)?
    ) {
        end(.failure(Refusal("the reader ended the link: go nearer, or try again")))
    }

    func peripheral(_ found: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = found.services?.first else { return end(.failure(Refusal("no access service"))) }
        found.discoverCharacteristics([DoorVisit.receiving, DoorVisit.transmitting], for: service)
    }

    func peripheral(
        _ found: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        let characteristics = service.characteristics ?? []
        rx = characteristics.first { $0.uuid == DoorVisit.receiving }
        guard rx != nil, let tx = characteristics.first(where: { $0.uuid == DoorVisit.transmitting }) else {
            return end(.failure(Refusal("no access service")))
        }
        found.setNotifyValue(true, for: tx)
    }

    func peripheral(
        _ found: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        attempt { send(try current().handshake()) }
    }

    func peripheral(_ found: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
        if error != nil { return end(.failure(Refusal("the write was refused: try again"))) }
        writeNext()
    }

    func peripheral(_ found: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
        attempt {
            guard let payload = try inbox.receive(characteristic.value ?? Data()) else { return }
            if hasReply { return end(.success(try current().answer(payload))) }
            hasReply = true
            try session?.accept(payload)
            send(try current().request(reader.token))
        }
    }

    private func current() throws -> AccessSession {
        guard let session else { throw Refusal("the visit is over") }
        return session
    }

    private func send(_ message: Data) {
        guard let peripheral else { return }
        // The limit of a write without response is ATT_MTU − 3; the other one allows long writes.
        let size = min(peripheral.maximumWriteValueLength(for: .withoutResponse), 512)
        frames = stride(from: 0, to: message.count, by: size).map { message.dropFirst($0).prefix(size) }
        writeNext()
    }

    /// Writes with response: one at a time.
    private func writeNext() {
        guard let rx, !frames.isEmpty else { return }
        peripheral?.writeValue(Data(frames.removeFirst()), for: rx, type: .withResponse)
    }

    private func attempt(_ step: () throws -> Void) {
        do { try step() } catch { end(.failure(error as? Refusal ?? Refusal("\(error)"))) }
    }

    private func end(_ result: Result<Data, Refusal>) {
        guard let done else { return }
        self.done = nil
        central?.stopScan()
        if let peripheral { central?.cancelPeripheralConnection(peripheral) }
        done(result)
    }
}
