import SwiftletHTTP
import SwiftletOutbound

extension OutboundError {
    /// What a hook that sends has answered, without its own words, which may repeat what it was sent.
    ///
    /// One that refuses, or answers at all, is not asked again: what it was to send may be on its way.
    init(hook error: SignInError) {
        let isTemporary = error.status.rawValue >= 500 || error.status == .tooManyRequests || error.code == .hookTimeout
        self.init("the hook answers \(error.status.rawValue) \(error.code.rawValue)", isTemporary: isTemporary)
    }
}
