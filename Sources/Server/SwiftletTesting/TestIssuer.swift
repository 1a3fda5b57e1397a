import SwiftletBytes
import SwiftletAuth
package import SwiftletJSON

/// A third-party issuer of tokens, with the example keys of RFC 7515 A.3 and RFC 8037 A.1.
package struct TestIssuer: Sendable {
    package enum Pair: Sendable { case p256, ed25519 }

    package let keyID: String
    private let pair: Pair

    package init(_ pair: Pair = .p256, keyID: String = "key-1") {
        self.pair = pair
        self.keyID = keyID
    }

    /// The public key as a JSON Web Key Set.
    package var jwks: String { #"{"keys":[\#(publicKey)]}"# }

    package var publicKey: String { #"{"kid":"\#(keyID)","use":"sig",\#(members)}"# }

    package var privateKey: String { #"{"kid":"\#(keyID)",\#(members),"d":"\#(secret)"}"# }

    private var members: String {
        switch pair {
        case .p256:
            #""kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
                + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0""#
        case .ed25519: #""kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo""#
        }
    }

    private var secret: String {
        switch pair {
        case .p256: "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"
        case .ed25519: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
        }
    }

    package func token(_ claims: JSONValue) throws -> String {
        let key = try PrivateKey(jwk: JSONParser.parse(Array(privateKey.utf8)))
        return try TokenIssuer(privateKey: key).issue(payload: Array(claims.description.utf8))
    }

    /// The claims with a custom header, and the signature of another token.
    package func token(_ claims: JSONValue, header: String) throws -> String {
        let signed =
            Base64URL.encode(Array(header.utf8).span) + "." + Base64URL.encode(Array(claims.description.utf8).span)
        let other = try token(claims)
        return signed + "." + (other.split(separator: ".").last.map(String.init) ?? "")
    }
}
