// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ActionCamera
    import Emulation
    import JSON
    import NIOCore
    import Timekeeping

    extension BanditServer {
        /// The state of the camera, for a page.
        var observed: ObservedState {
            var state = camera.observed(at: BanditServer.now)
            state.switches.append(.init("wifi", isListening ? "up" : "down", of: ["up", "down"]))
            state.faults = plan.observed
            state.details.add("clients", clients)
            return state
        }

        /// The picture of the camera's lens as JPEG; nil while it is off.
        func picture() -> [UInt8]? {
            guard camera.isOn else { return nil }
            let (width, height) = Preview.size
            let frame = Int(BanditServer.now.nanoseconds / ViewfinderPackets.time(ofFrame: 1)) % (1 << 20)
            var picture = TestPicture(width: width, height: height)
            picture.draw(.init(frame: frame, clock: millisecondsOfDay, isRecording: isRecording))
            let octets = JPEGEncoder(width: width, height: height).map { Array($0.encode(picture, quality: 60)) }
            return octets?.isEmpty == false ? octets : nil
        }
    }
#endif
