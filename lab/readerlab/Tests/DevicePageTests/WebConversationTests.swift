// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DevicePage

/// The lines between a page and its program.
@Suite struct WebConversationTests {
    @Test func eachAnswerGoesWithItsLine() {
        var conversation = WebConversation()
        conversation.sent("help")
        conversation.sent("fault drop frame")
        let entry = #"{"entry":1,"at-ms":2,"event":"ready"}"#
        let answer = #"{"event":"answer","ok":true,"lines":["a"]}"#
        #expect(conversation.printed(entry) == WebBacklog.Event(number: 1, name: "entry", data: entry))
        #expect(conversation.printed(answer) == WebBacklog.Event(number: 2, name: "help", data: answer))
        #expect(
            conversation.printed(answer)
                == WebBacklog.Event(
                    number: 3, name: "answer", data: #"{"line":"fault drop frame","answer":\#(answer)}"#))
        #expect(conversation.latestAnswer?.line == "fault drop frame")
        #expect(conversation.latestAnswer?.isGood == true)
        // An answer that nobody has asked for.
        #expect(conversation.printed(answer).name == "entry")
        #expect(conversation.latestAnswer == nil)
        conversation.sent("lock on")
        _ = conversation.printed(#"{"event":"answer","ok":false,"lines":["lock is an input"]}"#)
        #expect(conversation.latestAnswer?.isGood == false)
    }

    @Test("of scenes only the latest is kept, without a number, and a floor plan outlasts what came after it")
    func scenes() {
        var conversation = WebConversation()
        let plan = #"{"event":"plan","name":"air"}"#
        let scenes = (1...3).map { #"{"event":"scene","at-ms":\#($0)}"# }
        #expect(conversation.printed(plan) == WebBacklog.Event(number: 1, name: "plan", data: plan))
        for scene in scenes {
            #expect(conversation.printed(scene) == WebBacklog.Event(number: 0, name: "scene", data: scene))
        }
        #expect(conversation.backlog.events(after: 0).map(\.data) == [plan, scenes[2]])
        #expect(conversation.backlog.events(after: 1).map(\.data) == [scenes[2]])
        #expect(conversation.backlog.events(after: 1)[0].text == "event: scene\ndata: \(scenes[2])\n\n")
        for _ in 0...WebBacklog.maximumEvents { _ = conversation.printed(#"{"event":"ready"}"#) }
        #expect(conversation.backlog.events(after: 0).first?.data == plan)
    }

    @Test(arguments: ["Segmentation fault", "", "[1]", "\"text\"", #"{"event":"a","event":"b"}"#, "{\"a\":"])
    func otherOutputIsText(line: String) {
        var conversation = WebConversation()
        #expect(conversation.printed(line).name == "output")
    }

    /// A program that takes no lines is not sent any more of them.
    @Test func unansweredLinesAreBounded() {
        var conversation = WebConversation()
        for _ in 0..<WebConversation.maximumUnanswered {
            #expect(conversation.canSend)
            conversation.sent("x")
        }
        #expect(!conversation.canSend)
        _ = conversation.printed(#"{"event":"answer","ok":false,"lines":[]}"#)
        #expect(conversation.canSend)
    }

    @Test func oneLineInABody() {
        func line(_ text: String) -> String? { WebConversation.line(in: Array(text.utf8)) }
        #expect(line(#"{"line": "fault drop frame"}"#) == "fault drop frame")
        #expect(line(#"{"line": "network \"Ümlaut\" down"}"#) == #"network "Ümlaut" down"#)
        let longest = String(repeating: "a", count: WebConversation.maximumLine)
        #expect(line(#"{"line": "\#(longest)"}"#) == longest)
        for wrong in [
            "", "{}", #"{"line": ""}"#, #"{"line": 1}"#, #"{"line": "a\nquit"}"#, #"{"line": "a\u0000"}"#,
            #"{"line": "a", "more": 1}"#, #"["a"]"#, #"{"line": "\#(longest)a"}"#, #"{"line": "a""#,
        ] { #expect(line(wrong) == nil, "\(wrong.prefix(40))") }
    }

    @Test func theBacklogIsBoundedAndResumes() {
        var backlog = WebBacklog()
        for number in 1...WebBacklog.maximumEvents + 3 { #expect(backlog.add("entry", "{}").number == number) }
        #expect(backlog.events.count == WebBacklog.maximumEvents)
        #expect(backlog.events.first?.number == 4)
        #expect(backlog.events(after: 0).count == WebBacklog.maximumEvents)
        #expect(backlog.events(after: WebBacklog.maximumEvents).map(\.number) == [5001, 5002, 5003])
        #expect(backlog.events(after: WebBacklog.maximumEvents + 3).isEmpty)
        // Of another run.
        #expect(backlog.events(after: 1_000_000).count == WebBacklog.maximumEvents)
        let long = String(repeating: "a", count: WebBacklog.maximumOctets)
        _ = backlog.add("entry", long)
        #expect(backlog.events.map(\.data.utf8.count) == [WebBacklog.maximumOctets])
    }

    @Test func anEventAsItIsSent() {
        let event = WebBacklog.Event(number: 7, name: "entry", data: #"{"a":1}"#)
        #expect(event.text == "id: 7\nevent: entry\ndata: {\"a\":1}\n\n")
    }

    @Test(arguments: [
        (#"{"entry":2,"at-ms":4328,"event":"command","typed":true,"text":"the end"}"#, "    4.328 s  command  the end"),
        (#"{"event":"answer","ok":true,"lines":["a","b"]}"#, "  a\n  b"),
        (#"{"at-ms":12,"link":3,"event":"written","text":"x"}"#, "    0.012 s  link 3  written  x"),
        (
            #"{"at-ms":12,"link":3,"event":"finding","rule":"idle-link","sentence":"a: b"}"#,
            "    0.012 s  link 3  ! idle-link:  a: b"
        ),
        (
            #"{"at-ms":12,"link":3,"event":"mtu","mtu":517,"sentence":"ATT_MTU 517"}"#,
            "    0.012 s  link 3  mtu  ATT_MTU 517"
        ),
        (#"{"at-ms":12,"link":3,"event":"rssi","text":"RSSI -60 dBm"}"#, "    0.012 s  link 3  RSSI -60 dBm"),
        ("no JSON", "no JSON"),
    ]) func theTerminalsWords(line: String, words: String) {
        #expect(WebView.words(line) == words)
    }

    /// A page that is opened late has the program's view, its faults and its commands.
    @Test func whatAPageNeedsStays() {
        var conversation = WebConversation()
        conversation.began(.device, takesLines: true)
        conversation.offers([])
        conversation.sent(WebConversation.question)
        _ = conversation.printed(#"{"event":"answer","ok":true,"lines":["a"]}"#)
        for _ in 0..<WebBacklog.maximumEvents { _ = conversation.printed(#"{"event":"x"}"#) }
        let first = conversation.backlog.events(after: 0).prefix(3)
        #expect(first.map(\.number) == [1, 2, 3] && first.map(\.name) == ["program", "faults", "help"])
        #expect(first.first?.data == #"{"view":"device","lines":true}"#)
    }

    /// Of a state only the latest counts: it has no number, and displaces no entry.
    @Test(arguments: ["state", "status", "picture"]) func aStateIsTheLatestOne(name: String) {
        var conversation = WebConversation()
        _ = conversation.printed(#"{"event":"x"}"#)
        for number in 1...3 { _ = conversation.printed(#"{"event":"\#(name)","n":\#(number)}"#) }
        let all = conversation.backlog.events(after: 0)
        #expect(all.map(\.name) == ["entry", name] && all.last?.data == #"{"event":"\#(name)","n":3}"#)
        #expect(all.last?.text == "event: \(name)\ndata: {\"event\":\"\(name)\",\"n\":3}\n\n")
        // A page that comes back has missed no entry, and gets the state.
        #expect(conversation.backlog.events(after: 1).map(\.name) == [name])
    }

    /// A reader's row outlasts the events that were after it.
    @Test func aRowStaysInThePage() {
        var conversation = WebConversation()
        let row = { (device: String) in #"{"event":"reader","device":"\#(device)"}"# }
        let first = conversation.printed(row("a"))
        #expect((first.name, first.number) == ("reader", 1))
        _ = conversation.printed(row("b"))
        let second = conversation.printed(row("a"))
        for _ in 0..<WebBacklog.maximumEvents { _ = conversation.printed(#"{"event":"x"}"#) }
        let all = conversation.backlog.events(after: 0)
        #expect(all.prefix(2).map(\.number) == [2, second.number] && all.count == WebBacklog.maximumEvents + 2)
        #expect(conversation.backlog.events(after: second.number + 1).count == WebBacklog.maximumEvents - 1)
    }
}
