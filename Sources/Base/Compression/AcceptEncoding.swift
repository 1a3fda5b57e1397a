/// What `Accept-Encoding` says of `gzip` (RFC 9110 §12.5.3).
package enum AcceptEncoding {
    /// Whether the client takes `gzip`, and not less gladly than the content as it is. Without the field it takes
    /// anything, but says nothing of being able to.
    package static func takesGzip(_ field: String?) -> Bool {
        guard let field else { return false }
        var (gzip, identity, any) = (Double?.none, Double?.none, Double?.none)
        for item in field.utf8.count > 1000 ? [] : field.lowercased().split(separator: ",") {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let coding = parts.first else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            switch coding {
            case "gzip", "x-gzip": gzip = quality
            case "identity": identity = quality
            case "*": any = quality
            default: continue
            }
        }
        let wanted = gzip ?? any ?? 0
        return wanted > 0 && wanted >= (identity ?? 0)
    }
}
