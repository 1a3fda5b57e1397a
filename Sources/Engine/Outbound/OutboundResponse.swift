/// The response of another server, whatever its status.
package struct OutboundResponse: Sendable {
    package let status: Int
    /// In the order of arrival; those of the last response when there were redirects.
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    /// The values of the fields with this name, ignoring case, combined as in RFC 9110 §5.3; nil when there is none.
    package func header(_ name: String) -> String? {
        let name = name.lowercased()
        let values = headers.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
