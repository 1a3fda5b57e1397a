/// The HTML of a mail without a template.
///
/// It fetches nothing, and its styles stand at the elements, where mail programs keep them; tables are what the oldest of
/// these programs lay out.
struct MailPage {
    let words: MailWords
    let site: String
    let link: String?
    let code: String?

    private static let font =
        "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
    private static let grey = "color:#5b6472"

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="\(words.language.rawValue)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(words.subject.escapedForHTML)</title>
        </head>
        <body style="margin:0;padding:0;background:#f3f4f6">
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f3f4f6">
        <tr><td align="center" style="padding:32px 16px">
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:480px;\
        background:#ffffff;border:1px solid #e3e6ea;border-radius:12px">
        <tr><td style="padding:32px;\(Self.font);font-size:16px;line-height:1.5;color:#1c2430">
        <p style="margin:0 0 8px;font-size:14px;\(Self.grey)">\(site.escapedForHTML)</p>
        <h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">\(words.subject.escapedForHTML)</h1>
        <p style="margin:0 0 24px">\(words.opening.escapedForHTML)</p>
        \(button)\(number)\
        <p style="margin:0;padding-top:16px;border-top:1px solid #e3e6ea;font-size:14px;\(Self.grey)">\
        \(words.closing.escapedForHTML)</p>
        </td></tr>
        </table>
        </td></tr>
        </table>
        </body>
        </html>

        """
    }

    private var button: String {
        guard let action = words.action, let link else { return "" }
        return """
            <p style="margin:0 0 24px"><a href="\(link.escapedForHTML)" style="display:inline-block;padding:12px 24px;\
            border-radius:8px;background:#1d4ed8;color:#ffffff;font-weight:600;text-decoration:none">\
            \(action.escapedForHTML)</a></p>

            """
    }

    private var number: String {
        guard let code else { return "" }
        return """
            <p style="margin:0 0 8px">\((link == nil ? words.code : words.orCode).escapedForHTML)</p>
            <p style="margin:0 0 24px;font-family:Menlo,Consolas,'Courier New',monospace;font-size:28px;line-height:1.2;\
            letter-spacing:4px"><strong>\(code)</strong></p>

            """
    }
}
