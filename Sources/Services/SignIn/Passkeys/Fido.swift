import SwiftletCFido

/// Checks what authenticators have signed, by libfido2.
enum Fido {
    /// Checks the statement about a new credential, and that libfido2 can read its key.
    ///
    /// Who has made the authenticator is not asked: certificates are not traced back to their issuers.
    static func check(
        _ attestation: AttestationObject,
        clientHash: [UInt8],
        relyingParty: String,
        requiresVerification: Bool
    ) throws(PasskeyFault) {
        guard let key = attestation.data.credential?.key else { throw .malformed }
        try unsafe withKey(key) { _ in true }
        var credential = unsafe fido_cred_new()
        guard unsafe credential != nil else { throw .malformed }
        defer { unsafe fido_cred_free(&credential) }
        let data = attestation.data.bytes
        var results = [
            unsafe fido_cred_set_type(credential, Int32(key.algorithm.rawValue)),
            unsafe fido_cred_set_rp(credential, relyingParty, nil),
            unsafe fido_cred_set_uv(credential, requiresVerification ? FIDO_OPT_TRUE : FIDO_OPT_OMIT),
            unsafe fido_cred_set_clientdata_hash(credential, clientHash, clientHash.count),
            unsafe fido_cred_set_authdata_raw(credential, data, data.count),
        ]
        guard results.allSatisfy({ $0 == FIDO_OK }) else { throw .malformed }
        guard attestation.format == .packed else { return }
        // These are added by browsers on their own, and libfido2 compares.
        if let protection = attestation.data.extensions?["credProtect"]?.integer, (1...3).contains(protection) {
            results.append(unsafe fido_cred_set_prot(credential, Int32(protection)))
        }
        if attestation.data.extensions?["hmac-secret"] == .bool(true) {
            results.append(unsafe fido_cred_set_extensions(credential, FIDO_EXT_HMAC_SECRET))
        }
        let statement = attestation.statement
        results.append(unsafe fido_cred_set_fmt(credential, attestation.format.rawValue))
        results.append(unsafe fido_cred_set_attstmt(credential, statement, statement.count))
        guard results.allSatisfy({ $0 == FIDO_OK }) else { throw .malformed }
        let verdict =
            attestation.hasCertificate
            ? unsafe fido_cred_verify(credential) : unsafe fido_cred_verify_self(credential)
        guard verdict == FIDO_OK else { throw .wrongSignature }
    }

    /// Checks the signature of an assertion.
    static func check(
        _ assertion: AssertionResponse,
        by key: CredentialKey,
        relyingParty: String,
        requiresVerification: Bool
    ) throws(PasskeyFault) {
        var assert = unsafe fido_assert_new()
        guard unsafe assert != nil else { throw .malformed }
        defer { unsafe fido_assert_free(&assert) }
        let data = assertion.data.bytes
        let results = [
            unsafe fido_assert_set_rp(assert, relyingParty),
            unsafe fido_assert_set_clientdata_hash(assert, assertion.client.hash, assertion.client.hash.count),
            unsafe fido_assert_set_count(assert, 1),
            unsafe fido_assert_set_authdata_raw(assert, 0, data, data.count),
            unsafe fido_assert_set_sig(assert, 0, assertion.signature, assertion.signature.count),
            unsafe fido_assert_set_up(assert, FIDO_OPT_TRUE),
            unsafe fido_assert_set_uv(assert, requiresVerification ? FIDO_OPT_TRUE : FIDO_OPT_OMIT),
        ]
        guard results.allSatisfy({ $0 == FIDO_OK }) else { throw .malformed }
        let algorithm = Int32(key.algorithm.rawValue)
        try unsafe withKey(key) { unsafe fido_assert_verify(assert, 0, algorithm, $0) == FIDO_OK }
    }

    /// Calls `body` with libfido2's form of the key. Throws ``PasskeyFault/malformed`` if it is no key, for example not
    /// on its curve, and ``PasskeyFault/wrongSignature`` if `body` returns false.
    private static func withKey(
        _ key: CredentialKey,
        _ body: (UnsafeRawPointer) -> Bool
    ) throws(PasskeyFault) {
        let isRight: Bool
        switch key.algorithm {
        case .es256:
            var made = unsafe es256_pk_new()
            defer { unsafe es256_pk_free(&made) }
            guard let pointer = unsafe made,
                unsafe es256_pk_from_ptr(pointer, key.parts, key.parts.count) == FIDO_OK
            else { throw .malformed }
            isRight = unsafe body(UnsafeRawPointer(pointer))
        case .edDSA:
            var made = unsafe eddsa_pk_new()
            defer { unsafe eddsa_pk_free(&made) }
            guard let pointer = unsafe made,
                unsafe eddsa_pk_from_ptr(pointer, key.parts, key.parts.count) == FIDO_OK
            else { throw .malformed }
            isRight = unsafe body(UnsafeRawPointer(pointer))
        case .rs256:
            var made = unsafe rs256_pk_new()
            defer { unsafe rs256_pk_free(&made) }
            guard let pointer = unsafe made,
                unsafe rs256_pk_from_ptr(pointer, key.parts, key.parts.count) == FIDO_OK
            else { throw .malformed }
            isRight = unsafe body(UnsafeRawPointer(pointer))
        }
        guard isRight else { throw .wrongSignature }
    }
}
