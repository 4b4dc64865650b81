import ArgumentParser
import VirtualRadio

/// The kinds of controller the virtual air has, as people choose them.
enum ControllerChoice: String, CaseIterable, ExpressibleByArgument {
    case modern, legacy

    var profile: ControllerProfile {
        switch self {
        case .modern: .modern
        case .legacy: .legacy
        }
    }
}
