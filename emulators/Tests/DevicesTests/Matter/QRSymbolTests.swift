// SPDX-License-Identifier: Apache-2.0

import Crypto
import Devices
import TestSupport
import Testing

/// ISO/IEC 18004. All symbols here were read by ZXing when they were recorded.
@Suite("QR symbols of onboarding codes")
struct QRSymbolTests {
    @Test("The symbol of an onboarding code, module by module")
    func symbol() throws {
        let symbol = try #require(QRSymbol("MT:-24J042C00KA0648G00"))
        let rows = [
            "#######.#.#.####..#######",
            "#.....#.###..###..#.....#",
            "#.###.#.#######...#.###.#",
            "#.###.#...#.#.###.#.###.#",
            "#.###.#.##..##.#..#.###.#",
            "#.....#....####.#.#.....#",
            "#######.#.#.#.#.#.#######",
            ".........####.#..........",
            "#..######.##.#####..#.###",
            "#.###...####..#.#####...#",
            "#.##..#...###.##.##.###..",
            ".#..#....#..#.#.###...#..",
            "#...#.##...#.####..##.#..",
            "###.#..##...#......#.#.#.",
            "####..#.#.....###.#.#....",
            "#.####..#...###.###.#..#.",
            "#.###.#.#..##..######....",
            "........#.##...##...#....",
            "#######.#.#.###.#.#.##.##",
            "#.....#.#.##.#.##...#.##.",
            "#.###.#.#..#.#..#####....",
            "#.###.#.#...##....#.#...#",
            "#.###.#...##.#.#..####.##",
            "#.....#...####...##.#..#.",
            "#######.#..###.##.#.#..##",
        ]
        #expect(symbol.side == 25)
        let drawn = (0..<symbol.side).map { y in
            (0..<symbol.side).map { symbol.isDark(x: $0, y: y) ? "#" : "." }.joined()
        }
        #expect(drawn == rows)
    }

    @Test(
        "Each version and level: the smallest that has room, by the hash of its modules",
        arguments: [
            (3, 21, "5965e4ca8b539b2dc92b233472afa9652147dea0f4d502e9a0a7b56f5eacb064"),  // level M
            (20, 21, "d9252d5965ebdec6159d3ce5abf3f34f49055cf137bcad11b3ca5af1e243296b"),  // level M
            (21, 25, "e96d9fc038f6c8b53a82402e003b218950f4e2b793badc7ba5905de8d63252ef"),  // level M
            (38, 25, "e3e3b9cca22d5188d1bff86a0b622102d5a2b69ab992cc815a5e153ef4fc362d"),  // level M
            (39, 29, "846691380a9ca895f8b1905477f81110d7635b8be736869c17497862e7411638"),  // level M
            (61, 29, "220b72e230b878b5fa6761d9cc7994602869c3fd45e80f9c1f44f42a2937de01"),  // level M
            (62, 33, "9faeb09e4f14963034674a0786095409be435bd8fa5db1f179487e0d0213c3ff"),  // level M
            (90, 33, "503d6e5fb187d6a337868ca179a58bd6c088fe86551ccc23b439f225366bd082"),  // level M
            (91, 37, "bb0c699ad5f952e0d5c0b51eefba0f51e4597ea6cbe35845716f4988db6cbf28"),  // level M
            (122, 37, "1e22a3350b2ea6fc6b176e61490d4695ad5126ac28a3cf5b52d6fdc084e3c7e4"),  // level M
            (123, 41, "8025a420bdbfbfcab8a70adfb58f99a18cb9efca60285d6dc437d248003801d1"),  // level M
            (154, 41, "797211c715bc630e697a9e7b0b56efb8078c788911d224649b19dc2101727ac3"),  // level M
            (155, 41, "61bbdd177efd3d86eb1dd3797690f570701bcdbb800a82843ee9ffd4a9b463ca"),  // level L
            (178, 41, "2686620d15b6320d3c9af2bd3b9d6b00aa0860c3ce84937834d54ee872c4b6c7"),  // level L
            (195, 41, "96b02a8c393e51185ff4b746555608fd0806a61a3e7bfbea4c097b386342fb3a"),  // level L
        ])
    func versions(_ characters: Int, _ side: Int, _ digest: String) throws {
        let alphabet = Array("MT:0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-.")
        let text = String((0..<characters).map { alphabet[$0 % alphabet.count] })
        let symbol = try #require(QRSymbol(text))
        #expect(symbol.side == side)
        let modules = (0..<side * side).map { symbol.isDark(x: $0 % side, y: $0 / side) ? UInt8(1) : 0 }
        let hash = try SHA256.hash(modules.span)
        #expect(hex(octets(hash)) == digest)
    }

    @Test("A text that no symbol holds")
    func tooLong() {
        #expect(QRSymbol(String(repeating: "A", count: 195)) != nil)
        #expect(QRSymbol(String(repeating: "A", count: 196)) == nil)
        #expect(QRSymbol("mt:-24J042C00KA0648G00") == nil)
    }

    @Test("In a terminal: two rows of modules in a line, with the quiet zone")
    func terminal() throws {
        let symbol = try #require(QRSymbol("MT:-24J042C00KA0648G00"))
        let lines = symbol.terminalText(isColoured: false).split(separator: "\n")
        #expect(lines.count == 17)
        #expect(lines.allSatisfy { $0.count == 33 })
        #expect(lines[0].allSatisfy { $0 == " " })
        #expect(lines[2] == "    █▀▀▀▀▀█ █▄█ ▀███  █▀▀▀▀▀█    ")
        let coloured = symbol.terminalText(isColoured: true).split(separator: "\n")
        #expect(coloured[2] == "\u{1B}[30;107m" + lines[2] + "\u{1B}[0m")
    }

    @Test("As SVG: the dark modules alone are drawn")
    func svg() throws {
        let symbol = try #require(QRSymbol("MT:-24J042C00KA0648G00"))
        let svg = symbol.svg
        #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 33 33\""))
        let path = try #require(svg.split(separator: "\"").first { $0.hasPrefix("M4,4h7v1h-7z") })
        let widths = path.split(separator: "h").dropFirst().compactMap { Int($0.prefix { $0.isNumber }) }
        let dark = (0..<25 * 25).count { symbol.isDark(x: $0 % 25, y: $0 / 25) }
        #expect(widths.reduce(0, +) == dark)
    }
}
