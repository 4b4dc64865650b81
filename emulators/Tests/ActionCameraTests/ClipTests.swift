// SPDX-License-Identifier: Apache-2.0

@testable import ActionCamera
import Testing

/// Files that are put together, and pictures (Bandit §5.3, §8.2).
@Suite struct ClipTests {
    private static func clip(_ resolution: CameraMode.Resolution, _ frames: Range<Int>, rate: Int) throws -> Clip {
        let library = ClipLibrary.shipped
        let video = try #require(library.video(resolution))
        return Clip(video, library.sound(of: .normal, slowness: 1), frames: frames, rate: rate)
    }

    @Test("Bandit §8.2: ftyp, moov, mdat, with these brands and this time scale") func layout() throws {
        let clip = try ClipTests.clip(.fullHD, 0..<330, rate: 30)
        let file = try #require(MP4File(clip))
        #expect(file.top == ["ftyp", "moov", "mdat"])
        #expect(
            clip.octets(in: 0..<32)
                == [0, 0, 0, 32] + Array("ftypavc1".utf8) + [0, 0, 0, 0] + Array("avc1isomiso2mp41".utf8))
        #expect(file.timeScale == 90_000)
        #expect(file.size == [1920, 1080])
        #expect(file.samples(of: "vide") == 330)
        // 11 s of 1024 samples at 48 kHz.
        #expect(file.samples(of: "soun") == 515)
    }

    @Test(
        "every sample is where the tables say, and the loop begins anew",
        arguments: [
            CameraMode.Resolution.uhd, .fullHD, .hd, .wvga,
        ])
    func samples(_ resolution: CameraMode.Resolution) throws {
        let loop = try #require(ClipLibrary.shipped.video(resolution))
        #expect(loop.frames.count == TestPicture.period)
        let file = try #require(MP4File(try ClipTests.clip(resolution, 270..<345, rate: 30)))
        let places = file.places(of: "vide")
        #expect(places.count == 75)
        for (index, place) in places.enumerated() {
            #expect(file[place].elementsEqual(loop.octets[loop.frames[(270 + index) % 300]]))
        }
        // An instantaneous decoding refresh at each group, and nowhere else (ISO/IEC 14496-10, 7.4.1).
        for (index, place) in places.enumerated() {
            #expect((file[place][place.lowerBound + 4] & 0x1F == 5) == index.isMultiple(of: 30))
        }
        let sound = try #require(ClipLibrary.shipped.sound(of: .normal, slowness: 1))
        for (index, place) in file.places(of: "soun").enumerated() {
            #expect(file[place].elementsEqual(sound.frame(index).dropFirst(7)))
        }
    }

    @Test("any part is the same as of the whole") func parts() throws {
        let clip = try ClipTests.clip(.wvga, 0..<100, rate: 30)
        let whole = clip.octets(in: 0..<clip.count)
        #expect(whole.count == clip.count)
        for start in stride(from: 0, to: clip.count, by: 611) {
            #expect(clip.octets(in: start..<min(clip.count, start + 1777)).elementsEqual(whole[start...].prefix(1777)))
        }
        #expect(clip.octets(in: clip.count..<clip.count + 10) == [])
    }

    @Test("what the writer writes, the reader of the user's files understands") func properties() throws {
        let clip = try ClipTests.clip(.hd, 0..<120, rate: 60)
        let octets = clip.octets(in: 0..<clip.count)
        let box = try #require(MP4Box.header(Array(octets[32..<48]), left: octets.count - 32))
        #expect(box.name == "moov")
        let moov = Array(octets[40..<32 + box.size])
        let properties = try #require(MP4Properties(moov: moov))
        #expect(properties.seconds == 2)
        #expect([properties.width, properties.height] == [1280, 720])
        #expect(properties.rate == 60)
        for count in 0..<moov.count {
            // Cut anywhere, it may be understood or not; it never reads beyond its end.
            _ = MP4Properties(moov: Array(moov[..<count]))
        }
    }

    @Test(
        "Bandit §5.3: mono AAC-LC at 48, 24, 12 and 8 kHz, with the index in each header",
        arguments: [
            (1, 48_000, 3), (2, 24_000, 6), (4, 12_000, 9), (6, 8_000, 11),
        ])
    func sound(_ slowness: Int, _ rate: Int, _ index: Int) throws {
        let sound = try #require(ClipLibrary.shipped.sound(of: .slowMotion, slowness: slowness))
        #expect(sound.rate == rate)
        for number in 0..<50 {
            let frame = Array(sound.frame(number))
            #expect(Array(frame[..<2]) == [0xFF, 0xF1])
            // Profile LC, the rate's index, one channel; original and home bits 0 (§16.8).
            #expect(frame[2] == UInt8(1 << 6 | index << 2))
            #expect(frame[3] & 0xFC == 0x40)
        }
        #expect(ClipLibrary.shipped.sound(of: .timeLapse, slowness: 1) == nil)
    }

    @Test("a JPEG file is filled with comments, to the octet") func filling() throws {
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0xFF, 0xD9]
        #expect(JPEGFilling.fill(jpeg, to: 6) == jpeg)
        #expect(JPEGFilling.fill(jpeg, to: 8) == [0xFF, 0xD8, 0xFF, 0xFF, 0xFF, 0xDB, 0xFF, 0xD9])
        #expect(JPEGFilling.fill(jpeg, to: 11) == [0xFF, 0xD8, 0xFF, 0xFE, 0, 3, 0, 0xFF, 0xDB, 0xFF, 0xD9])
        #expect(JPEGFilling.fill(jpeg, to: 5) == nil)
        for count in [6 + 65_537, 6 + 65_538, 6 + 65_540, 6 + 65_541, 6 + 131_075] {
            #expect(JPEGFilling.fill(jpeg, to: count)?.count == count)
        }
    }

    @Test("the frame number can be read from the picture") func code() {
        var picture = TestPicture(width: 768, height: 432)
        for frame in [0, 1, 299, 54_321, 1_048_575] {
            picture.draw(.init(frame: frame, milliseconds: 1234, clock: 36_000_000, isRecording: true))
            let (cell, left, top) = picture.code
            let bits = (0..<23).map { index in
                picture.luminance[(top + cell / 2) * 768 + left + index * cell + cell / 2] > 128 ? 1 : 0
            }
            #expect(Array(bits[..<2]) == [1, 0])
            #expect(bits[2..<22].reduce(0) { $0 << 1 | $1 } == frame)
            #expect(bits[2...].reduce(0, +).isMultiple(of: 2))
        }
    }

    @Test("pictures of every size are drawn", arguments: CameraMode.Resolution.allCases + [.wvga])
    func sizes(_ resolution: CameraMode.Resolution) {
        let (width, height) = resolution.size
        var picture = TestPicture(width: width / 4, height: height / 4)
        picture.draw(.init(frame: 299, milliseconds: 9_999_999, clock: 1, isRecording: true))
        picture.draw(.init(frame: 300))
        #expect(picture.luminance.count == picture.width * picture.height)
    }
}
