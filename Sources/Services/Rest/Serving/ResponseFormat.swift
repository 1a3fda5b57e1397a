import SwiftletPostgres
/// The form of an answer, as negotiated.
enum ResponseFormat: Hashable, Sendable {
    case json
    case object
    case csv
    case geoJSON
    case handler(MediaHandler)
    indirect case plan(of: ResponseFormat, RequestedMediaType.PlanOptions)

    /// Without the `plan` around it.
    var content: ResponseFormat { if case .plan(let format, _) = self { format } else { self } }
}

/// What an answer is, and what its header says of it.
struct NegotiatedFormat {
    let format: ResponseFormat
    let type: RequestedMediaType
    let stripsNulls: Bool

    /// The first of the accepted types that can be had. `isWhole`: the rows are as the target gives them.
    init?(
        _ accepted: [RequestedMediaType],
        _ handlers: MediaHandlers,
        target: QualifiedName,
        isWhole: Bool,
        showsPlans: Bool
    ) {
        for type in accepted {
            if case .plan(let inner, let options) = type {
                guard showsPlans, let found = Self.find(inner, handlers, target, isWhole) else { continue }
                format = .plan(of: found.format, options)
                stripsNulls = found.stripsNulls
                self.type = type
                return
            }
            guard let found = Self.find(type, handlers, target, isWhole) else { continue }
            self = found
            return
        }
        return nil
    }

    private init(_ format: ResponseFormat, _ type: RequestedMediaType, stripsNulls: Bool = false) {
        self.format = format
        self.type = type
        self.stripsNulls = stripsNulls
    }

    private static func find(
        _ type: RequestedMediaType,
        _ handlers: MediaHandlers,
        _ target: QualifiedName,
        _ isWhole: Bool
    ) -> NegotiatedFormat? {
        switch type {
        case .object(let stripsNulls): return NegotiatedFormat(.object, type, stripsNulls: stripsNulls)
        case .strippedJSON: return NegotiatedFormat(.json, type, stripsNulls: true)
        default: break
        }
        if !handlers.isEmpty, let handler = handlers.find(type, target, isWhole: isWhole) {
            return NegotiatedFormat(.handler(handler), handler.type)
        }
        return switch type {
        case .json, .any: NegotiatedFormat(.json, .json)
        case .csv: NegotiatedFormat(.csv, .csv)
        case .geoJSON: NegotiatedFormat(.geoJSON, .geoJSON)
        default: nil
        }
    }
}
