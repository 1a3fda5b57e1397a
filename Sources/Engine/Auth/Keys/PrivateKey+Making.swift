import SwiftletBytes
import SwiftletCOpenSSL
package import SwiftletJSON

extension PrivateKey {
    private static let coordinateBytes = 32

    /// A new key for ES256, as a private JSON Web Key (RFC 7518 §6.2) without a name.
    package static func makeJWK() throws(KeyError) -> JSONValue {
        defer { ERR_clear_error() }
        let key = try makeP256()
        return try unsafe key.withPointer { key throws(KeyError) -> JSONValue in
            [
                "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig",
                "x": .string(try unsafe number("qx", of: key)), "y": .string(try unsafe number("qy", of: key)),
                "d": .string(try unsafe number("priv", of: key)),
            ]
        }
    }

    private static func makeP256() throws(KeyError) -> ImmutableHandle {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw .unavailable }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            unsafe EVP_PKEY_generate(context, &made) == 1, let key = unsafe made
        else { throw .unavailable }
        return unsafe ImmutableHandle(adopting: key) { unsafe EVP_PKEY_free($0) }
    }

    /// A number of the key in its full length, in Base64URL.
    @unsafe private static func number(_ name: String, of key: OpaquePointer) throws(KeyError) -> String {
        var found: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, name, &found) == 1, let found = unsafe found else { throw .unavailable }
        defer { unsafe BN_clear_free(found) }
        var bytes = [UInt8](repeating: 0, count: coordinateBytes)
        guard unsafe BN_bn2binpad(found, &bytes, CInt(coordinateBytes)) == CInt(coordinateBytes) else {
            throw .unavailable
        }
        return Base64URL.encode(bytes.span)
    }
}
