#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A system call that failed, and why.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    package let call: String
    package let number: CInt
    /// What the call was about, such as an address; empty when the call says enough.
    package let subject: String

    package init(_ call: String, _ number: CInt, subject: String = "") {
        self.call = call
        self.number = number
        self.subject = subject
    }

    /// Reads `errno`, so it must be called right after the call that failed.
    static func last(_ call: String, subject: String = "") -> SystemError {
        SystemError(call, errno, subject: subject)
    }

    package var isAddressInUse: Bool { number == EADDRINUSE }
    package var isAddressUnknown: Bool { number == EADDRNOTAVAIL || number == EAFNOSUPPORT }
    package var isPermissionDenied: Bool { number == EACCES || number == EPERM }

    /// The system's text for an error number.
    package static func reason(_ number: CInt) -> String {
        unsafe String(cString: strerror(number))
    }

    package var description: String {
        let reason = Self.reason(number)
        return subject.isEmpty ? "\(call): \(reason)" : "\(call) \(subject): \(reason)"
    }
}
