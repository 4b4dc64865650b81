// SPDX-License-Identifier: Apache-2.0

import System

/// The arguments of `readerd calibrate`.
struct CalibrateOptions: Equatable, ReaderdArguments {
    /// `--traces`: the file of walks, which is read first and kept up to date.
    var traces = "readerd-survey.csv"
    /// `--door` and `--away`: the number of further walks at each place.
    var door = 5
    var away = 5
    /// `--seconds`: the time of a walk.
    var seconds = 10
    /// `--share`: the percentage of windows at the door that have to open.
    var share = 95
    /// `--control`: the running reader's socket.
    var control = ControlListener.defaultPath
    var isJSON = false

    /// The maximum number of walks of one call at one place: half a day of work.
    private static let walks = 0...100

    var command: CommandName { .calibrate }

    var options: [CommandOption<CalibrateOptions>] {
        [
            .value("--traces") { $0.traces = $1 },
            number("--door", CalibrateOptions.walks) { $0.door = $1 },
            number("--away", CalibrateOptions.walks) { $0.away = $1 },
            number("--seconds", ControlLimits.surveySeconds) { $0.seconds = $1 },
            number("--share", 50...100) { $0.share = $1 },
            .value("--control") { $0.control = $1 },
            .flag("--json") { $0.isJSON = true },
        ]
    }

    private func number(
        _ name: String, _ range: ClosedRange<Int>, _ set: @escaping (inout CalibrateOptions, Int) -> Void
    ) -> CommandOption<CalibrateOptions> {
        .value(name) { calibrate, value throws(ReaderdError) in
            guard let number = Int(value), range.contains(number) else {
                throw .usage("\(name) takes \(range.lowerBound) to \(range.upperBound), not \"\(value)\"")
            }
            set(&calibrate, number)
        }
    }

    static let helpText = """
        readerd calibrate [--traces FILE] [--door N] [--away N] [--seconds N]
                          [--share PERCENT] [--control SOCKET] [--json]

        Measures this site with the running reader and one phone, and proposes the
        threshold and window of [proximity]. A threshold in dBm is no distance: it
        depends on the phones, the reader's housing and the place.

        For each walk, stand where you are told, with the phone as people carry it
        and its app connecting, and press Enter: at the door, where the gate has to
        open, then where it must not open (the corridor, behind the wall). While a
        walk is measured the reader serves no phone over Bluetooth, and the door does
        not move; NFC, exits and operators go on. s and Enter skips a walk; Ctrl-D
        ends the walks and evaluates those so far.

        Prints the rates with intervals of 95 %, which count walks, and the lines for
        readerd.toml; it changes no configuration. Few walks make wide intervals:
        36 without a failure show 90 %.

        --traces FILE    The walks, for readerlab gate and for more walks on another
                         day; readerd-survey.csv by default. Kept with mode 0600.
        --door N         Further walks at the door, 0 to 100; by default 5.
        --away N         Further walks away from it, 0 to 100; by default 5.
        --seconds N      The time of a walk, 3 to 30 s; by default 10.
        --share PERCENT  What has to open at the door, 50 to 100; by default 95.
        --control SOCKET The reader's control socket,
                         \(ControlListener.defaultPath) by default.
        --json           The result as one JSON object.

        Ten walks at each place, and the evaluation of a file without a reader:
            readerd calibrate --door 10 --away 10
            readerd calibrate --door 0 --away 0 --traces readerd-survey.csv
        """
}
