import SwiftletSignIn

/// Says what texts may cost: whoever signs in by phone has the operator pay for one, and some earn by what is sent to
/// numbers of theirs.
struct TextExamination: Sendable {
    private let isOn: Bool
    private let perHour: Int
    private let isChosen: Bool

    init(_ configuration: Configuration, _ environment: Environment) {
        isOn = configuration.hooks.points[.sendSMS] != nil
        perHour = configuration.signIn.textsPerHour
        isChosen = environment["RATE_LIMIT_SMS_SENT"]?.isEmpty == false
    }

    /// None without sign-in by phone.
    var findings: [Finding] {
        guard isOn else { return [] }
        let limits = "up to \(perHour) an hour for one address, \(perHour * 10) in all"
        guard !isChosen else { return [.good("texts", limits)] }
        let remedy = "strangers cause them, and you pay: set RATE_LIMIT_SMS_SENT to what you can afford"
        return [.note("texts", "\(limits): \(remedy)")]
    }
}
