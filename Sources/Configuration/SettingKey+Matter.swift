// SPDX-License-Identifier: Apache-2.0

import Credentials

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
            boolean(
                "matter.aliro", \.matter.hasAliro,
                "Makes Matter the owner of the reader's Aliro: the apps that administer the lock give it its key and "
                    + "its group, and add phones and issuers. With false [aliro] and readerd aliro have them."),
            boolean(
                "matter.pin", \.matter.hasPINs,
                "Makes orders of Matter nodes need the PIN of a user, which the apps that administer the lock set. An "
                    + "administrator can make them need none again. With false the lock has no PINs."),
        ]
}

extension DecodedSettings {
    /// Finds PINs without a lock.
    mutating func checkMatterPINs() {
        guard settings.matter.hasPINs, settings.matter.socket == nil, areSound(["matter.pin", "matter.socket"]) else {
            return
        }
        report(.fault, "matter.pin", "needs matter.socket: without it there is no Matter lock")
    }

    /// Finds an Aliro reader with two owners, or none that reads.
    mutating func checkMatterAliro() {
        guard settings.matter.hasAliro, areSound(["matter.aliro"]) else { return }
        if settings.matter.socket == nil, areSound(["matter.socket"]) {
            report(.fault, "matter.aliro", "needs matter.socket: without it there is no Matter lock")
        }
        if !settings.credentials.cardKinds.contains(.aliro), areSound(["credentials.card-kinds"]) {
            report(
                .fault, "matter.aliro",
                "needs \"aliro\" in credentials.card-kinds: without it the reader does not read these phones")
        }
        for key in [
            "aliro.group", "aliro.door", "aliro.certificate", "aliro.certificate-issuer", "aliro.issuers",
            "aliro.issuer-authorities",
        ] where isWritten(key) {
            report(.fault, key, "has another owner: matter.aliro is true, so remove it, or set matter.aliro to false")
        }
        if settings.aliro.element != AliroSettings.matterElement, areSound(["aliro.element"]) {
            report(.fault, "aliro.element", "has to be \"\(AliroSettings.matterElement)\" with matter.aliro")
        }
    }
}
