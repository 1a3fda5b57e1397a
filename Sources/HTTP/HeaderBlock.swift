/// Response fields made once at start, so that a response takes them by one copy.
package struct HeaderBlock: Sendable {
    let lines: [UInt8]

    package init(_ fields: [(Headers.Name, String)]) {
        var headers = Headers()
        for (name, value) in fields { headers.append(name, value) }
        lines = headers.lines
    }
}
