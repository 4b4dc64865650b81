// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The register of a site, in a file next to the site's.
extension CredentialStore {
    /// The path of the register of the site in this file.
    static func registerPath(ofSite path: String) -> String { path + ".register" }

    /// Reads the register of the site in this file; an empty one if there is none yet.
    ///
    /// - Throws: an error that names the register if it is damaged, or if others may read it.
    public static func register(ofSite site: String) throws(CredentialError) -> CredentialRegister {
        let path = registerPath(ofSite: site)
        guard access(path, F_OK) == 0 else {
            guard errno == ENOENT else { throw .file(path, "examine it", errno) }
            return CredentialRegister()
        }
        do throws(CredentialError) {
            return try privateFile(CredentialRegister.self, path, format: CredentialRegister.format)
        } catch {
            throw CredentialError(
                "\(error); the register is not changed: put a copy of it back, or move it away to begin another")
        }
    }

    /// Changes the register of the site in this file. Processes with the same site wait for each other.
    public static func changeRegister<Result>(
        ofSite site: String, _ change: (inout CredentialRegister) throws(CredentialError) -> Result
    ) throws(CredentialError) -> Result {
        try self.change(fileAt: registerPath(ofSite: site)) { path throws(CredentialError) in
            var register = try register(ofSite: site)
            let result = try change(&register)
            try replace(path, with: register)
            return result
        }
    }
}
