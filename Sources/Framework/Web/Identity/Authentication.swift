package import SwiftletAuth

/// Verifies the token of a request.
///
/// It is taken from `Authorization: Bearer`, else from the `apikey` header, as in Supabase's gateway.
package struct Authentication: Sendable {
    package let verifier: TokenVerifier
    /// Fetches the keys of the owner; returns true if there are new ones. nil if keys never change.
    let refreshKeys: (@Sendable (KeyOwner) async -> Bool)?

    package init(verifier: TokenVerifier, refreshKeys: (@Sendable (KeyOwner) async -> Bool)? = nil) {
        self.verifier = verifier
        self.refreshKeys = refreshKeys
    }

    /// The user of the request's token. Throws 401.
    ///
    /// Keys are rotated: if the token's key is unknown, the owner's keys are fetched first, which takes two seconds at
    /// most.
    @inline(__always)
    func user(of request: Request) async throws(APIError) -> User {
        switch verifyToken(of: request) {
        case .success(let user): return user
        case .failure(let error): return try await userWithNewKeys(request, error).apiResult()
        }
    }

    /// The same for those who have errors of their own.
    package func identify(_ request: Request, for use: TokenUse = .access) async -> Result<User, TokenError> {
        switch verifyToken(of: request, for: use) {
        case .success(let user): .success(user)
        case .failure(let error): await userWithNewKeys(request, error, for: use)
        }
    }

    /// The user of a token that came in another way than in a header.
    package func identify(token: String) async -> Result<User, TokenError> {
        let outcome = verify(token: token)
        guard case .failure(.unknownKey) = outcome, let refreshKeys,
            let owner = verifier.keyOwner(of: token.utf8.span), await refreshKeys(owner)
        else { return outcome }
        return verify(token: token)
    }

    /// The same as far as the keys at hand can tell.
    package func verify(token: String) -> Result<User, TokenError> {
        verify(token.utf8.span) { token throws(TokenError) in try verifier.verify(bearer: token) }
    }

    /// The user of the request's token, as far as the keys at hand can tell.
    package func verifyToken(of request: Request, for use: TokenUse = .access) -> Result<User, TokenError> {
        let outcome = request.withHeader("authorization") { field in
            verify(field) { field throws(TokenError) in try verifier.verify(authorization: field, for: use) }
        }
        guard case .failure(.missing) = outcome else { return outcome }
        return request.withHeader("apikey") { key in
            verify(key) { key throws(TokenError) in try verifier.verify(bearer: key, for: use) }
        }
    }

    /// Fetches the key that is unknown, and verifies the token again.
    private func userWithNewKeys(
        _ request: Request,
        _ error: TokenError,
        for use: TokenUse = .access
    ) async -> Result<User, TokenError> {
        guard error == .unknownKey, let refreshKeys, let owner = keyOwner(for: request), await refreshKeys(owner) else {
            return .failure(error)
        }
        return verifyToken(of: request, for: use)
    }

    private func keyOwner(for request: Request) -> KeyOwner? {
        for name: StaticString in ["authorization", "apikey"] {
            let owner: KeyOwner? = request.withHeader(name) { field in
                guard let field else { return nil }
                // The scheme has been checked before: the token starts after the last space.
                var start = field.count
                while start > 0, field[start &- 1] != UInt8(ascii: " ") { start &-= 1 }
                return verifier.keyOwner(of: field.extracting(start...))
            }
            if let owner { return owner }
        }
        return nil
    }

    private func verify(
        _ field: Span<UInt8>?,
        _ verify: (Span<UInt8>) throws(TokenError) -> User
    ) -> Result<User, TokenError> {
        guard let field else { return .failure(.missing) }
        do throws(TokenError) {
            return .success(try verify(field))
        } catch {
            return .failure(error)
        }
    }
}

extension Result<User, TokenError> {
    fileprivate func apiResult() throws(APIError) -> User {
        do throws(TokenError) {
            return try get()
        } catch {
            throw APIError(error)
        }
    }
}

extension APIError {
    /// 401, the only status for token faults. The text is the same for all; `WWW-Authenticate` says which (RFC 6750
    /// §3.1).
    init(_ error: TokenError) {
        self.init(.unauthorized, error == .expired ? "TOKEN_EXPIRED" : "UNAUTHORIZED", "Unauthorized")
        let challenge = error == .missing ? "Bearer" : "Bearer error=\"invalid_token\", error_description=\"\(error)\""
        self = adding(.wwwAuthenticate, challenge)
    }
}
