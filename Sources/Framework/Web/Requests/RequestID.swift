import SwiftletAuth
import SwiftletBytes

/// The id of a request in the log and in `X-Request-ID`: the client's own if it is acceptable, else a new UUIDv7.
enum RequestID {
    private static let maximumLength = 128

    static func take(from request: Request, _ clock: ServerClock) -> String {
        let given = request.withHeader("x-request-id") { value -> String? in
            guard let value, isAcceptable(value) else { return nil }
            return String(utf8: value)
        }
        return given ?? make(clock)
    }

    static func make(_ clock: ServerClock) -> String {
        UUIDv7(millisecondsSince1970: clock.milliseconds()).text
    }

    /// 1–128 visible ASCII characters.
    private static func isAcceptable(_ value: borrowing Span<UInt8>) -> Bool {
        guard value.count >= 1, value.count <= maximumLength else { return false }
        for position in value.indices where value[position] <= 0x20 || value[position] >= 0x7F {
            return false
        }
        return true
    }
}

/// The `traceparent` of a request (W3C Trace Context §3.2).
enum TraceParent {
    /// 55 characters, more in future versions (§3.2.2). Anything else is ignored.
    static func take(from request: Request) -> String? {
        guard let parent = request.header(.traceparent), (55...128).contains(parent.utf8.count) else { return nil }
        return parent.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? parent : nil
    }
}
