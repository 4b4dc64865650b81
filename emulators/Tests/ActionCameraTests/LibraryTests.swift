// SPDX-License-Identifier: Apache-2.0

import ActionCamera
import Testing

/// Lists, items, tags, downloads, sensor data (Bandit §2.2, §2.3, §3.3 to §3.9).
@Suite struct LibraryTests {
    private static func rig(_ count: Int) -> CameraRig {
        var rig = CameraRig()
        for _ in 0..<count { rig.record(4) }
        return rig
    }

    private static func names(_ text: String) -> [String] {
        text.split(separator: #""path":"/DCIM/100TTCAM/"#).dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }

    @Test(
        "Bandit §2.2: one item if no count is given, what is left beyond the end, none at it",
        arguments: [
            ("", ["MOV_0001.MP4"]), ("?count=2", ["MOV_0001.MP4", "MOV_0002.MP4"]),
            ("?order=desc&count=2", ["MOV_0003.MP4", "MOV_0002.MP4"]), ("?offset=2&count=24", ["MOV_0003.MP4"]),
            ("?sort=filename&order=desc&count=24", ["MOV_0003.MP4", "MOV_0002.MP4", "MOV_0001.MP4"]),
            ("?order=desc&offset=0&count=32&tags=0", ["MOV_0003.MP4", "MOV_0002.MP4", "MOV_0001.MP4"]),
            ("?offset=3", []), ("?count=0", []),
        ])
    func pages(_ query: String, _ names: [String]) {
        var rig = LibraryTests.rig(3)
        let text = rig.text("GET", "/api/2/videos\(query)")
        #expect(text.hasPrefix(#"{"total":3,"items":["#))
        #expect(LibraryTests.names(text) == names)
    }

    @Test(
        "Bandit §2.2: wrong parameters, and an offset beyond the end, are 400",
        arguments: [
            "offset=4", "offset=-1", "count=x", "count=-2", "sort=date", "order=up", "tags=2", "other=1", "Count=1",
        ])
    func wrongPages(_ query: String) {
        var rig = LibraryTests.rig(3)
        #expect(rig.status("GET", "/api/2/videos?\(query)") == 400)
    }

    @Test("Bandit §2.2: photos by type") func filter() {
        var rig = CameraRig()
        for mode in ["single", "burst"] {
            _ = rig.text("PUT", "/api/2/settings/image", #"{"mode":"\#(mode)"}"#)
            _ = rig.status("POST", "/api/2/record", #"{"recording_active":true}"#)
        }
        #expect(rig.text("GET", "/api/2/images").hasPrefix(#"{"total":11,"#))
        #expect(rig.text("GET", "/api/2/images?filter=single").hasPrefix(#"{"total":1,"#))
        #expect(rig.text("GET", "/api/2/images?filter=single,burst").hasPrefix(#"{"total":11,"#))
        #expect(rig.status("GET", "/api/2/images?filter=none") == 400)
        let id = rig.camera.card.photos[0].id
        #expect(
            rig.ask("GET", "/api/2/images/\(id)/contents")
                == CameraResponse(
                    200, type: "image/jpeg",
                    .picture(PictureRequest(width: 4608, height: 3456, frame: 1, count: 2_400_000))))
        #expect(
            rig.ask("GET", "/api/2/images/\(id)/thumb/")
                == CameraResponse(
                    200, type: "image/jpeg", .picture(PictureRequest(width: 320, height: 180, frame: 1))))
        #expect(rig.ask("DELETE", "/api/2/images/\(id)") == CameraResponse(200))
        #expect(rig.status("GET", "/api/2/images/\(id)") == 404)
    }

    // MARK: - Tags

    @Test("Bandit §2.1, 24 and §3.8: ids and what is delivered are filled in, in the order of the request") func tags()
    {
        var rig = CameraRig.withRecording(12)
        let path = "/api/2/videos/\(rig.id())/tags"
        // The Android library's private keys are ignored, and not sent back.
        let answer = rig.text(
            "POST", path,
            """
            [{"offset_secs":8.0,"highlight_offset_secs":6.5,"highlight_length_secs":2.0,"max_speed_mps":12.5,\
            "class_type":"x","mVideoFile":{}},{"offset_secs":1,"tag_remote":true}]
            """)
        let second = """
            {"id":"2","offset_secs":1.0,"highlight_offset_secs":0.0,"highlight_length_secs":6.0,\
            "delivered_offset_secs":0.0,"delivered_length_secs":6.0,"tag_remote":true}
            """
        #expect(
            answer == """
                [{"id":"1","offset_secs":8.0,"highlight_offset_secs":6.5,"highlight_length_secs":2.0,\
                "delivered_offset_secs":6.0,"delivered_length_secs":3.0,"max_speed_mps":12.5},\(second)]
                """)
        #expect(rig.text("GET", path).hasPrefix("[\(second),"))
        #expect(rig.text("GET", "\(path)/2") == second)
        #expect(rig.text("GET", "/api/2/videos/\(rig.id())?tags=Yes").contains(#""nr_highlights":2"#))
        #expect(rig.text("GET", "/api/2/videos?tags=1").contains(#""tags":[{"id":"2""#))
        #expect(!rig.text("GET", "/api/2/videos").contains(#""tags""#))
        // The iOS library sends no body.
        #expect(rig.text("PUT", "\(path)/2") == second)
        #expect(
            rig.text("PUT", "\(path)/2", #"{"id":"2","offset_secs":2,"max_rotation":90}"#)
                .hasSuffix(#""max_rotation":90}"#))
        #expect(rig.ask("DELETE", "\(path)/1") == CameraResponse(200))
        #expect(rig.status("GET", "\(path)/1") == 404)
        #expect(rig.ask("DELETE", path) == CameraResponse(200))
        #expect(rig.text("GET", path) == "[]")
    }

    @Test(
        "Bandit §3.8: exactly one type key, within the recording, at least a second; all or none is added",
        arguments: [
            #"[{"offset_secs":1}]"#, #"[{"offset_secs":1,"tag_mobile":false}]"#,
            #"[{"offset_secs":1,"tag_mobile":true,"max_rotation":1}]"#, #"[{"offset_secs":99,"tag_mobile":true}]"#,
            #"[{"tag_mobile":true}]"#, #"{"offset_secs":1,"tag_mobile":true}"#,
            #"[{"offset_secs":1,"tag_mobile":true,"highlight_offset_secs":1,"highlight_length_secs":0.5}]"#,
            #"[{"offset_secs":1,"tag_mobile":true},7]"#,
            // A second more than the video, and a highlight that begins beyond it.
            #"[{"offset_secs":1,"tag_mobile":true,"highlight_offset_secs":0,"highlight_length_secs":13}]"#,
            #"[{"offset_secs":1,"tag_mobile":true,"highlight_offset_secs":12.5,"highlight_length_secs":1}]"#,
            #"[{"offset_secs":1,"tag_mobile":true,"highlight_offset_secs":-1,"highlight_length_secs":5}]"#,
            #"[{"offset_secs":1,"tag_mobile":true,"highlight_length_secs":5}]"#,
            #"[{"offset_secs":1,"max_heartrate_bpm":256}]"#, #"[{"offset_secs":1,"max_heartrate_bpm":-1}]"#,
            #"[{"offset_secs":-0.1,"tag_mobile":true}]"#,
        ])
    func wrongTags(_ body: String) {
        var rig = CameraRig.withRecording(12)
        let path = "/api/2/videos/\(rig.id())/tags"
        #expect(rig.status("POST", path, body) == 400)
        #expect(rig.text("GET", path) == "[]")
    }

    /// A highlight is kept as it was sent; the part that can be cut is the delivered one.
    @Test func aHighlightBeyondTheEndIsKeptAndDeliveredInPart() {
        var rig = CameraRig.withRecording(12)
        let path = "/api/2/videos/\(rig.id())/tags"
        let answer = rig.text(
            "POST", path,
            #"[{"offset_secs":11,"highlight_offset_secs":9,"highlight_length_secs":10,"tag_mobile":true}]"#)
        #expect(answer.contains(#""highlight_offset_secs":9.0,"highlight_length_secs":10.0"#))
        #expect(answer.contains(#""delivered_offset_secs":9.0,"delivered_length_secs":3.0"#))
        // The whole video, as a client computes it with numbers of 32 bits.
        let whole = Double(Float(12).nextUp - Float(0)) - 1e-7
        #expect(
            rig.status(
                "POST", path,
                #"[{"offset_secs":1,"tag_mobile":true,"highlight_offset_secs":0,"highlight_length_secs":\#(whole)}]"#)
                == 400)
        #expect(
            rig.status(
                "POST", path,
                #"[{"offset_secs":1,"tag_mobile":true,"highlight_offset_secs":0,"highlight_length_secs":12.0000001}]"#)
                == 200)
        #expect(
            rig.status(
                "PUT", "\(path)/1",
                #"{"offset_secs":1,"tag_mobile":true,"highlight_offset_secs":0,"highlight_length_secs":25}"#) == 400)
    }

    @Test(arguments: ["contents", "sensors"]) func aPartIsNotLongerThanTheVideo(_ part: String) {
        var rig = CameraRig.withRecording(12)
        let path = "/api/2/videos/\(rig.id())/\(part)"
        for (query, status) in [
            ("offset_secs=0&length_secs=12", 200), ("offset_secs=6&length_secs=12", 200),
            ("offset_secs=0&length_secs=12.5", 400), ("offset_secs=12.5&length_secs=1", 400),
            ("offset_secs=-1&length_secs=1", 400), ("offset_secs=0&length_secs=-1", 400),
            ("offset_secs=0&length_secs=nan", 400),
        ] { #expect(rig.status("GET", "\(path)?\(query)") == status, "\(query)") }
    }

    /// An item that was on the card a moment ago is no mistake.
    @Test func aRequestThatWasRightIsKnown() {
        var rig = CameraRig.withRecording(12)
        let id = rig.id()
        let gone = [
            CameraRequest("GET", "/api/2/videos/\(id)"), CameraRequest("GET", "/api/2/videos/\(id)/thumb/"),
            CameraRequest("GET", "/api/2/videos/\(id)/tags/1/thumb"), CameraRequest("GET", "/api/2/videos?offset=1"),
            CameraRequest("POST", "/api/2/preview", body: Array(#"{"preview_active":true,"id":"\#(id)"}"#.utf8)),
        ]
        #expect(gone.allSatisfy { !rig.camera.wasRight($0) })
        #expect(rig.camera.apply(.card(.pull), at: rig.now) == nil)
        #expect(gone.map(rig.camera.wasRight) == [true, true, true, true, true])
        for (method, target) in [
            ("GET", "/api/2/videos/\(id.dropLast())9"), ("GET", "/api/2/video"), ("PATCH", "/api/2/videos/\(id)"),
            ("GET", "/api/2/videos?offset=7"), ("GET", "/api/2/videos?tags=x"),
        ] { #expect(!rig.camera.wasRight(CameraRequest(method, target)), "\(method) \(target)") }
    }

    // MARK: - Downloads

    @Test("Bandit §2.3: thumbnails, stills, and times beyond the recording") func pictures() {
        var rig = CameraRig.withRecording(12)
        let path = "/api/2/videos/\(rig.id())"
        #expect(
            rig.ask("GET", "\(path)/thumb/")
                == CameraResponse(200, type: "image/jpeg", .picture(PictureRequest(width: 320, height: 180, frame: 0))))
        #expect(
            rig.ask("GET", "\(path)/frames?offset_secs=1.5")
                == CameraResponse(
                    200, type: "image/jpeg", .picture(PictureRequest(width: 1920, height: 1080, frame: 45))))
        for wrong in ["13", "-1", "x", "nan", "inf"] {
            #expect(rig.status("GET", "\(path)/frames?offset_secs=\(wrong)") == 400)
        }
        _ = rig.text("POST", "\(path)/tags", #"[{"offset_secs":4,"tag_mobile":true}]"#)
        #expect(
            rig.ask("GET", "\(path)/tags/1/thumb/")
                == CameraResponse(
                    200, type: "image/jpeg", .picture(PictureRequest(width: 320, height: 180, frame: 120))))
    }

    @Test("Bandit §2.3: a cut begins and ends at key frames") func cuts() throws {
        var rig = CameraRig.withRecording(12)
        let path = "/api/2/videos/\(rig.id())"
        let whole = rig.ask("GET", "\(path)/contents")
        #expect(whole.type == "video/mp4")
        guard case .clip(let clip) = whole.body else { return #expect(Bool(false)) }
        #expect(MP4File(clip)?.samples(of: "vide") == 360)
        guard case .clip(let part) = rig.ask("GET", "\(path)/contents?offset_secs=3.5&length_secs=2").body else {
            return #expect(Bool(false))
        }
        // 3 s to 6 s.
        #expect(MP4File(part)?.samples(of: "vide") == 90)
        for wrong in ["offset_secs=99", "length_secs=0", "length_secs=-1", "other=1"] {
            #expect(rig.status("GET", "\(path)/contents?\(wrong)") == 400)
        }
    }

    @Test(
        "Bandit §2.3: a copy is made first, and told; the names of both libraries",
        arguments: [
            "resolution=720p&framerate=30fps", "resolution=HD_720p&framerate=30", "resolution=720p",
        ])
    func transcoding(_ query: String) throws {
        var rig = CameraRig.withRecording(12)
        let path = "/api/2/videos/\(rig.id())/contents"
        guard case .later(let time, let response) = rig.answer(CameraRequest("GET", "\(path)?\(query)")) else {
            return #expect(Bool(false))
        }
        #expect(time == .milliseconds(600))
        rig.wait(0.3)
        #expect(rig.text("GET", "/api/2/status").contains(#""transcoding_active":true,"transcoding_progress":50"#))
        #expect(rig.status("GET", "\(path)?\(query)") == 409)
        rig.wait(0.3)
        #expect(
            rig.lines() == [25, 50, 75, 100].map { #"{"transcoding_progress":{"progress_pct":\#($0)}}"# })
        #expect(rig.text("GET", "/api/2/status").contains(#""transcoding_active":false,"transcoding_progress":0"#))
        guard case .clip(let clip) = response.body else { return #expect(Bool(false)) }
        #expect(MP4File(clip)?.size == [1280, 720])
    }

    @Test(
        "Bandit §2.3: other words, and copies that are larger, are 400",
        arguments: [
            "resolution=2160p", "resolution=4k", "resolution=16MP", "framerate=60", "framerate=x", "framerate=31fps",
        ])
    func wrongCopies(_ query: String) {
        var rig = CameraRig.withRecording(12)
        #expect(rig.status("GET", "/api/2/videos/\(rig.id())/contents?\(query)") == 400)
    }

    @Test("Bandit §9: what is previewed is not deleted") func deletion() {
        var rig = CameraRig.withRecording(12)
        let path = "/api/2/videos/\(rig.id())"
        let body = #"{"id":"\#(rig.id())","preview_active":true,"preview_port":4011}"#
        guard case .connect(let preview) = rig.answer(CameraRequest("POST", "/api/2/preview", body: Array(body.utf8)))
        else { return #expect(Bool(false)) }
        #expect(rig.camera.previewConnected(preview) == CameraResponse(200))
        #expect(rig.status("DELETE", path) == 409)
        rig.camera.previewEnded()
        #expect(rig.ask("DELETE", "\(path)/") == CameraResponse(200))
        #expect(rig.status("GET", path) == 404)
    }

    // MARK: - Sensors

    @Test("Bandit §3.9: a set a second, only what is asked for, vectors of whole numbers") func sensors() {
        var rig = CameraRig.withRecording(3)
        let path = "/api/2/videos/\(rig.id())/sensors"
        #expect(
            rig.text("GET", "\(path)?filter=accel,pressure&offset_secs=1&length_secs=1")
                == #"[{"offset_msecs":1000,"accel_mg":[[-51,-16,1000]],"pressure_pa":[100763]}]"#)
        // As the iOS library prints an array.
        let printed = "%5B%22gnss%22%2C%20%22accel%22%5D"
        let text = rig.text("GET", "\(path)?filter=\(printed)")
        #expect(text.split(separator: #""offset_msecs""#).count == 4)
        for key in [
            "time_secs", "mode", "speed_mps", "alt_m", "lat_deg", "lon_deg", "track_deg", "range_alt_m",
            "range_lat_m", "range_lon_m",
        ] {
            #expect(text.contains("\"\(key)\":"))
        }
        // There is no sensor, so that a set would be empty.
        #expect(rig.text("GET", "\(path)?filter=heart_rate") == "[]")
        _ = rig.receive(.heartRate(142))
        #expect(rig.text("GET", "\(path)?filter=heart_rate").contains(#""heart_rate":[142]"#))
        for wrong in ["filter=", "filter=accel,", "filter=speed", "offset_sec=1", "offset_secs=9"] {
            #expect(rig.status("GET", "\(path)?\(wrong)") == 400)
        }
    }

    @Test("Bandit §8.3: records, least significant octet first") func records() {
        var rig = CameraRig.withRecording(2)
        let path = "/api/2/videos/\(rig.id())/sensors?filter=accel,gnss"
        let response = rig.ask("GET", path, accept: "binary/octet-stream")
        #expect(response.type == "binary/octet-stream")
        guard case .octets(let octets) = response.body else { return #expect(Bool(false)) }
        #expect(octets.count == 2 * (5 + 13 + 93))
        #expect(Array(octets[..<5]) == [0xFF, 0, 0, 0, 0])
        // -120, -80, 1000 thousandths of g.
        #expect(Array(octets[5..<18]) == [3, 0x88, 0xFF, 0xFF, 0xFF, 0xB0, 0xFF, 0xFF, 0xFF, 0xE8, 3, 0, 0])
        #expect(octets[18] == 5)
        #expect(Array(octets[27..<31]) == [3, 0, 0, 0])
        #expect(Array(octets[111..<116]) == [0xFF, 0xE8, 3, 0, 0])
    }
}
