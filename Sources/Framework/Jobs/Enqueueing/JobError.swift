/// Why a job cannot be enqueued, or may not complete.
public enum JobError: Error, Equatable, Sendable, CustomStringConvertible {
    case payloadTooLarge(bytes: Int)
    case keyTooLong(bytes: Int)
    /// The context has no user and the job is not declared with `acrossTenants()`.
    case noCaller(job: String)
    /// The job was taken over by another server, or cancelled.
    case leaseLost

    static let maximumKeyBytes = 300

    public var description: String {
        switch self {
        case .payloadTooLarge(let bytes):
            "the payload has \(bytes) bytes, of which \(PayloadText.maximumBytes) are allowed"
        case .keyTooLong(let bytes): "the key has \(bytes) bytes, of which \(Self.maximumKeyBytes) are allowed"
        case .noCaller(let job):
            "\(job) was enqueued by nobody: declare it with acrossTenants(), or enqueue it where there is a user"
        case .leaseLost: "the job belongs to another server by now"
        }
    }
}

/// An error that makes a job fail at once, without another attempt.
public struct JobFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// Kept with the failed job and logged, so name no secrets in it.
    public let description: String

    public init(_ reason: String) { description = reason }
}
