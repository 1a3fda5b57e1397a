import SwiftletBytes

/// The type of content, such as `image/png` or `text/plain; charset=utf-8` (RFC 9110 §8.3.1).
public struct MediaType: Hashable, Sendable {
    /// Type and subtype without parameters, in lower case.
    public let essence: String
    /// The parameter `charset`, in lower case.
    public let charset: String?
    /// The parameter `boundary` of multipart content.
    package let boundary: String?

    private static let maximumBytes = 127

    /// nil unless it is of the form type/subtype, each a token, with well-formed parameters.
    public init?(_ text: String) {
        guard let value = ParameterizedValue(text) else { return nil }
        let halves = value.value.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let areTokens = halves.allSatisfy { !$0.isEmpty && $0.allSatisfy { ByteSet.token.contains($0) } }
        guard halves.count == 2, areTokens, value.value.utf8.count <= Self.maximumBytes else { return nil }
        essence = value.value
        charset = value["charset"].flatMap { charset in
            let isToken = !charset.isEmpty && charset.utf8.allSatisfy { ByteSet.token.contains($0) }
            return isToken && charset.utf8.count <= Self.maximumBytes ? charset.lowercased() : nil
        }
        boundary = value["boundary"]
    }

    /// `application/octet-stream`: bytes of which nothing more is known.
    public static let bytes = MediaType(essence: "application/octet-stream")

    private init(essence: String) {
        self.essence = essence
        charset = nil
        boundary = nil
    }

    /// Whether `pattern` is this type, or its kind: `image/*`.
    public func matches(_ pattern: String) -> Bool {
        let pattern = pattern.lowercased()
        return pattern == "*/*" || pattern == essence
            || pattern.hasSuffix("/*") && essence.hasPrefix(pattern.dropLast())
    }
}

extension MediaType: CustomStringConvertible {
    /// In the form of `Content-Type`.
    public var description: String { charset.map { "\(essence); charset=\($0)" } ?? essence }
}
