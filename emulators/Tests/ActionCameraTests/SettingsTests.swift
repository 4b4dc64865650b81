// SPDX-License-Identifier: Apache-2.0

import ActionCamera
import Testing

/// Modes, settings, scenes (Bandit §3.5 to §3.7).
@Suite struct SettingsTests {
    @Test("Bandit §3.6: camera, wifi, scene, and one of video and image") func settings() {
        var rig = CameraRig { $0.serialNumber = "123456789" }
        let text = rig.text("GET", "/api/2/settings")
        // CRC-32 of "123456789" is cbf43926 (the check value of IEEE 802.3).
        #expect(text.hasPrefix(#"{"camera":{"serial_number":"123456789","ble_camera_id":"cbf43926","#))
        #expect(
            text.hasSuffix(
                """
                "gnss_enabled":true,"sound_enabled":true,"lights_enabled":true,"image_rotation_enabled":true,\
                "external_microphone_enabled":false,"video_stabilisation_enabled":true,"metering":"normal",\
                "white_balance_mode":"auto"},"wifi":{"ssid":"Bandit-0001"},"scene":{"mode":"auto","brightness":128,\
                "contrast":128,"hue":128,"saturation":128,"sharpness":128},"video":{"mode":"normal",\
                "resolution":"1080p","framerate_fps":30,"fov":"wide","interval_secs":0}}
                """))
        _ = rig.text("PUT", "/api/2/settings/image", #"{"mode":"burst"}"#)
        let image = rig.text("GET", "/api/2/settings")
        #expect(image.contains(#""image":{"mode":"burst","#))
        #expect(!image.contains(#""video":"#))
    }

    @Test("Bandit §2.1, 11: any of the keys; read-only ones are ignored, wrong ones refused") func camera() {
        var rig = CameraRig()
        #expect(rig.status("PUT", "/api/2/settings/camera", #"{"sound_enabled":false,"serial_number":"x"}"#) == 200)
        #expect(rig.text("GET", "/api/2/settings").contains(#""serial_number":"B4ND17-EMU-0001""#))
        #expect(rig.text("GET", "/api/2/settings").contains(#""sound_enabled":false"#))
        for wrong in [#"{"sound_enabled":1}"#, #"{"metering":"spot"}"#, #"{"unknown":true}"#] {
            #expect(rig.status("PUT", "/api/2/settings/camera", wrong) == 400)
        }
        #expect(rig.status("PUT", "/api/2/settings/camera", #"{"lights_enabled":false,"metering":"spot"}"#) == 400)
        #expect(rig.text("GET", "/api/2/settings").contains(#""lights_enabled":true"#))
    }

    @Test("Bandit §3.7: presets, and what goes before them") func scene() {
        var rig = CameraRig()
        #expect(
            rig.text("PUT", "/api/2/settings/scene", #"{"mode":"bright"}"#)
                == #"{"mode":"bright","brightness":128,"contrast":140,"hue":128,"saturation":140,"sharpness":150}"#)
        #expect(
            rig.text("PUT", "/api/2/settings/scene", #"{"mode":"night","hue":7}"#)
                == #"{"mode":"night","brightness":128,"contrast":128,"hue":7,"saturation":110,"sharpness":117}"#)
        #expect(rig.status("PUT", "/api/2/settings/scene", #"{"mode":"night","hue":256}"#) == 400)
    }

    @Test("Bandit §2.1, 13 and 15: POST sets a mode, PUT goes back to it as it was") func modes() {
        var rig = CameraRig()
        let explicit = #"{"mode":"slow_motion","resolution":"720p","framerate_fps":120,"fov":"wide"}"#
        #expect(rig.ask("POST", "/api/2/settings/video", explicit) == CameraResponse(200))
        #expect(rig.text("PUT", "/api/2/settings/video", #"{"mode":"normal"}"#).hasPrefix(#"{"mode":"normal","#))
        #expect(
            rig.text("PUT", "/api/2/settings/video", #"{"mode":"slow_motion"}"#)
                == """
                {"mode":"slow_motion","resolution":"720p","framerate_fps":120,"fov":"wide","slow_motion_rate":4,\
                "interval_secs":0}
                """)
        for wrong in [
            #"{"mode":"normal","resolution":"4k","framerate_fps":30}"#, #"{"mode":"single"}"#,
            #"{"mode":"normal","resolution":"1080p","framerate_fps":120}"#,
            #"{"mode":"normal","resolution":"1080p","framerate_fps":30,"fov":"narrow"}"#,
        ] {
            #expect(rig.status("POST", "/api/2/settings/video", wrong) == 400)
        }
    }

    @Test("Bandit §3.5: the documented combinations, with fov and interval_secs in each (§16.8)") func capabilities() {
        #expect(ModeTable.video.count == 2 * 6 + 1 + 4 * 7 + 4 * 4)
        #expect(ModeTable.video.contains(CameraMode(.slowMotion, .wvga, framerate: 180)))
        #expect(!ModeTable.video.contains(CameraMode(.slowMotion, .wvga, framerate: 180, .normal)))
        var rig = CameraRig()
        let text = rig.text("GET", "/api/2/capabilities/recording")
        let entries = text.split(separator: "},{").count
        #expect(text.split(separator: #""fov":"#).count - 1 == ModeTable.video.count + ModeTable.image.count)
        #expect(text.split(separator: #""interval_secs":"#).count - 1 == ModeTable.video.count + ModeTable.image.count)
        #expect(entries == ModeTable.video.count + ModeTable.image.count - 1)
        #expect(text.contains(#""burst_count":10,"count":10"#))
        #expect(
            rig.text("GET", "/api/2/capabilities/transcoding").contains(
                #"{"input_resolution":"1080p","input_framerate_fps":60,"output_resolution":"720p","output_framerate_fps":30}"#
            ))
    }

    @Test("Bandit §9: modes do not change while it records") func whileRecording() {
        var rig = CameraRig()
        _ = rig.status("POST", "/api/2/record", #"{"recording_active":true}"#)
        #expect(rig.status("PUT", "/api/2/settings/image", #"{"mode":"single"}"#) == 409)
    }
}
