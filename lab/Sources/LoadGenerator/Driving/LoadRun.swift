// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Phone

/// A run of the generator against one host.
struct LoadRun<Line: HostLine & ~Copyable>: ~Copyable {
    /// The time-out in seconds after which a silent host counts as stopped.
    static var silence: Int { 5 }
    /// The time-out in seconds for a host to start and to connect all phones.
    static var patience: Int { 20 }

    let plan: LoadPlan
    var line: Line
    var controller: LoadController
    var framer = H4Framer(receiver: .controller)
    /// The time at which the last request of each link was written.
    var sentAt: [Int64]
    /// True if a link's request is outstanding.
    var isOutstanding: [Bool]
    /// The time at which the last octets were received.
    var receivedAt: Int64 = 0
    var latencies = Latencies()
    /// The number of operations of each link in the current test.
    var perLink: [Int]
    var failures = 0
    /// The discovered characteristics.
    var characteristics: [RemoteCharacteristic] = []
    /// The value handles of the table's characteristics.
    var handles: [BenchTable.Characteristic: UInt16] = [:]

    init(plan: LoadPlan, line: consuming Line) {
        self.plan = plan
        self.line = line
        controller = LoadController(plan: plan)
        sentAt = Array(repeating: 0, count: plan.phones)
        isOutstanding = Array(repeating: false, count: plan.phones)
        perLink = Array(repeating: 0, count: plan.phones)
    }

    /// Starts the host, runs the tests, and adds measurements to the report as they are made.
    ///
    /// - Parameter isEnding: asked before each test; true leaves out those that are left.
    mutating func run(into report: inout LoadReport, isEnding: () -> Bool = { false }) throws(LoadFault) {
        report.bringUp = try bringUp()
        try prepare()
        for test in plan.tests {
            report.isInterrupted = isEnding()
            guard !report.isInterrupted else { return }
            report.results.append(try carryOut(test))
        }
        report.isInterrupted = isEnding()
    }

    /// Sends queued packets, waits for the host, and handles its packets. False if there were none.
    mutating func turn() throws(LoadFault) -> Bool {
        try flush()
        var failure: H4Error?
        let came = try LoadRun.receive(&line, &framer, &controller, &failure)
        if let failure { throw .outOfStep("\(failure)") }
        receivedAt = line.now
        controller.settle()
        return came
    }

    mutating func flush() throws(LoadFault) {
        guard !controller.burst.isEmpty else { return }
        try line.send(controller.burst, joined: plan.joinsPackets, times: &sentAt)
        controller.burst.removeAll()
    }

    private static func receive(
        _ line: inout Line, _ framer: inout H4Framer, _ controller: inout LoadController, _ failure: inout H4Error?
    ) throws(LoadFault) -> Bool {
        try line.receive { octets in
            do throws(H4Error) {
                try framer.receive(octets) { packet in controller.receive(packet) }
            } catch {
                failure = error
            }
        }
    }

    // MARK: - Before the tests

    mutating func bringUp() throws(LoadFault) -> LoadReport.BringUp {
        let patience = Int64(LoadRun.patience) * 1_000_000_000
        let start = line.now
        var reset: Int64?
        var advertised: (time: Int64, commands: Int)?
        while controller.linkCount < plan.phones || controller.commands == 0 {
            _ = try turn()
            if reset == nil, controller.commands > 0 { reset = receivedAt }
            if advertised == nil, controller.hasAdvertised { advertised = (receivedAt, controller.commands) }
            guard receivedAt - start < patience else {
                throw .neverAdvertised(links: controller.linkCount, of: plan.phones)
            }
        }
        let first = advertised ?? (receivedAt, controller.commands)
        return LoadReport.BringUp(
            milliseconds: Double(first.time - (reset ?? start)) / 1e6, commands: first.commands,
            connectMilliseconds: Double(receivedAt - first.time) / 1e6)
    }

    /// Exchanges the MTU on every link, discovers on the first, and enables notifications on all.
    private mutating func prepare() throws(LoadFault) {
        for link in 0..<plan.phones { try exchangeMTU(link) }
        let discovery = try discover(on: 0)
        characteristics = discovery.characteristics
        for characteristic in BenchTable.Characteristic.allCases {
            handles[characteristic] = try value(characteristic.uuid, of: discovery)
        }
        for link in 0..<plan.phones { try subscribe(link, to: handle(.notify), of: discovery) }
    }

    /// Discovers the host's table on a link.
    mutating func discover(on link: Int) throws(LoadFault) -> Discovery {
        var discovery = Discovery()
        while let request = discovery.request {
            try ask(request, on: link, during: "discovery")
            discovery.receive(controller.links[link].answer)
        }
        return discovery
    }

    /// The value handle of a characteristic that the table must have.
    func value(_ uuid: BluetoothUUID, of discovery: Discovery) throws(LoadFault) -> UInt16 {
        guard let value = discovery.value(uuid) else { throw .missing("characteristic \(uuid)") }
        return value
    }

    mutating func exchangeMTU(_ link: Int) throws(LoadFault) {
        try ask(ATTRequest.exchangeMTU(client: LoadController.mtu).octets(), on: link, during: "the MTU exchange")
    }

    /// Enables notifications of a value.
    mutating func subscribe(_ link: Int, to value: UInt16, of discovery: Discovery) throws(LoadFault) {
        guard let configuration = discovery.configuration(after: value) else {
            throw .missing("configuration after the value \(value)")
        }
        try ask(ATTRequest.write(configuration, [1, 0]), on: link, during: "subscribing")
    }

    /// Sends a request and waits for its response.
    mutating func ask(_ pdu: [UInt8], on link: Int, during test: String) throws(LoadFault) {
        controller.links[link].hasAnswer = false
        controller.send(pdu, on: link, awaitsAnswer: true)
        let start = line.now
        while !controller.links[link].hasAnswer {
            _ = try turn()
            guard controller.links[link].isUp else { throw .linkEnded(during: test) }
            try checkSilence(since: start, during: test)
        }
    }

    func checkSilence(since time: Int64, during test: String) throws(LoadFault) {
        guard receivedAt - time < Int64(LoadRun.silence) * 1_000_000_000 else {
            throw .silent(during: test, seconds: LoadRun.silence)
        }
    }

    func handle(_ characteristic: BenchTable.Characteristic) -> UInt16 { handles[characteristic] ?? 0 }
}

extension ATTRequest {
    /// The octets of the PDU; a value is a range of `value`.
    func octets(_ value: [UInt8] = []) -> [UInt8] {
        var pdu: [UInt8] = []
        append(to: &pdu, value.span)
        return pdu
    }

    /// ATT_WRITE_REQ with this value.
    static func write(_ handle: UInt16, _ value: [UInt8]) -> [UInt8] {
        ATTRequest.write(handle, value: value.indices).octets(value)
    }

    /// ATT_WRITE_CMD with this value.
    static func writeCommand(_ handle: UInt16, _ value: [UInt8]) -> [UInt8] {
        ATTRequest.writeCommand(handle, value: value.indices).octets(value)
    }
}
