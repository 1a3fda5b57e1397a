import SwiftletJSON
import SwiftletWeb

/// Spans as OTLP's `ExportTraceServiceRequest` in JSON (OpenTelemetry Protocol 1.x, "JSON Protobuf Encoding"): ids in
/// hexadecimal, 64-bit numbers as strings.
enum TraceRequest {
    static func body(_ spans: [TraceSpan], service: String, version: String) -> [UInt8] {
        var json = JSONWriter(minimumCapacity: 512 * spans.count)
        json.object { json in
            json.key("resourceSpans")
            json.array { json in
                json.object { json in
                    json.key("resource")
                    json.object { json in
                        write([("service.name", .text(service)), ("service.version", .text(version))], to: &json)
                    }
                    json.key("scopeSpans")
                    json.array { json in
                        json.object { json in
                            json.key("scope")
                            json.object { $0.member("name", "swiftlet") }
                            json.key("spans")
                            json.array { json in
                                for span in spans { write(span, to: &json) }
                            }
                        }
                    }
                }
            }
        }
        return json.finish()
    }

    private static func write(_ span: TraceSpan, to json: inout JSONWriter) {
        json.object { json in
            json.member("traceId", span.context.traceID)
            json.member("spanId", span.context.spanID)
            if let parent = span.parentID { json.member("parentSpanId", parent) }
            json.member("name", span.name)
            json.member("kind", span.kind.rawValue)
            json.member("startTimeUnixNano", String(span.start))
            json.member("endTimeUnixNano", String(span.end))
            write(span.attributes, to: &json)
            // STATUS_CODE_ERROR
            if span.isFailed {
                json.key("status")
                json.object { $0.member("code", 2) }
            }
        }
    }

    private static func write(_ attributes: [(name: String, value: TraceSpan.Value)], to json: inout JSONWriter) {
        json.key("attributes")
        json.array { json in
            for (name, value) in attributes {
                json.object { json in
                    json.member("key", name)
                    json.key("value")
                    json.object { json in
                        switch value {
                        case .text(let text): json.member("stringValue", text)
                        case .integer(let number): json.member("intValue", String(number))
                        }
                    }
                }
            }
        }
    }
}
