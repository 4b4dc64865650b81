// SPDX-License-Identifier: Apache-2.0

import ActionCamera
import Testing

/// The rules of HTTP, and the resources of the camera itself (Bandit §2, §3).
@Suite struct RESTTests {
    @Test("Bandit §3.1: strings, as the libraries want them") func version() {
        var rig = CameraRig()
        #expect(rig.text("GET", "/api/version") == #"{"version":"2","revision":"1","supported_versions":["2"]}"#)
    }

    @Test("Bandit §3.2: every key, and both spellings") func status() {
        var rig = CameraRig()
        let free = 15_931_539_456
        let perSecond = free / status(of: &rig, "remaining_time_secs")
        #expect(
            rig.text("GET", "/api/2/status")
                == """
                {"recording_active":false,"recording_secs":0,"recoding_secs":0,"battery_level_pct":87,\
                "battery_charging":false,"gnss_fix":true,"gnss_strength_pct":72,"heart_rate_sensor_connected":false,\
                "cadence_sensor_connected":false,"preview_active":false,"viewfinder_active":false,\
                "viewfinder_streaming_port":4001,"backchannel_port":4100,"memory_free_bytes":\(free),\
                "remaining_time_secs":\(free / perSecond),"remaining_photos":\(free / 2_400_000),\
                "transcoding_active":false,"transcoding_progress":0}
                """)
    }

    private func status(of rig: inout CameraRig, _ key: String) -> Int {
        let text = rig.text("GET", "/api/2/status")
        return text.firstRange(of: "\"\(key)\":").flatMap { range in
            Int(text[range.upperBound...].prefix { $0.isNumber })
        } ?? 0
    }

    @Test(
        "Bandit §2: a slash at the end is accepted, case counts, unknown paths are 404, wrong methods 405",
        arguments: [
            ("GET", "/api/version/", 200), ("GET", "/api/2/status/", 200), ("GET", "/api/2/Status", 404),
            ("GET", "/api/3/status", 404), ("GET", "/api/status", 404), ("GET", "/", 404),
            ("GET", "/api/2/videos/x", 404),
            ("GET", "/api/2/videos/x/thumb/", 404), ("PUT", "/api/2/status", 405), ("GET", "/api/2/record", 405),
            ("DELETE", "/api/2/datetime", 405), ("GET", "/api/2/%zz", 400), ("HEAD", "/api/version", 405),
        ])
    func paths(_ method: String, _ path: String, _ status: Int) {
        var rig = CameraRig()
        #expect(rig.status(method, path) == status)
    }

    @Test("Bandit §2: a success without a body is 200 with no octets and no type") func emptySuccess() {
        var rig = CameraRig()
        #expect(rig.ask("POST", "/api/2/record", #"{"recording_active":true}"#) == CameraResponse(200))
    }

    @Test("Bandit §15.1: errors have no body, or a small one if wanted") func errorBodies() {
        var rig = CameraRig()
        #expect(rig.ask("GET", "/api/2/none") == CameraResponse(404))
        var other = CameraRig { $0.describesErrors = true }
        #expect(
            other.ask("GET", "/api/2/none")
                == CameraResponse(404, type: "application/json", .octets(Array(#"{"error":404}"#.utf8))))
    }

    @Test("Bandit §3.10: firmware, and one that waits after an upload") func firmware() {
        var rig = CameraRig()
        #expect(
            rig.text("GET", "/api/2/firmware")
                == """
                {"major":1,"minor":57,"revision":500,"build":1,"pending_major":0,"pending_minor":0,\
                "pending_revision":0,"pending_build":0}
                """)
        let body = "--x\r\nContent-Disposition: form-data; name=\"upgrade\"; filename=\"f\"\r\n\r\nabc\r\n--x--\r\n"
        let upload = CameraRequest(
            "POST", "/api/2/firmware", body: Array(body.utf8), contentType: "multipart/form-data; boundary=x")
        #expect(rig.answer(upload) == .response(CameraResponse(200)))
        #expect(rig.text("GET", "/api/2/firmware").contains(#""pending_major":1,"pending_minor":57,"#))
        #expect(rig.status("POST", "/api/2/glonass", body) == 400)
    }

    @Test("Bandit §3.10: GMT, to the second") func datetime() {
        var rig = CameraRig()
        rig.wait(1.9)
        #expect(rig.text("GET", "/api/2/datetime") == #"{"datetime":"2026-11-22T10:00:01Z"}"#)
        #expect(rig.status("POST", "/api/2/datetime", #"{"datetime":"2027-02-28T23:59:59Z"}"#) == 200)
        rig.wait(1)
        #expect(rig.text("GET", "/api/2/datetime") == #"{"datetime":"2027-03-01T00:00:00Z"}"#)
        for wrong in ["2027-02-28T23:59:59Z", #"{"datetime":"2027-02-30T00:00:00Z"}"#, #"{"datetime":"2027-02-28"}"#] {
            #expect(rig.status("POST", "/api/2/datetime", wrong) == 400)
        }
    }

    @Test("Bandit §2.1, 46 and 47: HTML, and a tar file of whole blocks") func documents() {
        var rig = CameraRig()
        let license = rig.ask("GET", "/api/2/license"), log = rig.ask("GET", "/api/2/log")
        #expect(license.type == "text/html")
        guard case .octets(let octets) = log.body else { return #expect(Bool(false)) }
        #expect(log.type == "application/x-tar")
        #expect(octets.count % 512 == 0)
        #expect(octets[257..<262].elementsEqual("ustar".utf8))
    }

    @Test(
        "a body that is cut, too long, or no JSON is 400",
        arguments: ["", "{", "[]", "null", #"{"recording_active":1}"#, #"{"recording_active":true"#])
    func badBodies(_ body: String) {
        var rig = CameraRig()
        #expect(rig.status("POST", "/api/2/record", body) == 400)
        let long = CameraRequest(
            "POST", "/api/2/record", body: Array(#"{"recording_active":true}"#.utf8), bodyCount: 1_000_000)
        #expect(rig.answer(long) == .response(CameraResponse(400)))
    }

    @Test("bodies and targets cut at every length, and octets of all values, are answered") func hostileInput() {
        var rig = CameraRig.withRecording()
        let body = Array(#"[{"offset_secs":1.0,"tag_mobile":true,"class_type":"\u00e9"}]"#.utf8)
        let target = "/api/2/videos/\(rig.id())/tags"
        for count in 0..<body.count {
            let cut = rig.answer(CameraRequest("POST", target, body: Array(body[..<count])))
            #expect(cut == .response(CameraResponse(400)))
        }
        for octet in UInt8.min...UInt8.max {
            _ = rig.answer(CameraRequest("POST", target, body: [octet] + body))
            _ = rig.answer(CameraRequest("GET", "/api/2/videos?count=" + String(decoding: [octet], as: UTF8.self)))
        }
    }
}
