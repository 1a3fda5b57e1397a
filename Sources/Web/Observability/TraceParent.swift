/// The `traceparent` of a request (W3C Trace Context §3.2).
enum TraceParent {
    /// 55 characters, more in future versions (§3.2.2). Anything else is ignored.
    static func take(from request: Request) -> String? {
        guard let parent = request.header(.traceparent), (55...128).contains(parent.utf8.count) else { return nil }
        return parent.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? parent : nil
    }
}
