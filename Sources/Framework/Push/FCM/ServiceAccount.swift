package import SwiftletAuth
import SwiftletJSON

/// The file that Google hands out for a project.
package struct ServiceAccount: Sendable {
    package let project: String
    package let email: String
    package let key: PrivateKey
    /// Where access tokens come from.
    package let tokenURL: String

    package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        case notAnAccount
        case key(KeyError)

        package var description: String {
            switch self {
            case .notAnAccount: "it is no service account's JSON (project_id, client_email, private_key)"
            case .key(let error): "its private_key: \(error)"
            }
        }
    }

    package init(json bytes: [UInt8]) throws(Fault) {
        guard let account = try? JSONParser.parse(bytes), let project = account["project_id"]?.string,
            let email = account["client_email"]?.string, let pem = account["private_key"]?.string,
            !project.isEmpty, project.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/?#%".utf8.contains($0) })
        else { throw .notAnAccount }
        self.project = project
        self.email = email
        tokenURL = account["token_uri"]?.string ?? "https://oauth2.googleapis.com/token"
        do throws(KeyError) {
            key = try PrivateKey(pem: pem, keyID: account["private_key_id"]?.string)
        } catch {
            throw .key(error)
        }
        guard key.publicKey.algorithm == .rs256 else { throw .key(.unsupported) }
    }
}
