// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ActionCamera
    import Emulation
    import NIOCore
    import NIOPosix
    import Timekeeping

    /// Requests and their responses.
    extension BanditServer {
        func received(_ request: CameraRequest, on handler: BanditHTTPHandler) {
            lastRequest = BanditServer.now
            let step = request.endpoint?.step ?? "unknown"
            let faults = request.endpoint == nil ? [] : faults(at: step)
            var plan = RequestFaults(faults)
            if plan.closes || plan.resets {
                told(request, step, "no response", handler)
                return plan.resets ? reset(handler) : handler.close()
            }
            plan.request = request
            plan.step = step
            if let status = plan.status {
                return respond(CameraResponse(status), handler, plan)
            }
            let answer = camera.answer(request, at: BanditServer.now)
            switch answer {
            case .response(let response): respond(response, handler, plan)
            case .later(let time, let response):
                let own = NIOLoopBound((self, handler, plan), eventLoop: loop)
                loop.scheduleTask(in: .nanoseconds(time.wholeNanoseconds)) {
                    own.value.0.respond(response, own.value.1, own.value.2)
                }
            case .connect(let preview): connect(preview, handler, plan)
            }
            act()
        }

        private func reset(_ handler: BanditHTTPHandler) {
            guard let channel = handler.channel else { return }
            BanditServer.reset(channel)
        }

        /// Prepares the octets of a response, and sends it with its planned faults.
        func respond(_ response: CameraResponse, _ handler: BanditHTTPHandler, _ plan: RequestFaults) {
            guard plan.delay == .zero else {
                var rest = plan
                rest.delay = .zero
                let own = NIOLoopBound((self, handler, rest), eventLoop: loop)
                loop.scheduleTask(in: .nanoseconds(plan.delay.wholeNanoseconds)) {
                    own.value.0.respond(response, own.value.1, own.value.2)
                }
                return
            }
            guard case .picture(let request) = response.body else {
                return send(response, BanditServer.source(response.body), handler, plan)
            }
            // Encoding takes long, so it runs on another thread while the viewfinder continues.
            let own = NIOLoopBound((self, handler, plan), eventLoop: loop)
            pictures.runIfActive(eventLoop: loop) { BanditPictures.jpeg(request) }
                .whenComplete { result in
                    let octets = (try? result.get()) ?? nil
                    own.value.0.send(response, octets.map { .octets($0) }, own.value.1, own.value.2)
                }
        }

        private static func source(_ body: CameraBody) -> BanditPayload.Source? {
            switch body {
            case .octets(let octets): .octets(octets)
            case .clip(let clip): .clip(clip)
            case .file(let path, let count): BanditFile(path, count: count).map { .file($0) }
            case .picture: nil
            }
        }

        private func send(
            _ response: CameraResponse, _ source: BanditPayload.Source?, _ handler: BanditHTTPHandler,
            _ plan: RequestFaults
        ) {
            guard let request = plan.request else { return }
            let payload =
                source.map {
                    BanditPayload(status: response.status, type: response.type, source: $0, range: request.range)
                } ?? BanditPayload(status: 500, type: nil, source: .octets([]), range: .whole)
            if plan.isLost {
                told(request, plan.step, "no response", handler)
                return handler.close()
            }
            told(request, plan.step, "\(payload.status), \(payload.part.count) octets", handler)
            if payload.status >= 400, plan.status == nil { review(payload.status, request, handler) }
            handler.answer(payload, cut: plan.cut)
        }

        private func told(_ request: CameraRequest, _ step: String, _ result: String, _ handler: BanditHTTPHandler) {
            add(.requested(step: step, "\(request.method) \(request.target)", result: result), link: handler.number)
        }

        private func review(_ status: Int, _ request: CameraRequest, _ handler: BanditHTTPHandler) {
            // The card has changed since the client read it, which is not the client's mistake.
            guard !camera.wasRight(request) else { return }
            let what = "\(request.method) \(request.target)"
            switch status {
            case 400: mistake("wrong-parameters", "\(what) has wrong or unknown parameters", link: handler.number)
            case 404: mistake("unknown-resource", "\(what): there is no such thing", link: handler.number)
            case 405: mistake("wrong-method", "\(what): the resource has no such method", link: handler.number)
            default: break
            }
        }
    }

    /// The faults planned for a request.
    struct RequestFaults {
        var delay = Duration.zero
        var status: Int?
        var closes = false
        var resets = false
        var isLost = false
        var cut: Int?
        var request: CameraRequest?
        var step = ""

        init(_ faults: [CameraFault]) {
            for fault in faults {
                switch fault {
                case .delay(let time): delay += time
                case .status(let number): status = number
                case .close: closes = true
                case .reset: resets = true
                case .lost: isLost = true
                case .cut(let count): cut = count
                default: break
                }
            }
        }
    }
#endif
