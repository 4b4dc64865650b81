import AccessProtocol
import Crypto
import Phone
import Reader
import Testing
import Timekeeping

/// The octets that hexadecimal digits name; anything else between them is passed over.
func octets(_ text: String) -> [UInt8] {
    let digits = text.compactMap { $0.hexDigitValue.map(UInt8.init) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// A small generator of known octets (SplitMix64), so that a failure can be run again.
struct KnownRandom: RandomNumberGenerator, RandomSource {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func fill(_ octets: inout MutableSpan<UInt8>) {
        for at in octets.indices {
            octets[at] = UInt8(truncatingIfNeeded: next())
        }
    }

    mutating func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}

/// A reader's session with the demo identity, a clock at noon of 4 May 2026, and what it sends collected.
struct Terminal: ~Copyable {
    static let noon = CivilTime(year: 2026, month: 5, day: 4, hour: 12)

    var session = AccessSession()
    let identity: ReaderIdentity
    var clock: CivilTime? = Terminal.noon
    var random = KnownRandom(seed: 1)
    var limit = 244

    init(_ identity: ReaderIdentity? = nil) throws {
        self.identity = try identity ?? .demo()
    }

    mutating func receive(_ frame: [UInt8]) -> SessionStep {
        session.receive(frame.span, identity: identity, clock: clock, random: &random)
    }

    mutating func finish(_ status: StatusCode, _ result: [UInt8] = []) -> StatusCode {
        session.finish(status, result: result.span, identity: identity)
    }

    /// All frames that are ready.
    mutating func sent() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var frame: [UInt8] = []
        while session.nextFrame(limit: limit, into: &frame) {
            frames.append(frame)
        }
        return frames
    }
}

/// A phone's session, and what it sends collected.
struct Handset: ~Copyable {
    var session = PhoneSession()
    var random = KnownRandom(seed: 2)
    var limit = 182

    mutating func start(_ token: [UInt8], _ terminal: P256PublicKey) -> PhoneStep {
        session.start(token: token.span, terminal: terminal, random: &random)
    }

    mutating func receive(_ frame: [UInt8]) -> PhoneStep {
        session.receive(frame.span, random: &random)
    }

    mutating func sent() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var frame: [UInt8] = []
        while session.nextFrame(limit: limit, into: &frame) {
            frames.append(frame)
        }
        return frames
    }
}

/// One message as frames of 512 octets.
func message(_ payload: [UInt8], status: StatusCode = .ok) throws -> [[UInt8]] {
    var framer = MessageFramer()
    if status == .ok { try framer.begin(payload: payload.span) } else { framer.begin(status: status) }
    var frames: [[UInt8]] = []
    var frame: [UInt8] = []
    while framer.next(limit: 512, into: &frame) {
        frames.append(frame)
    }
    return frames
}
