// SPDX-License-Identifier: Apache-2.0

import Devices
import NordicProvisioning
import Peripheral
import Protobuf
import Timekeeping
import WiFi
import WiFiStation

/// A Wi-Fi chip that is being provisioned: what phones write, what the station meets, and time.
func fuzzNordic(_ input: inout FuzzInput) {
    let first = input.octet()
    if first & 0x80 != 0 { return fuzzStoredNetworks(&input) }
    var bench = NordicBench(first)
    bench.start()
    while let operation = input.next() { bench.perform(operation, &input) }
    bench.wait(.seconds(60))
}

/// A file of networks: a fault, or what is written as it was read.
private func fuzzStoredNetworks(_ input: inout FuzzInput) {
    var read = StoredNetworks(capacity: 8, whenFull: .replaceOldest)
    guard (try? read.load(json: input.rest())) != nil else { return }
    var again = StoredNetworks(capacity: 8, whenFull: .replaceOldest)
    certain { try again.load(json: read.json) }
    require(again == read, "networks changed on their way through a file")
}

/// The device, and what has to be true of all that it says.
private struct NordicBench {
    private let isExact: Bool
    private var device: NordicProvisioning
    private var wifi: SimulatedWiFi
    private var now = Instant.origin
    private var generation: UInt32 = 0
    private var links: [LinkID] = []
    /// True while a client scans for networks, in its own view.
    private var isScanning = false

    init(_ choice: UInt8) {
        var settings = NordicSettings(profile: choice & 0x01 == 0 ? .exact : .gateway)
        settings.repeatsFlags = choice & 0x02 != 0
        settings.capacity = Int(choice >> 2 & 0x03)
        isExact = settings.profile == .exact
        device = NordicProvisioning(settings)
        wifi = SimulatedWiFi(WiFiSimulation())
    }

    mutating func start() {
        device.start(&wifi, at: now)
        drain(answering: false)
    }

    mutating func perform(_ operation: UInt8, _ input: inout FuzzInput) {
        switch operation % 8 {
        case 0, 1, 2:
            guard let link = links.last else { return connect() }
            write(input.block(), from: operation & 0x80 == 0 ? link : links[0])
        case 3: wait(.milliseconds(Int64(input.word())))
        case 4: operation & 0x80 == 0 ? connect() : disconnect()
        case 5: meet(&input)
        case 6:
            wifi.drop()
            wait(.zero)
        default:
            let steps = WiFiSimulation.Step.allCases
            let failures = WiFiSimulation.Script.Failure.allCases
            let step = steps[input.number(below: steps.count)]
            let choice = input.number(below: failures.count + 1)
            wifi.simulation.scripts[step] = choice == failures.count ? nil : .init(failure: failures[choice])
        }
    }

    // MARK: - What happens

    private mutating func connect() {
        guard links.count < 3 else { return disconnect() }
        generation += 1
        links.append(LinkID(slot: links.count, generation: generation))
        device.connected(links[links.count - 1], &wifi, at: now)
        drain(answering: false)
    }

    private mutating func disconnect() {
        guard !links.isEmpty else { return }
        device.disconnected(links.removeFirst(), &wifi, at: now)
        // A scan ends with its client; whether this was that one is seen by what is told.
        isScanning = false
        drain(answering: false)
    }

    private mutating func write(_ octets: [UInt8], from link: LinkID) {
        let request = try? NordicRequest(decoding: octets.span)
        device.write(octets.span, from: link, &wifi, at: now)
        if request?.operation == .stopScan { isScanning = false }
        drain(answering: true, to: link)
    }

    /// One more access point, or no more.
    private mutating func meet(_ input: inout FuzzInput) {
        let kind = input.octet()
        guard kind != 0, wifi.simulation.accessPoints.count < 8 else {
            wifi.simulation.accessPoints = []
            return
        }
        let octets = input.consume(Int(kind) % 33)
        guard let name = WiFiName(octets) else { finding("\(octets.count) octets are too many for a name") }
        let band = WiFiBand.allCases[input.number(below: WiFiBand.allCases.count)]
        let security = WiFiSecurity.allCases[input.number(below: WiFiSecurity.allCases.count)]
        let network = WiFiNetwork(
            name: name, address: WiFiAddress(2, 0, 0, 0, 0, input.octet()), band: band, channel: UInt32(input.octet()),
            security: security, rssi: Int8(bitPattern: input.octet()))
        wifi.simulation.accessPoints.append(.init(network, passphrase: nil))
    }

    mutating func wait(_ duration: Duration) {
        let end = now + duration
        var rounds = 0
        while let next = device.deadline(wifi), next <= end {
            now = max(next, now)
            device.advance(&wifi, to: now)
            drain(answering: false)
            let following = device.deadline(wifi)
            require(following.map { $0 > now } ?? true, "a deadline that stays in the past")
            rounds += 1
            require(rounds < 10_000, "it never rests")
        }
        now = end
        device.advance(&wifi, to: now)
        drain(answering: false)
    }

    // MARK: - What is said

    private mutating func drain(answering: Bool, to link: LinkID? = nil) {
        var answers = 0
        while let action = device.nextAction() {
            switch action {
            case .send(let message):
                if message.characteristic == .controlPoint {
                    answers += 1
                    require(message.link == link, "an answer for another client")
                    check(response: message)
                } else {
                    require(links.contains(message.link), "a value for a client that is gone")
                    check(result: message)
                }
            case .advertise(let advertisement):
                require(advertisement.data.count <= 31 && advertisement.scanResponse.count == 22, "advertising data")
            case .store(let networks):
                require(networks.networks.count <= networks.capacity, "more networks than there is room for")
                require(networks == device.stored, "something else is to be stored")
            case .stopAdvertising, .disconnect: break
            }
        }
        require(answers == (answering ? 1 : 0), "\(answers) answers to a request")
        while device.nextNotice() != nil {}
    }

    private mutating func check(response message: NordicMessage) {
        require(message.octets.count <= 88, "an answer of \(message.octets.count) octets")
        let response = certain { try NordicResponse(decoding: message.octets.span) }
        require(response.status != nil, "an answer without a status")
        if [.setConfiguration, .forgetConfiguration].contains(response.operation), response.status == .success {
            isScanning = false
        }
        if response.operation == .startScan, response.status == .success { isScanning = true }
        guard !isExact else { return }
        require(response.operation != nil, "an answer without an operation")
        guard response.operation == .getStatus, response.status == .success else { return }
        guard let status = response.deviceStatus, let state = response.deviceStatus?.state else {
            finding("a status without a state")
        }
        require((0...5).contains(state.rawValue), "state \(state.rawValue)")
        if let network = status.provisioned { check(network) }
        if let connection = status.connection {
            require(status.provisioned != nil && connection.ipv4?.count == 4, "connection_info")
        }
        if let scan = status.scan {
            let isWhole =
                scan.band != nil && scan.passive != nil && scan.periodMilliseconds != nil && scan.groupChannels != nil
            require(isWhole, "scan_info with a field missing")
        }
    }

    private func check(result message: NordicMessage) {
        require(message.octets.count <= 71, "a result of \(message.octets.count) octets")
        let result = certain { try NordicResult(decoding: message.octets.span) }
        require((result.record == nil) != (result.state == nil), "a result of both, or of nothing")
        guard !isExact else { return }
        if let record = result.record {
            guard let network = record.network else { finding("a record without a network") }
            check(network)
        } else {
            require(!isScanning, "a state during a scan")
            require((result.state == .connectionFailed) == (result.reason != nil), "a failure without a reason")
        }
    }

    /// Requires a value that no app crashes at.
    private func check(_ network: NordicNetwork) {
        require(network.wifiName?.text != nil, "a name that is no text")
        require(network.wifiAddress != nil, "an address of \(network.address.count) octets")
        require(network.band.map { (1...2).contains($0.rawValue) } ?? true, "band any")
        require(network.security.map { (0...6).contains($0.rawValue) } ?? false, "a security that apps do not know")
    }
}
