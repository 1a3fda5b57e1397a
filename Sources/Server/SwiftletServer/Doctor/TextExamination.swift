import SwiftletSignIn

/// Says what texts may cost: whoever signs in by phone has the operator pay for one, and some earn by what is sent to
/// numbers of theirs.
struct TextExamination: Sendable {
    private let isOn: Bool
    private let perHour: Int
    private let isChosen: Bool
    private let fixedCodes: Int

    init(_ configuration: Configuration, _ environment: Environment) {
        isOn = configuration.hooks.points[.sendSMS] != nil
        fixedCodes = configuration.signIn.fixedCodes.count
        perHour = configuration.signIn.textsPerHour
        isChosen = environment["RATE_LIMIT_SMS_SENT"]?.isEmpty == false
    }

    /// None without sign-in by phone.
    var findings: [Finding] {
        guard isOn else { return [] }
        let limits = "up to \(perHour) an hour for one address, \(perHour * 10) in all"
        let remedy = "strangers cause them, and you pay: set RATE_LIMIT_SMS_SENT to what you can afford"
        let budget: Finding = isChosen ? .good("texts", limits) : .note("texts", "\(limits): \(remedy)")
        guard fixedCodes > 0 else { return [budget] }
        return [budget, .note("texts", "whoever knows SMS_TEST_OTP signs in with \(fixedCodes) of the numbers")]
    }
}
