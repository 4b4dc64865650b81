// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import Console
    import Crypto
    import Glibc
    import NIOCore
    import NIOPosix
    import Devices
    import MatterHost
    import MulticastDNS
    import WiFi
    import Timekeeping

    /// The interface on which a side is announced, found by its name or, without a name, by its address.
    struct SoftAPPlace {
        var name: String?
        /// The address to announce, if the interface has it; otherwise its first one.
        var address: IPv4Address

        /// An interface that is up, with the address to announce.
        struct Found: Equatable {
            var interface: NetworkInterface
            var network: HostNetwork
        }

        /// The place among the present interfaces; nil while no interface matches.
        func find(in interfaces: [NetworkInterface]) -> Found? {
            for interface in interfaces where name == nil || interface.name == name {
                let own = interface.networks.filter { !$0.address.isIPv6 }
                let exact = own.first { $0.address.octets == address.octets }
                if let network = exact ?? (name == nil ? nil : own.first) {
                    return Found(interface: interface, network: network)
                }
            }
            return nil
        }
    }

    /// The socket and the timer of a multicast DNS responder, on one event loop. It follows its interface, and
    /// announces again after the interface has returned or has another address.
    final class SoftAPAnnouncer {
        /// The time between checks of the kernel's notifications, which the event loop cannot watch.
        private static let lookTime = TimeAmount.milliseconds(250)

        private let loop: any EventLoop
        private let places: (accessPoint: SoftAPPlace, home: SoftAPPlace)?
        private let follower: NetworkFollower?
        /// The announced side; nil if inactive.
        private var side: SoftAPSide?
        /// The interface of the responder.
        private var found: SoftAPPlace.Found?
        private var looks: RepeatedTask?
        private let host: String
        private let service: MDNSService
        private let tell: (String) -> Void
        private var random = SystemRandomSource()
        private var responder: MDNSResponder?
        private var channel: (any Channel)?
        private var timer: Scheduled<Void>?
        /// Distinguishes requests while a socket is being opened.
        private var generation = 0

        /// An announcer, which is inactive if `places` is nil.
        init(
            on loop: any EventLoop, _ places: (accessPoint: SoftAPPlace, home: SoftAPPlace)?,
            _ follower: NetworkFollower?, host: String, _ service: MDNSService, tell: @escaping (String) -> Void
        ) {
            self.loop = loop
            self.places = places
            self.follower = follower
            self.host = host
            self.service = service
            self.tell = tell
        }

        /// Starts announcing on one side.
        func announce(_ side: SoftAPSide) {
            silence(goodbye: false)
            guard places != nil, follower != nil else { return }
            self.side = side
            found = present
            serve()
            let own = NIOLoopBound(self, eventLoop: loop)
            looks = loop.scheduleRepeatedTask(
                initialDelay: SoftAPAnnouncer.lookTime, delay: SoftAPAnnouncer.lookTime
            ) { _ in own.value.look() }
        }

        /// The interface of the side, if it is present.
        private var present: SoftAPPlace.Found? {
            guard let places, let follower, let side else { return nil }
            return (side == .home ? places.home : places.accessPoint).find(in: follower.interfaces)
        }

        /// Follows the kernel's notifications.
        private func look() {
            guard follower?.ready() == true, present != found else { return }
            // The previous records can be withdrawn only while the interface exists.
            _ = stop(goodbye: present?.interface.index == found?.interface.index)
            found = present
            serve()
        }

        private func serve() {
            guard let found else { return tell("mDNS: the interface has no address; it is announced when it has one") }
            guard let made = MDNSResponder(MDNSHost(name: host, networks: [found.network]), [service]) else {
                return tell("mDNS: a name or a text is too long")
            }
            responder = made
            open(at: found)
        }

        /// Stops announcing.
        func silence(goodbye: Bool) {
            looks?.cancel()
            (looks, side) = (nil, nil)
            _ = stop(goodbye: goodbye)
        }

        /// Stops announcing with a goodbye; the future completes once it is sent.
        func end() -> EventLoopFuture<Void> {
            looks?.cancel()
            (looks, side) = (nil, nil)
            return stop(goodbye: true)
        }

        private func stop(goodbye: Bool) -> EventLoopFuture<Void> {
            generation += 1
            timer?.cancel()
            timer = nil
            guard let channel else {
                responder = nil
                return loop.makeSucceededVoidFuture()
            }
            if goodbye { responder?.end() } else { responder?.silence() }
            pump()
            responder = nil
            self.channel = nil
            return channel.close().recover { _ in }
        }

        // MARK: - The socket

        private func open(at place: SoftAPPlace.Found) {
            let own = NIOLoopBound(self, eventLoop: loop)
            let generation = generation
            // Receive only packets for the groups that this socket has joined, on the joined interface.
            let onlyOwnGroups = ChannelOptions.Types.SocketOption(
                level: NIOBSDSocket.OptionLevel(rawValue: CInt(IPPROTO_IP)),
                name: NIOBSDSocket.Option(rawValue: CInt(IP_MULTICAST_ALL)))
            let sharesPort = ChannelOptions.Types.SocketOption(
                level: .socket, name: NIOBSDSocket.Option(rawValue: CInt(SO_REUSEPORT)))
            DatagramBootstrap(group: loop)
                .channelOption(.socketOption(.so_reuseaddr), value: 1)
                .channelOption(sharesPort, value: 1)
                .channelOption(onlyOwnGroups, value: 0)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(SoftAPDatagrams(own.value))
                    }
                }
                .bind(host: "0.0.0.0", port: Int(MDNSPeer.port))
                .flatMap { SoftAPAnnouncer.join($0, own.value, place) }
                .whenComplete { own.value.opened($0, generation) }
        }

        private static func join(
            _ channel: any Channel, _ own: SoftAPAnnouncer, _ place: SoftAPPlace.Found
        ) -> EventLoopFuture<any Channel> {
            let bound = NIOLoopBound((channel, place), eventLoop: channel.eventLoop)
            return channel.eventLoop.makeSucceededVoidFuture().flatMap {
                let (channel, place) = bound.value
                let address = "\(place.network.address)"
                guard let multicast = channel as? any MulticastChannel,
                    let options = channel as? any SocketOptionProvider,
                    let group = try? SocketAddress(ipAddress: "224.0.0.251", port: Int(MDNSPeer.port)),
                    let device = try? System.enumerateDevices().first(where: {
                        $0.name == place.interface.name && $0.address?.ipAddress == address
                    })
                else { return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported) }
                // Not by the initializer of in_addr: the C module that declares it depends on the order of imports.
                let interface = place.network.address.octets.withUnsafeBytes {
                    $0.loadUnaligned(as: in_addr.self)
                }
                return multicast.joinGroup(group, device: device)
                    .flatMap { options.setIPMulticastIF(interface) }
                    .flatMap { options.setIPMulticastTTL(255) }
                    .flatMap { options.setIPMulticastLoop(1) }
                    .map { bound.value.0 }
            }
        }

        private func opened(_ result: Result<any Channel, any Error>, _ wanted: Int) {
            switch result {
            case .success(let channel):
                guard wanted == generation else { return channel.close(promise: nil) }
                self.channel = channel
                responder?.begin(at: SoftAPServer.now, &random)
                pump()
            case .failure(let error):
                tell(
                    "mDNS: cannot use port 5353: \(SocketText.reason(error)); the app will not discover the device"
                )
            }
        }

        // MARK: - Packets and time

        func received(_ octets: [UInt8], from peer: MDNSPeer) {
            responder?.receive(octets.span, from: peer, at: SoftAPServer.now, &random)
            pump()
        }

        private func advance() {
            responder?.advance(to: SoftAPServer.now)
            pump()
        }

        private func pump() {
            while let packet = responder?.nextPacket() { send(packet) }
            while let event = responder?.nextEvent() {
                switch event {
                case .announced: tell("mDNS: announced as wifiprov._http._tcp.local")
                case .conflict(let name):
                    tell("mDNS: another host here is \(name) already, so this one is silent; end the other one")
                }
            }
            timer?.cancel()
            timer = nil
            guard let deadline = responder?.deadline else { return }
            let at = NIODeadline.uptimeNanoseconds(UInt64(clamping: deadline.nanoseconds))
            let own = NIOLoopBound(self, eventLoop: loop)
            timer = loop.scheduleTask(deadline: at) { own.value.advance() }
        }

        private func send(_ packet: MDNSPacket) {
            guard let channel,
                let group = IPv4Address(packet.peer.address.octets),
                let address = try? SocketAddress(
                    ipAddress: "\(group)", port: Int(packet.peer.port))
            else { return }
            let envelope = AddressedEnvelope(remoteAddress: address, data: ByteBuffer(bytes: packet.octets))
            channel.writeAndFlush(envelope, promise: nil)
        }
    }

    /// Passes the socket's packets to the announcer.
    final class SoftAPDatagrams: ChannelInboundHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>

        private let announcer: SoftAPAnnouncer

        init(_ announcer: SoftAPAnnouncer) { self.announcer = announcer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let envelope = unwrapInboundIn(data)
            guard let text = envelope.remoteAddress.ipAddress, let sender = IPv4Address(text),
                let address = HostAddress(sender.octets),
                let port = envelope.remoteAddress.port
            else { return }
            announcer.received(
                Array(envelope.data.readableBytesView),
                from: MDNSPeer(address: address, port: UInt16(truncatingIfNeeded: port)))
        }

        // A packet that cannot be sent, or an ICMP error for one: the socket remains usable.
        func errorCaught(context: ChannelHandlerContext, error: any Error) {}
    }
#endif
