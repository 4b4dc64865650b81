// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A part of the project that reads untrusted octets, and what is tried with it.
public struct FuzzTarget: Sendable {
    /// Its name for `script/fuzz` and the corpus.
    public let name: String
    /// Does what one input says. It must not trap, and calls `finding` when a promise is broken.
    let run: @Sendable (inout FuzzInput) -> Void

    /// Tries one input. Ends the process at a finding, with a line to standard error.
    public func callAsFunction(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        run(&input)
    }

    /// All targets.
    public static let all = [
        FuzzTarget(name: "framer", run: fuzzFramer),
        FuzzTarget(name: "capture", run: fuzzCapture),
        FuzzTarget(name: "pack", run: fuzzPack),
        FuzzTarget(name: "recording", run: fuzzRecording),
        FuzzTarget(name: "hci", run: fuzzHCI),
        FuzzTarget(name: "packet-streamer", run: fuzzPacketStreamer),
        FuzzTarget(name: "l2cap", run: fuzzL2CAP),
        FuzzTarget(name: "gatt", run: fuzzGATT),
        FuzzTarget(name: "smp", run: fuzzSecurity),
        FuzzTarget(name: "host", run: fuzzHost),
        FuzzTarget(name: "bonds", run: fuzzBonds),
        FuzzTarget(name: "channels", run: fuzzChannels),
        FuzzTarget(name: "pairing", run: fuzzPairing),
        FuzzTarget(name: "assembler", run: fuzzAssembler),
        FuzzTarget(name: "messages", run: fuzzMessages),
        FuzzTarget(name: "envelope", run: fuzzEnvelope),
        FuzzTarget(name: "session", run: fuzzSession),
        FuzzTarget(name: "device", run: fuzzDevice),
        FuzzTarget(name: "apdu", run: fuzzAPDU),
        FuzzTarget(name: "pkoc", run: fuzzPKOC),
        FuzzTarget(name: "pkoc-certificate", run: fuzzPKOCCertificate),
        FuzzTarget(name: "pkoc-link", run: fuzzPKOCLink),
        FuzzTarget(name: "desfire", run: fuzzDESFire),
        FuzzTarget(name: "phone-card", run: fuzzPhoneCard),
        FuzzTarget(name: "aliro", run: fuzzAliro),
        FuzzTarget(name: "aliro-link", run: fuzzAliroLink),
        FuzzTarget(name: "field", run: fuzzField),
        FuzzTarget(name: "settings", run: fuzzSettings),
        FuzzTarget(name: "client", run: fuzzClient),
        FuzzTarget(name: "central", run: fuzzCentral),
        FuzzTarget(name: "phone", run: fuzzPhone),
        FuzzTarget(name: "simble", run: fuzzSimBLE),
        FuzzTarget(name: "policy", run: fuzzPolicy),
        FuzzTarget(name: "tokens", run: fuzzTokens),
        FuzzTarget(name: "control", run: fuzzControl),
        FuzzTarget(name: "camera", run: fuzzCamera),
        FuzzTarget(name: "nordic", run: fuzzNordic),
        FuzzTarget(name: "mdns", run: fuzzMDNS),
        FuzzTarget(name: "netlink", run: fuzzNetlink),
        FuzzTarget(name: "supplicant", run: fuzzSupplicant),
        FuzzTarget(name: "matter-tlv", run: fuzzMatterTLV),
        FuzzTarget(name: "matter-certificate", run: fuzzMatterCertificate),
        FuzzTarget(name: "matter-code", run: fuzzMatterCode),
        FuzzTarget(name: "matter-message", run: fuzzMatterMessage),
        FuzzTarget(name: "matter-btp", run: fuzzMatterBTP),
        FuzzTarget(name: "interaction", run: fuzzInteraction),
        FuzzTarget(name: "matter-node", run: fuzzMatterNode),
        FuzzTarget(name: "osdp", run: fuzzOSDP),
        FuzzTarget(name: "lock", run: fuzzLock),
        FuzzTarget(name: "fleet", run: fuzzFleet),
        FuzzTarget(name: "broker", run: fuzzBroker),
        FuzzTarget(name: "orders", run: fuzzOrders),
        FuzzTarget(name: "desired", run: fuzzDesired),
        FuzzTarget(name: "traces", run: fuzzTraces),
        FuzzTarget(name: "zone", run: fuzzZone),
    ]
}

/// A promise was broken: libFuzzer keeps the input.
func finding(_ text: String) -> Never {
    complain("FINDING: \(text)")
    abort()
}

/// Writes a line to standard error.
public func complain(_ line: String) {
    let octets = Array((line + "\n").utf8)
    _ = octets.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// `finding` unless the promise is kept.
func require(_ isKept: Bool, _ text: @autoclosure () -> String) {
    if !isKept { finding(text()) }
}

/// The result of `body`; a finding if it throws, since here nothing can be the input's fault.
func certain<Value: ~Copyable>(_ body: () throws -> Value) -> Value {
    do { return try body() } catch { finding("what cannot fail has: \(error)") }
}

extension Span where Element == UInt8 {
    /// A copy.
    var array: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
