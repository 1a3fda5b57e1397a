public import SwiftletHTTP

extension Query {
    /// Whether a parameter like `?my=true` is set. `true` and `1` set it, in letters of any case; absent, empty,
    /// `false` and `0` do not. If it is repeated, one that sets it is enough.
    ///
    /// Throws ``APIError`` 400 that names the parameter if it has another value.
    public func flag(_ name: String) throws(APIError) -> Bool {
        var isSet = false
        for value in all(name) where !value.isEmpty {
            do throws(ValueFault) {
                if try Bool(flag: value) { isSet = true }
            } catch {
                throw .validation([name: error.reason])
            }
        }
        return isSet
    }
}

extension Bool {
    package init(flag text: String) throws(ValueFault) {
        switch text.lowercased() {
        case "true", "1": self = true
        case "false", "0": self = false
        default: throw ValueFault(reason: "must be true or false")
        }
    }
}

/// Why a value is not one that is needed, in words for the client, who knows its name.
package struct ValueFault: Error, Hashable, Sendable {
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }
}
