import HTTP
package import Postgres
import Synchronization
package import Web

/// The functions of a server that describe the others: `/openapi.json`, and `/docs` for people.
package enum OpenAPIPages {
    /// For everyone: they say no more than the names and types of what clients send and get. An app's own functions of
    /// these names count instead.
    package static func functions(
        describing functions: [Function],
        restSchema: String?,
        version: String,
        in schema: @escaping @Sendable () -> Schema
    ) -> [Function] {
        let kept = KeptDocument()
        let document = Function("openapi.json") {
            get { _, _ in
                Response(
                    json: kept.bytes(of: schema()) { schema in
                        OpenAPIDocument(functions, in: schema, restSchema: restSchema, version: version).text
                    }
                )
            }.open()
        }
        let page = Function("docs") {
            get { _, _ in
                var response = Response(body: Array(html.utf8))
                response.headers.append(.contentType, "text/html; charset=utf-8")
                return response
            }.open()
        }
        let taken = Set(functions.map(\.name))
        return [document, page].filter { !taken.contains($0.name) }.map { $0.unlisted().keepingDates() }
    }

    /// It loads nothing but the document, from the same server.
    private static let html = #"""
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Functions</title>
        <style>
        body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
        summary { cursor: pointer; padding: .3rem 0 } code, pre { font-family: ui-monospace, monospace; font-size: 13px }
        pre { background: #f5f5f5; padding: .7rem; overflow: auto } b { display: inline-block; width: 4.5rem }
        @media (prefers-color-scheme: dark) { body { background: #111; color: #ddd } pre { background: #222 } }
        </style>
        <h1>Functions</h1>
        <p>As OpenAPI: <a href="openapi.json">openapi.json</a></p>
        <main>Loading …</main>
        <script>
        const add = (parent, name, text) => {
          const element = parent.appendChild(document.createElement(name));
          if (text !== undefined) element.textContent = text;
          return element;
        };
        fetch("openapi.json").then((answer) => answer.json()).then((api) => {
          const main = document.querySelector("main");
          main.textContent = "";
          const resolve = (value) => value && value.$ref
            ? value.$ref.slice(2).split("/").reduce((part, name) => part[name], api) : value;
          let tag;
          for (const [path, item] of Object.entries(api.paths)) {
            for (const [method, operation] of Object.entries(item)) {
              if (!operation.tags) continue;
              if (operation.tags[0] !== tag) add(main, "h2", tag = operation.tags[0]);
              const details = add(main, "details");
              const summary = add(details, "summary");
              add(summary, "b", method.toUpperCase());
              add(summary, "code", path);
              add(details, "p", operation.operationId + (operation.security.length ? ", with a token" : ", open to everyone"));
              const query = (operation.parameters || []).map((each) => each.name + " (" + each.in + ")");
              if (query.length) add(details, "p", "Parameters: " + query.join(", "));
              const body = operation.requestBody && resolve((operation.requestBody.content["application/json"] || {}).schema);
              if (body) { add(details, "p", "Body:"); add(details, "pre", JSON.stringify(body, null, 2)); }
              for (const [status, response] of Object.entries(operation.responses)) {
                const answer = resolve(response);
                add(details, "p", status + ": " + answer.description);
                const content = answer.content && (answer.content["application/json"] || {}).schema;
                if (content && status < 300) add(details, "pre", JSON.stringify(resolve(content), null, 2));
              }
            }
          }
        }).catch((error) => { document.querySelector("main").textContent = String(error); });
        </script>
        </html>

        """#
}

/// The document's text for one version of the schema: everyone may ask for it, and making it takes milliseconds.
private final class KeptDocument: Sendable {
    private let kept = Mutex<(version: Int, bytes: [UInt8])?>(nil)

    func bytes(of schema: Schema, _ text: (Schema) -> String) -> [UInt8] {
        kept.withLock { kept in
            if let kept, kept.version == schema.version { return kept.bytes }
            let bytes = Array(text(schema).utf8)
            kept = (schema.version, bytes)
            return bytes
        }
    }
}
