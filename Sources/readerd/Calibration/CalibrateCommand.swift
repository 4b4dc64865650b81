// SPDX-License-Identifier: Apache-2.0

import GateTrial
import JSON
import Octets
import Proximity
import Reader

/// `readerd calibrate`: measures walks with a running reader, and proposes a proximity gate for the site.
struct CalibrateCommand {
    /// The reply of the person to a prompt.
    enum Reply {
        /// Enter: at the place.
        case ready
        /// `s`: without this walk.
        case skip
        /// End of input: without further walks.
        case end
    }

    /// The walks so far, and the gate that they are judged by.
    private struct Site {
        var file: SurveyFile
        var trial = GateTrial(pace: .recorded(connectionInterval: CalibrateCommand.connectionInterval))
        /// The modes with their own gate.
        var ownGates: [String] = []
    }

    let options: CalibrateOptions
    let console: Console
    /// Waits for a line of standard input.
    var reply: () -> Reply = {
        guard let line = readLine() else { return .end }
        return line == "s" ? .skip : .ready
    }

    /// The connection interval for the evaluation; the readings were taken at the pace of the link's own.
    private static let connectionInterval = Duration.milliseconds(30)

    /// Walks and evaluates. Returns the exit status: 0 with a proposal, else 1.
    func perform() throws(ReaderdError) -> Int32 {
        var site = Site(file: try SurveyFile(options.traces))
        let before = site.file.walks.count
        try walk(&site)
        let file = site.file
        guard !file.walks.isEmpty else {
            throw .failed("no walk was measured; open the phone's app at the door, and press Enter at the prompt")
        }
        if file.walks.count > before { console.complain("\(file.path): \(file.walks.count) walks") }
        let survey = SiteSurvey(file.walks, site.trial, share: Double(options.share) / 100)
        if options.isJSON {
            console.print(SurveyText.json(survey, file).text)
        } else {
            for line in SurveyText.lines(survey, ownGates: site.ownGates) { console.print(line) }
        }
        guard survey.proposed == nil else { return 0 }
        throw .failed(
            (survey.present.door?.traces ?? 0) < SiteSurvey.fewestWalks
                ? "no proposal: it needs \(SiteSurvey.fewestWalks) walks at the door; run it again with --door"
                : "no proposal: no threshold opens in \(options.share) % of windows at the door; lower --share")
    }

    /// Directs the person to each place, for each requested walk.
    private func walk(_ site: inout Site) throws(ReaderdError) {
        for (place, count) in [(SiteSurvey.Place.door, options.door), (.away, options.away)] {
            var number = 1
            while number <= count {
                console.complain(
                    "\(place.name) \(number) of \(count): \(place.instruction); then press Enter (s skips)")
                switch reply() {
                case .end: return
                case .skip: number += 1
                case .ready: if try measure(place, &site) { number += 1 }
                }
            }
        }
    }

    /// Measures one walk. False if it has to be repeated.
    private func measure(_ place: SiteSurvey.Place, _ site: inout Site) throws(ReaderdError) -> Bool {
        console.complain("  measuring for \(options.seconds) s …")
        let answer = try survey()
        (site.trial.gate, site.ownGates) = (answer.gate, answer.ownGates)
        let walk = RSSITrace(source: "", name: "walk", condition: place.rawValue, readings: answer.readings)
        let windows = site.trial.tally(of: walk).windows
        switch answer.phones {
        case 0 where place == .away:
            console.complain("  no phone connected: out of reach, so there is nothing to count")
            return true
        case 0:
            console.complain("  no phone connected; switch Bluetooth on, open the app, and repeat the walk")
            return false
        case 2...:
            console.complain("  \(answer.phones) phones connected; keep all but one away, and repeat the walk")
            return false
        default: break
        }
        guard windows > 0 else {
            console.complain("  \(answer.readings.count) readings make no window; stay longer, and repeat the walk")
            return false
        }
        try site.file.add(answer.readings, at: place)
        let levels = answer.readings.map(\.dBm).sorted()
        console.complain(
            "  \(levels.count) readings, median \(levels[levels.count / 2]) dBm, "
                + "\(levels[0]) to \(levels[levels.count - 1])")
        return true
    }

    private func survey() throws(ReaderdError) -> SurveyAnswer {
        let caller = try ControlCaller(path: options.control)
        let request = ControlRequest(action: .timed(.survey, Int64(options.seconds)), id: nil)
        let octets = try caller.send(request.line, lasting: options.seconds)
        guard let answer = try? JSONParser.parse(octets), let isDone = answer["ok"]?.isTrue else {
            throw .failed("\(options.control): not a reader's answer; name the reader's socket with --control")
        }
        guard isDone else {
            throw .failed("not measured: \((answer["why"]?.text ?? "no reason given").printable)")
        }
        guard let survey = SurveyAnswer(answer) else {
            throw .failed("\(options.control): not a survey's answer; use the readerd that runs")
        }
        return survey
    }
}

extension SiteSurvey.Place {
    /// The name in prompts.
    fileprivate var name: String {
        switch self {
        case .door: "at the door"
        case .away: "away from it"
        }
    }

    fileprivate var instruction: String {
        switch self {
        case .door: "stand where it has to open, the phone as people carry it, its app connecting"
        case .away: "stand where it must not open, the phone and its app likewise"
        }
    }
}
