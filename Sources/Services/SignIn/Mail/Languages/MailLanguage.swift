/// The languages that mails are written in without templates.
enum MailLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"

    /// The first that there is.
    init(_ tags: [String]) { self = tags.lazy.compactMap(MailLanguage.init(rawValue:)).first ?? .english }

    func words(_ content: EmailMessage.Content, site: String) -> MailWords {
        switch content {
        case .token(let purpose, _):
            switch self {
            case .english: .english(purpose, site)
            case .german: .german(purpose, site)
            case .french: .french(purpose, site)
            case .spanish: .spanish(purpose, site)
            }
        case .notice(let notice):
            switch self {
            case .english: .english(notice, site)
            case .german: .german(notice, site)
            case .french: .french(notice, site)
            case .spanish: .spanish(notice, site)
            }
        }
    }
}
