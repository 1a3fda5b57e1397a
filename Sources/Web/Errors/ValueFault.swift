/// Why a value is not one that is needed, in words for the client, who knows its name.
package struct ValueFault: Error, Hashable, Sendable {
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }
}
