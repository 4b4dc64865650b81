// SPDX-License-Identifier: Apache-2.0

/// A part of the reader's state that a back end may set from afar if `link.may-set` names it.
public enum OwnedPart: Hashable, Sendable {
    /// The blacklist as a whole.
    case blacklist
    /// A setting, in place of the file's.
    case setting(PushedSetting)
}

extension OwnedPart: RawRepresentable, CaseIterable {
    private static let list = "blacklist"

    /// All parts.
    public static var allCases: [OwnedPart] { [.blacklist] + PushedSetting.allCases.map { .setting($0) } }

    /// The part of this name; nil if there is none.
    public init?(rawValue: String) {
        if rawValue == OwnedPart.list {
            self = .blacklist
        } else if let setting = PushedSetting(rawValue: rawValue) {
            self = .setting(setting)
        } else {
            return nil
        }
    }

    /// `blacklist`, or the setting's key in the configuration file.
    public var rawValue: String {
        switch self {
        case .blacklist: OwnedPart.list
        case .setting(let setting): setting.rawValue
        }
    }
}
