// SPDX-License-Identifier: Apache-2.0

public import Reader

/// A part of the reader's state that a back end may set remotely, if `link.may-set` contains it.
public enum OwnedPart: Hashable, Sendable {
    /// The blacklist as a whole.
    case blacklist
    /// A setting, which overrides the file.
    case setting(PushedSetting)
}

extension OwnedPart {
    /// The setting; nil for the blacklist.
    public var setting: PushedSetting? { if case .setting(let setting) = self { setting } else { nil } }
}

extension ReaderSettings {
    /// The settings that phones or a back end may set.
    public var remoteSettings: Set<PushedSetting> { Set(reader.pushable + link.maySet.compactMap(\.setting)) }
}

extension OwnedPart: RawRepresentable, CaseIterable {
    private static let list = "blacklist"

    /// All parts.
    public static var allCases: [OwnedPart] { [.blacklist] + PushedSetting.allCases.map { .setting($0) } }

    /// The part with this name; nil for an unknown name.
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
