import SwiftletBytes
import SwiftletHTTP
import SwiftletJSON

@testable import SwiftletFiles
@testable import SwiftletRealtime
@testable import SwiftletRest
@testable import SwiftletSignIn

extension FuzzedParser {
    static let services = rest + realtime + files + signIn

    private static let rest = [
        text(
            "query of /rest/v1",
            [
                "select=*,a:b->c->>0::text,d!inner(e,...f(*))&or=(g.eq.1,not.and(h.in.(1,\"2,3\"),i.is.null))&order=j.desc",
                "select=k.sum()&l=fts(english).m&n=like(any).{o,p*}&limit=5&offset=1&q.r=not.cs.{1}&columns=s,t",
                "on_conflict=a,b&d.order=x->>y.asc.nullslast&d.limit=1",
            ]
        ) { text in
            let query = Query(Array(text.utf8))
            _ = QueryKey(text)
            _ = try QueryParser.parse(query, takesArguments: text.utf8.count.isMultiple(of: 2))
        },
        text("JSON of /rest/v1", [#"[{"a":1,"b":[2]},{"b":null,"a":"x"}]"#, #"{"c":{}}"#]) {
            _ = try Content(body: Array($0.utf8), .json, columns: nil)
        },
        text("CSV of /rest/v1", ["a,b\n1,NULL\n\"x,y\",\n"]) {
            _ = try Content(body: Array($0.utf8), .csv, columns: nil)
        },
        text(
            "Prefer",
            ["return=representation, count=exact;timezone=Europe/Berlin", "max-affected=10,handling=strict"]
        ) {
            _ = Preferences($0)
        },
        text(
            "Accept",
            [
                "text/csv;q=0.5,application/vnd.pgrst.object+json;nulls=stripped",
                "application/vnd.pgrst.plan+json; for=\"text/csv\"; options=analyze|verbose",
            ]
        ) { _ = MediaRanges($0).types.map(\.name) },
    ]

    private static let realtime = [
        text("message of a channel", [#"["1","2","realtime:a","phx_join",{"config":{"broadcast":{"self":true}}}]"#]) {
            _ = try ClientMessage(text: Array($0.utf8), .arrays).accepted()
        },
        text("message of a channel, as an object", [#"{"topic":"realtime:a","event":"x","payload":{},"ref":"1"}"#]) {
            _ = try ClientMessage(text: Array($0.utf8), .objects).accepted()
        },
        bytes("broadcast in bytes", [[3, 1, 1, 10, 1, 0, 1] + Array("12realtime:ae{}".utf8)]) {
            _ = try ClientMessage(binary: $0).accepted()
        },
        text("filter of changes", ["id=eq.1", "a=in.(1,\"b,c\"),d=gte.2024-01-15"]) { _ = try ChangeFilter($0) },
        text(
            "policy",
            [
                "((owner = ( SELECT auth.uid() AS uid)) AND (NOT done))",
                "(((auth.jwt() ->> 'role'::text) = 'x'::text) OR (title IS NOT NULL))",
            ]
        ) { _ = try PolicyParser.parse($0, policyTable, [.uid, .role, .jwt]).accepted() },
        text(
            "value of a row",
            ["{1,2,NULL}", "[0:1]={\"a\\\"\",{b}}", "2024-01-15 10:30:00+00", "t", "NaN", "{\"a\":1}"]
        ) {
            text in
            let forms: [ColumnForm] = [
                .text, .bool, .number, .json, .timestamp, .array(.number, delimiter: 44), .array(.text, delimiter: 59),
            ]
            for form in forms {
                var json = JSONWriter()
                RowWriter.write(Array(text.utf8)[...], form, into: &json)
                let written = try? JSONParser.parse(json.finish())
                try FuzzFault.unless(written != nil, "\(form) is written as no JSON")
            }
        },
        text("item of the bus", [#"{"room":"a","broadcast":{"event":"x","payload":{}}}"#, "[1]"]) {
            _ = try BusItem(JSONParser.parse(Array($0.utf8)))
        },
    ]

    private static let policyTable = TableFacts(
        relation: 1,
        schema: "public",
        name: "t",
        columns: [("owner", PolicyType.uuid), ("done", .bool), ("title", .text)].map {
            TableFacts.Column(name: $0.0, type: "text", isKey: false, policyType: $0.1)
        },
        version: "1"
    )

    private static let files = [
        text("name of an object", ["a/b c.txt", "ü.png", "."]) { _ = try ObjectName($0, allowsUnicode: true) },
        text("name of a bucket", ["avatars", "a b"]) { _ = try BucketName($0) },
        text("limit of bytes", [#""50MB""#, "1024", #""1.5 GB""#]) {
            _ = try ByteCount(JSONParser.parse(Array($0.utf8)))
        },
        text(
            "time of HTTP",
            ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        ) { _ = try HTTPTime.read($0).accepted() },
        text("Upload-Metadata", ["bucketName YQ==,objectName Yi50eHQ=,metadata e30=,x"]) { _ = try UploadMetadata($0) },
        text("X-Robots-Tag", ["noindex, nofollow", "bot: max-snippet:10"]) { _ = try RobotsTag($0) },
        text("head of an image", ["width: 10\nheight: 20\nvips-loader: jpegload\norientation: 6\n"]) {
            _ = try ImageHeader($0).accepted()
        },
    ]

    private static let signIn = [
        bytes("CBOR", cborExamples) { bytes in
            var reader = CBORReader(bytes)
            _ = try reader.next()
        },
        bytes("attestation", cborExamples) { _ = try? AttestationObject($0) },
        bytes("data of an authenticator", [[UInt8](repeating: 1, count: 37), [UInt8](repeating: 0x45, count: 60)]) {
            _ = try AuthenticatorData($0)
        },
        bytes("key of a passkey", cborExamples) { _ = try? CredentialKey($0) },
        text("client data", [#"{"type":"webauthn.get","challenge":"YQ","origin":"https://a","crossOrigin":false}"#]) {
            _ = try ClientData(Array($0.utf8))
        },
        text("mail address", ["a@b.example", "\"a b\"@c.example", "ü@d.example"]) {
            _ = try MailAddress(rawValue: $0).accepted()
        },
        text("template of a mail", ["Hi {{ if .Data.name }}{{- .Data.name -}}{{ else }}you{{ end }}{{/* c */}}"]) {
            _ = try MailTemplate($0).fill(["Data": ["name": "<x>"]], isHTML: true)
        },
        text("refresh token", ["abcdefghijkl", "v1.abc.def"]) { text in
            _ = SignedRefreshToken(text)
            _ = RefreshToken(text)
        },
        text("code challenge", ["E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"]) {
            _ = try CodeChallenge(text: $0, method: "s256").accepted()
        },
        text("codes that do not change", ["15551234567:123456,4915112345678:000000"]) {
            _ = try FixedCodes($0).accepted()
        },
    ]

    private static let cborExamples = [
        "a363666d74646e6f6e656761747453746d74a068617574684461746141ff",
        "a5010203262001215820" + String(repeating: "ab", count: 32) + "225820" + String(repeating: "cd", count: 32),
        "83010243ffffff", "1bffffffffffffffff",
    ].compactMap { Hexadecimal.decode($0) }
}
