// SPDX-License-Identifier: Apache-2.0

internal import JSON
import Octets
public import Timekeeping
import WiFi
public import WiFiStation

extension SoftAPDevice {
    /// Adds a fault in front of the others.
    public mutating func inject(_ fault: SoftAPFault) { faults.insert(fault, at: 0) }

    /// Handles a new connection, which a fault may close immediately.
    public mutating func connected(_ connection: SoftAPConnection) {
        if let fault = fault(at: nil) {
            act(.tell(.fault(fault)))
            act(.close(connection))
        }
    }

    /// Handles a complete request. It is answered once; with `exact` the connection closes after the response.
    public mutating func request(
        _ request: SoftAPRequest, on connection: SoftAPConnection, at now: Instant,
        over station: inout some WiFiStation
    ) {
        switch state {
        case .starting:
            // A request before the access point is up waits for the scan.
            waiting.append(Waiting(connection: connection, request: request, fault: nil, asksForScan: false))
        case .open: serve(request, on: connection, at: now, over: &station)
        // With a stored configuration, no further requests are accepted.
        case .stored, .joining, .restarting, .off: unanswered(request, on: connection)
        }
        advance(to: now, over: &station)
    }

    /// Handles octets that are not an HTTP/1.1 request. The caller closes the connection, with `gateway` after a
    /// response 400.
    public mutating func malformed(_ connection: SoftAPConnection) {
        let request = SoftAPRequest("?", "?")
        guard !isExact else { return unanswered(request, on: connection) }
        act(.tell(.answered(method: request.method, target: request.target, status: 400)))
    }

    /// Performs a request, or the fault instead.
    mutating func serve(
        _ request: SoftAPRequest, on connection: SoftAPConnection, at now: Instant,
        over station: inout some WiFiStation
    ) {
        let endpoint = SoftAPEndpoint(rawValue: request.target).flatMap { isExact && !$0.isNordic ? nil : $0 }
        let isMeant = endpoint?.method == request.method
        var fault: SoftAPFault?
        if isMeant, let endpoint { fault = self.fault(at: endpoint) }
        if let fault { act(.tell(.fault(fault))) }
        switch fault?.kind {
        case .close: return unanswered(request, on: connection)
        case .status(let status): return answer(request, SoftAPResponse(status), on: connection)
        case .delay, .lost, .body, .cut, nil: break
        }
        if endpoint == .scan, isMeant {
            // The response is sent at the end of the scan.
            waiting.append(Waiting(connection: connection, request: request, fault: fault, asksForScan: true))
            if !isScanning { scan(at: now, over: &station) }
            return
        }
        let response = reply(to: request, endpoint, at: now, over: &station)
        finish(request, response, on: connection, with: fault, at: now)
    }

    /// Sends a response, modified by a fault; nil closes the connection.
    mutating func finish(
        _ request: SoftAPRequest, _ response: SoftAPResponse?, on connection: SoftAPConnection,
        with fault: SoftAPFault?, at now: Instant
    ) {
        guard let response else { return unanswered(request, on: connection) }
        switch fault?.kind {
        case .delay(let delay):
            held.append(Held(due: now + delay, connection: connection, response: response))
            act(.tell(.answered(method: request.method, target: request.target, status: response.status)))
        case .lost: unanswered(request, on: connection)
        case .body(let body): answer(request, response.with(body: body), on: connection)
        case .cut(let count):
            var cut = response
            cut.cut = count
            cut.closes = true
            answer(request, cut, on: connection)
        case .close, .status, nil: answer(request, response, on: connection)
        }
    }

    // MARK: - Responses

    /// The response to a request; nil for none.
    private mutating func reply(
        to request: SoftAPRequest, _ endpoint: SoftAPEndpoint?, at now: Instant, over station: inout some WiFiStation
    ) -> SoftAPResponse? {
        var body = request.body
        if isExact, !leftOver.isEmpty || !body.isEmpty {
            // The firmware continues where the last refused body ended.
            if !leftOver.isEmpty { act(.tell(.leftOver(leftOver.count))) }
            body = leftOver + body
            if body.count <= SoftAPSettings.maximumBody { leftOver = body }
        }
        if request.method == "OPTIONS" { return SoftAPResponse(200, closes: isExact) }
        guard let endpoint else { return explained(404, "there is nothing at \(request.target)") }
        guard endpoint.method == request.method else {
            let text = "\(request.target) is asked by \(endpoint.method)"
            return explained(405, text, more: isExact ? [] : [.init("Allow", "\(endpoint.method), OPTIONS")])
        }
        switch endpoint {
        case .networks: return listed()
        case .configure: return configure(body, at: now, over: &station)
        case .status: return SoftAPResponse(200, type: "application/json", body: Array(status.utf8), closes: false)
        case .scan: return listed()
        }
    }

    /// The response with the networks.
    func listed() -> SoftAPResponse {
        SoftAPResponse(
            200, type: "application/x-protobuf",
            body: isExact ? SoftAPNetworks.exact(networks) : SoftAPNetworks.helpful(networks), closes: isExact)
    }

    private mutating func configure(
        _ body: [UInt8], at now: Instant, over station: inout some WiFiStation
    ) -> SoftAPResponse? {
        do throws(SoftAPRefusal) {
            guard body.count <= SoftAPSettings.maximumBody else {
                throw SoftAPRefusal.tooLong(maximum: SoftAPSettings.maximumBody)
            }
            let join = try isExact ? SoftAPConfiguration.exact(body) : SoftAPConfiguration.helpful(body)
            leftOver.removeAll()
            store(join, at: now, over: &station)
            return SoftAPResponse(200, closes: isExact)
        } catch {
            act(.tell(.refused(error)))
            if isExact { return nil }
            if case .tooLong = error { return explained(413, "\(error)", closes: true) }
            return explained(400, "\(error)")
        }
    }

    /// Stores a configuration: `exact` without trying it, and ends the access point; `gateway` tries it, and accepts
    /// another.
    private mutating func store(_ join: WiFiJoin, at now: Instant, over station: inout some WiFiStation) {
        progress = SoftAPProgress(name: join.name)
        act(.tell(.stored(join.name, join.security, passphraseCount: join.passphrase?.count ?? 0)))
        if isExact {
            act(.stopListening)
            state = .stored(join, until: now + settings.pause)
        } else {
            start(join, at: now, over: &station)
        }
    }

    /// A response to an invalid request: `exact` sends the status code only, `gateway` the reason.
    func explained(
        _ status: UInt16, _ text: String, more: [SoftAPResponse.Header] = [], closes: Bool = false
    ) -> SoftAPResponse {
        guard !isExact else { return SoftAPResponse(status) }
        return SoftAPResponse(
            status, type: "text/plain; charset=utf-8", body: Array((text + "\n").utf8), more: more, closes: closes)
    }

    mutating func answer(_ request: SoftAPRequest, _ response: SoftAPResponse, on connection: SoftAPConnection) {
        act(.answer(connection, response))
        act(.tell(.answered(method: request.method, target: request.target, status: response.status)))
    }

    mutating func unanswered(_ request: SoftAPRequest, on connection: SoftAPConnection) {
        act(.close(connection))
        act(.tell(.unanswered(method: request.method, target: request.target)))
    }

    // MARK: - Status and faults

    /// The content of `GET /prov/status`.
    var status: String {
        var object = JSONObject()
        switch progress.state {
        case .none: object.add("state", "disconnected")
        case .joining(.authentication): object.add("state", "authentication")
        case .joining(.association): object.add("state", "association")
        case .joining(.obtainingAddress): object.add("state", "obtaining-address")
        case .joined: object.add("state", "connected")
        case .failed: object.add("state", "failed")
        }
        if let name = progress.name {
            if let text = name.text {
                object.add("ssid", text)
            } else {
                object.add("ssid-hex", Hexadecimal.text(name.octets))
            }
        }
        if case .joined(let address) = progress.state { object.add("ip", "\(address)") }
        if case .failed(let why) = progress.state { object.add("reason", why.word) }
        return object.text + "\n"
    }

    /// Takes the next fault of an endpoint.
    private mutating func fault(at place: SoftAPEndpoint?) -> SoftAPFault? {
        guard let index = faults.firstIndex(where: { $0.place == place && $0.times != 0 }) else { return nil }
        let fault = faults[index]
        if let times = fault.times { faults[index].times = times - 1 }
        return fault
    }
}
