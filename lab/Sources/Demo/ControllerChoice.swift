// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import VirtualRadio

/// The controller profiles of the virtual air, as options.
enum ControllerChoice: String, CaseIterable, ExpressibleByArgument {
    case modern, legacy

    var profile: ControllerProfile {
        switch self {
        case .modern: .modern
        case .legacy: .legacy
        }
    }
}
