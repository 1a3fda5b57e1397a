/// What another server answered, whatever its status.
package struct OutboundReply: Sendable {
    package let status: Int
    /// In the order in which they came; of several answers (redirects) the last one's.
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    /// The values of the fields with this name, in any case, joined as RFC 9110 §5.3 joins them; nil when there is none.
    package func header(_ name: String) -> String? {
        let name = name.lowercased()
        let values = headers.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
