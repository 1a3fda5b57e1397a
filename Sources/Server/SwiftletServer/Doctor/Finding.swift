/// One line of `swiftlet doctor`.
struct Finding: Equatable, Sendable, CustomStringConvertible {
    enum Grade: Sendable {
        case good, note, fault

        var word: String {
            switch self {
            case .good: "good"
            case .note: "note"
            case .fault: "fault"
            }
        }
    }

    let grade: Grade
    let subject: String
    /// What was found; for a note or a fault with the remedy.
    let text: String

    static func good(_ subject: String, _ text: String) -> Finding {
        Finding(grade: .good, subject: subject, text: text)
    }
    static func note(_ subject: String, _ text: String) -> Finding {
        Finding(grade: .note, subject: subject, text: text)
    }
    static func fault(_ subject: String, _ text: String) -> Finding {
        Finding(grade: .fault, subject: subject, text: text)
    }

    var description: String {
        let mark =
            switch grade {
            case .good: "ok   "
            case .note: "note "
            case .fault: "FAULT"
            }
        return "\(mark)  \(subject): \(text)"
    }
}
