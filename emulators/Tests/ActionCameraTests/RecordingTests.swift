// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import ActionCamera

/// Recording, photos, tags while recording, memory, notifications (Bandit §6, §9).
@Suite struct RecordingTests {
    /// At any moment, and for each rate, that of a recorded frame; pictures a thirtieth of a second apart show one
    /// frame after the other.
    @Test(arguments: [
        #"{"mode":"normal","resolution":"1080p","framerate_fps":30,"fov":"wide"}"#,
        #"{"mode":"normal","resolution":"1080p","framerate_fps":60,"fov":"wide"}"#,
        #"{"mode":"slow_motion","resolution":"720p","framerate_fps":120,"fov":"wide"}"#,
    ])
    func theViewfindersTimeIsThatOfARecordedFrame(_ mode: String) {
        var rig = CameraRig()
        #expect(rig.status("POST", "/api/2/settings/video", mode) == 200)
        let rate = Double(rig.camera.mode.playbackRate)
        #expect(rig.status("POST", "/api/2/record", #"{"recording_active":true}"#) == 200)
        // The viewfinder has started at another moment than the recording.
        let start = rig.now + .nanoseconds(7_123_457)
        let times = (0..<300).map {
            rig.camera.presentationTime(at: start + .nanoseconds(ViewfinderPackets.time(ofFrame: $0)))
        }
        #expect(times.allSatisfy { abs($0 * rate - ($0 * rate).rounded()) < 1e-6 })
        let steps = zip(times.dropFirst(), times).map { (($0 - $1) * rate).rounded() }
        #expect(Set(steps).count == 1, "\(Set(steps))")
        #expect(rig.camera.presentationTime(at: rig.now + .milliseconds(-5)) == 0)
    }

    @Test("Bandit §9: start, count, stop; the item is in the notification and in the list") func record() {
        var rig = CameraRig()
        #expect(rig.status("POST", "/api/2/record", #"{"recording_active":true}"#) == 200)
        #expect(rig.lines() == [#"{"recording_started":{"recording_active":true}}"#])
        rig.wait(2.5)
        #expect(
            rig.text("GET", "/api/2/status").hasPrefix(
                #"{"recording_active":true,"recording_secs":2,"recoding_secs":2,"#))
        #expect(rig.camera.presentationTime(at: rig.now) == 2.5)
        #expect(rig.status("POST", "/api/2/record", #"{"recording_active":false}"#) == 200)
        #expect(rig.camera.presentationTime(at: rig.now) == 0)
        let size = rig.camera.card.recordings[0].size(.shipped)
        let item = """
            {"id":"\(rig.id())","path":"/DCIM/100TTCAM/MOV_0001.MP4","created":"2026-11-22T10:00:00Z",\
            "size_bytes":\(size),"length_secs":2.5,"nr_highlights":0,"mode":"normal","resolution":"1080p",\
            "aspect_ratio":"16/9","framerate_fps":30,"is_valid":true}
            """
        #expect(rig.lines() == [#"{"recording_stopped":["# + item + "]}"])
        #expect(rig.text("GET", "/api/2/videos") == #"{"total":1,"items":["# + item + "]}")
        #expect(rig.id().hasSuffix("-100-000-0001"))
        #expect(rig.id().count == 36 + 13)
    }

    @Test("Bandit §9: twice is 500, or ignored if chosen") func conflicts() {
        var rig = CameraRig()
        #expect(rig.status("POST", "/api/2/record", #"{"recording_active":false}"#) == 500)
        #expect(rig.status("POST", "/api/2/record/tag", #"{"tag_mobile":true}"#) == 500)
        #expect(rig.status("POST", "/api/2/record", #"{"recording_active":true}"#) == 200)
        #expect(rig.status("POST", "/api/2/record", #"{"recording_active":true}"#) == 500)
        var other = CameraRig { $0.conflictingRecordStatus = 200 }
        #expect(other.status("POST", "/api/2/record", #"{"recording_active":false}"#) == 200)
        #expect(other.lines().isEmpty)
    }

    @Test("Bandit §6: a tag while recording is told, and is on the item") func tags() {
        var rig = CameraRig()
        _ = rig.status("POST", "/api/2/record", #"{"recording_active":true}"#)
        rig.wait(8)
        _ = rig.lines()
        #expect(rig.status("POST", "/api/2/record/tag", #"{"tag_mobile":true}"#) == 200)
        #expect(
            rig.lines() == [
                """
                {"tag_created":{"id":"1","offset_secs":8.0,"highlight_offset_secs":3.0,"highlight_length_secs":10.0,\
                "delivered_offset_secs":3.0,"delivered_length_secs":10.0,"tag_mobile":true}}
                """
            ])
        #expect(rig.receive(.tagButton(isRemote: true)) == nil)
        #expect(rig.lines()[0].hasSuffix(#""tag_remote":true}}"#))
        rig.wait(2)
        _ = rig.status("POST", "/api/2/record", #"{"recording_active":false}"#)
        #expect(rig.lines()[0].contains(#""nr_highlights":2"#))
        // The highlight ends with the recording.
        #expect(
            rig.text("GET", "/api/2/videos/\(rig.id())/tags/1")
                == """
                {"id":"1","offset_secs":8.0,"highlight_offset_secs":3.0,"highlight_length_secs":7.0,\
                "delivered_offset_secs":3.0,"delivered_length_secs":7.0,"tag_mobile":true}
                """)
    }

    @Test("Bandit §9: photos, a burst is one session, a series goes on until the stop") func photos() {
        var rig = CameraRig()
        _ = rig.text("PUT", "/api/2/settings/image", #"{"mode":"single"}"#)
        #expect(rig.status("POST", "/api/2/record", #"{"recording_active":true}"#) == 200)
        #expect(
            rig.lines() == [
                """
                {"photo_captured":[{"id":"\(rig.camera.card.photos[0].id)","path":"/DCIM/100TTCAM/IMG_0001.JPG",\
                "created":"2026-11-22T10:00:00Z","mode":"single","resolution":"16MP","aspect_ratio":"4/3",\
                "size_bytes":2400000,"is_valid":true,"lat_deg":52.3766,"lon_deg":4.9083}]}
                """
            ])
        _ = rig.text("PUT", "/api/2/settings/image", #"{"mode":"burst"}"#)
        #expect(rig.status("POST", "/api/2/record", #"{"recording_active":true}"#) == 200)
        #expect(rig.camera.card.photos.count == 11)
        #expect(rig.text("GET", "/api/2/sessions/images?count=9").contains(#""number_of_files":10"#))
        _ = rig.text("PUT", "/api/2/settings/image", #"{"mode":"continuous"}"#)
        #expect(rig.status("POST", "/api/2/record", #"{"recording_active":true}"#) == 200)
        _ = rig.lines()
        rig.wait(2.5)
        #expect(rig.lines().count == 2)
        #expect(rig.status("POST", "/api/2/record", #"{"recording_active":false}"#) == 200)
        #expect(rig.lines() == [#"{"recording_stopped":[]}"#])
        #expect(rig.camera.card.photos.count == 14)
    }

    @Test("Bandit §6: a recording that is split has several items, and one session") func split() {
        var rig = CameraRig { $0.splitSeconds = 4 }
        rig.record(10)
        #expect(rig.camera.card.recordings.map(\.length) == [4, 4, 2])
        let sessions = rig.text("GET", "/api/2/sessions/videos?count=5")
        #expect(sessions.hasPrefix(#"{"total":1,"#))
        #expect(sessions.hasSuffix(#""number_of_files":3}]}"#))
    }

    @Test("Bandit §3.5: slow motion plays slower, a lapse faster") func lengths() {
        var rig = CameraRig()
        let slow = #"{"mode":"slow_motion","resolution":"wvga","framerate_fps":180}"#
        _ = rig.status("POST", "/api/2/settings/video", slow)
        rig.record(2)
        let lapse = #"{"mode":"time_lapse","resolution":"4k","framerate_fps":30,"interval_secs":1}"#
        _ = rig.status("POST", "/api/2/settings/video", lapse)
        rig.record(60)
        #expect(rig.camera.card.recordings.map(\.length) == [12, 2])
    }

    @Test("Bandit §9: low memory is told once, none stops") func memory() {
        var rig = CameraRig()
        _ = rig.status("POST", "/api/2/record", #"{"recording_active":true}"#)
        _ = rig.lines()
        #expect(rig.receive(.card(.fill)) == nil)
        let lines = rig.lines()
        #expect(lines.count == 2)
        #expect(lines[0] == #"{"memory_low":{"available_bytes":0}}"#)
        #expect(lines[1].hasPrefix(#"{"recording_stopped":[{"#))
        #expect(rig.status("POST", "/api/2/record", #"{"recording_active":true}"#) == 500)
        #expect(rig.receive(.card(.free)) == nil)
        #expect(rig.status("POST", "/api/2/record", #"{"recording_active":true}"#) == 200)
    }

    @Test("Bandit §9: a pulled card is an error, empties the lists, and lets nothing be recorded") func pulled() {
        var rig = CameraRig.withRecording()
        #expect(rig.receive(.card(.pull)) == nil)
        #expect(rig.lines() == [#"{"memory_error":{}}"#])
        #expect(rig.text("GET", "/api/2/videos") == #"{"total":0,"items":[]}"#)
        #expect(rig.status("POST", "/api/2/record", #"{"recording_active":true}"#) == 500)
        #expect(rig.receive(.card(.insert)) == nil)
        #expect(rig.text("GET", "/api/2/videos").hasPrefix(#"{"total":1,"#))
    }

    @Test("Bandit §9: switching off is told, then all sockets close") func shutdown() {
        var rig = CameraRig { $0.hasFlatShutdown = true }
        #expect(rig.receive(.battery(0)) == nil)
        #expect(
            rig.effects() == [
                .notify(
                    """
                    {"shutting_down":{"battery_critical":true,"user_initiated":false,"overtemperature_shutdown":false},\
                    "battery_critical":true,"user_initiated":false,"overtemperature_shutdown":false}
                    """), .stopViewfinder, .stopPreview, .leave,
            ])
        #expect(rig.receive(.recordButton) != nil)
        #expect(rig.receive(.powerOn) == nil)
        #expect(rig.effects() == [.returnToAir])
        #expect(rig.receive(.wifi(isUp: false)) == nil)
        #expect(rig.lines() == [#"{"wifi_stopped":{"wifi_active":false}}"#])
    }

    @Test("Bandit §9: the camera's button does what a request does") func button() {
        var rig = CameraRig()
        #expect(rig.receive(.recordButton) == nil)
        rig.wait(1)
        #expect(rig.receive(.recordButton) == nil)
        #expect(rig.lines().map { $0.prefix(20) } == [#"{"recording_started""#, #"{"recording_stopped""#])
        #expect(rig.receive(.tagButton(isRemote: false)) != nil)
    }
}
