// SPDX-License-Identifier: Apache-2.0

import Peripheral
import SeededNumbers
import Timekeeping

/// Advertising events: reception, scan requests, connection requests (Core 5.4, Vol 6, Part B, 4.4).
extension Air {
    /// The time from the end of a connection request to the start of the transmit window (Core 5.4, Vol 6, Part B,
    /// 4.5.3).
    private static let transmitWindowDelay = Duration.microseconds(1250)

    /// One advertising event, or the end of the advertising duration.
    func advertisingEvent(_ controller: VirtualController, run number: UInt64) {
        guard let index = controller.advertiserIndex(run: number) else { return }
        controller.renewAddresses(ofAdvertiser: index)
        let advertiser = controller.state.advertisers[index]
        guard let run = advertiser.run else { return }
        if let ends = run.ends, ends <= now {
            return controller.advertisingEnded(index, status: ControllerStatus.advertisingTimeout)
        }
        capture(AdvertisingPDU.advertisement(advertiser, from: run.address), at: controller, of: advertiser)
        for scanner in controllers where scanner !== controller {
            offer(advertiser, run, of: controller, to: scanner)
        }
        if advertiser.kind.isConnectable { connect(controller, index, advertiser, run) }
        continueAdvertising(controller, run: number)
    }

    /// Counts the event and schedules the next, unless a connection has ended advertising.
    private func continueAdvertising(_ controller: VirtualController, run number: UInt64) {
        guard let index = controller.advertiserIndex(run: number), var run = controller.state.advertisers[index].run
        else { return }
        if run.maximumEvents > 0 {
            run.events += 1
            controller.state.advertisers[index].run = run
            if run.events >= run.maximumEvents {
                return controller.advertisingEnded(index, status: .limitReached)
            }
        }
        let delay = Int64(controller.random.below(VirtualController.maximumAdvertisingDelay))
        run.nextEvent = now + controller.state.advertisers[index].interval + .microseconds(delay)
        controller.state.advertisers[index].run = run
        controller.scheduleAdvertising(run)
    }

    /// Delivers an advertisement to a scanner and, with active scanning, the scan response.
    private func offer(
        _ advertiser: Advertiser, _ run: Advertiser.Run, of controller: VirtualController,
        to scanner: VirtualController
    ) {
        guard let settings = scanner.state.scanner?.settings, settings.listening.hears(at: now),
            let peer = scanner.peer(at: run.address),
            !settings.usesAcceptList || scanner.state.acceptList.contains(peer.address),
            let own = scanner.scanAddress(toward: peer.address, settings),
            advertiser.kind != .directed || scanner.isTargeted(by: advertiser.targetOnAir, own: own)
        else { return }
        let channel = Fading.Channel.advertising(settings.listening.channel(at: now))
        guard let rssi = reception(from: controller, to: scanner, on: channel) else { return }
        var heard = VirtualController.Heard(
            address: peer.reported, kind: advertiser.kind, isScanResponse: false,
            data: advertiser.kind.carriesData ? advertiser.data : [], target: advertiser.targetOnAir, rssi: rssi)
        capture(
            AdvertisingPDU.advertisement(advertiser, from: run.address), at: scanner, of: advertiser, level: rssi)
        scanner.report(heard)
        guard settings.isActive, let asking = controller.peer(at: own),
            advertiser.answersScan(from: asking, acceptList: controller.state.acceptList),
            let answer = scanResponse(of: advertiser, run, of: controller, to: scanner, own, on: channel)
        else { return }
        heard.isScanResponse = true
        heard.data = advertiser.scanResponse
        heard.rssi = answer
        scanner.report(heard)
    }

    /// The level of the response to a scan request; nil if the request or the response is lost.
    private func scanResponse(
        of advertiser: Advertiser, _ run: Advertiser.Run, of controller: VirtualController,
        to scanner: VirtualController, _ own: BluetoothAddress, on channel: Fading.Channel
    ) -> Int8? {
        let request = { AdvertisingPDU.scanRequest(from: own, to: run.address) }
        capture(request(), at: scanner, of: advertiser)
        guard let asked = reception(from: scanner, to: controller, on: channel) else { return nil }
        capture(request(), at: controller, of: advertiser, level: asked)
        let response = { AdvertisingPDU.scanResponse(advertiser.scanResponse, from: run.address) }
        capture(response(), at: controller, of: advertiser)
        guard let level = reception(from: controller, to: scanner, on: channel) else { return nil }
        capture(response(), at: scanner, of: advertiser, level: level)
        return level
    }

    /// An initiator that received the advertisement, with the channel on which it listens.
    private struct Candidate {
        var controller: VirtualController
        var own: BluetoothAddress
        /// The advertiser as the initiator knows it.
        var peer: AirPeer
        var parameters: ConnectionParameters
        var channel: UInt64
    }

    /// Handles connection requests. The advertiser uses its channels in turn; initiators on the same channel collide,
    /// and the one received with the highest level wins. The others assume a connection (and give up after six
    /// intervals), as does one whose request is lost.
    private func connect(
        _ controller: VirtualController, _ index: Int, _ advertiser: Advertiser, _ run: Advertiser.Run
    ) {
        let channels = (0..<3 as Range<UInt64>).filter { advertiser.channelMap >> UInt8($0) & 1 == 1 }
        var candidates: [Candidate] = []
        for initiator in controllers where initiator !== controller {
            guard let peer = initiator.initiates(to: run.address, at: now), let wish = initiator.state.initiator,
                let own = initiator.ownAddress(
                    type: wish.ownAddressType, random: initiator.state.randomAddress, toward: peer.address)
            else { continue }
            guard advertiser.kind != .directed || initiator.isTargeted(by: advertiser.targetOnAir, own: own)
            else { continue }
            let channel = channels[Int(initiator.random.below(UInt64(channels.count)))]
            guard
                let level = reception(from: controller, to: initiator, on: .advertising(Int(channel)))
            else { continue }
            capture(
                AdvertisingPDU.advertisement(advertiser, from: run.address), at: initiator, of: advertiser,
                level: level)
            candidates.append(
                Candidate(
                    controller: initiator, own: own, peer: peer, parameters: wish.parameters, channel: channel))
        }
        for channel in channels {
            let here = candidates.filter { $0.channel == channel }
            let heard = strongest(of: here, at: controller, advertiser)
            for (position, candidate) in here.enumerated() {
                makeLink(
                    candidate, to: run.address, of: position == heard?.position ? (controller, index) : nil,
                    advertiser, level: heard?.level)
            }
            if heard != nil { return }
        }
    }

    /// The index and the level of the connection request that the advertiser receives and accepts.
    private func strongest(
        of candidates: [Candidate], at controller: VirtualController, _ advertiser: Advertiser
    ) -> (position: Int, level: Int8)? {
        guard controller.state.links.count < controller.profile.maximumLinks else { return nil }
        var best: (position: Int, level: Int8, lot: UInt64)?
        for (position, candidate) in candidates.enumerated() {
            let channel = Fading.Channel.advertising(Int(candidate.channel))
            guard let level = reception(from: candidate.controller, to: controller, on: channel) else { continue }
            let lot = candidate.controller.random.next()
            if let best, (best.level, best.lot) >= (level, lot) { continue }
            best = (position, level, lot)
        }
        guard let best, let peer = controller.peer(at: candidates[best.position].own),
            advertiser.accepts(peer, acceptList: controller.state.acceptList)
        else { return nil }
        return (best.position, best.level)
    }

    /// Creates a link: always at the initiator, and at the advertiser if it received the request.
    private func makeLink(
        _ candidate: Candidate, to address: BluetoothAddress,
        of accepting: (controller: VirtualController, index: Int)?, _ advertiser: Advertiser, level: Int8?
    ) {
        let (initiator, own, parameters) = (candidate.controller, candidate.own, candidate.parameters)
        let number = nextNumber()
        initiator.state.initiator = nil
        let central = LinkEnd(
            initiator, link: number, handle: initiator.freeHandle(), role: .central, peer: candidate.peer,
            privateAddress: initiator.generated(own), at: now)
        let peripheral = accepting.map { accepting in
            LinkEnd(
                accepting.controller, link: number, handle: accepting.controller.freeHandle(), role: .peripheral,
                peer: accepting.controller.peer(at: own) ?? AirPeer(own),
                privateAddress: accepting.controller.generated(address), at: now)
        }
        // The window offset is chosen by the central in units of 1.25 ms, below the interval.
        let offset = Int64(initiator.random.below(UInt64(parameters.maximumInterval)))
        let first = now + Air.transmitWindowDelay + .microseconds(1250 * offset)
        let link = AirLink(
            number: number, central: central, peripheral: peripheral, parameters: parameters, firstEvent: first)
        links[number] = link
        let request = {
            self.connectionRequest(number, from: own, to: address, parameters, windowOffset: UInt16(offset))
        }
        capture(request(), at: initiator, of: advertiser)
        if let accepting, let level { capture(request(), at: accepting.controller, of: advertiser, level: level) }
        report(.made(number, central: initiator, peripheral: peripheral?.controller, interval: parameters.interval))
        initiator.linkMade(central, parameters, advertiser: nil)
        if let accepting, let peripheral {
            accepting.controller.linkMade(peripheral, parameters, advertiser: accepting.index)
        }
        scheduleLink(link)
    }
}
