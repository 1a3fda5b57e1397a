import Auth

/// From the request's headers to a verified user, or 401.
///
/// `Authorization: Bearer` counts first; without it the `apikey` header, as the gateways of Supabase clients do it.
struct Authentication: Sendable {
    let verifier: TokenVerifier

    func user(of request: Request) throws(APIError) -> User {
        var outcome = request.withHeader("authorization") { field in
            verify(field) { field throws(TokenError) in try verifier.verify(authorization: field) }
        }
        if case .failure(.missing) = outcome {
            outcome = request.withHeader("apikey") { key in
                verify(key) { key throws(TokenError) in try verifier.verify(bearer: key) }
            }
        }
        switch outcome {
        case .success(let user): return user
        case .failure(let error): throw APIError(error)
        }
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

extension APIError {
    /// 401, the only status for token faults. The text is the same for all; `WWW-Authenticate` says which (RFC 6750 §3.1).
    init(_ error: TokenError) {
        self.init(.unauthorized, error == .expired ? "TOKEN_EXPIRED" : "UNAUTHORIZED", "Unauthorized")
        let challenge = error == .missing ? "Bearer" : "Bearer error=\"invalid_token\", error_description=\"\(error)\""
        self = adding(.wwwAuthenticate, challenge)
    }
}
