// SPDX-License-Identifier: Apache-2.0

extension SettingKey {
    /// The permitted lengths of a commissioning window in seconds (Matter Core 5.4.2.3.1: 3 to 15 minutes).
    public static let commissioningWindows = 180...900

    static let matter: [SettingKey] =
        companion(
            "matter", \.matter.socket, \.matter.user,
            "the process by which the reader is a Matter lock: docs/operate/matter-lock.md") + [
            boolean(
                "matter.may-unlock", \.matter.mayUnlock,
                "Lets Matter nodes open the door as an operator can. With false they see it, and can lock it."),
            boolean(
                "matter.may-share", \.matter.mayShare,
                "Lets the apps that administer the lock invite others by a commissioning window with a code of their "
                    + "choice, which ends with their fabric. With false an operator's window is the only one."),
        ]
}
