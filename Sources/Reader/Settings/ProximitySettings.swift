extension ReaderSettings {
    /// `[proximity]`: how near a phone has to be, and `[proximity.MODE]`, where a mode has values of its own.
    public struct Proximity: Equatable, Sendable {
        /// The values of one gate.
        public struct Gate: Equatable, Sendable {
            /// `threshold-dbm`
            public var thresholdDBm = -60
            /// `window-ms`
            public var windowMilliseconds = 400
            /// `interval-ms`
            public var intervalMilliseconds = 25
            /// `samples`
            public var samples = 3
        }

        /// What one mode has instead; nil where it has what all have.
        struct Override: Equatable, Sendable {
            var thresholdDBm: Int?
            var windowMilliseconds: Int?
            var intervalMilliseconds: Int?
            var samples: Int?
        }

        /// The values of `[proximity]` itself.
        public var common = Gate()
        /// `gate`: the modes whose links are verified.
        public var gatedModes: [Mode] = [.onTouch, .access]
        private var overrides: [Mode: Override] = [:]

        /// The gate that links of `mode` pass; nil where the mode has none.
        public func gate(of mode: Mode) -> Gate? {
            gatedModes.contains(mode) ? values(of: mode) : nil
        }

        /// The values that `mode` would be verified with.
        func values(of mode: Mode) -> Gate {
            let own = self[mode]
            return Gate(
                thresholdDBm: own.thresholdDBm ?? common.thresholdDBm,
                windowMilliseconds: own.windowMilliseconds ?? common.windowMilliseconds,
                intervalMilliseconds: own.intervalMilliseconds ?? common.intervalMilliseconds,
                samples: own.samples ?? common.samples)
        }

        /// What is written in `[proximity.MODE]`.
        subscript(mode: Mode) -> Override {
            get { overrides[mode] ?? Override() }
            set { overrides[mode] = newValue }
        }
    }
}
