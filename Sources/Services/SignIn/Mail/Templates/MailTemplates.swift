import SwiftletEssentials
import SwiftletJSON

/// The operator's own texts, from files: `recovery.txt` and `recovery.html`, and `recovery.de.html` for a language.
///
/// The first line of a text is `Subject: …`; without a text, the subject is the title of the HTML.
package struct MailTemplates: Sendable {
    private struct Key: Hashable {
        let kind: String
        let format: String
        /// Empty for accounts of other languages, or of none.
        let language: String
    }

    private let templates: [Key: MailTemplate]

    private static let maximumBytes = 262_144
    private static let subjectMark = "Subject:"

    /// Reads all files of a folder. Throws ``MailTemplateFault`` for the first that cannot be used, by its name.
    package init(folder: String) throws(MailTemplateFault) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw MailTemplateFault("it cannot be read")
        }
        var files: [String: String] = [:]
        for name in names where !name.hasPrefix(".") && (name.hasSuffix(".txt") || name.hasSuffix(".html")) {
            guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)"),
                bytes.count <= Self.maximumBytes, let text = String(validating: bytes, as: UTF8.self)
            else { throw MailTemplateFault("\(name) is too large, no UTF-8, or cannot be read") }
            files[name] = text
        }
        try self.init(files: files)
    }

    init(files: [String: String]) throws(MailTemplateFault) {
        var templates: [Key: MailTemplate] = [:]
        for (name, text) in files.sorted(by: { $0.key < $1.key }) {
            let parts = name.split(separator: ".").map(String.init)
            guard (2...3).contains(parts.count), EmailMessage.templates.contains(parts[0]) else {
                throw MailTemplateFault("\(name) is no name of a mail, such as recovery.html or recovery.de.html")
            }
            let language = parts.count == 3 ? parts[1].lowercased().replacing("_", with: "-") : ""
            guard parts.count == 2 || MailReader.tags(language).first == language else {
                throw MailTemplateFault("\(name) has no language, such as de or pt-br")
            }
            for (format, part) in try Self.parts(text, of: name, isHTML: parts.last == "html") {
                let key = Key(kind: parts[0], format: format, language: language)
                // The text's own subject counts.
                if format == "subject", parts.last == "html", templates[key] != nil { continue }
                do throws(MailTemplateFault) {
                    templates[key] = try MailTemplate(part)
                } catch {
                    throw MailTemplateFault("\(name): \(error)")
                }
            }
        }
        self.templates = templates
    }

    private static func parts(
        _ text: String,
        of name: String,
        isHTML: Bool
    ) throws(MailTemplateFault) -> [(format: String, text: String)] {
        if isHTML {
            let title = text.firstMatch(of: #/(?is)<title>(.*?)<\/title>/#).map { String($0.1) }
            return [("html", text)] + (title.map { [("subject", $0)] } ?? [])
        }
        let text = text.replacing("\r\n", with: "\n")
        let end = text.firstIndex(of: "\n") ?? text.endIndex
        guard text.hasPrefix(subjectMark) else {
            throw MailTemplateFault("\(name) does not begin with a line \(subjectMark) …")
        }
        let subject = text[..<end].dropFirst(subjectMark.count).drop { $0 == " " }
        return [("subject", String(subject)), ("text", String(text[end...].drop { $0 == "\n" }))]
    }

    /// The operator's subject, text and HTML for a mail; nil where there is none.
    func write(
        _ message: EmailMessage,
        for reader: MailReader,
        language: String,
        _ settings: MailSettings
    ) -> (subject: String?, text: String?, html: String?) {
        let values = Self.values(message, reader, settings)
        func fill(_ format: String) -> String? {
            let languages = reader.languages + [language, ""]
            let found = languages.lazy.compactMap { language in
                templates[Key(kind: message.template, format: format, language: language)]
            }
            return found.first?.fill(values, isHTML: format == "html")
        }
        let subject = fill("subject").map { subject in
            // A subject is one line, whatever a user has called himself.
            String(subject.split(whereSeparator: \.isNewline).joined(separator: " ").prefix(200))
        }
        return (subject, fill("text"), fill("html"))
    }

    /// GoTrue's names.
    private static func values(_ message: EmailMessage, _ reader: MailReader, _ settings: MailSettings) -> JSONObject {
        let recipient = message.recipient.rawValue
        var values: JSONObject = [
            "ConfirmationURL": .string(Mail.link(message, settings) ?? ""),
            "Token": .string(message.token?.code ?? ""), "TokenHash": .string(message.token?.link ?? ""),
            "SiteURL": .string(settings.siteURL ?? ""),
            "RedirectTo": .string(message.redirect ?? settings.siteURL ?? ""),
            "Email": .string(reader.email.isEmpty ? recipient : reader.email), "NewEmail": .string(reader.newEmail),
            "SendingTo": .string(recipient), "Data": .object(reader.data),
        ]
        guard case .notice(let notice) = message.content else { return values }
        let detail = JSONValue.string(notice.detail)
        switch notice.kind {
        case .emailChanged: (values["OldEmail"], values["Email"]) = (.string(recipient), detail)
        case .phoneChanged: values["Phone"] = detail
        case .identityLinked, .identityUnlinked: values["Provider"] = detail
        case .factorEnrolled, .factorUnenrolled: values["FactorType"] = detail
        case .recoveryCodeUsed: values["RemainingCodes"] = detail
        case .recoveryCodesRegenerated, .passwordChanged, .passkeyAdded, .passkeyRemoved: break
        }
        return values
    }
}
