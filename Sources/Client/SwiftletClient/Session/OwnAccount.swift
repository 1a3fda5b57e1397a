public import Foundation

/// The account of whoever is signed in, as app stores and laws ask for it: what the server holds of it, and its end.
///
///     let account = OwnAccount(client: client)
///     let copy = try await account.export()
///     try await account.delete(showing: .password(password))
public struct OwnAccount: Sendable {
    private let client: APIClient

    public init(client: APIClient) { self.client = client }

    /// What shows that the owner asks, and not who has found the device unlocked.
    public struct Proof: Sendable {
        fileprivate let members: [String: String]

        public static func password(_ password: String) -> Proof { Proof(members: ["password": password]) }

        /// What ``OwnAccount/sendCode()`` has sent.
        public static func code(_ code: String) -> Proof { Proof(members: ["nonce": code]) }

        /// A sign-in within the last ten minutes. An anonymous account needs nothing else.
        public static let recentSignIn = Proof(members: [:])
    }

    /// Has a code sent to the address of the account, or to its number if it has no address.
    public func sendCode() async throws {
        // A read that sends something: twice is not as good as once.
        try await client.requestVoid(APIEndpoint(.get, "/auth/v1/reauthenticate", repetition: .never))
    }

    /// What the server holds of the account, as JSON to hand over: the user, sessions, passkeys, and what was done.
    public func export() async throws -> Data {
        try await client.requestData(APIEndpoint(.get, "/auth/v1/user/export"))
    }

    /// Deletes the account for good, with what hangs on it, and signs out here.
    ///
    /// Throws ``APIError/refused(_:)`` if the proof does not do (`reauthentication_needed` where a sign-in is too old),
    /// ``APIError/conflict(_:)`` if the app's data keep the account, and ``APIError/unauthorized(_:)`` with
    /// `insufficient_aal` where a second factor was not used. Nothing is deleted then.
    public func delete(showing proof: Proof) async throws {
        try await client.requestVoid(APIEndpoint(.delete, "/auth/v1/user", body: .json(proof.members)))
        await client.keeper.end()
    }
}
