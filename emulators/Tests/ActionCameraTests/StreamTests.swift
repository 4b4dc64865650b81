// SPDX-License-Identifier: Apache-2.0

import ActionCamera
import Testing
import Timekeeping

/// Viewfinder and preview (Bandit §4, §5, §16).
@Suite struct StreamTests {
    // MARK: - Viewfinder

    @Test("Bandit §4.2: a start goes to the asker; a second one is 409; stops are 200 and told once") func viewfinder()
    {
        var rig = CameraRig()
        let start = #"{"viewfinder_active":true,"viewfinder_streaming_port":5001}"#
        #expect(rig.ask("POST", "/api/2/viewfinder", start) == CameraResponse(200))
        #expect(
            rig.effects() == [
                .startViewfinder(host: "192.168.1.2", port: 5001),
                .notify(#"{"viewfinder_started":{"viewfinder_active":true}}"#),
            ])
        #expect(
            rig.text("GET", "/api/2/status").contains(#""viewfinder_active":true,"viewfinder_streaming_port":5001"#))
        #expect(rig.status("POST", "/api/2/viewfinder", start) == 409)
        _ = rig.effects()
        for stop in [
            #"{"viewfinder_active":false}"#, #"{"viewfinder_active":false,"viewfinder_streaming_port":-1}"#,
            #"{"viewfinder_active":false,"viewfinder_streaming_port":0}"#,
        ] {
            #expect(rig.ask("POST", "/api/2/viewfinder", stop) == CameraResponse(200))
        }
        #expect(
            rig.effects() == [.stopViewfinder, .notify(#"{"viewfinder_stopped":{"viewfinder_active":false}}"#)])
    }

    @Test("Bandit §4.2: 4001 if no port is given, 400 outside 1 to 65535") func ports() {
        var rig = CameraRig()
        #expect(rig.status("POST", "/api/2/viewfinder", #"{"viewfinder_active":true}"#) == 200)
        #expect(rig.effects().first == .startViewfinder(host: "192.168.1.2", port: 4001))
        var other = CameraRig()
        for port in ["0", "-1", "65536", "1.5", "\"4001\""] {
            let body = #"{"viewfinder_active":true,"viewfinder_streaming_port":\#(port)}"#
            #expect(other.status("POST", "/api/2/viewfinder", body) == 400)
        }
    }

    private static func datagrams(
        _ packets: inout ViewfinderPackets, _ jpeg: [UInt8], time: Float = 0
    ) -> [[UInt8]] {
        packets.begin(jpeg.count)
        var buffer = [UInt8](repeating: 0, count: ViewfinderPackets.datagram)
        var datagrams: [[UInt8]] = []
        buffer.withUnsafeMutableBytes { packets.writeStart(jpeg.count, time: time, into: $0) }
        datagrams.append(Array(buffer[..<15]))
        for index in 0..<ViewfinderPackets.count(jpeg.count) - 1 {
            let slice = ViewfinderPackets.slice(index, of: jpeg.count)
            buffer.withUnsafeMutableBytes { packets.writeData(slice.count, into: $0) }
            datagrams.append(Array(buffer[..<7]) + jpeg[slice])
        }
        return datagrams
    }

    @Test("Bandit §4.1: START with size and PTS, then DATA of 1017 octets, numbered on") func datagrams() {
        var packets = ViewfinderPackets(from: 0x00FE)
        let jpeg = (0..<1500).map { UInt8(truncatingIfNeeded: $0) }
        let sent = StreamTests.datagrams(&packets, jpeg, time: 2.5)
        #expect(
            sent[0] == [0x55, 0xAA, 0, 0x00, 0xFE, 0, 8, 0, 0, 0x05, 0xDC, 0x40, 0x20, 0, 0])
        #expect(Array(sent[1][..<7]) == [0x55, 0xAA, 1, 0x00, 0xFF, 0x03, 0xF9])
        #expect(Array(sent[2][..<7]) == [0x55, 0xAA, 1, 0x01, 0x00, 0x01, 0xE3])
        #expect(sent.map(\.count) == [15, 1024, 490])
        #expect(Array(sent[1][7...] + sent[2][7...]) == jpeg)
        #expect(ViewfinderPackets.count(1017) == 2)
        #expect(ViewfinderPackets.count(1018) == 3)
    }

    @Test("Bandit §4.1.3: no frame has number 65535, nor wraps; unless that is wanted") func wrap() {
        let jpeg = [UInt8](repeating: 1, count: 2034)
        for first in 65_520...65_535 as ClosedRange<UInt16> {
            var packets = ViewfinderPackets(from: first)
            let numbers = StreamTests.datagrams(&packets, jpeg).map { Int($0[3]) << 8 | Int($0[4]) }
            let start = Int(first) + 2 > 65_534 ? 0 : Int(first)
            #expect(numbers == [start, start + 1, start + 2])
        }
        var natural = ViewfinderPackets(from: 65_534, wraps: true)
        #expect(StreamTests.datagrams(&natural, jpeg).map { Int($0[3]) << 8 | Int($0[4]) } == [65_534, 65_535, 0])
    }

    @Test("30 pictures a second, for a day, without drift") func pacing() {
        #expect(ViewfinderPackets.time(ofFrame: 1) == 33_333_333)
        #expect(ViewfinderPackets.time(ofFrame: 30 * 86_400) == 86_400_000_000_000)
    }

    // MARK: - Preview

    private static func preview(
        _ rig: inout CameraRig, _ members: String = "", port: Int = 4011
    ) -> CameraAnswer {
        let body = #"{"id":"\#(rig.id())","preview_active":true,"preview_port":\#(port)\#(members)}"#
        return rig.answer(CameraRequest("POST", "/api/2/preview", peer: "192.168.1.7", body: Array(body.utf8)))
    }

    private static func started(_ rig: inout CameraRig, _ members: String = "") -> Preview? {
        guard case .connect(let preview) = preview(&rig, members) else { return nil }
        return preview
    }

    @Test("Bandit §5.1: it connects to the asker's port; a second start is 409; unknown and unreachable ones")
    func set() {
        var rig = CameraRig.withRecording(4)
        let preview = StreamTests.started(&rig)
        #expect(preview?.host == "192.168.1.7")
        #expect(preview?.port == 4011)
        #expect(StreamTests.preview(&rig) == .response(CameraResponse(409)))
        #expect(rig.camera.previewUnreachable() == CameraResponse(500))
        #expect(StreamTests.preview(&rig, port: 1023) == .response(CameraResponse(400)))
        #expect(StreamTests.preview(&rig, port: 65_536) == .response(CameraResponse(400)))
        #expect(
            rig.status("POST", "/api/2/preview", #"{"id":"none","preview_active":true,"preview_port":4011}"#) == 404)
        guard let again = StreamTests.started(&rig) else { return #expect(Bool(false)) }
        #expect(rig.camera.previewConnected(again) == CameraResponse(200))
        #expect(rig.text("GET", "/api/2/status").contains(#""preview_active":true"#))
    }

    @Test("Bandit §16.4: a stop is never refused") func stop() {
        var rig = CameraRig.withRecording(4)
        let stop = #"{"id":"another","preview_active":false,"preview_port":9,"offset_secs":1.0E-4}"#
        #expect(rig.ask("POST", "/api/2/preview", stop) == CameraResponse(200))
        guard let preview = StreamTests.started(&rig) else { return #expect(Bool(false)) }
        _ = rig.camera.previewConnected(preview)
        _ = rig.effects()
        #expect(rig.ask("POST", "/api/2/preview", stop) == CameraResponse(200))
        #expect(rig.effects() == [.stopPreview])
    }

    @Test("Bandit §5.2: five words, most significant octet first") func header() throws {
        var rig = CameraRig.withRecording(4)
        let preview = try #require(StreamTests.started(&rig))
        #expect(
            preview.header(.start, size: 0, pts: 0) == [0, 0, 0, 1, 0, 0, 0, 127] + [UInt8](repeating: 0, count: 12))
        #expect(
            preview.header(.audio, size: 0x0102, pts: 0x0A0B_0C0D)
                == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 2, 0x0A, 0x0B, 0x0C, 0x0D, 0, 0, 0, 0])
        #expect(preview.header(.end, size: 0, pts: 0)[7] == 128)
    }

    private static func packets(_ preview: Preview) -> (packets: [Preview.Packet], due: [Double]) {
        var preview = preview
        var packets: [Preview.Packet] = [], due: [Double] = []
        while let time = preview.due, let packet = preview.next() {
            packets.append(packet)
            due.append(time)
        }
        return (packets, due)
    }

    @Test("Bandit §5.2, §16.3: start, then both kinds in the order of their times, then the end") func order() throws {
        var rig = CameraRig.withRecording(4)
        let (packets, due) = StreamTests.packets(try #require(StreamTests.started(&rig)))
        #expect(packets.first == .start)
        #expect(packets.last == .end)
        var times: [UInt32] = [], pictures: [UInt32] = [], sounds: [UInt32] = []
        for packet in packets {
            switch packet {
            case .picture(_, _, let pts):
                pictures.append(pts)
                times.append(pts)
            case .sound(let octets, let pts):
                #expect(Array(octets[..<2]) == [0xFF, 0xF1])
                sounds.append(pts)
                times.append(pts)
            case .start, .end: break
            }
        }
        #expect(times == times.sorted())
        #expect(pictures == (0..<120).map { UInt32($0 * 3000) })
        // 1024 samples at 48 kHz are 1920 ticks.
        #expect(sounds == (0..<188).map { UInt32($0 * 1920) })
        #expect(due == due.sorted())
        #expect(due.last == 4)
    }

    @Test("Bandit §5.3: times are those of the file, also in a part; floats are clipped, not refused (§16.5)")
    func part() throws {
        var rig = CameraRig.withRecording(4)
        let (packets, due) = StreamTests.packets(
            try #require(StreamTests.started(&rig, #","offset_secs":2.0,"length_secs":1.0000001"#)))
        guard case .picture(let request, let milliseconds, let pts) = packets[1] else { return #expect(Bool(false)) }
        #expect((request.frame, milliseconds, pts) == (60, 2000, 180_000))
        #expect(due[1] == 0)
        rig.camera.previewEnded()
        _ = rig.camera.previewUnreachable()
        let beyond = StreamTests.packets(
            try #require(StreamTests.started(&rig, #","offset_secs":99.5,"length_secs":1.0E-4"#)))
        #expect(beyond.packets == [.start, .end])
    }

    @Test("Bandit §5.3: slow motion has slower sound and 30 pictures a second, lapses have no sound") func modes()
        throws
    {
        var rig = CameraRig()
        let slow = #"{"mode":"slow_motion","resolution":"720p","framerate_fps":120}"#
        _ = rig.status("POST", "/api/2/settings/video", slow)
        rig.record(1)
        let preview = try #require(StreamTests.started(&rig))
        #expect(preview.rate == 30)
        let sounds = StreamTests.packets(preview).packets.compactMap { packet -> UInt32? in
            if case .sound(_, let pts) = packet { pts } else { nil }
        }
        // 1024 samples at 12 kHz are 7680 ticks.
        #expect(sounds == (0..<47).map { UInt32($0 * 7680) })
        var other = CameraRig()
        let lapse = #"{"mode":"time_lapse","resolution":"1080p","framerate_fps":15,"interval_secs":1}"#
        _ = other.status("POST", "/api/2/settings/video", lapse)
        other.record(60)
        let silent = try #require(StreamTests.started(&other))
        #expect(silent.rate == 15)
        #expect(!StreamTests.packets(silent).packets.contains { if case .sound = $0 { true } else { false } })
    }
}
