// SPDX-License-Identifier: Apache-2.0

public import Reader

extension ReaderSettings {
    /// `[proximity]`: the parameters of all gates; `[proximity.MODE]`: the parameters of one mode.
    public struct Proximity: Equatable, Sendable {
        /// The parameters of a gate.
        public struct Gate: Equatable, Sendable {
            /// `threshold-dbm`
            public var thresholdDBm = -60
            /// `window-ms`
            public var windowMilliseconds = 400
            /// `interval-ms`
            public var intervalMilliseconds = 25
            /// `samples`
            public var samples = 3
            /// `max-path-loss-db`; nil for no limit.
            public var maximumPathLossDB: Int?
        }

        /// The parameters of one mode; nil for the value in `[proximity]`.
        struct Override: Equatable, Sendable {
            var thresholdDBm: Int?
            var windowMilliseconds: Int?
            var intervalMilliseconds: Int?
            var samples: Int?
            var maximumPathLossDB: Int?
        }

        /// The parameters in `[proximity]`.
        public var common = Gate()
        /// `gate`: the modes with a gate.
        public var gatedModes: [Mode] = [.onTouch, .access, .pkoc, .aliro]
        private var overrides: [Mode: Override] = [:]

        /// Returns the gate for links of `mode`; nil if the mode has none.
        public func gate(of mode: Mode) -> Gate? {
            gatedModes.contains(mode) ? values(of: mode) : nil
        }

        /// Returns the parameters of `mode`, with a gate or not.
        func values(of mode: Mode) -> Gate {
            let own = self[mode]
            return Gate(
                thresholdDBm: own.thresholdDBm ?? common.thresholdDBm,
                windowMilliseconds: own.windowMilliseconds ?? common.windowMilliseconds,
                intervalMilliseconds: own.intervalMilliseconds ?? common.intervalMilliseconds,
                samples: own.samples ?? common.samples,
                maximumPathLossDB: own.maximumPathLossDB ?? common.maximumPathLossDB)
        }

        /// The parameters in `[proximity.MODE]`.
        subscript(mode: Mode) -> Override {
            get { overrides[mode] ?? Override() }
            set { overrides[mode] = newValue }
        }
    }
}
