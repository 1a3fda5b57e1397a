/// What a browser gets at `/`: where to go. Others get `/health`.
enum WelcomePage {
    static func html(hasConsole: Bool) -> String {
        let console =
            hasConsole
            ? #"<a href="/console"><b>Console</b><span>Tables, access, users, jobs, logs. <code>swiftlet console</code> makes a link that enters.</span></a>"#
            : ""
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>Swiftlet</title>
            <style>
            :root { --ground: #f7f6f4; --surface: #fff; --line: #e4e1dc; --text: #1d1a17; --dim: #5f5953; --accent: #b23f0a }
            @media (prefers-color-scheme: dark) { :root { --ground: #141211; --surface: #1c1a18; --line: #35312d;
              --text: #f1eeea; --dim: #b9b2aa; --accent: #ff9a5c } }
            * { box-sizing: border-box } body { margin: 0; min-height: 100vh; display: grid; place-items: center;
              padding: 24px; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
            main { width: min(460px, 100%); display: grid; gap: 12px } h1 { font-size: 22px; margin: 0 0 4px }
            a { display: grid; gap: 2px; padding: 16px; border: 1px solid var(--line); border-radius: 12px;
              background: var(--surface); color: var(--text); text-decoration: none }
            a:hover { border-color: var(--accent) } b { color: var(--accent) } span, p { color: var(--dim); font-size: 13px }
            code { font: 12px ui-monospace, monospace } p { margin: 4px 0 0 } a:focus-visible { outline: 2px solid var(--accent) }
            </style>
            <main>
            <h1>This server runs.</h1>
            \(console)
            <a href="/docs"><b>Documentation</b><span>What clients can ask for, with examples in curl, Swift and TypeScript.</span></a>
            <p>Programs find <code>/health</code>, <code>/ready</code> and <code>/openapi.json</code>.</p>
            </main>
            </html>

            """
    }
}
