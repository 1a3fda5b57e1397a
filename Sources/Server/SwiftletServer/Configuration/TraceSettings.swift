import SwiftletCalls
import SwiftletEssentials
import SwiftletHTTP
import SwiftletOutbound
import SwiftletWeb

/// Where traces go, by the names that OpenTelemetry has given to these settings.
struct TraceSettings: Sendable {
    let exporter: TraceExporter.Settings
    let sampler: TraceSampler

    /// nil without a collector.
    static func read(_ reader: inout SettingsReader) -> TraceSettings? {
        let endpoint = reader.read(
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            default: String?.none,
            accepted: "an http or https URL such as http://localhost:4318"
        ) { text in
            (try? WebAddress(text)) == nil ? nil : .some(text)
        }
        let headers = reader.read(
            "OTEL_EXPORTER_OTLP_HEADERS",
            default: [:],
            accepted: "a comma list of name=value"
        ) { Self.headers(in: $0) }
        let service = reader.text("OTEL_SERVICE_NAME") ?? "swiftlet"
        let argument = reader.text("OTEL_TRACES_SAMPLER_ARG")
        let sampler = reader.read(
            "OTEL_TRACES_SAMPLER",
            default: TraceSampler(ratio: 1, followsParent: true),
            accepted: "one of \(TraceSampler.names.joined(separator: ", ")), with OTEL_TRACES_SAMPLER_ARG from 0 to 1"
        ) { TraceSampler(named: $0, argument: argument) }
        guard let endpoint else { return nil }
        let base = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
        var exporter = TraceExporter.Settings(url: base + "/v1/traces")
        exporter.headers = headers
        exporter.service = service
        exporter.version = Version.text
        return TraceSettings(exporter: exporter, sampler: sampler)
    }

    private static func headers(in text: String) -> [String: String]? {
        var headers: [String: String] = [:]
        for item in SettingsReader.items(text) {
            let parts = item.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let name = parts.first, !name.isEmpty else { return nil }
            headers[String(name)] = PercentCoding.decode(String(parts[1]))
        }
        return headers
    }
}

/// The traces of a running server.
struct Traces: Sendable {
    let tracer: Tracer
    let exporter: TraceExporter

    init(_ settings: TraceSettings, _ http: HTTPEngine, onFailure: @escaping @Sendable (_ reason: String) -> Void) {
        let queue = SpanQueue()
        tracer = Tracer(settings.sampler, to: queue)
        exporter = TraceExporter(settings.exporter, queue, http, onFailure: onFailure)
    }
}
